package control_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

// raw is a client that sends what it likes.
type raw struct {
	*net.UnixConn
	t testing.TB
}

func dialRaw(t testing.TB, path string) raw {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return raw{conn, t}
}

func (r raw) send(data []byte) {
	r.t.Helper()
	if _, err := r.Write(data); err != nil {
		r.t.Fatal(err)
	}
}

// answer is a message of the host.
type answer struct {
	ID     json.RawMessage
	Method string
	Params *protocol.ErrorData
	Result json.RawMessage
	Error  *struct{ Data protocol.ErrorData }
}

func (r raw) next() (a answer) {
	r.t.Helper()
	text, err := nativemsg.NewReader(r, control.MaxFrame).ReadFrame()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		r.t.Fatalf("%v: %s", err, text)
	}
	return a
}

// announced is the length of a message.
func announced(size int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(size)) }

func framed(text string) []byte { return append(announced(len(text)), text...) }

func TestUnfinishedMessages(t *testing.T) {
	// Ensure that when the messages that are being sent fill their room, a small call is served all the same, a large one is refused by its id, or by a notification where none can be read, and the connection goes on; and that the room is free again when those clients have gone.
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, newHost(t, "p"))
	var slow []raw
	for range 2 {
		client := dialRaw(t, path)
		client.send(announced(control.MaxFrame))
		client.send(make([]byte, 2<<20)) // the largest stage begins behind the first mebibyte
		slow = append(slow, client)
	}
	c := dialRaw(t, path)
	large := func(id string) []byte {
		return framed(fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":"ping","params":{"x":%q}}`, id, strings.Repeat("x", 1<<20)))
	}
	refused := func() bool {
		c.send(large(`"id":7,`))
		a := c.next()
		if string(a.ID) != "7" || a.Error == nil {
			return false
		}
		if f := a.Error.Data; f.Code != string(fault.RateLimited) || f.Dispatched != string(fault.NotDispatched) || f.NextStep == "" {
			t.Fatalf("a large message: %+v", f)
		}
		return true
	}
	until(t, "the room is full", refused)
	c.send(large(``))
	if a := c.next(); a.Method != protocol.MethodActionError || a.Params == nil || a.Params.Code != string(fault.RateLimited) {
		t.Errorf("a large one without an id: %+v", a)
	}
	c.send(framed(`{"jsonrpc":"2.0","id":8,"method":"ping"}`))
	if a := c.next(); string(a.ID) != "8" || a.Error != nil {
		t.Errorf("a small one: %+v", a)
	}
	slow[0].Close()
	until(t, "there is room", func() bool { return !refused() })
}

func TestClientThatStandsStill(t *testing.T) {
	// Ensure that a client which stops in the middle of a message, and one that asks and never takes an answer, are disconnected, while one that only waits between two messages is not.
	t.Cleanup(control.SetStallTimeout(50 * time.Millisecond))
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, newHost(t, "p"))
	good := dial(t, path)
	half := dialRaw(t, path)
	half.send(append(announced(100), `{"json`...))
	if _, err := io.ReadAll(half); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("half a message keeps its connection")
	}
	deaf := dialRaw(t, path)
	request := framed(`{"jsonrpc":"2.0","id":1,"method":"no such method"}`)
	for {
		if _, err := deaf.Write(request); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a client that takes no answer keeps its connection")
		} else if err != nil {
			break
		}
	}
	if err := good.Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
		t.Errorf("a client that waited: %v", err)
	}
}

func TestNotifications(t *testing.T) {
	// Ensure that a call without an id runs nothing and is refused: nobody would know what became of it.
	h := newHost(t, "p")
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, h)
	c := dialRaw(t, path)
	params, err := json.Marshal(pageInfo())
	if err != nil {
		t.Fatal(err)
	}
	c.send(framed(`{"jsonrpc":"2.0","method":"call","params":` + string(params) + `}`))
	if a := c.next(); a.Method != protocol.MethodActionError || a.Params == nil || a.Params.Code != string(fault.InvalidMessage) {
		t.Errorf("got %+v", a)
	}
	records, err := h.dispatcher.Journal.Read(0, 0)
	if err != nil || len(records) != 0 {
		t.Errorf("the log has %d records, %v", len(records), err)
	}
}
