package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/test/harness"
)

// shop is a page as they are found: a good form, a worse one, build-made names,
// buttons that look alike, and a form that asks for a secret.
const shop = `<title>Leaf &amp; Cup</title>
<header class="css-9f8a7b6"><h1>Leaf &amp; Cup</h1>
<nav aria-label="Main"><a href="/">Home</a> <a href="/teas?page=1#top">Teas</a> <a href="/account?session=abc">Account</a> <a href="/contact-us">Contact us</a></nav></header>
<main>
<form role="search" action="/find"><label for="q">Search the teas</label><input id="q" name="q"><button>Search</button></form>
<section><h2>Write to us</h2>
<form id="mail" class="css-1x2y3z4">
<label>Your name <input name="name" required></label>
<label for=":r7:">E-mail</label><input id=":r7:" type="email" name="mail" required>
<label>Message <textarea name="message" maxlength="200"></textarea></label>
<label><input type="checkbox" name="copy"> Send me a copy</label>
<label>Subject <select name="subject"><option>Tea<option>Cups</select></label>
<button class="css-5q6w7e8" type="submit">Send it</button>
<output id="sent" aria-live="polite"></output></form></section>
<form id="login"><input name="user"><input type="password" name="pw"><button>Sign in</button></form>
<ul><li>Da Hong Pao <button>Choose</button></li><li>Tie Guan Yin <button>Choose</button></li></ul>
<button class="css-77aa88b" onclick="document.querySelector('#count').textContent = 'Two teas compared'">Compare teas</button>
<p id="count" role="status">Nothing compared</p>
</main>
<script>
document.querySelector("#mail").addEventListener("submit", (e) => {
  e.preventDefault();
  const f = new FormData(e.target);
  document.querySelector("#sent").textContent = ["Thanks", f.get("name"), f.get("mail"), f.get("message"), f.get("copy")].join(" ");
});
</script>`

const found = `<title>Found</title><main><h1>One tea</h1><p>Da Hong Pao, an oolong</p></main>`

