package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// job is a job that is done once by primitives, saved, and run again with other inputs.
type job struct {
	name, page string
	do         func(*visitor)
	inputs     []string // that the action has
	again      string   // others
	judge      func(*visitor)
}

var jobs = []job{
	{
		name: "gallery.order", page: "react.html", // fields of a framework, a select, a box, a dialog in a portal
		do: func(v *visitor) {
			v.fill(v.ref(`textbox "Name"`), "Ann O'Brien")
			v.fill(v.ref(`textbox "Price"`), "1234567")
			v.do("locator.select_option", `{"locator":`+v.ref(`combobox "Size"`)+`,"label":"Medium"}`, nil)
			v.do("locator.set_checked", `{"locator":`+v.ref(`checkbox "Gift"`)+`,"checked":true}`, nil)
			v.click(v.ref(`button "Order"`))
			v.look()
			v.click(v.ref(`button "Yes, order"`))
			v.hears("order", 1, `"name":"Ann O'Brien"`, `"size":"m"`)
		},
		inputs: []string{"name", "price", "size"}, again: `{"name":"Bea","price":"42","size":"Large"}`,
		judge: func(v *visitor) {
			v.hears("order", 1, `"name":"Bea"`, `"price":"42"`, `"size":"l"`, `"gift":true`)
		},
	},
	{
		name: "gallery.send", page: "csp.html", // a page that allows no script, and leaves for another
		do: func(v *visitor) {
			v.fill(v.ref(`textbox "Text"`), "first words")
			v.click(v.ref(`button "Send"`))
			v.do("page.wait_for", `{"url_contains":"/form","timeout_ms":10000}`, nil)
		},
		inputs: []string{"text"}, again: `{"text":"second thoughts"}`,
		judge: func(v *visitor) { v.received("/form", "text=second+thoughts") },
	},
	{
		name: "gallery.note", page: "frames.html", // frames of the same and of another origin
		do: func(v *visitor) {
			v.fill(v.ref(`textbox "Note"`, 0), "near")
			v.click(v.ref(`button "Send"`, 0))
			v.fill(v.ref(`textbox "Note"`, 1), "far away")
			v.click(v.ref(`button "Send"`, 1))
		},
		inputs: []string{"note", "note_2"}, again: `{"note":"close by","note_2":"beyond"}`,
		judge: func(v *visitor) {
			v.received("/seen", `"place":"same","id":"send","note":"close by"`)
			v.received("/seen", `"place":"other","id":"send","note":"beyond"`)
		},
	},
	{
		name: "gallery.shadow", page: "shadow.html", // open and closed shadow roots
		do: func(v *visitor) {
			v.fill(v.ref(`textbox "Open"`), "one")
			v.click(v.ref(`button "Open save"`))
			v.fill(v.ref(`textbox "Closed"`), "two")
			v.click(v.ref(`button "Closed save"`))
		},
		inputs: []string{"open", "closed"}, again: `{"open":"three","closed":"four"}`,
		judge: func(v *visitor) {
			v.received("/seen", `"mode":"open","value":"three"`)
			v.received("/seen", `"mode":"closed","value":"four"`)
		},
	},
	{
		name: "gallery.write", page: "editors.html", // rich text
		do: func(v *visitor) {
			v.fill(v.ref(`textbox "ProseMirror"`), "Once upon a time")
			v.fill(v.ref(`textbox "Quill"`), "there was a host")
		},
		inputs: []string{"prosemirror", "quill"}, again: `{"prosemirror":"Twice","quill":"there were two"}`,
		judge: func(v *visitor) {
			for editor, want := range map[string]string{"prosemirror": "Twice", "quill": "there were two"} {
				if got := eval[string](v.page, fmt.Sprintf("model(%q)", editor)); strings.TrimSpace(got) != want {
					v.Errorf("%s holds %q", editor, got)
				}
			}
		},
	},
	{
		name: "tea.order", page: "/", // one of the rows of a list, a result that names what was typed
		do: func(v *visitor) {
			v.fill(v.ref(`searchbox "Search the teas"`), "oolong")
			v.do("keyboard.press", `{"key":"Enter"}`, nil)
			v.do("page.wait_for", `{"stable":150,"timeout_ms":5000}`, nil)
			v.look()
			v.click(v.ref(`button "Choose"`, 1)) // Tie Guan Yin
			v.look()
			v.fill(v.ref(`textbox "Name"`), "Ada Lovelace")
			v.click(v.ref(`button "Send the order"`))
			v.do("locator.wait_for", `{"locator":{"selector":"#result","text_contains":"Ada Lovelace"},"timeout_ms":5000}`, nil)
			v.do("locator.text_content", `{"locator":{"selector":"#result"}}`, nil)
		},
		inputs: []string{"search_the_teas", "item_to_choose", "name"}, again: `{"search_the_teas":"green","item_to_choose":"Sencha","name":"Bob Stone"}`,
		judge: func(v *visitor) { v.received("/", "Sencha", "Bob Stone") },
	},
}

