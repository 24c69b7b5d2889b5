package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Pane is a person in the pane. A backend of the whole chain has one.
type Pane interface {
	// AwaitInPane waits until an expression holds in the pane's document.
	AwaitInPane(t *testing.T, js string)
	// PressInPane clicks the element that an expression gives, as soon as it can be pressed.
	PressInPane(t *testing.T, element string)
	// TypeInPane types where the pane has the focus.
	TypeInPane(t *testing.T, text string)
}

const (
	ask = "user.clarify"
	// card is the open question in the pane, beside approvals; its pieces follow.
	card   = `([...document.querySelectorAll("#approvals article")].find(a => a.querySelector(".question")) ?? null)`
	reply  = card + `?.querySelector("textarea")`
	skip   = card + `?.querySelector(".replies .skip")`
	chosen = card + `?.querySelectorAll(".replies button")[1]`
)

// clarifyCases ask a person, who answers by the pane.
func clarifyCases() []Case {
	const which = `{"question":"Which <b>tea</b>?","options":["<i>Sencha</i>","Gyokuro"]}`
	return []Case{
		{Name: ask + "/gives the option that the user presses", HTML: `<p>x</p>`, Run: func(p *Page) {
			person := p.atPane()
			defer p.leavePane()
			answer := p.asking(which)
			// The words are text and stand there with whoever asks.
			person.AwaitInPane(p.T, card+`?.querySelector(".question").textContent === "Which <b>tea</b>?" && !`+card+`.querySelector("b, i") && `+card+`.innerText.match(/^Terminal.* asks you:/)`)
			person.PressInPane(p.T, chosen)
			out := <-answer
			p.is(out, "", `{"answered":true,"answer":"Gyokuro","option_index":1}`)
			person.AwaitInPane(p.T, card+` === null`)
		}},
		{Name: ask + "/gives what the user types", HTML: `<p>x</p>`, Run: func(p *Page) {
			person := p.atPane()
			defer p.leavePane()
			answer := p.asking(`{"question":"Which tea?"}`)
			person.PressInPane(p.T, reply)
			person.TypeInPane(p.T, "the green\n")
			p.is(<-answer, "", `{"answered":true,"answer":"the green"}`)
		}},
		{Name: ask + "/without an answer says so, which is no consent", HTML: `<p>x</p>`, Run: func(p *Page) {
			person := p.atPane()
			defer p.leavePane()
			answer := p.asking(which)
			person.PressInPane(p.T, skip)
			p.is(<-answer, "", `{"answered":false}`)
		}},
		{Name: ask + "/refuses a second question while one is open", HTML: `<p>x</p>`, Run: func(p *Page) {
			person := p.atPane()
			defer p.leavePane()
			answer := p.asking(which)
			person.AwaitInPane(p.T, card+` !== null`)
			wait := p.fails(ask, `{"question":"And how many?"}`, fault.RateLimited).number("retry_after_ms")
			if wait <= 0 || wait > 60_000 {
				p.Errorf("the wait is %v ms", wait)
			}
			person.PressInPane(p.T, chosen)
			p.is(<-answer, "answered", `true`)
		}},
		{Name: ask + "/leaves the tab to other calls and ends when it is cancelled", HTML: `<h1>Tea</h1>`, Run: func(p *Page) {
			person := p.atPane()
			defer p.leavePane()
			ctx, cancel := context.WithCancel(p.Context())
			defer cancel()
			ended := make(chan *fault.Error, 1)
			go func() {
				_, err := p.backend.Call(ctx, p.T, ask, which)
				ended <- err
			}()
			person.AwaitInPane(p.T, card+` !== null`)
			p.is(p.ok("locator.text_content", `{"locator":{"selector":"h1"}}`), "text", `"Tea"`)
			cancel()
			if err := <-ended; err == nil || err.Code != fault.Cancelled {
				p.Errorf("a cancelled question ended with %v", err)
			}
			person.AwaitInPane(p.T, card+` === null`)
		}},
		{Name: ask + "/says where nobody can be asked", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.atPane()
			defer p.leavePane()
			for _, leave := range []string{"collapse", "hide"} {
				p.ok(menu+leave, `{}`)
				p.fails(ask, which, fault.ClarifyUnavailable)
			}
		}},
		{Name: ask + "/refuses what is too long or empty", HTML: `<p>x</p>`, Run: func(p *Page) {
			long := func(n int) string { return strings.Repeat("茶", n) }
			for _, args := range []string{
				`{}`, `{"question":""}`, `{"question":" \n"}`, fmt.Sprintf(`{"question":%q}`, long(301)), `{"question":"x","options":["a","b","c","d","e"]}`,
				`{"question":"x","options":[""]}`, `{"question":"x","options":["a","a"]}`, fmt.Sprintf(`{"question":"x","options":[%q]}`, long(201)), `{"question":"x","html":true}`,
			} {
				p.fails(ask, args, fault.InvalidInput)
			}
			person := p.atPane()
			defer p.leavePane()
			answer := p.asking(fmt.Sprintf(`{"question":%q,"options":[%q,%q,%q,%q]}`, long(300), long(200), long(199), long(198), long(197)))
			person.PressInPane(p.T, card+`?.querySelectorAll(".replies button")[3]`)
			p.is(<-answer, "option_index", `3`)
		}},
	}
}

// atPane opens the pane.
func (p *Page) atPane() Pane {
	p.Helper()
	person, ok := p.backend.(Pane)
	if !ok {
		p.Fatal("this backend has no pane")
	}
	p.fresh()
	return person
}

func (p *Page) leavePane() {
	p.Helper()
	p.ok(menu+"hide", `{}`)
}

// asking asks the user in the background. The output is checked against the record.
func (p *Page) asking(args string) <-chan Output {
	done := make(chan Output, 1)
	limited, cancel := context.WithTimeout(p.Context(), 30*time.Second)
	go func() {
		defer cancel()
		var out Output
		raw, failed := p.backend.Call(limited, p.T, ask, args)
		record, _ := p.catalogue.Record(ask)
		switch {
		case failed != nil:
			p.Errorf("%s %s: %v", ask, args, failed)
		case record.CheckOutput(raw) != nil:
			p.Errorf("%s: %s", ask, raw)
		case json.Unmarshal(raw, &out.value) != nil:
			p.Errorf("%s: %s", ask, raw)
		}
		done <- out
	}()
	return done
}