func TestNew(t *testing.T) {
	// Ensure that the first map of a page with forms is valid as it is written, that its actions run on the page, that its checks pass there and fail elsewhere, and that its first case passes on the saved page.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": shop, "/find": found, "/elsewhere": found})
	home.Launch(t, url+"/")
	file := filepath.Join(home.Dir, "storage", "scopes", "private", "sites", "localhost", "shop", "actions.json")
	written := home.Run(t, "new", "leaf", "--out", file)
	if written.Exit != 0 {
		t.Fatalf("new: %+v", written)
	}
	if r := home.Run(t, "validate", file); r.Exit != 0 || strings.Contains(r.Stdout, "warning") {
		t.Errorf("validate: %+v", r)
	}
	if r := home.Run(t, "test", file); r.Exit != 0 || !strings.Contains(r.Stdout, "1 passed, 0 failed") {
		t.Errorf("its first case: %+v", r)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, brittle := range []string{"css-", "nth-child", ":r7:", "session=abc", "pw"} {
		if strings.Contains(string(text), brittle) {
			t.Errorf("the map holds %q:\n%s", brittle, text)
		}
	}
	if again := home.Run(t, "new", "leaf", "--out", file); again.Exit != 1 || !strings.Contains(again.Stderr, "exists already") {
		t.Errorf("over a file that is there: %+v", again)
	}

	var list struct {
		Actions []struct {
			Name string `json:"name"`
		} `json:"actions"`
	}
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"list"}`), &list)
	var names []string
	for _, a := range list.Actions {
		names = append(names, a.Name)
	}
	want := []string{"leaf.summary", "leaf.site_map", "leaf.navigation_targets", "leaf.links.contact", "leaf.search.submit", "leaf.mail.submit", "leaf.compare_teas"}
	if !slices.Equal(names, want) {
		t.Fatalf("actions %v, want %v\n%s", names, want, written.Stdout)
	}
	drafted(t, home, url)

	var sent struct{ Message, Text string }
	harness.Must(t, home.SiteCall(t, "leaf.mail.submit", `{"name":"Ada","mail":"ada@example.com","message":"More tea","copy":true}`), &sent)
	if sent.Message != "Thanks Ada ada@example.com More tea on" || !strings.Contains(sent.Text, "Write to us") {
		t.Errorf("the letter gave %+v", sent)
	}
	if e := home.SiteCall(t, "leaf.mail.submit", `{"mail":"ada@example.com"}`); e.OK || e.Error.Code != "invalid_input" {
		t.Errorf("without a required field: %+v", e)
	}
	harness.Must(t, home.SiteCall(t, "leaf.compare_teas", `{}`), &sent)
	if sent.Message != "Two teas compared" {
		t.Errorf("the button gave %+v", sent)
	}
	checked(t, home, text, true)
	if r := home.Run(t, "check"); r.Exit != 0 || !strings.Contains(r.Stdout, "✓ targets_exist (major)") || !strings.Contains(r.Stdout, " find one element, 0 several, 0 none, 0 have slots\n") {
		t.Errorf("check on the page: %+v", r)
	}
	var results struct{ URL, Title, Text string }
	harness.Must(t, home.SiteCall(t, "leaf.search.submit", `{"q":"oolong"}`), &results)
	if results.URL != url+"/find?q=oolong" || results.Title != "Found" || !strings.Contains(results.Text, "an oolong") {
		t.Errorf("the search gave %+v", results)
	}
	if got := received(rec, "GET", "/find"); !slices.Equal(got, []string{"/find?q=oolong"}) {
		t.Errorf("the site received %v", got)
	}
	checked(t, home, text, false)
	if r := home.Run(t, "check", "--json"); r.Exit != 1 || !strings.Contains(r.Stdout, `"status":"failed"`) {
		t.Errorf("check elsewhere: %+v", r)
	}
}

func TestNewWithoutItsPage(t *testing.T) {
	// Ensure that where the page cannot be saved beside the new map, one value is printed, which agrees with the exit status and notes it.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": shop})
	home.Launch(t, url+"/")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "pages"), nil, 0o644); err != nil { // in the place of the folder
		t.Fatal(err)
	}
	r := home.Run(t, "new", "leaf", "--out", filepath.Join(folder, "actions.json"), "--json")
	var printed struct {
		OK    bool
		Notes []string
	}
	if err := json.Unmarshal([]byte(r.Stdout), &printed); err != nil {
		t.Fatalf("%v in %s", err, r.Stdout)
	}
	if r.Exit != 0 || !printed.OK || !strings.Contains(strings.Join(printed.Notes, "\n"), "the page was not saved") {
		t.Errorf("exit %d, printed %+v", r.Exit, printed)
	}
}

// drafted checks what the map's static actions say of the page.
func drafted(t *testing.T, home *harness.Home, url string) {
	t.Helper()
	var summary struct {
		Title    string
		Headings []struct{ Text string }
		Forms    []string
	}
	harness.Must(t, home.SiteCall(t, "leaf.summary", `{}`), &summary)
	if summary.Title != "Leaf & Cup" || len(summary.Headings) != 2 || len(summary.Forms) != 3 {
		t.Errorf("summary %+v", summary)
	}
	type place struct{ Name, URL, Area string }
	var targets struct{ Links []place }
	harness.Must(t, home.SiteCall(t, "leaf.navigation_targets", `{}`), &targets)
	want := []place{{"Home", url + "/", "navigation"}, {"Teas", url + "/teas?page=1", "navigation"}, {"Contact us", url + "/contact-us", "navigation"}}
	if !slices.Equal(targets.Links, want) {
		t.Errorf("links %+v, want %+v", targets.Links, want)
	}
	var contact place
	harness.Must(t, home.SiteCall(t, "leaf.links.contact", `{}`), &contact)
	if contact.URL != url+"/contact-us" {
		t.Errorf("contact %+v", contact)
	}
}

// checked runs the map's checks on the page by direct calls.
func checked(t *testing.T, home *harness.Home, text []byte, fits bool) {
	t.Helper()
	read := func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		e := home.Call(t, name, string(args))
		if !e.OK {
			return nil, e.Error
		}
		return e.Output, nil
	}
	s := pagemodel.Parse(text)
	if len(s.Problems) > 0 {
		t.Errorf("problems %+v", s.Problems)
	}
	r := pagemodel.Mapped{Model: s}.RunChecks(t.Context(), read, nil, pagemodel.Options{URL: func() string { return "" }})
	if r.OK != fits || (r.States[0].Holds == pagemodel.Holds) != fits {
		t.Errorf("report %+v", r)
	}
}
