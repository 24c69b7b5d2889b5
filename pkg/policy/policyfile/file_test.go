package policyfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const denied = "https://a.test"

// denying is a file that denies one origin.
const denying = `{"deny":[{"origins":["https://a.test"]}]}`

func TestRulesFollowTheFile(t *testing.T) {
	// Ensure that each change counts at the next look, also one of the same size within the same moment, and one that is old by its time.
	path := filepath.Join(t.TempDir(), Name)
	write(t, path, denying)
	f := Open(path)
	began := time.Now()
	long := began.Add(-time.Hour)
	for i, host := range []string{"a", "b", "a", "c", "a", "b"} {
		write(t, path, strings.Replace(denying, "https://a", "https://"+host, 1))
		changed := began // as where a file system counts time in long steps
		if i >= 3 {
			changed = long.Add(time.Duration(i) * time.Second)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if rules := f.Rules(); rules.Problem != nil || rules.Permits(policy.SessionCLI, denied) != (host != "a") {
				t.Fatalf("change %d: %v", i, rules.Problem)
			}
		}
	}
	replaced := path + ".new"
	write(t, replaced, denying)
	if err := os.Chtimes(replaced, long, long.Add(5*time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(replaced, path); err != nil {
		t.Fatal(err)
	}
	if rules := f.Rules(); rules.Permits(policy.SessionCLI, denied) {
		t.Error("a file of the same size and time in its place was not read")
	}
}

// breakages put something at the path that is no policy file, and return what takes it away.
var breakages = map[string]struct {
	put  func(t *testing.T, path string)
	want string
}{
	"empty":   {func(t *testing.T, path string) { write(t, path, "") }, ":1: the file is empty"},
	"cut off": {func(t *testing.T, path string) { write(t, path, "{\n\"deny\":[") }, ":2: "},
	"contradicting": {func(t *testing.T, path string) {
		write(t, path, "{\"allow\":[{\"origins\":[\"https://a.test\"]}],\n"+denying[1:])
	}, ":2: "},
	"everything": {func(t *testing.T, path string) { write(t, path, "{\"deny\":[\n{\"origins\":[\"https://*\"]}]}") }, ":2: "},
	"5 MB":       {func(t *testing.T, path string) { write(t, path, "{"+strings.Repeat(" ", 5<<20)+"}") }, "has 5242882 bytes"},
	"gone":       {func(t *testing.T, path string) { remove(t, path) }, "is gone"},
	"a folder": {func(t *testing.T, path string) {
		remove(t, path)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}, "is a folder"},
	"a symbolic link": {func(t *testing.T, path string) {
		remove(t, path)
		write(t, path+".real", "{}")
		if err := os.Symlink(path+".real", path); err != nil {
			t.Fatal(err)
		}
	}, "is a symbolic link"},
	"a link to nothing": {func(t *testing.T, path string) {
		remove(t, path)
		if err := os.Symlink(path+".nothing", path); err != nil {
			t.Fatal(err)
		}
	}, "is a symbolic link"},
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestBrokenFile(t *testing.T) {
	// Ensure that a file which breaks is named with what is wrong, that only reading goes on, by the rules before, that without any nothing runs, and that the corrected file counts at once.
	for name, b := range breakages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), Name)
			b.put(t, path)
			if err := Check(path); name != "gone" && (err == nil || !strings.Contains(err.Error(), b.want)) {
				t.Errorf("looked at by itself: %v", err)
			}
			f := Open(path)
			engine, err := policy.New(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			engine.File = f.Rules
			if d := decide(engine, policy.EffectRead, "https://b.test"); d.Verdict != policy.Deny || d.Rule != "policy_file" || !strings.Contains(d.Fault.Message, b.want) || !strings.Contains(d.Fault.Message, path) {
				t.Errorf("without a good state: %+v", d.Fault)
			}
			if engine.FileRules().Permits(policy.SessionCLI, "https://b.test") {
				t.Error("a page may be known without rules")
			}
			remove(t, path)
			write(t, path, denying)
			want(t, engine, true)
			b.put(t, path)
			for range 2 {
				want(t, engine, false)
				if d := decide(engine, policy.EffectInput, "https://b.test"); !strings.Contains(d.Fault.Message, b.want) || d.Fault.NextStep == "" {
					t.Errorf("%+v", d.Fault)
				}
			}
			remove(t, path)
			write(t, path, denying)
			want(t, engine, true)
		})
	}
}

