package conformance

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Page is the open page of a running case.
type Page struct {
	*testing.T
	Site      *Site
	backend   Backend
	catalogue *primitive.Catalogue
}

// Output is a decoded output; its members are reached by dotted paths.
type Output struct{ value any }

// common are the codes that dispatch itself may give for any primitive.
var common = []fault.Code{fault.InvalidInput, fault.Cancelled, fault.HandlerFailed, fault.HandlerTimeout, fault.DialogOpen}

// ok makes a call that must succeed.
func (p *Page) ok(name, args string) Output {
	p.Helper()
	raw, fail := p.backend.Call(p.Context(), p.T, name, args)
	if fail != nil {
		p.Fatalf("%s %s: %v\nevidence %v", name, args, fail, fail.Evidence)
	}
	record, found := p.catalogue.Record(name)
	if !found {
		p.Fatalf("no record of %s", name)
	}
	if err := record.CheckOutput(raw); err != nil {
		p.Fatalf("%s: %v\n%s", name, err, raw)
	}
	var out Output
	if err := json.Unmarshal(raw, &out.value); err != nil {
		p.Fatal(err)
	}
	return out
}

// fails makes a call that must fail with the code, before anything reached the
// page unless it says otherwise, and returns the evidence.
func (p *Page) fails(name, args string, code fault.Code) Output {
	p.Helper()
	return p.failsIn(p.Context(), name, args, code)
}

func (p *Page) failsIn(ctx context.Context, name, args string, code fault.Code) Output {
	p.Helper()
	text, err := json.Marshal(p.refusedIn(ctx, name, args, code).Evidence)
	if err != nil {
		p.Fatal(err)
	}
	var out Output
	if err := json.Unmarshal(text, &out.value); err != nil {
		p.Fatal(err)
	}
	return out
}

// refused is fails, and returns the whole error.
func (p *Page) refused(name, args string, code fault.Code) *fault.Error {
	p.Helper()
	return p.refusedIn(p.Context(), name, args, code)
}

func (p *Page) refusedIn(ctx context.Context, name, args string, code fault.Code) *fault.Error {
	p.Helper()
	raw, fail := p.backend.Call(ctx, p.T, name, args)
	if fail == nil {
		p.Fatalf("%s %s succeeded, want %s: %s", name, args, code, raw)
	}
	if fail.Code != code {
		p.Fatalf("%s %s: %v, want %s", name, args, fail, code)
	}
	record, _ := p.catalogue.Record(name)
	if record == nil || (!slices.Contains(record.Errors, string(code)) && !slices.Contains(common, code)) {
		p.Errorf("the record of %s does not list %s", name, code)
	}
	return fail
}

// is asserts that the member at the path equals want, given as JSON.
func (p *Page) is(out Output, path, want string) {
	p.Helper()
	p.equal(path, out.at(path), want)
}

// page asserts that an expression in the page's world gives want, as JSON.
func (p *Page) page(js, want string) {
	p.Helper()
	var got any
	p.backend.Eval(p.T, js, &got)
	p.equal(js, got, want)
}

// settles asserts that an expression in the page's world comes to give want, as
// JSON, and still does a moment later.
func (p *Page) settles(js, want string) {
	p.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		var as bool
		p.backend.Eval(p.T, `JSON.stringify(`+js+`) === JSON.stringify(`+want+`)`, &as)
		if as {
			break
		}
	}
	p.page(`new Promise(done => setTimeout(() => done(`+js+`), 100))`, want)
}

func (p *Page) equal(what string, got any, want string) {
	p.Helper()
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		p.Fatalf("the expected JSON %s: %v", want, err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		p.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// eval runs an expression in the page's world for its effect.
func (p *Page) eval(js string) {
	p.Helper()
	var ignored any
	p.backend.Eval(p.T, js, &ignored)
}

// click clicks the middle of what the selector matches.
func (p *Page) click(selector string) Output {
	p.Helper()
	info := p.ok("locator.element_info", `{"locator":{"selector":`+strconv.Quote(selector)+`}}`)
	return p.ok("pointer.click", info.pointArgs())
}

// pointArgs returns the clickable centre as the arguments of a pointer primitive.
func (o Output) pointArgs() string {
	text, err := json.Marshal(o.at("clickable_center"))
	if err != nil {
		return "{}"
	}
	return string(text)
}

// number returns a number of the output, 0 where there is none.
func (o Output) number(path string) float64 {
	n, _ := o.at(path).(float64)
	return n
}

// text returns a text of the output, empty where there is none.
func (o Output) text(path string) string {
	text, _ := o.at(path).(string)
	return text
}

func (o Output) at(path string) any {
	at := o.value
	if path == "" {
		return at
	}
	for step := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if step == "length" {
				at = float64(len(v))
			} else if err != nil || i >= len(v) {
				return nil
			} else {
				at = v[i]
			}
		default:
			return nil
		}
	}
	return at
}

// received waits for the server to get a form and returns it.
func (p *Page) received() url.Values {
	p.Helper()
	select {
	case <-p.Site.arrived:
	case <-time.After(5 * time.Second):
		p.Fatal("the server received nothing")
	}
	p.Site.mu.Lock()
	defer p.Site.mu.Unlock()
	return p.Site.received[len(p.Site.received)-1]
}

// clickAt clicks at the point that an expression in the page's world gives.
func (p *Page) clickAt(js string) Output {
	p.Helper()
	var point json.RawMessage
	p.backend.Eval(p.T, js, &point)
	return p.ok("pointer.click", string(point))
}

// with adds a member to the arguments of a call.
func with(args, member string) string {
	return strings.TrimSuffix(args, "}") + "," + member + "}"
}
