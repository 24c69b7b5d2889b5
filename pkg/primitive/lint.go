package primitive

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// maxSentences is how many sentences a summary has at most: it stands in every catalogue.
const maxSentences = 3

// Finding is what is wrong with a record.
type Finding struct {
	Record  string
	Member  string // dotted; empty for the record as a whole
	Message string
}

// String returns the finding as one line that names record and member.
func (f Finding) String() string {
	if f.Member == "" {
		return fmt.Sprintf("%s: %s", f.Record, f.Message)
	}
	return fmt.Sprintf("%s: %s: %s", f.Record, f.Member, f.Message)
}

// linter collects the findings of one record.
type linter struct {
	record   Record
	input    *argument
	output   *argument
	findings []Finding
}

// LintAll returns the findings of all records of the dictionary as one error. Form is the
// text of manifest/primitives.schema.json.
func LintAll(form []byte) error {
	compiled, err := schema.Compile(form)
	if err != nil {
		return err
	}
	records := manifest.Primitives()
	var found []error
	for _, name := range slices.Sorted(maps.Keys(records)) {
		for _, finding := range Lint(compiled, name, records[name]) {
			found = append(found, errors.New("manifest/primitives/"+finding.String()))
		}
	}
	return errors.Join(found...)
}

// Lint returns what is wrong with the record of the name, given as the text of its file.
// Form is manifest/primitives.schema.json. A record without findings can be relied on:
// what is derived from it asks for no more.
func Lint(form *schema.Schema, name string, text []byte) []Finding {
	l := &linter{record: Record{Name: name}}
	for _, v := range form.Validate(text) {
		l.add(strings.ReplaceAll(strings.TrimPrefix(v.Path, "/"), "/", "."), "%s", v.Message)
	}
	var own Record
	if err := json.Unmarshal(text, &own); err != nil {
		l.add("", "it cannot be read: %v", err)
		return l.findings
	}
	l.when(own.Name != name, "name", "the file is called %s.json", name)
	l.record = own
	l.record.Name = name
	if !l.readSchemas() {
		return l.findings
	}
	l.checkTexts()
	l.checkEffect()
	l.checkRoute()
	l.checkErrors()
	l.checkArguments()
	l.checkSecurity()
	l.checkLabels()
	l.checkConformance()
	return l.findings
}

func (l *linter) add(member, format string, args ...any) {
	l.findings = append(l.findings, Finding{l.record.Name, member, fmt.Sprintf(format, args...)})
}

func (l *linter) when(wrong bool, member, format string, args ...any) {
	if wrong {
		l.add(member, format, args...)
	}
}

// sentenceEnd ends a sentence: "e.g. this" and "30 s." within one do not.
var sentenceEnd = regexp.MustCompile(`[.!?](\s+[\p{Lu}"'{]|$)`)

func (l *linter) checkTexts() {
	sentences := len(sentenceEnd.FindAllString(l.record.Summary, -1))
	l.when(sentences > maxSentences, "summary", "it has %d sentences; a catalogue has room for %d", sentences, maxSentences)
	if l.record.Effect != "read" {
		l.when(strings.HasPrefix(l.record.Security.Note, "Nothing"), "security.note", "the effect is %s, and there is no word about what it may do", l.record.Effect)
	}
}

func (l *linter) checkEffect() {
	r := &l.record
	missing := r.Acts() && r.Classes == nil
	l.when(missing, "classes", "an effect of %s needs them: navigation, state_change, or an empty list where neither holds", r.Effect)
	changes := func(class string) bool { return class == "navigation" || class == "state_change" }
	reads := r.Effect == "read"
	l.when(reads && slices.ContainsFunc(r.Classes, changes), "classes", "a read navigates or changes state")
	l.when(reads && r.Paced, "paced", "a read is paced, although a person has nothing to follow")
	l.when(reads && r.Security.Destructive, "security.destructive", "a read is destructive")
	l.when(r.Effect == "code" && r.CapabilityClass != "debug", "capability_class", "it runs code and is not of the class debug")
	l.when(r.Effect == "code" && r.Workflow, "workflow", "code may be a workflow step")
}

func (l *linter) checkRoute() {
	r := &l.record
	l.when(r.Portable && r.CapabilityClass != "portable", "capability_class", "it is portable and of a class that is not")
	l.when(r.Portable && r.Route != RoutePage, "portable", "it is portable and does not run in the page")
	l.when(r.Route == RouteDebugger && !slices.Contains(r.Capabilities, "debugger"), "capabilities", "it needs the debugger and does not say so")
	for kind, a := range r.Adapters {
		l.when(a.Support != "supported" && a.Reason == "", "adapters."+kind, "it is %s without a reason", a.Support)
	}
	l.when(r.Portable != (r.Adapters["embed"].Support == "supported"), "adapters.embed", "it contradicts portable")
}

// codeWord is a word that may be an error's code.
var codeWord = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

func (l *linter) checkErrors() {
	r := &l.record
	for i, code := range r.Errors {
		l.when(!fault.Known(fault.Code(code)), "errors", "errors.json does not declare %s", code)
		l.when(slices.Contains(r.Errors[:i], code), "errors", "%s stands twice", code)
	}
	l.when(l.input.refers("locator") && !slices.Contains(r.Errors, string(fault.StaleRef)), "errors", "it takes a locator, and %s is missing", fault.StaleRef)
	own := codeWord.FindAllString(strings.Join(append(l.descriptions(), r.Summary), "\n"), -1)
	for _, code := range own {
		missing := fault.Known(fault.Code(code)) && !slices.Contains(r.Errors, code)
		l.when(missing, "errors", "its texts speak of %s, which is missing", code)
	}
}

func (l *linter) checkConformance() {
	r := &l.record
	for i, name := range r.Conformance {
		// A helper of other primitives is proven by their cases.
		own := r.Internal || strings.HasPrefix(name, r.Name+"/")
		l.when(!own || slices.Contains(r.Conformance[:i], name), "conformance", "%q is no case of its own", name)
	}
	l.when(len(r.Conformance) == 0, "conformance", "no case runs it in the mode %s", mode(r.Effect))
}

// mode is the mode in which the whole chain runs the cases of an effect: what only looks
// must do so where nothing else is allowed.
func mode(effect string) string {
	if effect == "read" || effect == "view" {
		return "ask"
	}
	return "act"
}
