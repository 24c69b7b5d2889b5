package hostproc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/planted"
)

// plantedPage shows what it was asked for, fails with the text of the secret whose number is
// called, and has fields for the others.
func plantedPage(texts []planted.Secret) func(context.Context, protocol.ActionCall) (any, error) {
	return func(_ context.Context, c protocol.ActionCall) (any, error) {
		var args struct{ Target, Selector, Text string }
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, err
		}
		switch c.Name {
		case "dom.snapshot_text":
			text := "You asked for this.\n" + args.Selector
			return map[string]any{"text": text, "truncated": false, "total_chars": len(text)}, nil
		case "text.insert":
			if i, err := strconv.Atoi(strings.TrimPrefix(args.Target, "#broken")); err == nil {
				text := texts[i].InText()
				return nil, fault.New(fault.HandlerFailed, "the page said: %s", text).With("title", text).With("file", map[string]any{"name": text})
			}
			return map[string]any{
				"inserted": true, "inserted_length": len(args.Text), "input_method": "native-setter", "verified": true,
				"selected_text_length": 0, "selection_sync": true, "tag_name": "div", "sensitive": true,
			}, nil
		}
		return fakes.Answer(c)
	}
}

func TestPlantedSecretsAreNowhere(t *testing.T) {
	// Ensure that none of 200 planted secrets stands in the log file's bytes, host.log, a dump or a report: shown by the page, in its errors and evidence, in arguments, reasons and the arguments of maps, or typed into fields for secrets.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
		`{"name":"flow.note","description":"d","input_schema":{"type":"object"},`+workflow("", step("look", "page.info", ""))+`},`+
		tool("flow.type", workflow("", step("type", "text.insert", `,"args":{"target":"#field","text":"{% input.text %}"}`)))+`]}`)
	texts, fields := planted.Texts(), planted.Fields()
	p := home.Ready(t, &fakes.Browser{Page: plantedPage(texts)}, shop)
	c := dial(t, home)
	session := control.SessionParams{Kind: policy.SessionCLI, NoLoopGuard: true}
	run := func(params control.CallParams, ok bool) {
		t.Helper()
		params.Session = session
		if e := call(t, c, params); e.OK != ok {
			t.Fatalf("%s %.200s: %+v", params.Name, params.Arguments, e.Error)
		}
	}
	quoted := func(text string) string {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for i, s := range texts {
		run(direct("text.insert", fmt.Sprintf(`{"target":"#broken%d","text":%s}`, i, quoted(s.InText()))), false)
		argued := direct("dom.snapshot_text", `{"selector":`+quoted(s.InText())+`}`)
		argued.Arguments = json.RawMessage(strings.Replace(string(argued.Arguments), `"a test"`, quoted(s.InText()), 1))
		run(argued, true)
	}
	for some := range slices.Chunk(texts, 10) {
		var notes []string
		for _, s := range some {
			notes = append(notes, quoted(s.InText()))
		}
		run(siteCall("flow.note", `{"notes":[`+strings.Join(notes, ",")+`]}`), true)
	}
	for i, s := range fields {
		run(direct("text.insert", `{"target":"#field","text":`+quoted(s.Secret)+`}`), true)
		if i%8 == 0 {
			run(siteCall("flow.type", `{"text":`+quoted(s.Secret)+`}`), true)
		}
	}
	for name, args := range map[string][]string{
		"dump.txt": {"log", "dump", "--limit", "0"}, "dump.json": {"log", "dump", "--json", "--limit", "0"}, "report.html": {"log", "report", "cli", "--limit", "0"},
	} {
		r := home.Run(t, args...)
		if r.Exit != 0 || strings.Count(r.Stdout, "redacted") < len(texts) {
			t.Fatalf("%v: %d, %d bytes %s", args, r.Exit, len(r.Stdout), r.Stderr)
		}
		if err := os.WriteFile(filepath.Join(home.Dir, name), []byte(r.Stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hangUp(t, p)
	found, files, err := planted.InFiles(home.Dir, planted.All())
	if err != nil || files < 6 {
		t.Fatalf("%d files searched, %v", files, err)
	}
	for _, f := range found {
		t.Errorf("%s holds %s, which is known by: %s", f.File, f.Secret.Secret, f.Secret.Rule)
	}
	t.Logf("%d secrets, %d files, found %d times", len(texts)+len(fields), files, len(found))
}
