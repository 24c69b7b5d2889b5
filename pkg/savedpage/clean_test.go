package savedpage

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/planted"
)

func TestNoPlantedSecretStays(t *testing.T) {
	// Ensure that no secret that is known by its form stays in a saved page: as text, in an attribute, in JSON of one, in a frame, in the title, or in an address; and that what is beside it stays.
	for _, s := range planted.Texts() {
		text := html.EscapeString(s.InText())
		data, err := json.Marshal(map[string]string{"note": s.InText()})
		if err != nil {
			t.Fatal(err)
		}
		frame := html.EscapeString("<p>" + text + "</p>")
		page := fmt.Sprintf(`<!doctype html><title>%[1]s</title><p>Teas</p><p>%[1]s</p><p title="%[1]s" aria-label="%[1]s" data-note="%[1]s" data-json="%[2]s">x</p>
			<iframe srcdoc="%[3]s"></iframe><template shadowrootmode="open"><b>%[1]s</b></template><!-- %[1]s --><script>%[1]s</script>`, text, html.EscapeString(string(data)), frame)
		out, taken, err := Clean(page)
		if err != nil {
			t.Fatal(err)
		}
		if s.In(out) || s.In([]byte(html.UnescapeString(html.UnescapeString(string(out))))) {
			t.Errorf("%s stays of %s:\n%s", s.Secret, s.Rule, out)
		}
		if !strings.Contains(string(out), "<p>Teas</p>") || taken[Secrets]+taken[Opaque]+taken[Mails] == 0 {
			t.Errorf("of %s %v was taken:\n%s", s.Rule, taken, out)
		}
	}
}

func TestClean(t *testing.T) {
	// Ensure that scripts, handlers, values, mail addresses and tokens go, and names, shapes and styles stay.
	for in, want := range map[string]string{
		`<p id="a1b2c3d4e5f6a7b8c9d0e1f2" class="x">Hi</p>`:                       `<p id="a1b2c3d4e5f6a7b8c9d0e1f2" class="x">Hi</p>`,
		`<p onclick="x()" nonce="y">Write to ada@shop.example, please</p>`:        `<p>Write to [redacted], please</p>`,
		`<a href="mailto:ada@shop.example">Mail</a><a href="tel:+49123">Call</a>`: `<a href="mailto:">Mail</a><a href="tel:">Call</a>`,
		`<a href="/a?page=2&amp;token=abc">x</a>`:                                 `<a href="/a?page=2&amp;token=[redacted]">x</a>`,
		`<a href="/leave?to=ada%40shop.example&amp;x=1">x</a>`:                    `<a href="/leave?to=[redacted]&amp;x=1">x</a>`,
		`<a href=" javascript:x()">x</a>`:                                         `<a href="#">x</a>`,
		`<input name="q" value="typed"><input type="submit" value="Send">`:        `<input name="q"/><input type="submit" value="Send"/>`,
		`<div data-csrf-token="abc" data-id="7">x</div>`:                          `<div data-id="7">x</div>`,
		`<div data-blob="kJ8s7Dh2kL0pQ4mN9xZ1">x</div>`:                           `<div data-blob="[redacted]">x</div>`,
		`<meta name="csrf-token" content="abc">`:                                  ``,
		`<style>a > b { color: red }</style><b>x</b>`:                             `<b>x</b>`,
		`<p>Card 4111 1111 1111 1111</p>`:                                         `<p>Card [redacted]</p>`,
	} {
		out, _, err := Clean(in)
		if err != nil || !strings.Contains(string(out), "<body>"+want+"</body>") {
			t.Errorf("%s\nbecomes %s, %v", in, out, err)
		}
		if again, _, err := Clean(string(out)); err != nil || string(again) != string(out) {
			t.Errorf("a second time %s becomes %s", out, again)
		}
	}
	out, _, err := Clean(`<style>a > b::after { content: "x" }</style>`)
	if err != nil || !strings.Contains(string(out), `a > b::after`) {
		t.Errorf("%s, %v", out, err)
	}
}

func FuzzClean(f *testing.F) {
	// Ensure that no page makes it panic, that what it returns is what it would return again, and that a key beside it goes.
	const key = "ghp_0123456789abcdefghij"
	f.Fuzz(func(t *testing.T, page string) {
		out, _, err := Clean(page)
		if err != nil {
			return
		}
		if _, _, err := Clean(string(out)); err != nil {
			t.Errorf("%q becomes %q, which cannot be read: %v", page, out, err)
		}
		if out, _, err := Clean("<p>" + key + "</p>" + page); err == nil && strings.Contains(string(out), key) {
			t.Errorf("the key stays in %q", out)
		}
	})
}
