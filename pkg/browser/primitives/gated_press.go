package primitives

import (
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// announceDelay is how long a page gets after a press to announce the result.
const announceDelay = 40 * time.Millisecond

// maxGatedPresses is how often a key is pressed where the caller sets no limit.
const maxGatedPresses = 200

// gatedPress is one keyboard.press_gated: a key, and what the page must announce for it to be
// pressed again.
type gatedPress struct {
	ch         chord
	key        *kb.Key
	stop       string // count, until or path
	count      int
	maxPresses int
	steps      []expectation
}

// expectation is a pattern that the page's announcement must match, or must not.
type expectation struct {
	pattern *regexp.Regexp
	match   bool
}

func (e expectation) isMet(text string) bool { return e.pattern.MatchString(text) == e.match }

// announcement is a text for screen readers.
type announcement struct {
	Text   string `json:"text"`
	Source string `json:"source"`
}

// keyboardPressGated is keyboard.press_gated: one press after the other, each only after the
// page has announced the result of the last.
func (h *Handlers) keyboardPressGated(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	g, err := parseGatedPress(c)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	if g.stop == "path" {
		g.count = len(g.steps)
	}
	done := 0
	var last announcement
	for ; g.stop == "until" || done < g.count; done++ {
		if done == g.maxPresses {
			return primitive.Output(map[string]any{
				"stop": "partial", "steps_done": done, "reason": "max_presses", "final_a11y": last.Text, "fidelity": "trusted",
			})
		}
		if done > 0 {
			if err := sleep(ctx, pressInterval); err != nil {
				return nil, withStepsDone(err, done)
			}
		}
		if err := h.pressOnce(ctx, c, g); err != nil {
			return nil, withStepsDone(trustedInputError(err, fault.TrustedKeyFailed, "the key"), done)
		}
		if g.stop == "count" {
			continue
		}
		if last, err = h.readAnnouncement(ctx, c); err != nil {
			return nil, withStepsDone(err, done+1)
		}
		if g.stop == "until" && g.steps[0].isMet(last.Text) {
			done++
			break
		}
		if g.stop == "path" && !g.steps[done].isMet(last.Text) {
			return nil, pathDivergedError(g.steps[done], last, done)
		}
	}
	result := map[string]any{"stop": g.stop, "steps_done": done, "fidelity": "trusted"}
	if last.Text != "" {
		result["final_a11y"] = last.Text
	}
	return primitive.Output(result)
}

func (h *Handlers) pressOnce(ctx context.Context, c primitive.Call, g gatedPress) error {
	steps, err := g.ch.steps(g.key, 1)
	if err != nil {
		return err
	}
	_, err = h.sendKeys(ctx, c, focusQuery{}, steps)
	return err
}

func parseGatedPress(c primitive.Call) (gatedPress, error) {
	args, err := primitive.Arguments[struct {
		Key        string    `json:"key"`
		Modifiers  []string  `json:"modifiers"`
		Stop       string    `json:"stop"`
		Count      *int      `json:"count"`
		Expect     oneOrMany `json:"expect"`
		Polarity   oneOrMany `json:"polarity"`
		MaxPresses *int      `json:"max_presses"`
	}](c)
	if err != nil {
		return gatedPress{}, err
	}
	g := gatedPress{stop: args.Stop, maxPresses: maxGatedPresses}
	if args.MaxPresses != nil {
		g.maxPresses = *args.MaxPresses
	}
	if g.ch, g.key, err = resolveKey(args.Key, args.Modifiers); err != nil {
		return g, err
	}
	match := true
	for i, text := range args.Expect {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return g, fault.Wrap(err, fault.InvalidInput, "expect[%d] is not a regular expression: %v", i, err)
		}
		if i < len(args.Polarity) { // the last one holds for the rest
			match = args.Polarity[i] != "no_match"
		}
		g.steps = append(g.steps, expectation{pattern, match})
	}
	switch {
	case g.stop == "count" && args.Count == nil:
		return g, fault.New(fault.InvalidInput, "stop count needs count")
	case g.stop == "until" && len(g.steps) != 1:
		return g, fault.New(fault.InvalidInput, "stop until needs exactly one regular expression in expect")
	case g.stop == "path" && len(g.steps) == 0:
		return g, fault.New(fault.InvalidInput, "stop path needs a regular expression for each step in expect")
	}
	if args.Count != nil {
		g.count = *args.Count
	}
	return g, nil
}

// readAnnouncement waits for the page to announce something and reads the announcement.
func (h *Handlers) readAnnouncement(ctx context.Context, c primitive.Call) (announcement, error) {
	var s announcement
	if err := sleep(ctx, announceDelay); err != nil {
		return s, err
	}
	raw, err := h.inPage(ctx, c, "keyboard.spoken_text", json.RawMessage(`{}`))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fault.Wrap(err, fault.InvalidResult, "what the page says cannot be read: %v", err)
	}
	return s, nil
}

// pathDivergedError returns the error of a path whose last press did not have the expected
// result.
func pathDivergedError(want expectation, got announcement, done int) error {
	f := fault.New(fault.KeyPathDiverged, "after press %d the page says %q, which was not expected", done+1, got.Text).
		With("steps_done", done).With("expected", want.pattern.String()).With("actual", got.Text).
		With("polarity", map[bool]string{true: "match", false: "no_match"}[want.match])
	if got.Text == "" {
		f = f.With("reason", "empty_read")
	}
	return f.WithDispatched(fault.WasDispatched)
}

// withStepsDone adds to an error how many presses were made before it.
func withStepsDone(err error, done int) error {
	f := fault.From(err).With("steps_done", done)
	if done > 0 {
		f.Dispatched = fault.WasDispatched
	}
	return f
}

// oneOrMany is a text or a list of texts.
type oneOrMany []string

// UnmarshalJSON takes either form.
func (m *oneOrMany) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*m = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(m))
}
