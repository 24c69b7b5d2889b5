package compile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// The types below are the written map; their fields are in the order of the text.

type document struct {
	Protocol    string       `json:"protocol"`
	Version     int          `json:"version"`
	Surface     surface      `json:"surface"`
	Tools       []tool       `json:"tools"`
	Projections []projection `json:"state_projections,omitempty"`
}

type surface struct {
	Origin string `json:"origin"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"input_schema"`
	Workflow    flow           `json:"workflow"`
	Provenance  Provenance     `json:"provenance"`
}

// Provenance is where an action comes from.
type Provenance struct {
	Source     string `json:"source"`
	Session    string `json:"session,omitempty"`
	RecordedAt string `json:"recorded_at"`
	VerifiedAt string `json:"verified_at,omitempty"` // of a person who proved it; the host remembers its own proofs
}

type flow struct {
	Version  int       `json:"version"`
	Language string    `json:"expression_language"`
	Steps    []written `json:"steps"`
	Output   string    `json:"output,omitempty"`
}

type projection struct {
	Name           string                   `json:"name"`
	Description    string                   `json:"description"`
	Snapshot       snapshot                 `json:"snapshot"`
	Postconditions map[string]postcondition `json:"postconditions"`
}

type snapshot struct {
	Version    int         `json:"version"`
	Source     string      `json:"source"`
	Extract    []extractor `json:"extract"`
	Projection expression  `json:"projection"`
}

type extractor struct {
	ID       string         `json:"id"`
	Selector string         `json:"selector"`
	Fields   map[string]any `json:"fields"`
}

type expression struct {
	Language   string `json:"language"`
	Expression string `json:"expression"`
}

type postcondition struct {
	Verify         expression `json:"verify"`
	FailureMessage string     `json:"failure_message"`
}

// object writes members; the order of a JSON object says nothing.
func object(members []member) map[string]any {
	out := map[string]any{}
	for _, m := range members {
		out[m.name] = m.value
	}
	return out
}

// written is a step as the map holds it.
type written struct {
	ID          string         `json:"id"`
	Primitive   string         `json:"primitive,omitempty"`
	ForEach     string         `json:"for_each,omitempty"`
	MaxItems    int            `json:"max_items,omitempty"`
	Args        map[string]any `json:"args,omitempty"`
	Steps       []written      `json:"steps,omitempty"`
	SettleAfter map[string]any `json:"settle_after,omitempty"`
}

func (s *step) plain() written {
	out := written{ID: s.id, Primitive: s.name, Args: object(s.args)}
	if s.settle != nil {
		out.SettleAfter = object(s.settle)
	}
	return out
}

// written returns the step, a loop with its list.
func (s *step) written(taken map[string]bool) written {
	if s.loop == nil {
		return s.plain()
	}
	out := s.plain()
	if len(s.loop.steps) > 1 {
		out = written{ID: free(taken, "each_"+s.loop.list.name, "each")}
		for _, one := range s.loop.steps {
			out.Steps = append(out.Steps, one.plain())
		}
	}
	out.ForEach, out.MaxItems = slot(s.loop.list.expr()), maxItems
	return out
}

// finish writes the map and checks it by the strict rules.
func (w *writer) finish() (Action, error) {
	if len(w.steps) == 0 {
		return Action{}, invalid("the calls hold nothing that an action could repeat").
			WithNextStep("They only looked at the page. Name the calls that did the job with --calls A-B.")
	}
	start := w.start()
	u, err := url.Parse(start)
	if err != nil || u.Host == "" {
		return Action{}, invalid("the log does not say on which page the calls were made")
	}
	a := Action{Name: w.nameOf(), URL: start, Sentences: []string{}, Inputs: []string{}}
	t := tool{
		Name: a.Name, InputSchema: w.schema(),
		Workflow:   flow{Version: 1, Language: "jsonata"},
		Provenance: Provenance{Source: w.run.Source, Session: w.run.Session, RecordedAt: recordedAt(w.run)},
	}
	for _, s := range w.steps {
		t.Workflow.Steps = append(t.Workflow.Steps, s.written(w.ids))
		a.Sentences = append(a.Sentences, s.sentence)
	}
	for _, in := range w.inputs {
		a.Inputs = append(a.Inputs, in.name)
	}
	t.Workflow.Output = w.output()
	t.Description = w.description(a.Sentences)
	m := document{Protocol: actionmap.Protocol, Version: 1, Surface: surface{u.Scheme + "://" + u.Host}, Tools: []tool{t}}
	if p := w.postcondition(a.Name); p != nil {
		m.Projections = []projection{*p}
	} else if w.last >= 0 {
		w.note("Nothing that was seen tells afterwards whether it worked: give the action a postcondition.")
	}
	if w.unchecked > 0 && w.run.Source != SourceRecording { // those were tried when they were met
		w.note("%d locators are unchecked: the page that they were met on is not open.", w.unchecked)
	}
	a.Notes = append([]string{}, w.notes...)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // selectors are for reading
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return Action{}, fault.Wrap(err, fault.InternalError, "the map cannot be written: %v", err)
	}
	a.Text = text.Bytes()
	a.Findings = append([]actionmap.Finding{}, actionmap.Validate(a.Text, w.Catalogue)...)
	return a, nil
}

