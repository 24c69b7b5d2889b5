package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
)

// Patient returns a context that ends when a test has waited long enough.
func Patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Database is the file of the fake browser's profile.
func (h *Home) Database() string { return h.DatabaseOf(fakes.ProfileID) }

// DatabaseOf is the file of a profile.
func (h *Home) DatabaseOf(profile string) string {
	return filepath.Join(h.Dir, "state", "profile-"+profile+".db")
}

// Socket is the socket of the fake browser's profile.
func (h *Home) Socket() string { return filepath.Join(h.Sockets(), fakes.ProfileID[:12]+".sock") }

// Dial connects to the host of the fake browser as a program of the same user does.
func (h *Home) Dial(t testing.TB) *control.Client {
	t.Helper()
	c, err := control.Dial(Patient(t), h.Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Direct is a call of a primitive with the report that it needs.
func Direct(name, args string) control.CallParams {
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		panic(fmt.Sprintf("the test's own arguments %s: %v", args, err))
	}
	members["policy_exception_report"] = policy.Report{
		Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "a test",
	}
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return control.CallParams{Session: control.SessionParams{Kind: policy.SessionCLI}, Name: name, Arguments: raw}
}

// Records reads the whole log of the fake browser's profile from the file, after the
// host has ended, and checks its chain.
func (h *Home) Records(t testing.TB) []journal.Record {
	t.Helper()
	all, report, err := ReadLog(h.Database())
	if err != nil || !report.OK {
		t.Fatalf("verify: %+v, %v", report, err)
	}
	return all
}

// ReadLog reads a whole log from its file, and what is found wrong with it.
func ReadLog(path string) (all []journal.Record, report journal.Report, err error) {
	log, err := journal.ReadFile(path, 0)
	if err != nil {
		return nil, report, err
	}
	defer log.Close()
	if report, err = log.Verify(context.Background()); err != nil {
		return nil, report, err
	}
	for from := uint64(1); ; from = all[len(all)-1].Seq + 1 {
		chunk, err := log.Read(from, 0)
		if err != nil || len(chunk) == 0 {
			return all, report, err
		}
		all = append(all, chunk...)
	}
}
