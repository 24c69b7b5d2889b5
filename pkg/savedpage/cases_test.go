package savedpage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/maptest"
)

func TestNewCasesKeepNoSecret(t *testing.T) {
	// Ensure that a case has what is made up in the place of a secret of the given input, and the rest of it as it was given.
	m, err := actionmap.Parse([]byte(`{"protocol":"actions.json","version":1,"surface":{"origin":"https://tea.example"},"tools":[{"name":"tea.order","description":"Order.",
		"input_schema":{"type":"object","properties":{"name":{"type":"string"},"customer_pin":{"type":"string","writeOnly":true},"lines":{"type":"array","items":{"type":"object","properties":{"amount":{"type":"integer"},"code":{"type":"string","format":"password"}}}}}},
		"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"read","primitive":"page.info"}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := NewCases(m, Page{Address: "https://tea.example/"}, "", "tea.order", json.RawMessage(`{"name":"Ada","customer_pin":"s3cret-9","lines":[{"amount":2,"code":"hunter2"},{"amount":3,"code":"hunter3"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := string(cases[0].Input)
	for _, secret := range []string{"s3cret", "hunter"} {
		if strings.Contains(got, secret) {
			t.Errorf("the case has %s", got)
		}
	}
	if !strings.Contains(got, `"name":"Ada"`) || !strings.Contains(got, `"amount":3`) || !strings.Contains(got, `"customer_pin":"`) {
		t.Errorf("the case has %s", got)
	}
}

func TestPagesOfOtherCases(t *testing.T) {
	// Ensure that a saved page takes no file that another case uses, whatever their names have in common.
	folder := t.TempDir()
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for i, name := range []string{"注文", "検索", "Finds oolong", "finds oolong!", "page 2"} {
		page := fmt.Sprint("page ", i)
		w, err := Write(filepath.Join(folder, "actions.json"), Page{HTML: []byte(page)}, []maptest.Case{{Name: name, Action: "tea.order"}})
		if err != nil || len(w.Kept) > 1 {
			t.Fatalf("%s: %+v, %v", name, w, err)
		}
	}
	for i, name := range []string{"page.html", "page-2.html", "finds-oolong.html", "finds-oolong-2.html", "page-2-2.html"} {
		if got := read("pages/" + name); got != fmt.Sprint("page ", i) {
			t.Errorf("%s has %s", name, got)
		}
	}
}
