package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

const labelPage = `<title>Labels</title><h1>Labels</h1><p><label>Shop <input id=shop oninput="go.textContent = 'Print for ' + this.value"></label></p>
<p><label>Paper <select id=paper><option>plain<option>thick<option>gold</select></label> <label>Guest <input id=guest></label> <label>Password <input type=password id=pin></label></p>
<button id=go onclick="fetch('/printed', {method: 'POST', body: JSON.stringify([shop.value, paper.value, guest.value, pin.value])}).then(() => said.textContent = 'Printed')">Print</button><p id=said role=status></p>`

// looks waits until Keep text has the attribute or the class, or no longer.
func (r *recorder) looks(word string, want bool) {
	r.Helper()
	harness.Until(r, fmt.Sprintf("Keep text is %s: %t", word, want), func() bool {
		button := r.button("Keep text")
		return button != nil && slices.Contains(button.Attributes, word) == want
	})
}

// keeps presses Keep text, which then says whether the last text is kept.
func (r *recorder) keeps(want bool) {
	r.Helper()
	r.looks("on", !want)
	r.presses("Keep text")
	r.looks("on", want)
}

// stored returns the map of a recording that has ended, whose action has these inputs.
func (r *recorder) stored(got harness.Result, inputs ...string) string {
	r.Helper()
	var made struct {
		Path   string
		Inputs []string
	}
	if err := json.Unmarshal([]byte(got.Stdout), &made); err != nil || !slices.Equal(made.Inputs, inputs) {
		r.Fatalf("%+v, %v", got, err)
	}
	text, err := os.ReadFile(filepath.Join(r.home.Dir, "storage", made.Path))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// opens leads the tab to an address.
func (r *recorder) opens(url string) {
	r.Helper()
	eval[bool](r.doc, fmt.Sprintf(`(location.href = %q, true)`, url))
	r.doc.loaded(url)
}

func TestRecordKeepsTexts(t *testing.T) {
	// Ensure that a text that was typed or chosen stays the same each time where the user keeps it, as it is in the end and also where the page repeats it, that what the user takes back is an input again, and that no password can be kept.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": labelPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("labels.print")
	r.types(r.doc, `shop`, "Blue ")
	r.steps(1)
	r.keeps(true)
	r.types(r.doc, `shop`, "Kettle") // more of it, after the word
	r.doc.key("Tab", "Tab", 9, "", 0)
	r.doc.key("ArrowDown", "ArrowDown", 40, "", 0)
	r.steps(2)
	r.keeps(true)
	picture(t, r.doc, "record-keep", nil)
	r.types(r.doc, `guest`, "Lovelace")
	r.steps(3)
	r.keeps(true)
	r.keeps(false)
	r.types(r.doc, `pin`, "hunter2hunter2")
	r.steps(4)
	r.looks("disabled", true)
	r.doc.mouse(`go`)
	r.steps(5)
	r.presses("Done")
	text := r.stored(<-done, "guest", "password")
	for _, hidden := range []string{"Lovelace", "hunter2", "typed-"} {
		if strings.Contains(text, hidden) {
			t.Errorf("the map has %q", hidden)
		}
	}
	if !strings.Contains(text, "Print for Blue Kettle") {
		t.Errorf("the button is not known by its name: %s", text)
	}
	r.opens(url + "/?again")
	harness.Must(t, home.SiteCall(t, "labels.print", `{"guest":"Stone","password":"correct horse"}`), nil)
	want := `["Blue Kettle","thick","Stone","correct horse"]`
	var printed []string
	for _, each := range rec.All() {
		if each.Path == "/printed" {
			printed = append(printed, each.Body)
		}
	}
	if len(printed) != 2 || !slices.Contains(printed, want) {
		t.Errorf("the server got %v", printed)
	}
}

func TestRecordChangesOfMind(t *testing.T) {
	// Ensure that what is typed after Undo is a step again, that what is typed during a pause is none and is left out of names all the same, and that a text which is kept and typed on until Done is stored whole.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": labelPage})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("labels.print")
	r.types(r.doc, `shop`, "Blue")
	r.steps(1)
	r.presses("Undo")
	harness.Until(t, "the mark counts no step", func() bool { return strings.Contains(drawnText(t, r.doc), "· steps: 0") })
	do(r.doc, input.InsertText, input.InsertTextParams{Text: " Kettle"})
	r.steps(1)
	r.presses("Pause")
	harness.Until(t, "it is paused", func() bool { return r.button("Go on") != nil })
	do(r.doc, input.InsertText, input.InsertTextParams{Text: " Zanzibar"})
	r.presses("Go on")
	harness.Until(t, "it goes on", func() bool { return r.button("Pause") != nil })
	r.doc.mouse(`go`)
	r.steps(2)
	r.types(r.doc, `guest`, "Ada")
	r.steps(3)
	r.keeps(true)
	do(r.doc, input.InsertText, input.InsertTextParams{Text: " Byron"})
	r.presses("Done")
	text := r.stored(<-done, "shop")
	for _, hidden := range []string{"Zanzibar", "zanzibar", "Kettle", "kettle"} {
		if strings.Contains(text, hidden) {
			t.Errorf("the map has %q: %s", hidden, text)
		}
	}
	if want := eval[string](r.doc, `guest.value`); want != "Ada Byron" || !strings.Contains(text, `"`+want+`"`) {
		t.Errorf("the field has %q, and the map: %s", want, text)
	}
	r.opens(url + "/?again")
	harness.Must(t, home.SiteCall(t, "labels.print", `{"shop":"Red Pot"}`), nil)
	if !slices.ContainsFunc(rec.All(), func(r sites.Request) bool {
		return r.Path == "/printed" && strings.HasPrefix(r.Body, `["Red Pot","plain"`)
	}) {
		t.Error("the server has no order of a Red Pot")
	}
}

const signInPage = `<title>Sign in</title><h1>Sign in</h1><form onsubmit="event.preventDefault(); out.textContent = 'Log out ' + pin.value; said.textContent = 'Signed in with card ' + card.value; away.href = '/of/' + pin.value">
<label>User <input id=user></label> <label>Password <input type=password id=pin></label> <label>Card number <input id=card></label> <button id=go>Sign in</button></form>
<button id=out onclick="fetch('/out', {method: 'POST'})">Out</button> <p id=said role=status></p> <a id=away href="/">Away</a>`

func TestRecordSecretsThatThePageRepeats(t *testing.T) {
	// Ensure that what a field for secrets held is in no map, log or database where the page shows it afterwards: in what is pressed, in what has to be there, in an address and on the next page.
	t.Parallel()
	home := harness.NewHome(t)
	secrets := []string{"hunter2hunter2", "B-4455-77"}
	url, _ := pages(t, map[string]string{"/": signInPage, "/of/" + secrets[0]: `<title>Of</title><h1>Of</h1><button id=again>Welcome ` + secrets[0] + ` of ` + secrets[1] + `</button>`})
	b := home.Open(t, url)
	r := &recorder{t, home, b, pageAt(t, b, url+"/")}
	done := r.begin("site.enter")
	r.types(r.doc, `user`, "Ada")
	r.types(r.doc, `pin`, secrets[0])
	r.types(r.doc, `card`, secrets[1])
	r.doc.mouse(`go`)
	r.doc.until("the page repeats it", `out.textContent.includes("hunter2")`)
	r.doc.mouse(`out`)
	r.checks(`said`)
	r.steps(6)
	r.doc.mouse(`away`)
	r.doc.loaded(url + "/of/" + secrets[0])
	r.doc.until("the mark is shown", markShown)
	r.doc.mouse(`again`)
	r.steps(8)
	r.presses("Done")
	got := <-done
	text := r.stored(got, "user", "password", "card_number")
	for _, secret := range secrets {
		if strings.Contains(text, secret) || strings.Contains(got.Stdout, secret) {
			t.Errorf("%s is in\n%s\n%s", secret, got.Stdout, text)
		}
		wantNowhere(t, home, secret)
	}
}
