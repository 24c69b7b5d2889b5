package site

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// The states of a step in a preview.
const (
	stateRan     = "ran"     // it only reads, and did so
	statePlanned = "planned" // all of it is known
	stateSkipped = "skipped" // its condition does not hold
	stateUnknown = "unknown" // until steps before it have run
)

// Bounds of what a preview shows.
const (
	maxShownArguments = 600 // bytes of a call's arguments
	maxShownText      = 200 // characters of an address or value
)

// previewStep is what one call of a step would do.
type previewStep struct {
	Step      int             `json:"step"` // from 1
	ID        string          `json:"id"`
	Primitive string          `json:"primitive"`
	Effect    string          `json:"effect"`
	State     string          `json:"state"`
	Does      string          `json:"does"`               // for a person
	Needs     []string        `json:"needs,omitzero"`     // the steps that it depends on
	Item      int             `json:"item,omitzero"`      // of for_each, from 1
	Items     int             `json:"items,omitzero"`     // how many there are
	Attempts  int             `json:"attempts,omitzero"`  // of retry_until, at most
	Arguments json.RawMessage `json:"arguments,omitzero"` // typed text as its length
	Values    map[string]any  `json:"values,omitzero"`    // the typed text, where it is no secret
	Target    *target         `json:"target,omitzero"`
	Addresses []string        `json:"addresses,omitzero"`
	Runs      []string        `json:"runs,omitzero"` // what a marker's recipe would do
	Error     *fault.Error    `json:"error,omitzero"`

	characters int
	argument   string
	later      bool // an earlier step may still mend its error
}

// target is what a step acts on, as the page is now.
type target struct {
	Role      string `json:"role"`
	Name      string `json:"name"`
	TagName   string `json:"tag_name"`
	Visible   bool   `json:"visible"`
	Enabled   bool   `json:"enabled"`
	Sensitive bool   `json:"sensitive"`
	Address   string `json:"address,omitzero"` // where a press leads
	Marked    bool   `json:"marked"`
}

// describer makes the entries of a preview.
type describer struct {
	running
	preview *preview
	mark    bool
	found   int    // targets that were looked for
	changed bool   // an earlier step would change the page
	left    string // the step that would open another page
}

// entries returns a step's entries: one, or one for each item of a loop.
func (d *describer) entries(ctx context.Context, number int, p workflow.Planned) []previewStep {
	record, ok := d.Catalogue.Record(p.Primitive)
	if !ok { // an assertion, or the head of a group
		record = &primitive.Record{Name: p.Primitive, Effect: string(policy.EffectRead)}
	}
	base := previewStep{Step: number, ID: p.ID, Primitive: p.Primitive, Effect: record.Effect, State: statePlanned, Needs: p.Needs, Items: p.Items, Attempts: p.Attempts}
	switch {
	case p.Skipped:
		base.State = stateSkipped
	case p.Ran:
		base.State = stateRan
	case len(p.Needs) > 0:
		base.State = stateUnknown
	}
	if p.Err != nil {
		base.Error = brief(p.Err)
	}
	var entries []previewStep
	for _, c := range p.Calls {
		s := base
		if p.Items > 0 {
			s.Item = c.Item + 1
		}
		d.call(ctx, &s, record, c.Arguments)
		entries = append(entries, s)
	}
	if len(entries) == 0 {
		base.Does = sentence(record, &base, nil)
		entries = []previewStep{base}
	}
	if base.State == statePlanned || base.State == stateUnknown {
		d.changed = d.changed || record.Effect != string(policy.EffectRead)
		if record.Effect == string(policy.EffectTab) && slices.Contains(record.Classes, "navigation") && d.left == "" {
			d.left = p.ID
		}
	}
	return entries
}

// call describes one call whose arguments are known.
func (d *describer) call(ctx context.Context, s *previewStep, record *primitive.Record, args json.RawMessage) {
	typed := d.Catalogue.Typed(record.Name)
	s.Arguments = short(redact.TypedText(args, typed...))
	s.argument = record.LabelArgument(args)
	for _, text := range redact.TextsOf(args, typed...) {
		s.characters += utf8.RuneCountInString(text)
	}
	if s.Error == nil {
		if err := record.CheckInput(args); err != nil {
			s.Error = brief(err)
		}
	}
	if record.URLArgument != "" {
		d.address(s, dispatch.TextMember(args, record.URLArgument))
	}
	switch {
	case s.Error != nil || s.State == stateRan && record.Effect == string(policy.EffectRead):
	case d.left != "":
		s.State, s.Needs = stateUnknown, []string{d.left}
	default:
		d.findTarget(ctx, s, record, args)
	}
	s.Runs = d.recipe(record.Name, args)
	s.Does = sentence(record, s, args)
	if record.URLArgument == "" && (s.Target == nil && s.State != stateRan || s.Target != nil && !s.Target.Sensitive) {
		s.Values = valuesOf(args, typed, s.Target != nil)
	}
}

