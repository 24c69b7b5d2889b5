package site_test

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const twoSteps = `{"id":"a","primitive":"page.info"},{"id":"b","primitive":"pointer.click","args":{"x":1,"y":2}}`

func TestLeavingThePage(t *testing.T) {
	// Ensure that no step runs on a page that is not the action's: another host, outside of the map's patterns, outside of the tool's, or a tab that is gone.
	narrow := mapOf(`"surface":{"url_patterns":["https://shop.example.com/cart*"]},`, tool("go", workflow(twoSteps)))
	bound := mapOf("", tool("go", workflow(twoSteps)+`,"x_actions":{"binding":{"target_url_contains":"/cart"}}`))
	wide := mapOf("", tool("go", workflow(twoSteps)))
	for name, row := range map[string]struct {
		text, url string
		code      fault.Code // "" where the second step runs
	}{
		"another host":        {wide, "https://evil.example.com/cart", fault.StateMismatch},
		"a host that ends so": {wide, "https://evilshop.example.com/cart", fault.StateMismatch},
		"no web page":         {wide, "chrome://settings/", fault.StateMismatch},
		"outside patterns":    {narrow, "https://shop.example.com/help", fault.StateMismatch},
		"outside binding":     {bound, "https://shop.example.com/help", fault.StateMismatch},
		"a closed tab":        {wide, "", fault.TabNotClaimed},
		"the same host":       {wide, "https://shop.example.com/help", ""},
		"inside patterns":     {narrow, "https://shop.example.com/cart/2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": row.text})
			r.step = func(string, json.RawMessage) (json.RawMessage, error) {
				r.url = row.url // the first step makes the page go away
				return json.RawMessage(`{}`), nil
			}
			_, err := r.call(t, "go", `{}`)
			if row.code == "" {
				if err != nil || len(r.ran) != 2 {
					t.Errorf("ran %v, %v", r.ran, err)
				}
				return
			}
			wantCode(t, err, row.code)
			if len(r.ran) != 1 {
				t.Errorf("ran %v", r.ran)
			}
		})
	}
}

func TestLeavingBeforeTheHandler(t *testing.T) {
	// Ensure that a handler does not run either when the tab left between the decision and the call, and that nothing was sent.
	r := shop(t, tool("go", open+`"x_actions":{"handler":"pointer.click"}`))
	r.url = "https://evil.example.com/"
	_, err := r.call(t, "go", `{}`)
	if f := wantCode(t, err, fault.StateMismatch); f.Dispatched != fault.NotDispatched || f.Evidence["url"] != r.url || len(r.ran) > 0 {
		t.Errorf("got %+v, ran %v", f, r.ran)
	}
}

func TestClosedBeforeTheHandler(t *testing.T) {
	// Ensure that nothing is called sent where the tab was closed before the handler ran.
	r := shop(t, tool("go", open+`"x_actions":{"handler":"pointer.click"}`))
	r.url = ""
	_, err := r.call(t, "go", `{}`)
	if f := wantCode(t, err, fault.TabNotClaimed); f.Dispatched != fault.NotDispatched || len(r.ran) > 0 {
		t.Errorf("got %+v, ran %v", f, r.ran)
	}
}

func TestMovedStepIsLookedAtAgain(t *testing.T) {
	// Ensure that a step which was not sent because the tab had moved runs on the new page if that is the map's too, and not otherwise.
	for name, row := range map[string]struct {
		to   string
		runs int
		code fault.Code
	}{
		"within the map": {"https://shop.example.com/next", 2, ""},
		"out of the map": {"https://evil.example.com/", 1, fault.StateMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			r := shop(t, tool("go", open+`"x_actions":{"handler":"page.info"}`))
			r.step = func(string, json.RawMessage) (json.RawMessage, error) {
				if len(r.ran) == 1 {
					r.url = row.to
					return nil, fault.New(fault.StateMismatch, "elsewhere").WithDispatched(fault.NotDispatched)
				}
				return json.RawMessage(`"done"`), nil
			}
			r.moved = func(err error) bool { return err != nil }
			got, err := r.call(t, "go", `{}`)
			if row.code != "" {
				wantCode(t, err, row.code)
			} else if err != nil || got != `"done"` {
				t.Errorf("got %s, %v", got, err)
			}
			if len(r.ran) != row.runs {
				t.Errorf("ran %v", r.ran)
			}
		})
	}
}
