package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/test/harness"
)

// largeText returns about so many bytes in which every kind of character stands.
func largeText(bytes int) string {
	const sample = "ä€😀\"\\\u2028<b>&\t\x01 plain words to go between them. "
	return strings.Repeat(sample, bytes/len(sample)+1)
}

func TestLargeMessages(t *testing.T) {
	// Ensure that messages far above the browser's limit arrive as they were, there and back, while small ones go on (A2).
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>large</title><textarea></textarea>`})
	p := harness.Play(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), 3*harness.Patience)
	defer cancel()
	tab := p.Launched.Tabs[0].TabID
	session := p.Host.Debugger(tab)
	defer func() {
		if err := session.Release(ctx); err != nil {
			t.Error(err)
		}
	}()
	evaluate := func(expression string, into any) {
		t.Helper()
		value, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true)})
		if err != nil || value.ExceptionDetails != nil {
			t.Fatalf("%v %+v", err, value.ExceptionDetails)
		}
		if err := json.Unmarshal(value.Result.Value, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int{1 << 20, harness.Times(5, 20) << 20} {
		text := largeText(size)
		literal, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		pings, stopped := make(chan error, 1), make(chan struct{})
		go func() {
			for {
				if _, err := p.Host.Ping(ctx); err != nil {
					pings <- err
					return
				}
				select {
				case <-stopped:
					pings <- nil
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
		}()
		var back string
		evaluate(string(literal), &back)
		close(stopped)
		if err := <-pings; err != nil {
			t.Errorf("a small message beside it: %v", err)
		}
		if back != text {
			t.Errorf("%d bytes went, %d came back", len(text), len(back))
		}
	}

	text := strings.ReplaceAll(largeText(3<<20), "\x01", "") // what a field may hold
	args, err := json.Marshal(map[string]string{"text": text, "target": "textarea", "mode": "replace"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Host.Page(ctx, protocol.ActionCall{CallID: "c", Name: "text.insert", Arguments: args, TabID: tab})
	if err != nil || !strings.Contains(string(out.Output), `"verified":true`) {
		t.Fatalf("%s, %v", out.Output, err)
	}
	var value string
	evaluate(`document.querySelector("textarea").value`, &value)
	if value != text {
		t.Errorf("the field holds %d bytes of %d", len(value), len(text))
	}
}
