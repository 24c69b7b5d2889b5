package lint

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// Code is one kind of finding.
type Code struct {
	Name     string
	Severity actionmap.Severity
	About    string // what is wrong, for a reference page
	Hint     string // what to do
}

const (
	failure = actionmap.SeverityError   // cannot work, or must not be published
	advice  = actionmap.SeverityWarning // works today, by luck or differently than it seems
)

// Codes are all kinds of findings, by subject.
var Codes = []Code{
	// The map and its folder.
	{"map_unreadable", failure, "The map does not load.", "Run actions-host validate and repair the text."},
	{"public_suffix_folder", failure, "The site's folder is named after a public suffix, below which sites belong to different owners.", "Name the folder after the site's own host, such as example.co.uk."},
	{"origin_mismatch", advice, "surface.origin is not of the host whose folder holds the map.", "Correct surface.origin, or move the map into the folder of its host."},
	{"shadowed_name", advice, "Another map of the same host defines the name and goes before this one.", "Rename one of the two, or remove the copy that is never used."},
	{"copied_import", advice, "The action is already provided by an imported map.", "Remove the copy and call the imported action."},
	{"missing_declared_file", advice, "A declared file is not in the storage folder.", "Add the file, or remove its declaration."},
	{"dangling_reference", advice, "A context block or an attachment names what the map does not declare.", "Declare the name, or correct it."},
	{"secret_in_map", failure, "The map holds what looks like a key, a token, a cookie or a password.", "Remove it and revoke it: a map is readable to everyone who can use it. Take such values from the caller's input."},
	{"account_identifier", advice, "A public map holds an e-mail address or an account's number.", "Take it from the caller's input or from the page, or keep the map in the private scope."},
	{"absolute_local_path", advice, "The map names a place on somebody's own machine.", "Write a path relative to the map's folder."},
	{"layout_bound_name", advice, "The action's name says how the page is built, not what a user does.", "Name the operation that a user sees: carousel.scroll_right, not click_button_3."},
	{"undotted_name", advice, "The action's name does not say what it belongs to.", "Use a stable dotted name, surface.operation: search.submit, carousel.scroll_right."},
	{"javascript_action", advice, "JavaScript poses as an action: it needs more authority than a page has, and nobody can review its effect.", "Write the operation as a workflow of primitives."},

	// Expressions.
	{"invalid_expression", failure, "An expression does not compile.", "Correct the JSONata; a slot is the whole string, {% … %}."},
	{"unknown_step", failure, "An expression reads a step that the workflow does not have.", "Name a step of this workflow, as steps.<id>."},
	{"later_step", failure, "An expression reads a step that has not run yet.", "Move the step before this one, or read another."},
	{"unknown_primitive_output_field", advice, "An expression reads a field that the primitive does not give.", "Use a field of the primitive's output_schema; a missing one is undefined, silently."},
	{"root_lost_in_filter", advice, "Inside a filter the path starts at the filtered element, not at the root.", "Write $$.input or $$.steps inside [ … ] and after a dot."},
	{"unknown_name", failure, "An expression reads a name that its slot does not have.", "manifest/actions.schema.md has a table of what each expression sees; item and index are there in loops only."},
	{"unknown_function", failure, "An expression uses a function or a variable that neither it nor JSONata has.", "Correct the name, or bind it first: ($x := …; …)."},
	{"foreign_template", failure, "A literal text looks like a slot of another template language, and is used as it stands.", "Write a slot as {% input.name %}, and as the whole string."},
	{"collapsing_list", advice, "A value is a list for several elements, a single value for one and nothing for none.", "Write [ … ] around the path: JSONata keeps a list only where it is asked to."},
	{"undeclared_input", advice, "An expression reads an input that the input_schema does not have.", "Declare the property in input_schema, or correct the name."},

	// Arguments.
	{"argument_schema_violation", failure, "A literal argument does not match the primitive's input_schema.", "Correct the argument; actions-host primitives NAME shows what the primitive takes."},

	// Targets.
	{"invalid_selector", failure, "No browser parses the CSS selector.", "Correct the selector: quote values, close brackets, and find texts by text_contains, not by :contains()."},
	{"broad_selector", advice, "The selector matches more than the one element that is meant.", "Add an attribute, text_contains, or role and name; or scope it with a stable ancestor."},
	{"ambiguous_editable_target", advice, "Text goes into whichever field comes first.", "Name the field by id, name, label or role and name."},
	{"fallbacks_share_a_dead_scope", advice, "All alternatives stand in the same container: when it changes, all fail at once.", "Give at least one alternative that does not depend on the container."},
	{"ambient_text_insert", advice, "text.insert without a target writes into whatever has the focus.", `Name the field: "target": {"selector": …}.`},
	{"undescribed_target", advice, "The action clicks or types and the map does not say at what.", "Find the element by a locator in an earlier step, or describe it in the tool's target."},
	{"brittle_viewport_geometry", advice, "The click goes to a computed or fixed point, which moves with the layout.", "Use clickable_center of a step that finds the control itself."},

	// Control flow.
	{"disarmed_retry_loop", advice, "The retry gives up at the first failure, or has one attempt only.", `Remove "on_error": "stop" and allow several attempts.`},
	{"retry_condition_mismatch", advice, "The retry's condition does not depend on what the attempts do.", "Read the step's own result: $exists(steps.<id>.output.clickable_center)."},
	{"self_skipping_mutation", advice, "The step that does the work is skipped when its target is not found, and the action still succeeds.", `Let the search fail, add a postcondition, or mark the step as optional with "on_error": "continue".`},
	{"settle_after_asserts_goal_not_surface", advice, "settle_after waits for the caller's own data: what is not there is taken for a slow page.", "Wait for the surface (the list, the dialog) and look for the data in a step of its own."},
	{"unstated_dialog_answer", advice, "The step answers a dialog and does not say how: the answer is Cancel, or Stay.", `Write "accept": true for OK or Leave, "accept": false for Cancel or Stay.`},
	{"missing_mutation_readiness", advice, "The page is acted on right after a navigation.", "Add settle_after with a locator to the navigation, or a locator.wait_for step."},
	{"inverted_absence_check", advice, "A failed search is taken as proof that something is gone.", `Assert absence with locator.wait_for and "state": "detached".`},

	// Outcome.
	{"missing_postcondition", advice, "The action changes the page and nothing checks that it did.", "Add a postcondition to a state projection, or end the workflow with a step that waits for the result."},
	{"weak_postcondition", advice, "The postcondition cannot fail.", "Compare a value of state with what the action was asked to do."},
	{"prose_precondition_without_state_assertion", advice, "A precondition is prose and nothing asserts it.", "Give the tool a target, or begin the workflow with a step that looks for the state."},
	{"missing_required_state_assertion", advice, "The workflow names the state that it needs and does not assert it.", "Give the tool a target, or begin the workflow with a step that looks for the state."},

	// The list of accepted findings.
	{"stale_accepted_gap", advice, "accepted-gaps.json accepts a finding that is not there any more.", "Remove the entry."},
	{"invalid_accepted_gap", advice, "An entry of accepted-gaps.json cannot be used.", "Each entry needs finding_id, as lint --json prints it, and rationale."},
}

var byName = func() map[string]Code {
	m := map[string]Code{}
	for _, c := range Codes {
		m[c.Name] = c
	}
	return m
}()

// code returns a declared code. It panics on an unknown name, which every
// test would find.
func code(name string) Code {
	c, ok := byName[name]
	if !ok {
		panic("lint: no code " + name)
	}
	return c
}

// at returns a finding of the code.
func (c Code) at(pointer, format string, args ...any) Finding {
	return Finding{Finding: actionmap.Finding{
		Rule: c.Name, Severity: c.Severity, Pointer: pointer, Message: fmt.Sprintf(format, args...), Hint: c.Hint,
	}}
}
