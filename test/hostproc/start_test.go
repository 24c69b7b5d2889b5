package hostproc

import (
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestStartedByAnother(t *testing.T) {
	// Ensure that the host does nothing for any caller but the exact pinned extension: it exits with a failure, writes nothing to stdout and makes no socket or database.
	t.Parallel()
	for name, args := range map[string][]string{
		"another extension":      {"chrome-extension://" + strings.Repeat("a", 32) + "/"},
		"no slash":               {"chrome-extension://" + manifest.ExtensionID},
		"a path":                 {ourOrigin + "popup.html"},
		"upper case":             {"chrome-extension://" + strings.ToUpper(manifest.ExtensionID) + "/"},
		"a prefix of ours":       {"chrome-extension://" + manifest.ExtensionID + ".evil/"},
		"a web page":             {"https://example.com/"},
		"Firefox's arguments":    {"/some/manifest.json", "extension@example.com"},
		"ours, but not in front": {"", ourOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			r := spawn(t, home, args...)
			r.frame(hello(t, "hello", nil))
			if status := r.exits(); status == 0 {
				t.Error("exit status 0")
			}
			wantUntouched(t, home, r)
		})
	}
}

func TestStartedWithoutArguments(t *testing.T) {
	// Ensure that the program without arguments is not a host: it tells a person how it is used, reads no message and ends.
	t.Parallel()
	home := harness.NewHome(t)
	r := home.Run(t)
	if !strings.Contains(r.Stdout, "Usage") && !strings.Contains(r.Stderr, "Usage") {
		t.Errorf("it says %+v", r)
	}
	if _, err := os.Stat(database(home)); err == nil {
		t.Error("a database was made")
	}
}

// wantUntouched fails the test when the process said something on stdout, or
// left a database or a socket.
func wantUntouched(t *testing.T, home *harness.Home, r *raw) {
	t.Helper()
	if len(r.frames) > 0 {
		t.Errorf("it said %+v", r.next())
	}
	if _, err := os.Stat(database(home)); err == nil {
		t.Error("a database was made")
	}
	if left, err := os.ReadDir(home.Sockets()); err == nil && len(left) > 0 {
		t.Errorf("a socket was made: %s", left[0].Name())
	}
}

func TestHandshakeRefused(t *testing.T) {
	// Ensure that a handshake which does not fit is refused with a code and the part to update, that nothing is opened for it, and that a good one works after it.
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(map[string]any)
		code fault.Code
		says string
	}{
		"extension too old": {func(h map[string]any) { h["protocol"], h["protocol_min"] = protocol.MinNumber-1, 0 }, fault.VersionSkew, "update the extension"},
		"extension too new": {func(h map[string]any) { h["protocol"], h["protocol_min"] = protocol.Number+2, protocol.Number+1 }, fault.VersionSkew, "update the host"},
		"no profile id":     {func(h map[string]any) { h["profile_id"] = "" }, fault.InvalidMessage, "profile_id"},
		"a short id":        {func(h map[string]any) { h["profile_id"] = "abc" }, fault.InvalidMessage, "profile_id"},
		"a path as id":      {func(h map[string]any) { h["profile_id"] = "../../../../tmp/0123456789abcdef" }, fault.InvalidMessage, "profile_id"},
		"a long id":         {func(h map[string]any) { h["profile_id"] = strings.Repeat("a", 300) }, fault.InvalidMessage, "profile_id"},
		"an upper-case id":  {func(h map[string]any) { h["profile_id"] = strings.ToUpper(fakes.ProfileID) }, fault.InvalidMessage, "profile_id"},
		"no session":        {func(h map[string]any) { h["browser_session"] = "" }, fault.InvalidMessage, "browser_session"},
		"an unknown member": {func(h map[string]any) { h["admin"] = true }, fault.InvalidMessage, "admin"},
		"a wrong type":      {func(h map[string]any) { h["primitives"] = "all" }, fault.InvalidMessage, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			r := spawn(t, home, ourOrigin)
			r.frame(hello(t, "bad", c.edit))
			data := r.refusal()
			if data.Code != string(c.code) || !strings.Contains(data.Message, c.says) || data.NextStep == "" {
				t.Errorf("refused with %+v", data)
			}
			wantUntouched(t, home, r)
			r.frame(hello(t, "good", nil))
			if m := r.next(); m.Error != nil {
				t.Errorf("the good handshake after it: %+v", m.Error)
			}
		})
	}
}

func TestSecondHandshake(t *testing.T) {
	// Ensure that a second handshake on a connection is refused, also one for another profile, and that the first stays in force.
	t.Parallel()
	home := harness.NewHome(t)
	r := greeted(t, home)
	r.frame(hello(t, "again", nil))
	if data := r.refusal(); data.Code != string(fault.InvalidMessage) {
		t.Errorf("the same: %+v", data)
	}
	r.frame(hello(t, "other", func(h map[string]any) { h["profile_id"] = strings.Repeat("f", 32) }))
	if data := r.refusal(); data.Code != string(fault.InvalidMessage) {
		t.Errorf("another profile: %+v", data)
	}
	if c := dial(t, home); c.Status.ProfileID != fakes.ProfileID || c.Status.ExtensionVersion != "0.0.0-raw" {
		t.Errorf("status %+v", c.Status)
	}
	r.in.Close()
	r.ends()
}

func TestNewerExtension(t *testing.T) {
	// Ensure that an extension which speaks more protocols than the host is served with the host's newest.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Hello: func(h *protocol.Handshake) { h.Protocol, h.ProtocolMin = protocol.Number+5, protocol.MinNumber }}
	home.Start(t, b)
	result, err := b.Handshake(patient(t))
	if err != nil || result.Protocol != protocol.Number {
		t.Fatalf("%+v %v", result, err)
	}
}

func TestOtherDictionary(t *testing.T) {
	// Ensure that an extension with another dictionary still works, that doctor says so, and that what it does not know is refused without being sent.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page, Hello: func(h *protocol.Handshake) {
		h.DictionaryHash, h.Primitives = strings.Repeat("0", 64), []string{"page.info"}
	}}
	home.Ready(t, b, shop)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	wantCode(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), fault.CapabilityUnavailable)
	if calls := b.Calls(); len(calls) != 1 {
		t.Errorf("the extension saw %+v", calls)
	}
	r := home.Run(t, "doctor")
	if r.Exit != 3 || !strings.Contains(r.Stdout, "✗ extension") || !strings.Contains(r.Stdout, "differ") || !strings.Contains(r.Stdout, "✓ ping") {
		t.Errorf("doctor says (exit %d):\n%s", r.Exit, r.Stdout)
	}
}