// newVisitor opens a browser at the gallery, beside which the teahouse is served.
func newVisitor(t *testing.T) (v *visitor, b *launch.Browser, gallery, shop string) {
	t.Helper()
	rec := sites.NewRecorder(nil)
	handler, err := sites.Gallery(rec)
	if err != nil {
		t.Fatal(err)
	}
	home := harness.NewHome(t)
	gallery, shop = serve(t, handler), serve(t, sites.Teahouse(rec))
	b = home.Open(t, gallery+"/index.html")
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clients[0].Close() })
	v = &visitor{T: t, home: home, client: clients[0], catalogue: primitive.Load(), rec: rec, page: pageAt(t, b, gallery+"/index.html")}
	return v, b, gallery, shop
}

func TestSaveAction(t *testing.T) {
	// Ensure that a job which was done once by primitives is saved as an action, which does it with other inputs: the page's server has got those, and nothing that was typed first is in the map. It is listed as unproven until it has passed.
	v, _, gallery, shop := newVisitor(t)
	home := v.home
	for _, j := range jobs {
		t.Run(j.name, func(t *testing.T) {
			each := *v
			each.T, each.page.t, each.origin = t, t, gallery
			if j.page == "/" {
				each.origin = shop
			}
			each.as = control.SessionParams{Kind: policy.SessionMCP, ID: "save" + strings.ReplaceAll(j.name, ".", "")}
			each.saves(j)
		})
	}
	t.Run("from the terminal", func(t *testing.T) {
		// Ensure that a terminal makes the same of the log, with the locators that the open page has, and writes over no file.
		session, file := "mcp:saveteaorder", filepath.Join(t.TempDir(), "shop", "actions.json")
		r := home.Run(t, "map", "from-log", session, "--calls", "3-14", "--name", "tea.again", "--out", file)
		if r.Exit != 0 || !strings.Contains(r.Stdout, "type *search_the_teas* into *Search the teas*") || strings.Contains(r.Stdout, "oolong") {
			t.Fatalf("%+v", r)
		}
		if r := home.Run(t, "validate", file); r.Exit != 0 {
			t.Errorf("%+v", r)
		}
		before, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(before), "oolong") || strings.Contains(string(before), "Lovelace") {
			t.Errorf("%v\n%s", err, before)
		}
		r = home.Run(t, "map", "from-log", session, "--calls", "3-14", "--name", "tea.other", "--out", file)
		if after, err := os.ReadFile(file); r.Exit != 1 || !strings.Contains(r.Stderr, "install_conflict") || err != nil || string(after) != string(before) {
			t.Errorf("a second time: %+v, %v", r, err)
		}
		if r := home.Run(t, "map", "from-log", "nobody"); r.Exit != 1 || !strings.Contains(r.Stderr, "knows no session") {
			t.Errorf("an unknown session: %+v", r)
		}
	})
}

// saves does a job, saves it and runs it again.
func (v *visitor) saves(j job) {
	var tabs struct {
		Tabs []struct {
			TabID int `json:"tab_id"`
		}
	}
	v.do("browser.claimed_tabs.list", `{}`, &tabs)
	v.do("browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, tabs.Tabs[0].TabID), nil)
	v.open(strings.TrimPrefix(j.page, "/"))
	j.do(v)
	var saved struct {
		Path      string
		Unproven  bool
		Inputs    []string
		Sentences []string
		Notes     []string
	}
	v.do("actions.save", fmt.Sprintf(`{"name":%q}`, j.name), &saved)
	if !slices.Equal(saved.Inputs, j.inputs) || !saved.Unproven || saved.Path == "" {
		v.Fatalf("saved %+v", saved)
	}
	v.Logf("%s\n%s", strings.Join(saved.Sentences, "\n"), strings.Join(saved.Notes, "\n"))
	if e := v.try("actions.save", fmt.Sprintf(`{"name":%q}`, j.name)); e.Error == nil || e.Error.Code != fault.InstallConflict {
		v.Errorf("a second one of the name: %+v", e)
	}
	v.open(strings.TrimPrefix(j.page, "/"))
	if !v.unproven(j.name) {
		v.Error("it is not listed as unproven")
	}
	var e any
	v.do("actions.site", fmt.Sprintf(`{"mode":"call","action":%q,"arguments":%s}`, j.name, j.again), &e)
	j.judge(v)
	v.open(strings.TrimPrefix(j.page, "/"))
	if v.unproven(j.name) {
		v.Error("it is listed as unproven after it has passed")
	}
}

// unproven reports whether the action is listed as such.
func (v *visitor) unproven(name string) bool {
	v.Helper()
	var list struct {
		Actions []struct {
			Name     string
			Unproven bool
		}
	}
	v.do("actions.site", `{"mode":"list"}`, &list)
	for _, a := range list.Actions {
		if a.Name == name {
			return a.Unproven
		}
	}
	v.Fatalf("%s is not listed: %+v", name, list)
	return false
}

// received waits until a request to the place had all the words since the page was opened.
func (v *visitor) received(place string, words ...string) {
	v.Helper()
	harness.Until(v, "the server has got "+strings.Join(words, ", "), func() bool {
		return slices.ContainsFunc(v.rec.All()[v.begun:], func(r sites.Request) bool {
			return strings.HasPrefix(r.Path, place) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(r.Path+" "+r.Body, w) })
		})
	})
}
