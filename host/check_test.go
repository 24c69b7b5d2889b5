package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/draft"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

func TestPrintReport(t *testing.T) {
	// Ensure that a person sees each check with its outcome, why it failed and what may repair the map, from the JSON that the host sends.
	text := `{"ok":false,"url":"https://tea.example/","maps":[{"map":"scopes/private/sites/tea.example/actions.json","ok":false,"passed":1,"failed":1,"unknown":0,"skipped":1,
		"support":{"missing_required":["page.teleport"]},"problems":[{"pointer":"/states/0","message":"must be an object"}],
		"states":[{"name":"ready","holds":true},{"name":"words","holds":"unknown"}],
		"checks":[{"id":"a","severity":"major","status":"passed"},
		{"id":"b","severity":"critical","status":"failed","reason":"#x: it has another text","contingency":"ask the user",
			"assertions":[{"ok":false,"evidence":{"found":false,"count":0,"visible":false,"other_text":"Sold out"}}],
			"evidence":{"alternate_selectors":{"#z":true,"#y":false,"#a":true}}},
		{"id":"c","severity":"minor","status":"skipped","reason":"it runs actions"}]}]}`
	var report pagemodel.PageReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	(&app{stdout: &out}).printReport(report)
	want := `scopes/private/sites/tea.example/actions.json: 1 passed, 1 failed, 0 unknown, 1 skipped
  ✗ the map requires page.teleport, which this host does not have
  ! /states/0: must be an object
  state ready: true
  state words: unknown
  ✓ a (major)
  ✗ b (critical): #x: it has another text
      it reads: Sold out
      the alternative #a finds something
      the alternative #z finds something
      the map's advice: ask the user
  - c (minor): it runs actions
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	(&app{stdout: &out}).printReport(pagemodel.PageReport{URL: "https://tea.example/"})
	if out.String() != "No map declares anything for https://tea.example/.\n" {
		t.Errorf("without a map: %s", out.String())
	}
}

func TestPrintDraft(t *testing.T) {
	// Ensure that a first map goes to stdout, or to a file that did not exist, and that a file that is there is left alone.
	d := draft.Draft{Text: []byte("{}\n"), URL: "https://tea.example/", Actions: []string{"tea.summary"}, Notes: []string{"A note."}}
	var out bytes.Buffer
	a := &app{stdout: &out}
	if err := a.writeDraft(d, ""); err != nil || out.String() != "{}\n" {
		t.Errorf("%v %s", err, out.String())
	}
	name := filepath.Join(t.TempDir(), "new", "folder", "actions.json")
	if err := a.writeDraft(d, name); err != nil {
		t.Fatal(err)
	}
	if err := a.writeDraft(draft.Draft{Text: []byte("other")}, name); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("over a file: %v", err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "{}\n" {
		t.Errorf("%v %s", err, text)
	}
	// Where it counts is told, unless it lies there.
	root := filepath.Join(t.TempDir(), "it's here")
	for name, told := range map[string]bool{
		filepath.Join(root, "draft.json"): true, filepath.Join(root, "scopes", "private", "sites", "tea.example", "shop", "actions.json"): false,
	} {
		out.Reset()
		a.printDraft(d, name, root)
		if strings.Contains(out.String(), "It counts for this browser once it lies in") != told {
			t.Error(out.String())
		}
		if want := "validate " + quoted(name) + ", and"; !strings.Contains(out.String(), want) || quoted(name) == name {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
	out.Reset()
	a.json = true
	a.printDraft(d, name, "/maps")
	if !json.Valid(out.Bytes()) {
		t.Error(out.String())
	}
}
