package dispatch

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// minSubstring is the length, in bytes, from which a text that the log withholds
// counts where it occurs within an argument: single letters occur in any.
const minSubstring = 4

// typedTexts collects what the log may show of a stored action's arguments while the
// action runs. The intent holds their length alone. The outcome
// shows an argument that nothing types, and one that was typed into a field which
// is known not to be sensitive; whatever went into another one, or may still have
// been meant for one, stays a length. Only the goroutine of the call uses it.
type typedTexts struct {
	input     json.RawMessage        // nil: the action is not known
	typed     func(name string) bool // may be typed by a step
	plain     []string               // were typed into fields that are not sensitive
	sensitive []string               // are withheld from the log
}

// Typed sets which members of the arguments the stored action of the context may
// type, which the log then hides. Until then all of them may be.
func (d *Dispatcher) Typed(ctx context.Context, input json.RawMessage, typed func(name string) bool) {
	if s := scopeOf(ctx); s != nil && s.texts != nil {
		s.texts.input, s.texts.typed = input, typed
	}
}

// collect records what a step has typed.
func (t *typedTexts) collect(in invocation, output json.RawMessage, err error) {
	f := fault.From(err)
	if t == nil || f != nil && f.Dispatched == fault.NotDispatched {
		return // nothing was typed
	}
	security := in.record.Security
	withheld := f != nil || in.private || in.record.Acts() && isSecret(in, output)
	t.add(in.args, security.InjectableArguments, withheld)
	t.add(in.args, security.Unlogged, withheld || !logsPayload(in.args))
}

func (t *typedTexts) add(args json.RawMessage, fields []string, withheld bool) {
	for _, text := range redact.TextsOf(args, fields...) {
		if withheld {
			t.sensitive = append(t.sensitive, normalized(text)...)
		} else {
			t.plain = append(t.plain, normalized(text)...)
		}
	}
}

// normalized returns a text as it is compared: expressions trim texts, change their
// case and put them into addresses.
func normalized(text string) []string {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	all := []string{text}
	if plain, err := url.QueryUnescape(text); err == nil && plain != text {
		all = append(all, strings.TrimSpace(plain))
	}
	return all
}

// arguments returns the arguments of the action's call as its outcome may show them;
// nil where nothing is known of them.
func (t *typedTexts) arguments(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if t == nil || t.input == nil || json.Unmarshal(args, &members) != nil {
		return nil
	}
	shown, err := primitive.Output(redact.Measure(t.input, t.hides))
	if err != nil {
		return nil
	}
	members["arguments"] = shown
	all, err := primitive.Output(members)
	if err != nil {
		return nil
	}
	return journal.Fit(all)
}

// hides reports whether a text within a member of the arguments stays a length.
func (t *typedTexts) hides(member, text string) bool {
	for _, text := range normalized(text) {
		within := func(other string) bool { return strings.Contains(other, text) }
		if slices.ContainsFunc(t.sensitive, within) ||
			slices.ContainsFunc(t.sensitive, func(s string) bool { return len(s) >= minSubstring && strings.Contains(text, s) }) {
			return true
		}
		if t.typed(member) && !slices.ContainsFunc(t.plain, within) {
			return true
		}
	}
	return false
}
