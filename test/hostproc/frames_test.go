package hostproc

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/test/harness"
)

// release is a request that a greeted host answers whatever happened before.
const release = `{"jsonrpc":"2.0","id":"alive","method":"release","params":{"tab_id":7,"reason":"a test"}}`

func TestBadFramesCostOnlyThemselves(t *testing.T) {
	// Ensure that a frame which is not a strict JSON-RPC message is answered by a refusal, and that the connection lives and serves the next call.
	t.Parallel()
	bad := map[string]string{
		"length zero":            "",
		"not JSON":               `hello`,
		"half a text":            `{"jsonrpc":"2.0"`,
		"two values":             `{} {}`,
		"an array":               `[]`,
		"a batch with a bad one": `[{"jsonrpc":"2.0","id":1,"method":7}]`,
		"a batch in a batch":     `[[` + release + `]]`,
		"invalid UTF-8":          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"duplicate keys":         `{"jsonrpc":"2.0","id":1,"method":"release","method":"claim"}`,
		"duplicate keys inside":  `{"jsonrpc":"2.0","id":1,"method":"release","params":{"tab_id":1,"tab_id":2,"reason":""}}`,
		"case-variant method":    `{"jsonrpc":"2.0","id":1,"method":"release","METHOD":"claim"}`,
		"case-variant params":    `{"jsonrpc":"2.0","id":1,"method":"release","params":{"Tab_ID":1,"reason":""}}`,
		"unknown member":         `{"jsonrpc":"2.0","id":1,"method":"release","params":{"tab_id":1,"reason":"","x":1}}`,
		"a number too large":     `{"jsonrpc":"2.0","id":1,"method":"release","params":{"tab_id":1e99,"reason":""}}`,
		"NUL in a name":          `{"jsonrpc":"2.0","id":1,"method":"release","params":{"tab_id\u0000":1}}`,
		"deep nesting":           strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"deep parameters":        `{"jsonrpc":"2.0","id":1,"method":"release","params":` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat("}", 501),
		"not version 2.0":        `{"jsonrpc":"1.0","id":1,"method":"release"}`,
		"no method":              `{"jsonrpc":"2.0"}`,
		"an id and no method":    `{"jsonrpc":"2.0","id":1,"params":{}}`,
		"request and response":   `{"jsonrpc":"2.0","id":1,"method":"release","result":1}`,
		"id of another type":     `{"jsonrpc":"2.0","id":{"a":1},"method":"release"}`,
		"the inner method":       `{"jsonrpc":"2.0","method":"$/badMessage","params":{"code":"x","message":"y"}}`,
		"unknown method":         `{"jsonrpc":"2.0","id":1,"method":"teleport","params":{}}`,
		"a method of the host":   `{"jsonrpc":"2.0","id":1,"method":"action_call","params":{}}`,
		"parameters of no kind":  `{"jsonrpc":"2.0","id":1,"method":"claim","params":"all"}`,
		"no parameters":          `{"jsonrpc":"2.0","id":1,"method":"claim"}`,
	}
	r := greeted(t, harness.NewHome(t))
	for name, text := range bad {
		r.frame(text)
		data := r.refusal()
		if !fault.Known(fault.Code(data.Code)) || data.Code == string(fault.InternalError) || data.Message == "" || data.NextStep == "" {
			t.Errorf("%s: refused with %+v", name, data)
		}
		r.frame(release)
		if m := r.next(); m.Error != nil || string(m.ID) != `"alive"` {
			t.Fatalf("after %s: %+v", name, m)
		}
	}
	// Responses that nobody waits for, and notifications that nobody knows.
	r.frame(`{"jsonrpc":"2.0","id":424242,"result":{}}`)
	r.frame(`{"jsonrpc":"2.0","id":"nobody","error":{"code":-1,"message":"x"}}`)
	r.frame(`{"jsonrpc":"2.0","method":"teleported","params":{}}`)
	r.frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"nobody"}}`)
	r.frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`)
	r.frame(release)
	if m := r.next(); m.Error != nil || string(m.ID) != `"alive"` {
		t.Fatalf("after strange responses: %+v", m)
	}
	r.in.Close()
	r.ends()
}

