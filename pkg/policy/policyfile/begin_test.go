package policyfile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestShipped(t *testing.T) {
	// Ensure that the shipped file is valid, that each line that denies has a reason, that it denies well-known sites of each sort and nothing on this machine, and that each site stands in a line of its own.
	rules, err := Parse("policy.json", shipped)
	if err != nil {
		t.Fatal(err)
	}
	if len(rules.Deny) < 100 || len(rules.Allow)+len(rules.Ask)+len(rules.UploadFolders)+len(rules.PrivateNetworks) != 0 {
		t.Errorf("%d rules deny", len(rules.Deny))
	}
	lines := strings.Split(string(shipped), "\n")
	for _, r := range rules.Deny {
		if r.Reason == "" || len(r.Sessions) > 0 || !strings.Contains(lines[r.Line-1], r.Text) {
			t.Errorf("%+v", r)
		}
	}
	for _, site := range []string{
		"https://www.paypal.com", "https://dashboard.stripe.com", "https://wise.com", "https://www.chase.com", "https://meine.sparkasse.de",
		"https://accounts.google.com", "https://login.microsoftonline.com", "https://appleid.apple.com", "https://corp.okta.com", "https://id.me",
		"https://www.irs.gov", "https://www.elster.de", "https://vault.bitwarden.com", "https://my.1password.com", "https://www.coinbase.com",
	} {
		if rules.Permits(policy.SessionMCP, site) {
			t.Errorf("%s is not denied", site)
		}
	}
	for _, site := range []string{"http://localhost:8080", "http://127.0.0.1", "http://t1.localhost:99", "https://www.google.com", "https://github.com", "https://stripe.com", ""} {
		if !rules.Permits(policy.SessionMCP, site) || !origin.Operable(site) && site != "" {
			t.Errorf("%s is denied", site)
		}
	}
}

func TestBegin(t *testing.T) {
	// Ensure that the first start writes the shipped file with what the settings said, takes that out of the settings and keeps them as they were, and that later starts change nothing.
	folder := filepath.Join(t.TempDir(), "data")
	if err := Begin(folder); err != nil || read(t, filepath.Join(folder, Name)) != string(shipped) {
		t.Fatalf("without settings: %v", err)
	}
	folder = t.TempDir()
	settings, kept, file := filepath.Join(folder, settingsName), filepath.Join(folder, keptName), filepath.Join(folder, Name)
	const old = "\n{\"allow_code\":true,\"ask_effects\":[\"input\",\n\"tab\"],\"private_networks\":[\"10.0.0.0/8\"],\"upload_folders\":null,\"voice_base\":\"https://a.example/?b&c\"}"
	write(t, settings, old)
	if err := Begin(folder); err != nil {
		t.Fatal(err)
	}
	rules := Open(file).Rules()
	if got := rules.AskEffects(); rules.Problem != nil || len(got) != 2 || got[1] != policy.EffectTab || len(rules.PrivateNetworks) != 1 || len(rules.Deny) == 0 {
		t.Errorf("problem %v, ask %v, networks %v", rules.Problem, rules.Ask, rules.PrivateNetworks)
	}
	if read(t, kept) != old {
		t.Error("the old settings are not kept")
	}
	after := read(t, settings)
	if after != "{\n  \"allow_code\": true,\n  \"voice_base\": \"https://a.example/?b&c\"\n}\n" {
		t.Errorf("the settings are %s", after)
	}
	text := read(t, file)
	if err := Begin(folder); err != nil || read(t, settings) != after || read(t, file) != text {
		t.Errorf("the second start: %v", err)
	}
}

func TestBeginWithMistakes(t *testing.T) {
	// Ensure that what is wrong in a moved member is an error of the file that has it then, with its line: nothing is opened, and nothing allowed.
	for _, mistake := range []string{
		`"private_networks":["192.168.1"]`, `"private_networks":["localhost"]`, `"private_networks":["10.0.0.0/33"]`, `"private_networks":[""]`,
		`"private_networks":"10.0.0.0/8"`, `"upload_folders":["below"]`, `"ask_effects":["everything"]`,
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, settingsName), "{"+mistake+"}")
		if err := Begin(folder); err != nil {
			t.Errorf("%s: %v", mistake, err)
			continue
		}
		rules := Open(filepath.Join(folder, Name)).Rules()
		if rules.Problem == nil || !strings.Contains(rules.Problem.Message, Name) || len(rules.PrivateNetworks) > 0 || !rules.Unknown {
			t.Errorf("%s: %+v", mistake, rules.Problem)
		}
	}
}

func TestBeginLater(t *testing.T) {
	// Ensure that settings which get a moved member later are refused with file and line, also those that were kept, once the policy file was edited; and that a start which was cut off is finished by the next.
	folder := t.TempDir()
	settings, file := filepath.Join(folder, settingsName), filepath.Join(folder, Name)
	const old = "{\n\"ask_effects\": [\"input\"]}"
	write(t, settings, old)
	if err := Begin(folder); err != nil {
		t.Fatal(err)
	}
	write(t, settings, old) // as it was before the end of the first start
	if err := Begin(folder); err != nil || strings.Contains(read(t, settings), "ask") {
		t.Errorf("a start that was cut off: %v", err)
	}
	write(t, file, "{}")
	for _, text := range []string{old, "{\n\"upload_folders\":[]}"} {
		write(t, settings, text)
		if err := Begin(folder); !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), settings+":2: ") || !strings.Contains(err.Error(), Name) || read(t, settings) != text {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBeginTogether(t *testing.T) {
	// Ensure that hosts of several browser profiles which start at once all succeed, with one file and settings that are whole.
	for range 20 {
		folder := t.TempDir()
		write(t, filepath.Join(folder, settingsName), `{"ask_effects":["input"],"allow_code":true}`)
		var hosts sync.WaitGroup
		for range 8 {
			hosts.Go(func() {
				if err := Begin(folder); err != nil {
					t.Error(err)
				}
			})
		}
		hosts.Wait()
		if rules := Open(filepath.Join(folder, Name)).Rules(); rules.Problem != nil || len(rules.Ask) != 1 {
			t.Errorf("problem %v, ask %v", rules.Problem, rules.Ask)
		}
		if got := read(t, filepath.Join(folder, settingsName)); got != "{\n  \"allow_code\": true\n}\n" {
			t.Errorf("the settings are %s", got)
		}
		if names, err := os.ReadDir(folder); err != nil || len(names) != 3 {
			t.Errorf("left in the folder: %v, %v", names, err)
		}
	}
}