// description returns what the action does, in the words of its steps.
func (w *writer) description(sentences []string) string {
	var acts []string
	for i, s := range w.steps {
		if w.acts(s.name) {
			acts = append(acts, strings.ReplaceAll(sentences[i], "*", ""))
		}
	}
	if len(acts) == 0 {
		acts = []string{strings.ReplaceAll(sentences[len(sentences)-1], "*", "")}
	}
	text := strings.Join(acts, ", ")
	if runes := []rune(text); len(runes) > 400 {
		text = string(runes[:399]) + "…"
	}
	first := []rune(text)
	first[0] = unicode.ToUpper(first[0])
	return string(first) + "."
}

// output is what the last read gives.
func (w *writer) output() string {
	if w.result == nil {
		return slot(`{'done': true}`)
	}
	if w.result.name == textTool {
		return slot("{'text': steps." + w.result.id + ".output.text}")
	}
	return slot("steps." + w.result.id + ".output")
}

// postcondition returns what the page showed after the last act and not before, or the address to
// which it went; nil where nothing telling was seen.
func (w *writer) postcondition(action string) *projection {
	if w.last < 0 {
		return nil
	}
	p := &projection{Name: action + "_state", Description: "What the page shows after it.", Snapshot: snapshot{Version: 1, Source: "dom", Extract: []extractor{}}}
	var state, verify []string
	for i, seen := range w.changed() {
		id := fmt.Sprintf("shown_%d", i+1)
		p.Snapshot.Extract = append(p.Snapshot.Extract, extractor{ID: id, Selector: seen.Selector, Fields: map[string]any{"text": map[string]any{"trim": true}}})
		state = append(state, "'"+id+"': $string(records."+id+".text)")
		verify = append(verify, seen.verify("state."+id))
	}
	if path := w.arrived(); path != "" {
		value, clean := w.value(path, inAddress)
		if expr, ok := value.(string); ok && clean {
			state = append(state, "'url': url")
			if inner, isSlot := strings.CutPrefix(expr, "{% "); isSlot {
				verify = append(verify, "$contains(state.url, "+strings.TrimSuffix(inner, " %}")+")")
			} else {
				verify = append(verify, "$contains(state.url, "+quote(path)+")")
			}
		}
	}
	if len(verify) == 0 {
		return nil
	}
	if len(p.Snapshot.Extract) == 0 { // an extraction reads something
		p.Snapshot.Extract = append(p.Snapshot.Extract, extractor{ID: "page", Selector: "body", Fields: map[string]any{"tag": map[string]any{"attribute": "id"}}})
	}
	p.Snapshot.Projection = expression{"jsonata", "{% {" + strings.Join(state, ", ") + "} %}"}
	p.Postconditions = map[string]postcondition{action: {
		Verify:         expression{"jsonata", slot(strings.Join(verify, " and "))},
		FailureMessage: "The page does not show what it showed when this was recorded.",
	}}
	return p
}

// change is an element whose text is another one since the last act.
type change struct {
	Seen
	exprs []string // of the inputs that it shows
	words string   // what of its text did not come from inputs, before the first of them
}

