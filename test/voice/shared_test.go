package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// as goes on with the conversation in a subtest, which may take as long as a test
// of its own.
func (k *talk) as(t *testing.T) *talk {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*harness.Patience)
	t.Cleanup(cancel)
	c := *k
	c.t, c.ctx, c.waiting = t, ctx, &sync.WaitGroup{}
	return &c
}

// write starts the agent in writing and returns its session's id. The session ends
// with the test, and with it whatever waits for its answers.
func (k *talk) write() (id string) {
	k.t.Helper()
	var state struct {
		SessionID string `json:"session_id"`
	}
	harness.Must(k.t, k.home.Call(k.t, "runtime.agent.start", `{}`), &state)
	k.t.Cleanup(func() {
		k.home.Call(k.t, "runtime.agent.stop", `{}`)
		k.waiting.Wait()
	})
	k.again()
	return state.SessionID
}

// again takes the next session that the host opens in writing.
func (k *talk) again() {
	k.t.Helper()
	if k.wire = k.service.Next(k.ctx); k.wire.Call != nil {
		k.t.Fatal("a call without a microphone")
	}
}

// says sends the agent a message and then its answer.
func (k *talk) says(text string) <-chan dispatch.Envelope {
	k.t.Helper()
	args, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		k.t.Fatal(err)
	}
	answer := make(chan dispatch.Envelope, 1)
	k.waiting.Go(func() { answer <- k.home.Call(k.t, "runtime.agent.user_message", string(args)) })
	return answer
}

// answers lets the model answer the request that comes next.
func (k *talk) answers(text string) {
	k.t.Helper()
	k.wire.Begin(k.ctx)
	k.wire.Write(text)
	k.wire.Finish("completed")
}

// problem waits until the pane shows that the session is over, why, and what to
// do then.
func (k *talk) problem(reason, next string) {
	k.t.Helper()
	k.shown("error", map[string]string{"reason": reason, "next-step": next})
}

// shown waits until the pane shows the state and, in its elements by their ids,
// the texts.
func (k *talk) shown(state string, texts map[string]string) {
	k.t.Helper()
	const all = `Object.fromEntries([["status", document.body.dataset.status], ...[...document.querySelectorAll("[id]")].map(e => [e.id, e.checkVisibility() ? e.textContent : ""])])`
	var seen map[string]string
	last := ""
	defer func() {
		if k.t.Failed() {
			k.t.Logf("the pane shows %s", last)
		}
	}()
	harness.Until(k.t, fmt.Sprint("the pane shows ", state, texts), func() bool {
		var err error
		if last, err = k.evaluate("iframe", paneURL, all); err != nil || json.Unmarshal([]byte(last), &seen) != nil || seen["status"] != state {
			return false
		}
		for id, text := range texts {
			if seen[id] == "" || !strings.Contains(seen[id], text) {
				return false
			}
		}
		return true
	})
}

// press presses the element that the expression returns in the pane, as soon as it
// can be, like the user.
func (k *talk) press(element string) {
	k.t.Helper()
	k.pressIn("iframe", paneURL, element)
}

// pressIn presses an element of the one document of the kind that shows the address.
func (k *talk) pressIn(kind, url, element string) {
	k.t.Helper()
	pane, detach := drive.Attach(k.browser, k.target(kind, url))
	defer detach()
	var at []float64
	harness.Until(k.t, element+" can be pressed", func() bool {
		var err error
		at, err = chromedp.Run(pane, chromedp.Evaluate[[]float64](
			`(e => e && (e.scrollIntoView(), !e.disabled && e.checkVisibility()) ? (r => [r.left + r.width / 2, r.top + r.height / 2])(e.getBoundingClientRect()) : [])(`+element+`)`))
		return err == nil && len(at) == 2
	})
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		if _, err := chromedp.Call(pane, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1,
		}); err != nil {
			k.t.Fatal(err)
		}
	}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // a string: it cannot fail
	return string(raw)
}
