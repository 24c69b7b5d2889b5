package hostproc

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/ui"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func openBolt(home *harness.Home) (*bbolt.DB, error) {
	if err := os.MkdirAll(filepath.Dir(database(home)), 0o700); err != nil {
		return nil, err
	}
	return bbolt.Open(database(home), 0o600, &bbolt.Options{Timeout: time.Second})
}

// silent connects a client that asks for n calls and never reads.
func silent(t *testing.T, home *harness.Home, n int) {
	t.Helper()
	stream, err := net.Dial("unix", filepath.Join(home.Sockets(), fakes.ProfileID[:12]+".sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Close() })
	go func() {
		for i := range n {
			text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": control.MethodCall, "params": direct("page.info", `{}`)})
			if err != nil {
				return
			}
			if _, err := stream.Write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
				return // the host has ended
			}
		}
	}()
}

func TestBrokenSettings(t *testing.T) {
	// Ensure that settings which cannot be read or understood fail the handshake with an error that names the file, and that the corrected ones work on the same connection.
	t.Parallel()
	for name, text := range map[string]string{
		"not JSON":          `{"ask_effects":`,
		"empty":             ``,
		"an unknown member": `{"ask_effect":["input"]}`,
		"a wrong type":      `{"allow_code":"yes"}`,
		"a relative folder": `{"voice_record":"below"}`,
		"twice":             `{"ask_effects":[],"ask_effects":["input"]}`,
		"another case":      `{"Ask_Effects":["input"]}`,
		"a list":            `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			home.Settings(t, text)
			b := &fakes.Browser{Page: page}
			home.Start(t, b)
			_, err := b.Handshake(patient(t))
			if f := fault.From(err); f == nil || f.Code != fault.InvalidInput || !strings.Contains(f.Message, filepath.Join(home.Dir, "data", "settings.json")) || f.NextStep == "" {
				t.Fatalf("the handshake failed with %+v", f)
			}
			home.Settings(t, `{"ask_effects":["input"]}`)
			if _, err := b.Handshake(patient(t)); err != nil {
				t.Fatalf("with correct settings: %v", err)
			}
			if err := b.Claim(patient(t), 1, shop); err != nil {
				t.Fatal(err)
			}
			wantCode(t, call(t, dial(t, home), clickCall()), fault.NeedsApproval)
		})
	}
}

func TestDatabaseLocked(t *testing.T) {
	// Ensure that a database which another process holds is database_locked, and that the handshake works on the same connection once it is free.
	t.Parallel()
	home := harness.NewHome(t)
	db := lock(t, home)
	b := &fakes.Browser{Page: page}
	home.Start(t, b)
	if _, err := b.Handshake(patient(t)); !fault.Is(err, fault.DatabaseLocked) {
		t.Fatalf("the handshake: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Handshake(patient(t)); err != nil {
		t.Fatalf("after the lock: %v", err)
	}
}

func TestSecondHostOfAProfile(t *testing.T) {
	// Ensure that a second host of the same profile is refused while the first runs, takes nothing away from it, and takes over when it has ended.
	t.Parallel()
	home := harness.NewHome(t)
	first := &fakes.Browser{Page: page}
	p := home.Ready(t, first, shop)
	second := &fakes.Browser{Page: page}
	home.Start(t, second)
	if _, err := second.Handshake(patient(t)); !fault.Is(err, fault.DatabaseLocked) {
		t.Fatalf("the second handshake: %v", err)
	}
	harness.Must(t, call(t, dial(t, home), clickCall()), nil)
	if len(first.Calls()) != 1 || len(second.Calls()) != 0 {
		t.Errorf("the first saw %d calls, the second %d", len(first.Calls()), len(second.Calls()))
	}
	hangUp(t, p)
	if _, err := second.Handshake(patient(t)); err != nil {
		t.Fatalf("when the first has ended: %v", err)
	}
	if c := dial(t, home); c.Status.ClaimedTabs != 0 {
		t.Errorf("%d claimed tabs", c.Status.ClaimedTabs)
	}
}

func TestStateThatCannotBeUsed(t *testing.T) {
	// Ensure that a state, database or socket place which cannot be used fails the handshake with an error that names it, and that the host goes on running.
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(home *harness.Home) error
		names func(home *harness.Home) string
	}{
		"a file in place of the state folder": {
			func(home *harness.Home) error { return os.WriteFile(filepath.Join(home.Dir, "state"), nil, 0o600) },
			func(home *harness.Home) string { return filepath.Join(home.Dir, "state") },
		},
		"a folder in place of the database": {
			func(home *harness.Home) error { return os.MkdirAll(database(home), 0o700) }, database,
		},
		"a file in place of the sockets": {
			func(home *harness.Home) error { return os.WriteFile(home.Sockets(), nil, 0o600) }, (*harness.Home).Sockets,
		},
		"a file in place of the storage": {
			func(home *harness.Home) error { return os.WriteFile(filepath.Join(home.Dir, "storage"), nil, 0o600) },
			func(home *harness.Home) string { return filepath.Join(home.Dir, "storage") },
		},
		"a state folder that is not writable": {
			func(home *harness.Home) error {
				if os.Getuid() == 0 {
					return os.Symlink("/proc/self", filepath.Join(home.Dir, "state")) // not even root can write there
				}
				return os.Mkdir(filepath.Join(home.Dir, "state"), 0o500)
			},
			func(home *harness.Home) string { return filepath.Join(home.Dir, "state") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			if err := c.spoil(home); err != nil {
				t.Fatal(err)
			}
			r := spawn(t, home, ourOrigin)
			for range 2 { // the second time it must not stumble over the first
				r.frame(hello(t, "hello", nil))
				data := r.refusal()
				if data.Code != string(fault.StorageUnavailable) || !strings.Contains(data.Message, c.names(home)) || data.NextStep == "" {
					t.Fatalf("refused with %+v", data)
				}
			}
			r.in.Close()
			r.ends()
		})
	}
}

func TestBrokenDatabase(t *testing.T) {
	// Ensure that a database which is not a database is set aside, that the host starts with a new one, and that the log says so.
	t.Parallel()
	home := harness.NewHome(t)
	if err := os.MkdirAll(filepath.Dir(database(home)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(database(home), []byte(strings.Repeat("not a database\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	harness.Must(t, call(t, dial(t, home), clickCall()), nil)
	hangUp(t, p)
	all := records(t, home)
	if all[0].Type != "recovered" || !strings.Contains(string(all[0].Data), ".broken-") {
		t.Errorf("the log begins with %+v", all[0])
	}
	if aside, err := filepath.Glob(database(home) + ".broken-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v %v", aside, err)
	}
}

// breakLastPage zeroes the page of the database in which the newest record
// stands.
func breakLastPage(t *testing.T, home *harness.Home, last uint64) {
	t.Helper()
	text, err := os.ReadFile(database(home))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, fmt.Appendf(nil, `{"seq":%d,`, last))
	if at < 0 {
		t.Fatalf("record %d is nowhere in the file", last)
	}
	page := os.Getpagesize()
	at = at / page * page
	clear(text[at : at+page])
	if err := os.WriteFile(database(home), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantTold ensures that a damaged log is told in the answer of the next acting call and
// in no other, in host.log, in the popup and to the doctor.
func wantTold(t *testing.T, home *harness.Home, p *harness.Process, c *control.Client) {
	t.Helper()
	look := direct("page.info", `{}`)
	for i, params := range []control.CallParams{look, clickCall(), look, clickCall()} {
		e := call(t, c, params)
		harness.Must(t, e, nil)
		if told := strings.Contains(e.Meta.LogDamage, ".broken-"); told != (i == 1) || (e.Meta.LogDamage != "") != told {
			t.Errorf("call %d, %s: %q", i, e.Name, e.Meta.LogDamage)
		}
	}
	if !strings.Contains(c.Status.LogDamage, ".broken-") {
		t.Errorf("the doctor is told %q", c.Status.LogDamage)
	}
	var view ui.View
	if err := p.Browser.Conn.Call(patient(t), protocol.MethodUIView, protocol.Empty{}, &view); err != nil || view.LogDamage != c.Status.LogDamage {
		t.Errorf("the popup shows %q, %v", view.LogDamage, err)
	}
	if text, err := os.ReadFile(filepath.Join(home.Dir, "state", "host.log")); err != nil || !strings.Contains(string(text), "the log's file was damaged") {
		t.Errorf("host.log: %s, %v", text, err)
	}
}

func TestBrokenLastPage(t *testing.T) {
	// Ensure that of a log with a broken last page dump prints what can be read and says what cannot, verify names it, and the host starts, says it, and goes on with every record, task that can be read.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	c := dial(t, home)
	harness.Must(t, call(t, c, direct("task.add", `{"text":"kept"}`)), nil)
	for range 40 {
		harness.Must(t, call(t, c, clickCall()), nil)
	}
	hangUp(t, p)
	whole := records(t, home)
	last := whole[len(whole)-1].Seq
	breakLastPage(t, home, last)

	dump := home.Run(t, "log", "dump", "--json")
	lines := strings.Split(strings.TrimSpace(dump.Stdout), "\n")
	var end journal.Record
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || dump.Exit != 1 || end.Type != journal.TypeDamaged || !strings.Contains(string(end.Data), fmt.Sprintf(`%d]]`, last)) {
		t.Errorf("dump ends with %d and %s: %v", dump.Exit, lines[len(lines)-1], err)
	}
	kept := len(lines) - 1
	if kept < len(whole)-30 || !strings.Contains(dump.Stderr, "is damaged") {
		t.Errorf("%d of %d records were printed: %s", kept, len(whole), dump.Stderr)
	}
	var report journal.Report
	verify := home.Run(t, "log", "verify", "--json")
	if err := json.Unmarshal([]byte(verify.Stdout), &report); err != nil || verify.Exit != 1 || report.OK || report.Bad != last || end.Seq != last+1 || report.Records != kept {
		t.Errorf("verify: %+v %v", verify, err)
	}
	if person := home.Run(t, "log", "verify"); person.Exit != 1 || !strings.Contains(person.Stdout, "✗ Record") || !strings.Contains(person.Stdout, "cannot be read") {
		t.Errorf("verify for a person: %+v", person)
	}

	p = reconnected(t, home, b, 1)
	c = dial(t, home)
	if n := total(t, c, 1); n != 1 {
		t.Errorf("%v tasks are left", n)
	}
	wantTold(t, home, p, c)
	running := home.Run(t, "log", "verify")
	if running.Exit != 0 || !strings.Contains(running.Stdout, fmt.Sprintf("Record %d tells", last+1)) {
		t.Errorf("verify through the host: %+v", running)
	}
	hangUp(t, p)
	all := records(t, home)
	for i, r := range all[:kept] {
		if r.Hash != whole[i].Hash {
			t.Errorf("record %d is another one", r.Seq)
		}
	}
	if said := all[kept]; said.Type != journal.TypeRecovered || !strings.Contains(string(said.Data), fmt.Sprintf(`"kept":%d`, kept)) {
		t.Errorf("the start says %s %s", said.Type, said.Data)
	}
	wantClosed(t, all)
}
