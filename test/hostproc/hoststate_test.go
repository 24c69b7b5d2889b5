package hostproc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// reconnected starts a host whose browser still runs and has its tabs open.
func reconnected(t *testing.T, home *harness.Home, b *fakes.Browser, tabs ...int) *harness.Process {
	t.Helper()
	return home.Again(t, b, shop, tabs...)
}

// kill ends the host without a word.
func kill(t *testing.T, p *harness.Process) {
	t.Helper()
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Ended(t)
}

func total(t *testing.T, c *control.Client, tab int) float64 {
	t.Helper()
	var out struct{ Total float64 }
	harness.Must(t, call(t, c, at(direct("task.list", `{}`), tab)), &out)
	return out.Total
}

func TestQueueAndBufferSurviveTheHost(t *testing.T) {
	// Ensure that tasks and values which were acknowledged outlive kill -9, that a queue ends with its tab and its browser, and that values do not.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop, shop)
	c := dial(t, home)
	harness.Must(t, call(t, c, at(direct("task.add", `{"tasks":["a","b"]}`), 1)), nil)
	harness.Must(t, call(t, c, at(direct("task.next", `{}`), 1)), nil)
	harness.Must(t, call(t, c, at(direct("task.add", `{"text":"c"}`), 2)), nil)
	harness.Must(t, call(t, c, at(direct("transfer.write", `{"label":"v","format":"text/plain","value":"kept"}`), 1)), nil)
	kill(t, p)

	p = reconnected(t, home, b, 1, 2)
	c = dial(t, home)
	var list struct {
		Tasks []struct{ Text, Status string }
	}
	harness.Must(t, call(t, c, at(direct("task.list", `{}`), 1)), &list)
	if fmt.Sprint(list.Tasks) != "[{a in_progress} {b pending}]" {
		t.Errorf("after the kill: %v", list.Tasks)
	}
	var item struct{ Value string }
	harness.Must(t, call(t, c, at(direct("transfer.read", `{"label":"v","include_value":true}`), 2)), &item)
	if item.Value != "kept" {
		t.Errorf("the value is %q", item.Value)
	}
	if err := b.Release(patient(t), 1); err != nil {
		t.Fatal(err)
	}
	if err := b.Claim(patient(t), 1, shop); err != nil {
		t.Fatal(err)
	}
	if n := total(t, c, 1); n != 0 {
		t.Errorf("%v tasks after the release", n)
	}
	if n := total(t, c, 2); n != 1 {
		t.Errorf("%v tasks in the tab that was not released", n)
	}
	kill(t, p)

	// The same ids in another run of the browser are other tabs.
	b.Hello = func(h *protocol.Handshake) { h.BrowserSession = strings.Repeat("f", 32) }
	p = reconnected(t, home, b, 2)
	if err := b.Claim(patient(t), 2, shop); err != nil {
		t.Fatal(err)
	}
	c = dial(t, home)
	if n := total(t, c, 2); n != 0 {
		t.Errorf("%v tasks of another run of the browser", n)
	}
	harness.Must(t, call(t, c, at(direct("transfer.read", `{"label":"v"}`), 2)), nil)
	hangUp(t, p)
}

func TestSessionOfAConnection(t *testing.T) {
	// Ensure that what a client's own session keeps ends when the client goes, and stays when the host does.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	own := func(name, args string) control.CallParams {
		call := at(direct(name, args), 1)
		call.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "one"}
		return call
	}
	write := own("transfer.write", `{"label":"v","format":"text/plain","value":"x"}`)
	c := dial(t, home)
	harness.Must(t, call(t, c, write), nil)
	hangUp(t, p)

	reconnected(t, home, b, 1)
	c = dial(t, home)
	harness.Must(t, call(t, c, own("transfer.read", `{"label":"v"}`)), nil)
	c.Close()
	c = dial(t, home)
	harness.Until(t, "the session has ended", func() bool {
		var out struct{ Events []struct{ Type string } }
		harness.Must(t, call(t, c, direct("runtime.session.log", `{"session_id":"mcp:one","limit":1}`)), &out)
		return len(out.Events) == 1 && out.Events[0].Type == "session_ended"
	})
	wantCode(t, call(t, c, own("transfer.read", `{"label":"v"}`)), fault.TransferLabelNotFound)
}

func TestPartsUnderLoad(t *testing.T) {
	// Ensure that large messages arrive as they were beside small ones of other tabs, that no frame is larger than the browser lets through, and that the host lives on.
	t.Parallel()
	home := harness.NewHome(t)
	var mu sync.Mutex
	got := map[string]int{}
	b := &fakes.Browser{Page: func(_ context.Context, c protocol.ActionCall) (any, error) {
		if c.Name == "text.insert" {
			var args struct{ Text string }
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return nil, err
			}
			mu.Lock()
			got[args.Text]++
			mu.Unlock()
		}
		return fakes.Answer(c)
	}}
	home.Ready(t, b, shop, shop, shop)
	var clients sync.WaitGroup
	for tab := 1; tab <= 2; tab++ {
		c := dial(t, home)
		clients.Go(func() {
			for i := range 4 {
				text := strings.Repeat(fmt.Sprintf("%d.%d \"\\<ä😀", tab, i), 150_000) // 2 to 3 MB
				args, err := json.Marshal(map[string]string{"text": text})
				if err != nil {
					t.Error(err)
					return
				}
				if e := call(t, c, at(direct("text.insert", string(args)), tab)); !e.OK {
					t.Errorf("%+v", e.Error)
				}
				mu.Lock()
				if got[text] != 1 {
					t.Errorf("the page got the text of tab %d %d times", tab, got[text])
				}
				mu.Unlock()
			}
		})
	}
	small := dial(t, home)
	clients.Go(func() {
		for range 50 {
			if e := call(t, small, at(clickCall(), 3)); !e.OK {
				t.Errorf("%+v", e.Error)
			}
		}
	})
	clients.Wait()
	if parts, largest := b.Frames.Chunks.Load(), b.Frames.Largest.Load(); parts < 16 || largest > nativemsg.MaxToBrowser {
		t.Errorf("%d parts, the largest frame has %d bytes", parts, largest)
	}
}

func TestPartsNeedTheProtocol(t *testing.T) {
	// Ensure that an extension of the older protocol gets no parts, and the caller a reason.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page, Hello: func(h *protocol.Handshake) { h.Protocol = 1 }}
	home.Ready(t, b, shop)
	args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 2<<20))
	f := wantCode(t, call(t, dial(t, home), at(direct("text.insert", args), 1)), fault.PayloadTooLarge)
	if f.Dispatched != fault.NotDispatched || b.Frames.Chunks.Load() != 0 {
		t.Errorf("%+v, %d parts", f, b.Frames.Chunks.Load())
	}
	harness.Must(t, call(t, dial(t, home), at(clickCall(), 1)), nil)
}