func TestNothingIsHeardBeforeTheHandshake(t *testing.T) {
	// Ensure that messages before the handshake, and those sent while it runs, are refused, change nothing and do not end the host.
	t.Parallel()
	home := harness.NewHome(t)
	db := lock(t, home)
	r := spawn(t, home, ourOrigin)
	claim := `{"jsonrpc":"2.0","id":%q,"method":"claim","params":{"tab":{"tab_id":1,"window_id":1,"url":"https://example.com/","title":"","active":true}}}`
	r.frame(fmt.Sprintf(claim, "early"))
	if data := r.refusal(); data.Code != string(fault.InvalidMessage) {
		t.Fatalf("refused with %+v", data)
	}
	status := `{"jsonrpc":"2.0","method":"runtime_status","params":{"tab":{"tab_id":1,"window_id":1,"url":"https://example.com/","title":"","active":true}}}`
	r.frame(status)
	// The host opens its database while the others arrive.
	var all []byte
	for _, text := range []string{hello(t, "hello", nil), fmt.Sprintf(claim, "hasty"), status,
		`{"jsonrpc":"2.0","method":"debugger_event","params":{"tab_id":1,"method":"Page.x","params":{}}}`,
		`{"jsonrpc":"2.0","id":"r","method":"release","params":{"tab_id":1,"reason":""}}`} {
		all = append(append(all, binary.NativeEndian.AppendUint32(nil, uint32(len(text)))...), text...)
	}
	r.write(all)
	for range 2 {
		if m := r.next(); m.Error == nil || m.Error.Data.Code != string(fault.InvalidMessage) {
			t.Fatalf("during the handshake %s gave %+v", m.ID, m)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if m := r.next(); m.Error != nil || string(m.ID) != `"hello"` {
		t.Fatalf("handshake: %+v", m)
	}
	r.in.Close()
	r.ends()
}

func TestFramesThatEndTheHost(t *testing.T) {
	// Ensure that a frame which is too long, or cut off, ends the host by itself at once, with nothing but frames on stdout.
	t.Parallel()
	whole := binary.NativeEndian.AppendUint32(nil, 100)
	for name, c := range map[string]struct {
		bytes []byte
		eof   bool
	}{
		"the largest length":     {bytes: []byte{0xff, 0xff, 0xff, 0xff}},
		"one byte above the cap": {bytes: binary.NativeEndian.AppendUint32(nil, nativemsg.MaxFromBrowser+1)},
		"text instead of frames": {bytes: []byte("Hello, host!\n")},
		"half a header":          {bytes: whole[:2], eof: true},
		"a header alone":         {bytes: whole, eof: true},
		"half a frame":           {bytes: append(whole, `{"jsonrpc":"2.0"`...), eof: true},
		"nothing":                {eof: true},
	} {
		for _, after := range []string{"start", "handshake"} {
			t.Run(name+" after the "+after, func(t *testing.T) {
				t.Parallel()
				home := harness.NewHome(t)
				r := spawn(t, home, ourOrigin)
				if after == "handshake" {
					r.frame(hello(t, "hello", nil))
					r.next()
				}
				r.write(c.bytes)
				if c.eof {
					r.in.Close()
				}
				r.ends()
				for range len(r.frames) {
					if m := r.next(); m.Version != "2.0" {
						t.Errorf("a frame on stdout is no message: %+v", m)
					}
				}
				if left, err := os.ReadDir(home.Sockets()); err == nil && len(left) > 0 {
					t.Errorf("the socket %s stays behind", left[0].Name())
				}
			})
		}
	}
}

func TestLyingLengthCostsNoMemory(t *testing.T) {
	// Ensure that a header which promises 64 MiB and brings a few bytes does not make the host take the memory.
	t.Parallel()
	r := greeted(t, harness.NewHome(t))
	before := peakMemory(t, r.cmd.Process.Pid)
	r.write(binary.NativeEndian.AppendUint32(nil, nativemsg.MaxFromBrowser))
	r.write(make([]byte, 100_000)) // the pipe holds 64 KiB: when this is written, the host has read some
	if after := peakMemory(t, r.cmd.Process.Pid); after-before > 4<<20 {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
	r.in.Close()
	r.ends()
}

// peakMemory is the most memory that the process ever held, in bytes.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("this system does not tell a process's memory:", err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
