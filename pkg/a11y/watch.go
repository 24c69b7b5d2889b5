package a11y

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	observePrimitive = "a11y.observe" // the part of a11y.watch that runs in the page

	observeTimeout     = 5 * time.Second
	readerTimeout      = 2 * time.Second // for the site to confirm its mode
	readerPollInterval = 100 * time.Millisecond
	defaultReaderChord = "Control+Alt+z" // where the caller names none
	readerSelector     = "#docs-aria-speakable"

	defaultEvents = 50
)

type watchArguments struct {
	Enabled            *bool  `json:"enabled"`
	EnableScreenReader bool   `json:"enable_screen_reader"`
	ScreenReaderChord  string `json:"screen_reader_chord"`
}

// watch answers a11y.watch. The log is ready before the page is asked to observe: the first
// announcement may come at once.
func (h *Handlers) watch(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[watchArguments](c)
	if err != nil {
		return nil, err
	}
	enabled := args.Enabled == nil || *args.Enabled
	if enabled {
		if err := h.Announcements.Watch(c.TabID); err != nil {
			return nil, err
		}
	}
	regions, err := h.observe(ctx, c.TabID, enabled, false)
	if err != nil {
		return nil, err
	}
	if !enabled {
		if err := h.Announcements.Drop(c.TabID); err != nil {
			return nil, err
		}
	}
	mode := "not_requested"
	if enabled && args.EnableScreenReader {
		if mode, err = h.enableReader(ctx, args.ScreenReaderChord); err != nil {
			return nil, err
		}
	}
	return primitive.Output(map[string]any{"watching": enabled, "tab_id": c.TabID, "observer_regions": regions, "screen_reader": mode})
}

// observe makes the tab's document report the announcements of its live regions, or stop that.
// With present it reports existing alerts too: in a document that was loaded while its tab was
// watched they are new.
func (h *Handlers) observe(ctx context.Context, tabID int, enabled, present bool) (regions int, err error) {
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	args, err := primitive.Output(map[string]bool{"enabled": enabled, "present": present})
	if err != nil {
		return 0, err
	}
	raw, err := h.Path.CallAsHost(ctx, tabID, observePrimitive, args)
	if err != nil {
		return 0, err
	}
	var out struct {
		Regions int `json:"regions"`
	}
	return out.Regions, json.Unmarshal(raw, &out)
}

// ObserveAgain observes the tab's new document if the tab is watched.
func (h *Handlers) ObserveAgain(ctx context.Context, tabID int) error {
	if !h.Announcements.Watching(tabID) {
		return nil
	}
	_, err := h.observe(ctx, tabID, true, true)
	return err
}

// Announced stores the announcements of a page.
func (h *Handlers) Announced(a protocol.Announcements) error {
	url := ""
	if tab, ok := h.Tabs.Get(a.TabID); ok && tab.RuntimeID == a.RuntimeID {
		url = tab.URL
	}
	items := make([]announcements.Item, 0, len(a.Items))
	for _, item := range a.Items {
		items = append(items, announcements.Item{
			RuntimeID: a.RuntimeID, RegionID: item.RegionID, URL: url, Text: item.Text, Politeness: item.Politeness,
			Region: item.Region, RegionRole: item.RegionRole, Relevant: item.Relevant, At: time.UnixMilli(int64(item.AtMS)).UTC(),
		})
	}
	return h.Announcements.Add(a.TabID, items, a.Dropped)
}

// enableReader switches on a site's own screen reader mode with its keys, and checks that the
// site confirms it. The press is a step of its own: whether it may be made is decided like that
// of any other.
func (h *Handlers) enableReader(ctx context.Context, chord string) (string, error) {
	if chord == "" {
		chord = defaultReaderChord
	}
	args, err := primitive.Output(map[string]any{"key": chord, "trusted": true})
	if err != nil {
		return "", err
	}
	if _, err := h.Path.Step(ctx, "keyboard.press", args); err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, readerTimeout)
	defer cancel()
	tick := time.NewTicker(readerPollInterval)
	defer tick.Stop()
	status := ""
	for {
		if now, err := h.readerStatus(wait); err == nil {
			status = now
		}
		if strings.Contains(strings.ToLower(status), "enabled") {
			return "enabled", nil
		}
		select {
		case <-tick.C:
		case <-wait.Done():
			if err := ctx.Err(); err != nil {
				return "", fault.From(err)
			}
			return fmt.Sprintf("unverified(%s)", truncate.Characters(status, 100)), nil
		}
	}
}

func (h *Handlers) readerStatus(ctx context.Context) (string, error) {
	args, err := primitive.Output(map[string]any{"selector": readerSelector, "attributes": []string{"text"}, "max_matches": 1})
	if err != nil {
		return "", err
	}
	raw, err := h.Path.Step(ctx, "dom.observe.attributes", args)
	if err != nil {
		return "", err
	}
	var out struct {
		Matches []struct {
			Attributes map[string]string `json:"attributes"`
		} `json:"matches"`
	}
	if err := json.Unmarshal(raw, &out); err != nil || len(out.Matches) == 0 {
		return "no " + readerSelector, err
	}
	return out.Matches[0].Attributes["text"], nil
}

// Pending returns the announcements for the session's next answer; nil for none.
func (h *Handlers) Pending(s primitive.Session) any {
	if due := visibleTo(s, h.Announcements.Pending(s.SessionID())); len(due) > 0 {
		return due
	}
	return nil
}

// visibleTo removes announcements of pages that the session may not see: a tab keeps those of
// all pages that it has shown.
func visibleTo(s primitive.Session, all []announcements.Announcement) []announcements.Announcement {
	return slices.DeleteFunc(all, func(a announcements.Announcement) bool { return !s.Sees(a.URL) })
}

// readEvents answers a11y.events.read.
func (h *Handlers) readEvents(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Since uint64 `json:"since"`
		Limit int    `json:"limit"`
	}](c)
	if err != nil {
		return nil, err
	}
	r := h.Announcements.Read(c.Session.SessionID(), c.TabID, args.Since, orDefault(args.Limit, defaultEvents))
	r.Announcements = visibleTo(c.Session, r.Announcements)
	return primitive.Output(struct {
		announcements.Page
		Trust string `json:"trust"`
	}{r, "untrusted"})
}

// subscribe answers a11y.announcements_subscribe and a11y.announcements_configure.
func (h *Handlers) subscribe(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[announcements.Modes](c)
	if err != nil {
		return nil, err
	}
	modes := h.Announcements.Subscribe(c.Session.SessionID(), c.TabID, args)
	watching := h.Announcements.Watching(c.TabID)
	note := "Announcements come in meta.announcements of your next answers, a few at a time."
	if !watching {
		note = "Nobody watches this tab yet: call a11y.watch."
	}
	return primitive.Output(map[string]any{
		"subscriber": c.Session.SessionID(), "tab_id": c.TabID, "assertive": modes.Assertive, "polite": modes.Polite, "watching": watching, "note": note,
	})
}
