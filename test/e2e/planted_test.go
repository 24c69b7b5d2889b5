package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/planted"
)

// plantedPage has a section for each field, which is empty or holds its secret already, the
// texts, and a button that says what it is told.
func plantedPage(fields, texts []planted.Secret) string {
	var b strings.Builder
	b.WriteString("<title>t</title><main>")
	for i, s := range fields {
		fmt.Fprintf(&b, "<section id=s%d>%s</section>\n", i, s.HTML)
	}
	for _, s := range texts {
		fmt.Fprintf(&b, "<p class=text>%s</p>\n", html.EscapeString(s.InText()))
	}
	b.WriteString(`</main><button id=say onclick="alert(said)">say</button><script>
		const field = i => document.querySelector("#s" + i + " :is(input, textarea, [contenteditable])");
		const put = (i, text) => { const el = field(i); if ("value" in el) el.value = text; else el.textContent = text };
		const held = i => { const el = field(i); return el.value ?? el.textContent.trim() };
	</script>`)
	return b.String()
}

func TestPlantedSecretsStayInThePage(t *testing.T) {
	// Ensure that of 200 planted secrets none that stands in a field for secrets, in each language of the words and in each way to be called, is told by a look, and none at all is in the files of the host: typed in every way, shown, logged to the console, sent, said in dialogs and titles.
	t.Parallel()
	home := harness.NewHome(t)
	fields, texts := planted.Fields(), planted.Texts()
	url, _ := pages(t, map[string]string{"/": plantedPage(fields, texts), "/sent": "x"})
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	c.must("page.info", `{}`, nil)
	doc := attach(t, b, topTarget(t, b, url))

	for i, s := range fields {
		if i%2 == 0 {
			eval[bool](doc, fmt.Sprintf("(put(%d, %q), true)", i, s.Secret))
			continue
		}
		at := fmt.Sprintf(`{"selector":"#s%d :is(input, textarea, [contenteditable])"}`, i)
		switch i / 2 % 4 {
		case 0:
			c.must("locator.fill", fmt.Sprintf(`{"locator":%s,"text":%q}`, at, s.Secret), nil)
		case 1:
			c.must("text.insert", fmt.Sprintf(`{"target":%s,"text":%q}`, at, s.Secret), nil)
		case 2:
			c.must("clipboard.paste", fmt.Sprintf(`{"target":%s,"text":%q}`, at, s.Secret), nil)
		case 3:
			c.must("dom.focus", fmt.Sprintf(`{"locator":%s}`, at), nil)
			c.must("text.type", fmt.Sprintf(`{"text":%q}`, s.Secret), nil)
		}
		if got := eval[string](doc, fmt.Sprintf("held(%d)", i)); got != s.Secret {
			t.Fatalf("%s holds %q", s.HTML, got)
		}
	}
	untold := func(name, args string, secrets []planted.Secret) {
		t.Helper()
		e := c.call(name, args)
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !e.OK {
			t.Errorf("%s: %+v", name, e.Error)
		}
		for _, s := range secrets {
			if s.In(raw) {
				t.Errorf("%s tells %s, which is in %s%s", name, s.Secret, s.HTML, s.Text)
			}
		}
	}
	for name, args := range map[string]string{
		"a11y.tree": `{"max_depth":40}`, "page.snapshot": `{}`, "form.verify": `{"locator":{"selector":"main"}}`, "dom.snapshot_text": `{"max_chars":20000}`, "page.read": `{}`,
		"locator.text_content": `{"locator":{"selector":"main"}}`, "browser.extract_elements": `{"item_selector":"section","fields":[{"name":"t"},{"name":"v","selector":"input","attribute":"value"}],"visible_only":false}`,
		"state.extract": `{"extract":[{"id":"r","selector":"section","fields":{"a":{},"b":{"selector":"*","property":"value","many":true},"c":{"property":"textContent"}}}]}`,
	} {
		untold(name, args, fields)
	}
	for i := range fields {
		untold("locator.value", fmt.Sprintf(`{"locator":{"selector":"#s%d :is(input, textarea, [contenteditable])"}}`, i), fields)
	}

	// What is known by its form or by the words around it.
	c.must("browser.console", `{}`, nil)
	c.must("browser.network", `{}`, nil)
	for _, s := range texts {
		eval[bool](doc, fmt.Sprintf("(console.log(%s), true)", quoted(t, s.InText())))
		if _, query, ok := strings.Cut(s.InText(), "?"); ok && strings.HasPrefix(s.Text, "https://") {
			eval[bool](doc, fmt.Sprintf(`fetch("/sent?" + %s).then(r => r.text()).then(() => true)`, quoted(t, query)))
		}
	}
	for since := 0; since < len(texts); since += 40 {
		untold("browser.console", fmt.Sprintf(`{"since":%d,"limit":40}`, since), texts)
	}
	untold("browser.network", `{"include_headers":true}`, texts)
	for some := range slices.Chunk(texts, 30) {
		var all []string
		for _, s := range some {
			all = append(all, s.InText())
		}
		eval[bool](doc, fmt.Sprintf("(document.title = said = %s, true)", quoted(t, strings.Join(all, "\n"))))
		c.must("page.info", `{}`, nil)
		c.call("locator.click", `{"locator":{"selector":"#say"},"allow_repeat":true}`) // the dialog holds it up
		c.must("browser.dismiss_dialog", `{}`, nil)
	}

	written := t.TempDir()
	for name, args := range map[string][]string{
		"dump.txt": {"log", "dump", "--limit", "0"}, "dump.json": {"log", "dump", "--json", "--limit", "0"}, "report.html": {"log", "report", "mcp:" + c.session.ID, "--limit", "0"},
	} {
		r := home.Run(t, args...)
		if r.Exit != 0 || !strings.Contains(r.Stdout, "browser.console") {
			t.Fatalf("%v: %d %s", args, r.Exit, r.Stderr)
		}
		if err := os.WriteFile(filepath.Join(written, name), []byte(r.Stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{written, filepath.Join(home.Dir, "state")} {
		found, files, err := planted.InFiles(folder, planted.All())
		if err != nil || files < 2 {
			t.Fatalf("%s: %d files searched, %v", folder, files, err)
		}
		for _, f := range found {
			t.Errorf("%s holds %s, which is known by: %s (%s%s)", f.File, f.Secret.Secret, f.Secret.Rule, f.Secret.HTML, f.Secret.Text)
		}
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
