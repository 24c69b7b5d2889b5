package a11y

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/announce"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

const (
	observePrimitive = "a11y.observe" // the part of a11y.watch that runs in the page

	observeTime   = 5 * time.Second
	readerTime    = 2 * time.Second // for the site to say that its mode is on
	readerPause   = 100 * time.Millisecond
	readerChord   = "Control+Alt+z" // where the caller names none
	readerElement = "#docs-aria-speakable"

	defaultEvents = 50
)

type watchArguments struct {
	Enabled            *bool  `json:"enabled"`
	EnableScreenReader bool   `json:"enable_screen_reader"`
	ScreenReaderChord  string `json:"screen_reader_chord"`
}

// watch answers a11y.watch. The desk takes announcements before the page is
// asked for them: the first one may come at once.
func (h *Handlers) watch(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[watchArguments](c)
	if err != nil {
		return nil, err
	}
	enabled := args.Enabled == nil || *args.Enabled
	if enabled {
		if err := h.Desk.Watch(c.TabID); err != nil {
			return nil, err
		}
	}
	regions, err := h.observe(ctx, c.TabID, enabled, false)
	if err != nil {
		return nil, err
	}
	if !enabled {
		if err := h.Desk.Drop(c.TabID); err != nil {
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

// observe has the tab's document tell what its live regions say, or end that.
// present asks for the alerts that stand there already, too: in a document that
// came while its tab was watched nobody has seen them.
func (h *Handlers) observe(ctx context.Context, tabID int, enabled, present bool) (regions int, err error) {
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	args, err := primitive.Output(map[string]bool{"enabled": enabled, "present": present})
	if err != nil {
		return 0, err
	}
	raw, err := h.Path.Watch(ctx, tabID, observePrimitive, args)
	if err != nil {
		return 0, err
	}
	var out struct {
		Regions int `json:"regions"`
	}
	return out.Regions, json.Unmarshal(raw, &out)
}

// Renew observes the tab's new document if the tab is watched.
func (h *Handlers) Renew(ctx context.Context, tabID int) error {
	if !h.Desk.Watching(tabID) {
		return nil
	}
	_, err := h.observe(ctx, tabID, true, true)
	return err
}

// Announced takes what a page told.
func (h *Handlers) Announced(a protocol.Announcements) error {
	url := ""
	if tab, ok := h.Tabs.Get(a.TabID); ok && tab.RuntimeID == a.RuntimeID {
		url = tab.URL
	}
	said := make([]announce.Spoken, 0, len(a.Items))
	for _, item := range a.Items {
		said = append(said, announce.Spoken{
			RuntimeID: a.RuntimeID, RegionID: item.RegionID, URL: url, Text: item.Text, Politeness: item.Politeness,
			Region: item.Region, RegionRole: item.RegionRole, Relevant: item.Relevant, At: time.UnixMilli(int64(item.AtMS)).UTC(),
		})
	}
	return h.Desk.Take(a.TabID, said, a.Dropped)
}

// enableReader switches a site's own mode for screen readers on, by its keys, and
// looks whether the site says so. The press is a step of its own: whether it may
// be made is decided like that of any other.
func (h *Handlers) enableReader(ctx context.Context, chord string) (string, error) {
	if chord == "" {
		chord = readerChord
	}
	args, err := primitive.Output(map[string]any{"key": chord, "trusted": true})
	if err != nil {
		return "", err
	}
	if _, err := h.Path.Step(ctx, "keyboard.press", args); err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, readerTime)
	defer cancel()
	tick := time.NewTicker(readerPause)
	defer tick.Stop()
	said := ""
	for {
		if now, err := h.readerSays(wait); err == nil {
			said = now
		}
		if strings.Contains(strings.ToLower(said), "enabled") {
			return "enabled", nil
		}
		select {
		case <-tick.C:
		case <-wait.Done():
			if err := ctx.Err(); err != nil {
				return "", fault.From(err)
			}
			return fmt.Sprintf("unverified(%s)", shorten.Characters(said, 100)), nil
		}
	}
}

func (h *Handlers) readerSays(ctx context.Context) (string, error) {
	args, err := primitive.Output(map[string]any{"selector": readerElement, "attributes": []string{"text"}, "max_matches": 1})
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
		return "no " + readerElement, err
	}
	return out.Matches[0].Attributes["text"], nil
}

// Due gives what the session is to be told with its next answer; nil for nothing.
func (h *Handlers) Due(s primitive.Session) any {
	if due := heardBy(s, h.Desk.Due(s.SessionID())); len(due) > 0 {
		return due
	}
	return nil
}

// heardBy leaves out what pages said that the session is not for: a tab goes from
// page to page and keeps what each of them said.
func heardBy(s primitive.Session, said []announce.Announcement) []announce.Announcement {
	return slices.DeleteFunc(said, func(a announce.Announcement) bool { return !s.Sees(a.URL) })
}

// eventsRead answers a11y.events.read.
func (h *Handlers) eventsRead(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Since uint64 `json:"since"`
		Limit int    `json:"limit"`
	}](c)
	if err != nil {
		return nil, err
	}
	r := h.Desk.Read(c.Session.SessionID(), c.TabID, args.Since, orElse(args.Limit, defaultEvents))
	r.Announcements = heardBy(c.Session, r.Announcements)
	return primitive.Output(struct {
		announce.Reading
		Trust string `json:"trust"`
	}{r, "untrusted"})
}

// subscribe answers a11y.announcements_subscribe and a11y.announcements_configure.
func (h *Handlers) subscribe(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[announce.Modes](c)
	if err != nil {
		return nil, err
	}
	modes := h.Desk.Subscribe(c.Session.SessionID(), c.TabID, args)
	watching := h.Desk.Watching(c.TabID)
	note := "Announcements come in meta.announcements of your next answers, a few at a time."
	if !watching {
		note = "Nobody watches this tab yet: call a11y.watch."
	}
	return primitive.Output(map[string]any{
		"subscriber": c.Session.SessionID(), "tab_id": c.TabID, "assertive": modes.Assertive, "polite": modes.Polite, "watching": watching, "note": note,
	})
}
