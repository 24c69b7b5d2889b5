package draft

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

// page is the content read from the page.
type page struct {
	Title     string
	Landmarks []landmark
	Headings  []heading
	Forms     []form
	Buttons   []control // outside of forms
	Loose     form      // the fields outside of forms
	Links     []link
	Live      []control // live regions

	url    string // without query and fragment, which may hold secrets
	origin string
	base   *url.URL
	labels map[string]string // texts of labels by the id that they are for
	items  string            // the selector of the repeated items in the content; "" for none
	main   string            // the selector of the content
}

type landmark struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
}

type heading struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// control is a field, a button or a form.
type control struct {
	ID, Name, Type, Label, Placeholder, TestID, Value, Autocomplete, MaxLength, Text, Wrap, Role, Action *string
	Required, Disabled, ReadOnly                                                                         *string
	Form                                                                                                 *box // of the form around it
	Box                                                                                                  box
}

type box struct{ Top, Left, Width, Height float64 }

func (c control) shown() bool { return c.Box.Width > 0 && c.Box.Height > 0 }

type form struct {
	control
	Fields    []control // in document order, whatever their kind
	Textareas []boxed
	Selects   []boxed
	Buttons   []control
}

// boxed holds the box of an element, which identifies it among others: a read returns
// attributes but not the kind of element.
type boxed struct{ Box box }

type link struct {
	Text, Label, Href *string
	Nav               *box
	Box               box
}

var (
	single = false
	every  = true
)

func attribute(name string) extractor { return extractor{Attribute: name} }

// controlFields returns the extractors of a form, a field or a button.
func controlFields() map[string]extractor {
	fields := map[string]extractor{
		"Label": attribute("aria-label"), "TestID": attribute("data-testid"), "ReadOnly": attribute("readonly"),
		"Text": {Property: "innerText", Trim: true}, "Wrap": {Closest: "label", Property: "innerText", Trim: true},
		"Form": {Closest: "form", Property: "boundingClientRect"}, "Box": {Property: "boundingClientRect"},
	}
	for _, name := range []string{"ID", "Name", "Type", "Placeholder", "Value", "Autocomplete", "MaxLength", "Role", "Action", "Required", "Disabled"} {
		fields[name] = attribute(strings.ToLower(name))
	}
	return fields
}

// itemSelectors are tried in this order for repeated items in the content.
var itemSelectors = []string{"main article", "main [role=listitem]", "main li", "article", "main tbody tr", "li:not(nav li)"}

const (
	landmarkSelector = "header, nav, main, aside, footer, [role=banner], [role=navigation], [role=main], [role=search], [role=complementary], [role=contentinfo], [role=region][aria-label]"
	liveSelector     = "output, [role=status], [role=alert], [aria-live]"
	fieldSelector    = "input, textarea, select"
	buttonSelector   = "button, [role=button], input[type=button]"
	submitSelector   = "button, input[type=submit], input[type=image]"
)

