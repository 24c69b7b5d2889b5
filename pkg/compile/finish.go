package compile

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
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
	out.ForEach, out.MaxItems = slot(s.loop.list.expr()), workflow.MaxLoop
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
	t.Description = w.description(a.Sentences) + w.beginning(u)
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

// beginning returns the sentence that names the page of its site on which the action begins; none for the first one.
// Of a longer path only the first and a file's name stand in it: names of people, and of what is theirs, come after.
func (w *writer) beginning(start *url.URL) string {
	segments := strings.Split(strings.Trim(start.Path, "/"), "/")
	if segments[0] == "" || w.mentions(start.Path) {
		return ""
	}
	path := "/…"
	if isPlain(segments[0], "_.-") {
		path = "/" + segments[0]
	}
	if last := segments[len(segments)-1]; len(segments) > 1 {
		file := isFileName(last)
		if len(segments) > 2 || !file {
			path += "/…"
		}
		if file {
			path += "/" + last
		}
	}
	return " Begins on " + path + "."
}

// maxPlain is how long, in letters, a word of a path may be that is one of the site's.
const maxPlain = 30

// isPlain reports whether the segment of a path is a word: letters, and the signs given.
func isPlain(segment, signs string) bool {
	return segment != "" && utf8.RuneCountInString(segment) <= maxPlain &&
		!strings.ContainsFunc(segment, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(signs, r) })
}

var extension = regexp.MustCompile(`^[a-z]{2,5}$`)

// isFileName reports whether the segment of a path is a word with a file's extension.
func isFileName(segment string) bool {
	name, end, _ := strings.Cut(segment, ".")
	return isPlain(name, "_-") && extension.MatchString(end)
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