// findTarget finds what the call acts on, and marks it.
func (d *describer) findTarget(ctx context.Context, s *previewStep, record *primitive.Record, args json.RawMessage) {
	request := targetOf(record.Name, args)
	if request == nil || d.found == maxFound {
		return
	}
	d.found++
	if d.mark && s.State == statePlanned {
		request["mark"] = s.Step
	}
	raw, err := primitive.Output(request)
	if err == nil {
		_, err = d.checkPage()
	}
	if err == nil {
		raw, err = d.Path.InternalStep(ctx, showPrimitive, raw)
	}
	var found target
	if err == nil {
		err = json.Unmarshal(raw, &found)
	}
	s.later = d.changed
	if err != nil {
		s.Error = brief(err)
		s.later = d.changed && s.Error.Code == fault.TargetNotFound // what is ambiguous now is named badly
		return
	}
	s.Target = &found
	if found.Marked {
		d.preview.Marked++
	}
	acts := record.Effect == string(policy.EffectInput)
	switch {
	case !acts:
	case !found.Visible:
		s.Error = brief(fault.New(fault.TargetNotVisible, "%s is not shown", found))
	case !found.Enabled:
		s.Error = brief(fault.New(fault.TargetNotActionable, "%s is disabled", found))
	}
	if acts && slices.Contains(record.Classes, "navigation") {
		d.address(s, found.Address)
	}
	s.Target.Address = ""
}

// address adds an address, resolved on the page.
func (d *describer) address(s *previewStep, address string) {
	if address == "" {
		return
	}
	if page, err := url.Parse(d.running.call.URL); err == nil {
		if u, err := page.Parse(address); err == nil {
			address = u.String()
		}
	}
	address = truncate.Characters(redact.URL(address), maxShownText)
	s.Addresses = append(s.Addresses, address)
	if !slices.Contains(d.preview.Addresses, address) {
		d.preview.Addresses = append(d.preview.Addresses, address)
	}
}

// targetOf returns the arguments of target.show for what a call acts on; nil where it acts on
// none that can be named.
func targetOf(name string, args json.RawMessage) map[string]any {
	var given struct {
		Locator, Target, From json.RawMessage
		X, Y                  *float64
	}
	if json.Unmarshal(args, &given) != nil {
		return nil
	}
	if given.Locator == nil {
		given.Locator = given.Target
	}
	switch {
	case given.Locator != nil:
		return map[string]any{"locator": given.Locator, "single": isSingle(name)}
	case given.X != nil && given.Y != nil:
		return map[string]any{"x": *given.X, "y": *given.Y}
	}
	return nil
}

// isSingle reports whether a primitive refuses a locator that finds several elements.
func isSingle(name string) bool {
	return !slices.Contains([]string{"locator.element_info", "text.insert", "text.select", "transfer.insert", "clipboard.paste", "clipboard.copy"}, name)
}

// planned returns the step as a question shows it.
func (s previewStep) planned(hidden redact.Hidden) policy.PlannedStep {
	p := policy.PlannedStep{
		Primitive: s.Primitive, Does: hidden.Text(s.Does), Argument: hidden.Text(s.argument),
		Characters: s.characters, Unknown: s.State == stateUnknown,
	}
	if s.Target != nil {
		p.Role, p.Target = s.Target.Role, hidden.Text(s.Target.Name)
	}
	if len(s.Addresses) > 0 {
		p.Address = hidden.Text(s.Addresses[0])
	}
	return p
}

// recipe returns what the recipe of the marker that a call names would do.
func (r running) recipe(name string, args json.RawMessage) (does []string) {
	if _, ok := r.MarkerHandlers()[name]; !ok {
		return nil
	}
	id := dispatch.TextMember(args, "id")
	if id == "" {
		id = dispatch.TextMember(args, "marker")
	}
	marker, err := r.markers.find(r.call.TabID, r.call.Origin, id)
	if err != nil {
		return nil // it is read on the way to it
	}
	for _, step := range marker.Recipe {
		if record, ok := r.Catalogue.Record(step.Primitive); ok {
			does = append(does, sentence(record, &previewStep{argument: record.LabelArgument(step.Args)}, step.Args))
		}
	}
	return does
}

// short returns arguments that are not long.
func short(args json.RawMessage) json.RawMessage {
	if len(args) > maxShownArguments {
		long, err := primitive.Output(map[string]int{"bytes": len(args)})
		if err != nil {
			return nil
		}
		return long
	}
	return args
}
