package agent

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/tabs"
)

const (
	// maxPageText is how much of a page a chat reads, in characters.
	maxPageText = 40_000
	// readChars is how much one call reads of it.
	readChars = 6000
	// maxPageReads is how many calls read a page, one that changes meanwhile too.
	maxPageReads = 20
	// maxPageRestarts is how often a page that changes is read from its start again.
	maxPageRestarts = 2
	// maxPageDocuments is how many successive documents of a tab one call reads.
	maxPageDocuments = 2
)

// ChatPage is the page beside a chat. All but the summary is the page's own word.
type ChatPage struct {
	URL, Title string
	Text       string
	Extraction string // how the text was found; empty where there is none
	Truncated  bool
	Summary    string
	// Transcript is what its media say, by the provider of that name.
	Transcript         []TranscriptLine
	TranscriptProvider string
	MediaDuration      time.Duration
}

// PageReader reads the page beside a chat, again when the user has written or the tab shows
// another document.
type PageReader struct {
	Agent *Agent
	Chat  *Chat
	// Tab returns the chat's tab; false where it is not under control any more.
	Tab func() (tabs.Tab, bool)

	mu       sync.Mutex
	document string
	page     ChatPage
}

// Page returns the page. Where it may not be read, or cannot be, it has no text. One that gives way
// to another while it is read is read no further: its text is kept for no other page.
func (r *PageReader) Page(ctx context.Context, fresh bool) ChatPage {
	r.mu.Lock()
	defer r.mu.Unlock()
	tab, ok := r.visibleTab()
	for reads := 0; ok && (fresh && reads == 0 || documentOf(tab) != r.document); reads++ {
		r.page, r.document = ChatPage{}, ""
		if reads == maxPageDocuments || ctx.Err() != nil {
			break
		}
		before := tab
		page := r.Agent.readPage(ctx, tab.TabID)
		tab, ok = r.visibleTab()
		if before.RuntimeID == "" { // it was still loading
			before.RuntimeID = tab.RuntimeID
		}
		if ok && ctx.Err() == nil && documentOf(tab) == documentOf(before) {
			r.page, r.document = page, documentOf(tab)
		}
	}
	if !ok {
		return ChatPage{}
	}
	r.Chat.SetURL(tab.URL)
	page := r.page
	page.URL, page.Title, page.Summary = tab.URL, tab.Title, r.Chat.Summary().of(tab.URL)
	return page
}

// visibleTab returns the tab where the model may know its page.
func (r *PageReader) visibleTab() (tabs.Tab, bool) {
	tab, ok := r.Tab()
	return tab, ok && r.Agent.Session.Sees(tab.URL)
}

// documentOf names what a tab shows.
func documentOf(tab tabs.Tab) string { return tab.RuntimeID + " " + tab.URL }

// readPage reads the text of a tab's page, as far as it may be read.
func (a *Agent) readPage(ctx context.Context, tabID int) (page ChatPage) {
	var text strings.Builder
	start, restarts := map[string]any{"max_chars": readChars}, 0
	arguments := start
	for range maxPageReads {
		if text.Len() >= maxPageText {
			break
		}
		e, err := a.lookWith(ctx, tabID, "page.read", arguments)
		var output struct {
			Text      string `json:"text"`
			Source    string `json:"source"`
			Truncated bool   `json:"truncated"`
			Changed   bool   `json:"changed"`
			Next      struct {
				Name      string         `json:"name"`
				Arguments map[string]any `json:"arguments"`
			} `json:"next"`
		}
		if err != nil || json.Unmarshal(e.Output, &output) != nil {
			break
		}
		if output.Changed { // what it has is not what comes next
			if restarts == maxPageRestarts {
				page.Truncated = true
				break
			}
			restarts++
			text.Reset()
			arguments = start
			continue
		}
		text.WriteString(output.Text)
		page.Extraction, page.Truncated = output.Source, output.Truncated
		if output.Next.Name != "page.read" {
			break
		}
		text.WriteString("\n")
		arguments = output.Next.Arguments
	}
	page.Text = text.String()
	a.readTranscript(ctx, tabID, &page)
	return page
}