// verify returns the condition on the text: it shows the inputs, or begins as it did.
func (c change) verify(text string) string {
	if len(c.exprs) == 0 {
		return "$contains(" + text + ", " + quote(c.words) + ")"
	}
	var all []string
	for _, expr := range c.exprs {
		all = append(all, "$contains("+text+", "+expr+")")
	}
	return strings.Join(all, " and ")
}

// maxChanges bounds the elements of a postcondition.
const maxChanges = 3

// changed returns the elements that showed something else after the last act than before it.
func (w *writer) changed() (all []change) {
	before, after := map[string]string{}, []Seen{}
	known, wanted := map[string]bool{}, map[string]bool{}
	for i, s := range w.run.Steps {
		if seen, ok := w.checked(&s); ok && i > w.last {
			after, wanted[seen.Selector] = append(after, seen), true
		}
		for _, seen := range s.Before {
			if i <= w.last {
				before[seen.Selector], known[seen.Selector] = seen.Text, true
			}
		}
		for _, seen := range s.After {
			if i < w.last {
				before[seen.Selector], known[seen.Selector] = seen.Text, true
			} else {
				after = append(after, seen)
			}
		}
	}
	slices.Reverse(after) // the last look counts
	done := map[string]bool{}
	for _, seen := range after {
		if done[seen.Selector] || len(all) == maxChanges || strings.TrimSpace(seen.Text) == "" {
			continue
		}
		done[seen.Selector] = true
		if slices.ContainsFunc(all, func(c change) bool { return c.Text == seen.Text }) {
			continue // the same element by another name
		}
		if selector, clean := w.value(seen.Selector, asIs); !clean || selector != seen.Selector {
			continue
		}
		c := change{Seen: seen}
		for _, p := range w.split(seen.Text, asIs) {
			switch {
			case strings.HasPrefix(p.expr, "input.") && !slices.Contains(c.exprs, p.expr):
				c.exprs = append(c.exprs, p.expr)
			case p.expr == "" && c.words == "":
				c.words = stable(p.text)
			}
		}
		fresh := wanted[seen.Selector] || known[seen.Selector] && before[seen.Selector] != seen.Text
		if len(c.exprs) == 0 && (!fresh || len([]rune(c.words)) < minTyped || w.mentions(c.words) || strings.Contains(before[seen.Selector], c.words)) {
			continue // it says nothing of this run
		}
		all = append(all, c)
	}
	return all
}

// checked returns what the user pointed at as what has to be there afterwards; false for other steps, and
// where only its place, or a frame, names it.
func (w *writer) checked(s *Step) (Seen, bool) {
	t := s.Target
	if kindOf(s.Primitive) != kindWait || w.run.Source != SourceRecording || t == nil || t.Selector == "" || isBrittle(t.Selector) || len(t.Frame) > 0 {
		return Seen{}, false
	}
	return Seen{Selector: t.Selector, Text: cmp.Or(t.Text, t.Name)}, true
}

// stable returns the words of a text before its first digit: numbers differ from run to run.
func stable(text string) string {
	if at := strings.IndexFunc(text, unicode.IsDigit); at >= 0 {
		text = text[:at]
		if space := strings.LastIndexByte(text, ' '); space >= 0 {
			text = text[:space]
		} else {
			text = ""
		}
	}
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80])
	}
	return strings.TrimSpace(text)
}

// arrived returns the path of another page to which the acts led, up to what may be a number of
// this run; empty where they stayed.
func (w *writer) arrived() string {
	end := ""
	for i, s := range w.run.Steps {
		if s.Navigated != "" {
			end = s.Navigated
		}
		if i == w.last && s.Navigated == "" && w.run.Source != SourceRecording && !slices.ContainsFunc(w.run.Steps[i+1:], func(s Step) bool { return s.URL != "" }) {
			return "" // the log ends with this act: it does not say whether that led on
		}
	}
	from, err := url.Parse(w.start())
	to, err2 := url.Parse(end)
	if end == "" || err != nil || err2 != nil || to.Path == from.Path {
		return ""
	}
	var kept []string
	for _, segment := range strings.Split(strings.Trim(to.EscapedPath(), "/"), "/") {
		if strings.ContainsAny(segment, "0123456789") {
			kept = append(kept, "")
			break
		}
		kept = append(kept, segment)
	}
	if path := "/" + strings.Join(kept, "/"); path != "/" {
		return path
	}
	return ""
}