// readPage reads the page with three calls.
func readPage(ctx context.Context, read pagemodel.Read) (*page, error) {
	fields := controlFields()
	inner := controlFields()
	at := map[string]extractor{"Box": {Property: "boundingClientRect"}}
	inner["Fields"] = extractor{Selector: fieldSelector, Many: &every, Fields: fields}
	inner["Textareas"] = extractor{Selector: "textarea", Many: &every, Fields: at}
	inner["Selects"] = extractor{Selector: "select", Many: &every, Fields: at}
	inner["Buttons"] = extractor{Selector: submitSelector, Many: &every, Fields: fields}
	extract := []extractor{
		{ID: "Forms", Selector: "form", Fields: inner},
		{ID: "Buttons", Selector: buttonSelector, Fields: fields},
		{ID: "Fields", Selector: fieldSelector, Fields: fields},
		{ID: "Textareas", Selector: "textarea", Fields: at},
		{ID: "Selects", Selector: "select", Fields: at},
		{ID: "Live", Selector: liveSelector, Fields: fields},
		{ID: "Links", Selector: "a[href]", Fields: map[string]extractor{
			"Text": {Property: "innerText", Trim: true}, "Label": attribute("aria-label"), "Href": attribute("href"),
			"Nav": {Closest: "nav, [role=navigation], header", Property: "boundingClientRect"}, "Box": {Property: "boundingClientRect"},
		}},
		{ID: "Labels", Selector: "label[for]", Fields: map[string]extractor{"For": attribute("for"), "Text": {Property: "innerText", Trim: true}}},
		{ID: "Main", Selector: "main", Many: &single, Fields: map[string]extractor{}},
	}
	for _, selector := range itemSelectors {
		extract = append(extract, extractor{ID: selector, Selector: selector, Many: &single, Fields: map[string]extractor{}})
	}
	var out struct {
		Records struct {
			Forms              []form
			Fields             []control
			Textareas, Selects []boxed
			Buttons            []control
			Live               []control
			Links              []link
			Labels             []struct{ For, Text *string }
		}
		URL, Title  string
		Diagnostics struct {
			Counts map[string]int `json:"selector_counts"`
		}
	}
	// This relies on encoding/json, which matches names in any case.
	if err := call(ctx, read, "state.extract", map[string]any{"extract": extract}, &out); err != nil {
		return nil, err
	}
	p := &page{Title: out.Title, Forms: out.Records.Forms, Buttons: out.Records.Buttons, Links: out.Records.Links, Live: out.Records.Live}
	p.Loose = form{Textareas: out.Records.Textareas, Selects: out.Records.Selects}
	for _, c := range out.Records.Fields {
		if c.Form == nil {
			p.Loose.Fields = append(p.Loose.Fields, c)
		}
	}
	if err := p.address(out.URL); err != nil {
		return nil, err
	}
	p.labels = map[string]string{}
	for _, l := range out.Records.Labels {
		if text(l.For) != "" {
			p.labels[text(l.For)] = text(l.Text)
		}
	}
	counts := out.Diagnostics.Counts
	p.main = "body"
	if counts["Main"] == 1 {
		p.main = "main"
	}
	if i := slices.IndexFunc(itemSelectors, func(s string) bool { return counts[s] >= 2 }); i >= 0 {
		p.items = itemSelectors[i]
	}
	return p, p.readOutline(ctx, read)
}

// address sets the page's address without parts that may be personal.
func (p *page) address(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return fault.New(fault.RestrictedPage, "the page's address cannot be read")
	}
	p.base = u
	p.origin = u.Scheme + "://" + u.Host
	p.url = p.origin + u.EscapedPath()
	return nil
}

// row is a match of dom.observe.attributes.
type row struct {
	Tag        string             `json:"tag_name"`
	Attributes map[string]*string `json:"attributes"`
}

func (p *page) readOutline(ctx context.Context, read pagemodel.Read) error {
	landmarks, err := observe(ctx, read, landmarkSelector, "role", "aria-label")
	if err != nil {
		return err
	}
	kinds := map[string]string{"header": "banner", "nav": "navigation", "aside": "complementary", "footer": "contentinfo"}
	for _, r := range landmarks {
		kind := cmp.Or(text(r.Attributes["role"]), kinds[r.Tag], r.Tag)
		l := landmark{Kind: kind, Name: line(text(r.Attributes["aria-label"]))}
		if !slices.Contains(p.Landmarks, l) {
			p.Landmarks = append(p.Landmarks, l)
		}
	}
	headings, err := observe(ctx, read, "h1, h2, h3", "text")
	for _, r := range headings {
		if t := line(text(r.Attributes["text"])); t != "" && len(p.Headings) < maxHeadings {
			p.Headings = append(p.Headings, heading{r.Tag, t})
		}
	}
	return err
}

func observe(ctx context.Context, read pagemodel.Read, selector string, attributes ...string) ([]row, error) {
	var out struct{ Matches []row }
	err := call(ctx, read, "dom.observe.attributes", map[string]any{
		"selector": selector, "attributes": attributes, "max_matches": 100, "max_payload_bytes": 256_000,
	}, &out)
	return out.Matches, err
}

// call runs one primitive.
func call(ctx context.Context, read pagemodel.Read, name string, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the arguments of %s cannot be written: %v", name, err)
	}
	output, err := read(ctx, name, raw)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(output, out); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "the output of %s is not readable: %v", name, err)
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
