package policyfile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/schema"
)

func TestParse(t *testing.T) {
	// Ensure that each member of the file becomes rules with the lines that they stand in.
	rules, err := Parse("/data/policy.json", []byte(`{
  "$schema": "../manifest/policy.schema.json",
  "ask_effects": ["input",
    "tab"],
  "allow": [{"origins": ["https://*.example.com",
    "http://localhost:*"], "sessions": ["mcp", "agent"]}],
  "deny": [
    {"origins": ["https://bank.example.com"], "reason": "bank"}],
  "upload_folders": ["/srv/uploads"],
  "private_networks": ["192.168.1.0/24", "10.0.0.1"]
}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []policy.AskRule{{Effect: policy.EffectInput, Line: 3}, {Effect: policy.EffectTab, Line: 4}}; !slices.Equal(rules.Ask, want) {
		t.Errorf("asked for: %v", rules.Ask)
	}
	var got []string
	for _, r := range slices.Concat(rules.Allow, rules.Deny) {
		got = append(got, fmt.Sprint(r.Line, r.Text, r.Sessions, r.Reason))
	}
	if want := []string{"5https://*.example.com[mcp agent]", "6http://localhost:*[mcp agent]", "8https://bank.example.com[]bank"}; !slices.Equal(got, want) {
		t.Errorf("origins: %q", got)
	}
	if fmt.Sprint(rules.UploadFolders, rules.PrivateNetworks) != "[/srv/uploads] [192.168.1.0/24 10.0.0.1/32]" {
		t.Errorf("folders %v, networks %v", rules.UploadFolders, rules.PrivateNetworks)
	}
}

func TestParseRefuses(t *testing.T) {
	// Ensure that whatever has no meaning, or none together with another line, is refused with file and line, a reason and what to do.
	for name, row := range map[string]struct {
		text, want string
		line       int
	}{
		"nothing":              {"", "empty", 1},
		"white space":          {"\n \n", "empty", 1},
		"no JSON":              {"{\n\"deny\":\n", "", 3},
		"a list":               {"[]", "", 1},
		"two values":           {"{}\n{}", "", 2},
		"an unknown member":    {"{\n\"denied\": []}", "denied", 2},
		"another case":         {"{\n\"Deny\": []}", "Deny", 2},
		"a member twice":       {"{\"deny\": [],\n\"deny\": []}", "deny", 2},
		"a wrong type":         {"{\"ask_effects\":\n\"input\"}", "ask_effects", 2},
		"null":                 {"{\"ask_effects\":\n\nnull}", "null", 3},
		"null in a list":       {"{\"upload_folders\":[\n\"/a\",\nnull]}", "null", 3},
		"an unknown effect":    {"{\"ask_effects\":[\n\"input\",\n\"inputs\"]}", "inputs", 3},
		"an effect twice":      {"{\"ask_effects\":[\n\"input\",\n\"input\"]}", "twice", 3},
		"an unknown kind":      {"{\"deny\":[{\"origins\":[\"https://a.example\"],\n\"sessions\":[\"mcp\",\n\"robot\"]}]}", "robot", 3},
		"a kind twice":         {"{\"deny\":[{\"origins\":[\"https://a.example\"],\n\"sessions\":[\"mcp\",\n\"mcp\"]}]}", "twice", 3},
		"no kind":              {"{\"deny\":[{\"origins\":[\"https://a.example\"],\n\"sessions\":[]}]}", "no kind", 2},
		"no origins":           {"{\"deny\":[\n{\"reason\":\"x\"}]}", "no pattern", 2},
		"an empty list":        {"{\"allow\":[\n{\"origins\":[]}]}", "no pattern", 2},
		"an unknown part":      {"{\"allow\":[{\"origins\":[\"https://a.example\"],\n\"session\":[\"mcp\"]}]}", "session", 2},
		"everything":           {"{\"deny\":[{\"origins\":[\n\"https://*\"]}]}", "https://*", 2},
		"everything else":      {"{\"deny\":[{\"origins\":[\n\"*\"]}]}", "\"*\"", 2},
		"a public suffix":      {"{\"deny\":[{\"origins\":[\"https://a.example\",\n\"https://*.co.uk\"]}]}", "co.uk", 2},
		"a path":               {"{\"allow\":[{\"origins\":[\n\"https://a.example/x\"]}]}", "path", 2},
		"a relative folder":    {"{\"upload_folders\":[\n\"uploads\"]}", "uploads", 2},
		"no network":           {"{\"private_networks\":[\n\"home\"]}", "home", 2},
		"a long reason":        {"{\"deny\":[{\"origins\":[\"https://a.example\"],\n\"reason\":\"" + strings.Repeat("x", 201) + "\"}]}", "reason", 2},
		"the same twice":       {"{\"allow\":[{\"origins\":[\"https://a.example\"]}],\n\"deny\":[{\"origins\":[\"https://a.example\"]}]}", "line 1", 2},
		"covered by a deny":    {"{\"deny\":[{\"origins\":[\"https://*.example.com:*\"]}],\n\"allow\":[{\"origins\":[\"https://a.example.com:8443\"],\"sessions\":[\"mcp\"]}]}", "mcp", 2},
		"a narrower below":     {"{\"deny\":[{\"origins\":[\"https://*.example.com\"]}],\n\"allow\":[{\"origins\":[\"https://*.a.example.com\"]}]}", "line 1", 2},
		"too deep":             {"{\"deny\":[{\"origins\":[[\"https://a.example\"]]}]}", "", 1},
		"too many patterns":    {"{\"deny\":[{\"origins\":[" + strings.Repeat("\"https://a.example\",", 4000) + "\n\"https://b.example\"]}]}", "4000", 2},
		"a byte order mark":    {"\ufeff{}", "", 1},
		"a comment":            {"{\n// none\n}", "", 2},
		"a zone of an address": {"{\"private_networks\":[\"fe80::1%eth0\"]}", "eth0", 1},
	} {
		rules, err := Parse("/data/policy.json", []byte(row.text))
		f := fault.From(err)
		if rules != nil || !fault.Is(err, fault.InvalidInput) || !strings.HasPrefix(f.Message, fmt.Sprintf("/data/policy.json:%d: ", row.line)) || !strings.Contains(f.Message, row.want) || f.NextStep == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseKeepsExceptions(t *testing.T) {
	// Ensure that a deny within what is allowed is an exception, and that a line for other kinds of sessions contradicts nothing.
	for _, text := range []string{
		`{"allow":[{"origins":["https://*.example.com"]}],"deny":[{"origins":["https://a.example.com"]}]}`,
		`{"allow":[{"origins":["https://a.example.com"],"sessions":["cli"]}],"deny":[{"origins":["https://a.example.com"],"sessions":["mcp"]}]}`,
		`{"allow":[{"origins":["https://example.com"]}],"deny":[{"origins":["https://*.example.com","http://example.com","https://example.com:8443"]}]}`,
		`{"allow":[{"origins":["https://a.example.com:*"]}],"deny":[{"origins":["https://a.example.com"]}]}`,
	} {
		if _, err := Parse("policy.json", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// schemaOf compiles the schema that editors get.
func schemaOf(t testing.TB) *schema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../../manifest/policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func FuzzParse(f *testing.F) {
	f.Add(string(shipped))
	compiled := schemaOf(f)
	// Ensure that a text either becomes rules which its schema accepts too, or an error that names a line of it.
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := Parse("policy.json", []byte(text))
		if err != nil {
			line, ok := fault.From(err).Evidence["line"].(int)
			if !fault.Is(err, fault.InvalidInput) || !ok || line < 1 || line > strings.Count(text, "\n")+1 {
				t.Fatalf("%v of %q", err, text)
			}
			return
		}
		if err := compiled.Validate([]byte(text)); err != nil {
			t.Fatalf("the schema refuses %q: %v", text, err)
		}
		lines := strings.Count(text, "\n") + 1
		for _, r := range slices.Concat(rules.Allow, rules.Deny) {
			if r.Line < 1 || r.Line > lines {
				t.Fatalf("line %d of %q", r.Line, text)
			}
		}
		for _, kind := range policy.SessionKinds {
			rules.Permits(kind, "https://example.com")
		}
	})
}