// want fails the test unless calls act as they should where nothing denies it, and the rules before hold.
func want(t *testing.T, engine *policy.Engine, acts bool) {
	t.Helper()
	if d := decide(engine, policy.EffectRead, "https://b.test"); d.Verdict != policy.Allow {
		t.Errorf("reading: %+v", d.Fault)
	}
	if d := decide(engine, policy.EffectInput, "https://b.test"); (d.Verdict == policy.Allow) != acts || !acts && d.Rule != "policy_file" {
		t.Errorf("acting: %+v", d.Fault)
	}
	if d := decide(engine, policy.EffectRead, denied); d.Verdict != policy.Deny || d.Rule != "policy_file_deny" {
		t.Errorf("reading what is denied: %+v", d.Fault)
	}
}

func decide(engine *policy.Engine, effect policy.Effect, origin string) policy.Decision {
	return engine.Decide(policy.Request{
		Session: policy.SessionCLI, Mode: policy.ModeAct, Name: "t.do", Stored: true, Effects: []policy.Effect{effect}, Origin: origin, TargetOrigins: []string{origin},
	})
}

func TestEditedWhileDecided(t *testing.T) {
	// Ensure that decisions which run while the file is written in place again and again go by one whole state each: what every state denies is never allowed, and what no state denies is only ever refused because a write was under way.
	path := filepath.Join(t.TempDir(), Name)
	states := []string{denying, strings.Replace(denying, `"]}`, `","https://c.test"]}`, 1), "\n\n" + denying}
	write(t, path, states[0])
	engine, err := policy.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	engine.File = Open(path).Rules
	if d := decide(engine, policy.EffectRead, denied); d.Rule != "policy_file_deny" {
		t.Fatal(d.Fault)
	}
	ended := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if d := decide(engine, policy.EffectInput, denied); d.Verdict != policy.Deny {
					t.Error("what every state denies was allowed")
				}
				if d := decide(engine, policy.EffectInput, "https://b.test"); d.Verdict != policy.Allow && d.Rule != "policy_file" {
					t.Errorf("what no state denies: %+v", d.Fault)
				}
			}
		})
	}
	for i := range 300 {
		write(t, path, states[i%len(states)])
	}
	close(ended)
	callers.Wait()
	if d := decide(engine, policy.EffectInput, "https://c.test"); d.Verdict != policy.Allow {
		t.Errorf("in the end: %+v", d.Fault)
	}
}

func TestFileOfAnotherSort(t *testing.T) {
	// Ensure that a file which nobody may read is refused with the reason.
	if os.Geteuid() == 0 {
		t.Skip("root reads every file")
	}
	path := filepath.Join(t.TempDir(), Name)
	write(t, path, "{}")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
}

func BenchmarkDecision(b *testing.B) {
	// A decision with 1,000 rules may take 50 µs; it looks at the file each time.
	path := filepath.Join(b.TempDir(), Name)
	var entries []string
	for i := range 1000 {
		entries = append(entries, fmt.Sprintf(`{"origins":["https://*.s%d.test"]}`, i))
	}
	write(b, path, `{"deny":[`+strings.Join(entries, ",\n")+`]}`)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		b.Fatal(err)
	}
	engine, err := policy.New(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	engine.File = Open(path).Rules
	for b.Loop() {
		if d := decide(engine, policy.EffectInput, "https://www.example.com"); d.Verdict != policy.Allow {
			b.Fatal(d.Fault)
		}
	}
}
