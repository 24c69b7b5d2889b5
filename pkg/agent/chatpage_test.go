package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestChatReadsAPageThatChanges(t *testing.T) {
	// Ensure that a page which changes while it is read is read from its start again, and one that never keeps still, or never ends, only so often.
	for name, row := range map[string]struct {
		changes   int // how many reads find another text
		endless   bool
		want      string
		truncated bool
	}{
		"once":      {1, false, "v1 start\nv1 end", false},
		"always":    {100, false, "v2 start", true},
		"endlessly": {0, true, strings.TrimSpace(strings.Repeat("\n", maxPageReads)), true},
	} {
		t.Run(name, func(t *testing.T) {
			a, reads, changes := onCallPath(t), 0, 0
			a.Dispatch.Handlers.Named["page.read"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
				var args struct {
					Offset  int    `json:"offset"`
					Version string `json:"version"`
				}
				if err := json.Unmarshal(c.Arguments, &args); err != nil {
					return nil, err
				}
				if reads++; args.Offset > 0 && changes < row.changes {
					changes++
				}
				version := fmt.Sprintf("v%d", changes)
				text, more := version+" start", `,"truncated":true,"next":{"name":"page.read","arguments":{"offset":9,"version":"`+version+`"}}`
				if args.Offset > 0 {
					text, more = version+" end", `,"truncated":false`
				}
				if row.endless {
					text, more = "", `,"truncated":true,"next":{"name":"page.read","arguments":{"offset":9}}`
				}
				if args.Version != "" && args.Version != version {
					more += `,"changed":true`
				}
				return fmt.Appendf(nil, `{"title":"t","source":"main","access_state":"full","text":%q,"offset":%d,"total_chars":18,"version":%q%s}`, text, args.Offset, version, more), nil
			}
			page := a.readPage(t.Context(), 1)
			if strings.TrimSpace(page.Text) != row.want || page.Truncated != row.truncated || reads > maxPageReads {
				t.Errorf("after %d reads: %q, truncated %t", reads, page.Text, page.Truncated)
			}
		})
	}
}

func TestChatReadsOnePage(t *testing.T) {
	// Ensure that text which was read while the tab went to another page is kept as that of neither, however often it goes on, and that a tab which is loading is read once.
	const a, b, c = "https://a.example/", "https://b.example/", "https://c.example/"
	for name, row := range map[string]struct {
		shown         []tabs.Tab // after each read
		first, second string     // what two messages find
	}{
		"stays":         {[]tabs.Tab{{RuntimeID: "1", URL: a}}, a + " read 1", a + " read 1"},
		"was loading":   {[]tabs.Tab{{URL: a}, {RuntimeID: "1", URL: a}}, a + " read 1", a + " read 1"},
		"goes":          {[]tabs.Tab{{RuntimeID: "1", URL: a}, {RuntimeID: "2", URL: b}}, b + " read 2", b + " read 2"},
		"same document": {[]tabs.Tab{{RuntimeID: "1", URL: a}, {RuntimeID: "1", URL: b}}, b + " read 2", b + " read 2"},
		"goes on":       {[]tabs.Tab{{RuntimeID: "1", URL: a}, {RuntimeID: "2", URL: b}, {RuntimeID: "3", URL: c}}, c + " ", c + " read 3"},
		"is released":   {[]tabs.Tab{{RuntimeID: "1", URL: a}, {}}, " ", " "},
	} {
		t.Run(name, func(t *testing.T) {
			works, reads := onCallPath(t), 0
			works.Dispatch.Handlers.Named["page.read"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
				reads++
				return fmt.Appendf(nil, `{"title":"t","source":"main","access_state":"full","text":"read %d","offset":0,"total_chars":6,"version":"v","truncated":false}`, reads), nil
			}
			r := &PageReader{Agent: works, Chat: &Chat{}, Tab: func() (tabs.Tab, bool) {
				tab := row.shown[min(reads, len(row.shown)-1)]
				tab.TabID = 1
				return tab, tab.URL != ""
			}}
			for _, want := range []string{row.first, row.second} {
				if page := r.Page(t.Context(), false); page.URL+" "+page.Text != want {
					t.Errorf("the page is %+v, want %s", page, want)
				}
			}
		})
	}
}

func TestChatReadsOnAfterStop(t *testing.T) {
	// Ensure that what was read of a page until the read was stopped is not kept as its text.
	works, reads := onCallPath(t), 0
	ctx, stop := context.WithCancel(t.Context())
	works.Dispatch.Handlers.Named["page.read"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		stop()
		reads++
		return fmt.Appendf(nil, `{"title":"t","source":"main","access_state":"full","text":"read %d","offset":0,"total_chars":6,"version":"v","truncated":false}`, reads), nil
	}
	r := &PageReader{Agent: works, Chat: &Chat{}, Tab: func() (tabs.Tab, bool) {
		return tabs.Tab{TabID: 1, RuntimeID: "1", URL: "https://a.example/"}, true
	}}
	r.Page(ctx, true)
	if page := r.Page(t.Context(), false); page.Text != "read 2" {
		t.Errorf("the page is %+v after a read that was stopped, want read 2", page)
	}
}
