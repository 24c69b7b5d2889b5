package actionmap

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Severity of a finding.
type Severity string

// An error violates a rule of the format; a warning will not work as its author
// expects.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is a violated rule and its position.
type Finding struct {
	Rule     string   `json:"rule"` // S1 to S15, json for the text itself, or a code
	Severity Severity `json:"severity"`
	Pointer  string   `json:"pointer"` // JSON pointer into the map
	Line     int      `json:"line"`    // from 1; of the nearest node that exists
	Column   int      `json:"column"`  // from 1, in characters
	Message  string   `json:"message"`
	Hint     string   `json:"hint"` // what to do
}

// String returns the finding in one line: severity, pointer, message and rule.
func (f Finding) String() string {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "/"
	}
	return fmt.Sprintf("%s: %s: %s (%s)", f.Severity, pointer, f.Message, f.Rule)
}

// Rule describes a rule of the format, for reports and reference pages.
type Rule struct {
	ID    string
	About string
	Hint  string // what to do if it is violated
}

// RuleJSON is the rule of the text itself, which comes before all others.
const RuleJSON = "json"

// Rules are the rules that Validate applies, in their order.
var Rules = []Rule{
	{RuleJSON, "The text is one strict JSON value.", "Repair the JSON text at this place; each name may stand once in an object."},
	{"S1", `The map is an object whose protocol is "actions.json".`, `Begin the map with "protocol": "actions.json".`},
	{"S2", "version is the number 1.", `Write "version": 1, as a number; keep a version of your own in provenance.revision.`},
	{"S3", "tools is an array.", `Write "tools": [] for a map without actions.`},
	{"S4", "Names and ids are identifiers.", "Begin with a letter; then letters, digits, _ and -, in parts joined by dots: search.submit."},
	{"S5", "A name stands once in its section.", "Rename one of the two; only the first would ever be used."},
	{"S6", "A tool has a name, a description and schemas that can be used.", `Give the tool a description, and an input_schema such as {"type":"object","properties":{},"additionalProperties":false}.`},
	{"S7", "Something runs each tool.", "Give the tool a workflow, an x_actions.handler that names a primitive, or an x_actions.static_output."},
	{"S8", "An enabled signal names its event.", `Add "event", or set "ingestion" to "disabled_by_default".`},
	{"S9", "A selector is a string, selectors are lists of strings.", "Write one selector as a string; further ones belong in fallback_selectors, a list of strings."},
	{"S10", "An attachment has a target and a lifecycle.", "Say where the attachment stands (target) and when it is installed and removed (lifecycle)."},
	{"S11", "A transition names declared states, tools and signals.", "Declare the name in its section, or correct it here."},
	{"S12", "A check names declared tools, states and attachments, and in its setup primitives for stored actions.", "Declare the name in its section, or correct it here."},
	{"S13", "Paths are relative and stay in their folder.", "Write a path relative to the map's folder, with forward slashes and without .. segments."},
	{"S14", "Closed vocabularies are kept.", "Use one of the listed words; put other remarks into the description."},
	{"S15", "Workflows, state projections and markers have their shape.", "Correct the member that the message names; unknown members are not allowed here."},
	{string(fault.CapabilityUnavailable), "The chosen kind of host supports every primitive of the action.", "Use a portable primitive in this step, or say in the description that the action needs the extension."},
}

// hints returns the rules' hints by their ids.
var hints = func() map[string]string {
	byID := map[string]string{}
	for _, rule := range Rules {
		byID[rule.ID] = rule.Hint
	}
	return byID
}()

// memberHints are more specific than the hint of S15, by the invalid member.
var memberHints = map[string]string{
	"steps":        "Split the action in two; a workflow has at most 25 steps, those inside of a for_each counted.",
	"assert":       `A step has one of primitive, assert and steps; an assertion is an expression: {"id": "found", "assert": "{% … %}", "message": "…"}.`,
	"message":      "message belongs to an assert.",
	"for_each":     `Write {"id": "each", "for_each": "{% … %}", "max_items": 20, "steps": […]}, without a further for_each among its steps.`,
	"min_items":    "Write min_items beside for_each, from 1 to max_items.",
	"id":           "Give it an id of its own, such as findButton: a letter, then letters, digits, _ and -.",
	"primitive":    "Name a primitive of the dictionary that may stand here.",
	"args":         "Write the arguments as an object; each value in it may be an expression.",
	"max_items":    "Add max_items, from 1 to 50, beside for_each.",
	"max_attempts": "Add max_attempts, from 1 to 50, beside retry_until.",
	"retry_until":  "Loop in one step and retry in another.",
	"after_each":   "Between attempts an action may only wait, look or scroll.",
	"on_error":     `Write "continue" to go on after a failure, or leave it out.`,
	"settle_after": `Write {"locator": {"selector": …}, "timeout_ms": 5000} or {"delay_ms": 250}.`,
}

const expressionHint = "Correct the JSONata; an expression is the whole string, {% … %}."

// hint returns what to do about a finding.
func (f Finding) hint() string {
	if hint, ok := memberHints[f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]]; ok && f.Rule == "S15" {
		return hint
	}
	return hints[f.Rule]
}
