package draft_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/draft"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

const shown = `"Box":{"top":1,"left":1,"width":9,"height":9}`

// page answers as a page with these records does; every selector in once fits
// one element, every other none.
func page(records string, once ...string) pagemodel.Read {
	return func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		var call struct {
			Extract []struct{ ID, Selector string }
			Locator struct{ Role, Name string }
		}
		if err := json.Unmarshal(args, &call); err != nil {
			return nil, err
		}
		switch name {
		case "state.extract":
			counts := map[string]int{}
			for _, e := range call.Extract {
				if slices.Contains(once, e.Selector) {
					counts[e.ID] = 1
				}
			}
			raw, err := json.Marshal(counts)
			return json.RawMessage(fmt.Sprintf(`{"records":%s,"url":"https://tea.example/shop?sid=1#x","title":"Tea","diagnostics":{"selector_counts":%s}}`, records, raw)), err
		case "dom.observe.attributes":
			return json.RawMessage(`{"matches":[]}`), nil
		case "locator.text_content":
			if slices.Contains(once, call.Locator.Role+" "+call.Locator.Name) {
				return json.RawMessage(`{"text":"","visible":true}`), nil
			}
			return nil, fault.New(fault.TargetNotFound, "nothing")
		}
		return nil, fault.New(fault.UnknownPrimitive, "%s", name)
	}
}

func write(t *testing.T, read pagemodel.Read) (draft.Draft, map[string]tool) {
	t.Helper()
	d, err := draft.Write(t.Context(), read, draft.Options{Site: "tea", Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Findings) > 0 {
		t.Errorf("findings %v\n%s", d.Findings, d.Text)
	}
	var m struct{ Tools []tool }
	if err := json.Unmarshal(d.Text, &m); err != nil {
		t.Fatal(err)
	}
	byName := map[string]tool{}
	for _, one := range m.Tools {
		if one.Provenance.ReviewedBy == nil || *one.Provenance.ReviewedBy != "" || one.Provenance.Note == "" {
			t.Errorf("%s does not say that nobody has reviewed it", one.Name)
		}
		byName[one.Name] = one
	}
	return d, byName
}

type tool struct {
	Name       string
	Workflow   struct{ Steps []struct{ ID string } }
	Provenance struct {
		ReviewedBy *string `json:"reviewed_by"`
		Note       string
	}
	InputSchema struct {
		Required   []string
		Properties map[string]struct{ Type string }
	} `json:"input_schema"`
}

func (t tool) steps() string {
	var ids []string
	for _, s := range t.Workflow.Steps {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

func TestEmptyPage(t *testing.T) {
	// Ensure that a page without anything gives a valid map with what is always there, and that nothing personal of its address is kept.
	d, tools := write(t, page(`{}`))
	if !slices.Equal(d.Actions, []string{"tea.summary", "tea.site_map", "tea.navigation_targets"}) || len(tools) != 3 {
		t.Errorf("actions %v", d.Actions)
	}
	if d.URL != "https://tea.example/shop" || strings.Contains(string(d.Text), "sid") {
		t.Errorf("the address %s\n%s", d.URL, d.Text)
	}
}

func TestForms(t *testing.T) {
	// Ensure that a form becomes one action in the order of its fields, that what cannot be filled in is left and noted, and that a secret or a nameless form has none.
	form := func(attributes, fields, buttons string) string {
		return `{"Forms":[{` + attributes + `,` + shown + `,"Fields":[` + fields + `],"Buttons":[` + buttons + `]}]}`
	}
	field := func(name, more string) string { return `{"Name":"` + name + `",` + shown + more + `}` }
	send := `{"ID":"send","Text":"Send",` + shown + `}`
	tests := []struct {
		name, records string
		once          []string
		action, steps string
		note          string
	}{
		{"fields in order", form(`"ID":"mail"`, field("name", `,"Required":""`)+`,`+field("message", ""), send), []string{"#mail", `#mail [name="name"]`, `#mail [name="message"]`, "#send"},
			"tea.mail.submit", "type_name type_message send page text", ""},
		{"checkbox", form(`"ID":"mail"`, field("copy", `,"Type":"CHECKBOX"`), send), []string{"#mail", `#mail [name="copy"]`, "#send"},
			"tea.mail.submit", "set_copy send page text", ""},
		{"without a button", form(`"ID":"mail"`, field("q", ""), ""), []string{"#mail", `#mail [name="q"]`},
			"tea.mail.submit", "type_q send page text", ""},
		{"by what stands in it", form(`"Role":"search"`, field("q", ""), `{"Text":"Go",`+shown+`}`), []string{`form:has([name="q"])`, `form:has([name="q"]) [name="q"]`, "button Go"},
			"tea.search.submit", "type_q send page text", ""},
		{"a field without a lasting name", form(`"ID":"mail"`, field("name", "")+`,`+field("x123456", `,"Wrap":"Colour"`), send), []string{"#mail", `#mail [name="name"]`, "#send"},
			"tea.mail.submit", "type_name send page text", "Colour"},
		{"a field by its label", form(`"ID":"mail"`, field("x123456", `,"Wrap":"Colour"`), send), []string{"#mail", "textbox Colour", "#send"},
			"tea.mail.submit", "type_x123456 send page text", ""},
		{"password", form(`"ID":"login"`, field("user", "")+`,`+field("pw", `,"Type":"password"`), send), []string{"#login", `#login [name="user"]`, "#send"}, "", "", "secret"},
		{"card", form(`"ID":"pay"`, field("card", `,"Autocomplete":"cc-number"`), send), []string{"#pay", `#pay [name="card"]`, "#send"}, "", "", "secret"},
		{"nameless", form(`"ID":"a"`, field("q", ""), send), nil, "", "", "nothing lasting"},
		{"nothing to fill in", form(`"ID":"mail"`, field("f", `,"Type":"file"`), send), []string{"#mail", `#mail [name="f"]`, "#send"}, "", "", "none of its fields"},
		{"no lasting button", form(`"ID":"mail"`, field("q", ""), `{"Text":"Go",`+shown+`}`), []string{"#mail", `#mail [name="q"]`}, "", "", "its button"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, tools := write(t, page(test.records, test.once...))
			if got := tools[test.action].steps(); got != test.steps || (len(tools) == 3) != (test.action == "") {
				t.Errorf("steps %q, want %q; actions %v", got, test.steps, d.Actions)
			}
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, test.note) || (notes == "") != (test.note == "") {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
	_, tools := write(t, page(tests[0].records, tests[0].once...))
	if s := tools["tea.mail.submit"].InputSchema; !slices.Equal(s.Required, []string{"name"}) || len(s.Properties) != 2 {
		t.Errorf("schema %+v", s)
	}
	if s := func() tool {
		_, tools := write(t, page(tests[3].records, tests[3].once...))
		return tools["tea.search.submit"]
	}().InputSchema; !slices.Equal(s.Required, []string{"q"}) {
		t.Errorf("a search for nothing is allowed: %+v", s)
	}
}

func TestButtonByKind(t *testing.T) {
	// Ensure that a form's button without a name of its own is found by its kind only where no other element can be meant, and never in the whole page.
	const clear, find = `{"Text":"Clear","Type":"button",` + shown + `}`, `{"Value":"Search","Type":"Submit",` + shown + `}`
	for name, test := range map[string]struct {
		form, buttons, want string
		once                []string
	}{
		"the only button is another":       {`"ID":"f"`, clear + "," + find, "", []string{"#f", `#f [name="q"]`, "#f button"}},
		"the only one of its kind":         {`"ID":"f"`, clear + "," + find, "#f [type=submit]", []string{"#f", `#f [name="q"]`, "#f button", "#f [type=submit]"}},
		"without a type":                   {`"ID":"f"`, `{"Text":"Go",` + shown + `}`, "#f button", []string{"#f", `#f [name="q"]`, "#f button"}},
		"in a form without a selector":     {`"Label":"Find"`, `{"Text":"Go",` + shown + `}`, "", []string{"form Find", `[name="q"]`, "button", " button"}},
		"of a kind, in one without either": {`"Label":"Find"`, find, "", []string{"form Find", `[name="q"]`, "[type=submit]", " [type=submit]", "button[type=submit]"}},
	} {
		records := `{"Forms":[{` + test.form + `,` + shown + `,"Fields":[{"Name":"q",` + shown + `}],"Buttons":[` + test.buttons + `]}]}`
		d, _ := write(t, page(records, test.once...))
		var m struct {
			Tools []struct {
				Workflow struct {
					Steps []struct {
						Primitive string
						Args      struct{ Locator struct{ Selector string } }
					}
				}
			}
		}
		if err := json.Unmarshal(d.Text, &m); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, one := range m.Tools {
			for _, s := range one.Workflow.Steps {
				if s.Primitive == "locator.click" {
					got += s.Args.Locator.Selector
				}
			}
		}
		if got != test.want || (test.want == "") != strings.Contains(strings.Join(d.Notes, " "), "nothing lasting tells its button") {
			t.Errorf("%s: it clicks %q, notes %v", name, got, d.Notes)
		}
	}
}

func TestLongForm(t *testing.T) {
	// Ensure that a form of more fields than a workflow has room for still gives a valid action, and says what it leaves.
	var fields, once []string
	for i := range 40 {
		name := "f" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		fields = append(fields, `{"Name":"`+name+`","Wrap":"Field `+name+`",`+shown+`}`)
		once = append(once, `#big [name="`+name+`"]`)
	}
	d, tools := write(t, page(`{"Forms":[{"ID":"big",`+shown+`,"Fields":[`+strings.Join(fields, ",")+`],"Buttons":[{"ID":"send",`+shown+`}]}]}`, append(once, "#big", "#send")...))
	if n := len(tools["tea.big.submit"].Workflow.Steps); n < 20 || n > 25 || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "Field fnb") {
		t.Errorf("%d steps, notes %v", n, d.Notes)
	}
}

func TestButtons(t *testing.T) {
	// Ensure that a button that stands alone has an action by what it is called, and that those of forms, hidden, nameless and too many have none.
	button := func(label, more string) string { return `{"Text":"` + label + `",` + shown + more + `}` }
	var list, once []string
	for _, label := range []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota"} {
		list = append(list, button(label, ""))
		once = append(once, "button "+label)
	}
	list = append(list, button("In a form", `,"Form":{"width":5}`), button("Choose", ""), `{"Text":"Hidden","Box":{}}`, button("", ""), button("検索", ""))
	d, tools := write(t, page(`{"Buttons":[`+strings.Join(list, ",")+`]}`, once...))
	if len(tools) != 3+8 || tools["tea.alpha"].steps() != "press page text" || tools["tea.iota"].Name != "" {
		t.Errorf("actions %v", d.Actions)
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "Choose, Iota, 検索") {
		t.Errorf("notes %v", d.Notes)
	}
}

func TestLinks(t *testing.T) {
	// Ensure that links are given by their full address, once, and never one with something personal or of another kind.
	links := `{"Links":[
		{"Text":"Home","Href":"/","Nav":{}},{"Text":"Home again","Href":"https://tea.example/#top"},{"Text":"Other site","Href":"//other.example/x"},
		{"Text":"Mine","Href":"/orders?user_id=7"},{"Text":"Script","Href":"javascript:alert(1)"},{"Text":"Top","Href":"#top"},{"Text":"","Href":"/empty"},
		{"Text":"Write to us","Href":"mailto:shop@tea.example"},{"Text":"With a name","Href":"https://ada:pw@tea.example/"}]}`
	d, _ := write(t, page(links))
	text := string(d.Text)
	for _, want := range []string{`"url": "https://tea.example/"`, `"url": "https://other.example/x"`, `"tea.links.contact"`, `mailto:shop@tea.example`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing\n%s", want, text)
		}
	}
	for _, never := range []string{"user_id", "javascript", "ada:pw", "Home again", "#top", "/empty"} {
		if strings.Contains(text, never) {
			t.Errorf("the map holds %s", never)
		}
	}
}

func TestWriteFails(t *testing.T) {
	// Ensure that a site that cannot begin a name, and a page that cannot be read, are faults with their code.
	for _, site := range []string{"", "9lives", "a b", "a..b", "a."} {
		if _, err := draft.Write(t.Context(), page(`{}`), draft.Options{Site: site}); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q gives %v", site, err)
		}
	}
	gone := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, fault.New(fault.NoCurrentTab, "no tab")
	}
	if _, err := draft.Write(t.Context(), gone, draft.Options{Site: "a"}); !fault.Is(err, fault.NoCurrentTab) {
		t.Errorf("got %v", err)
	}
	if _, err := draft.Write(t.Context(), page(`[]`), draft.Options{Site: "a"}); !fault.Is(err, fault.InvalidResult) {
		t.Errorf("got %v", err)
	}
}

func TestRepeatedButtons(t *testing.T) {
	// Ensure that the buttons of a list's rows, which a number alone tells apart, get no action each and are told once, and that two of a kind are no list.
	button := func(label string) string { return `{"Label":"` + label + `",` + shown + `}` }
	labels := []string{"Close FJ-101", "Close FJ-102", "Close FJ-103", "Zoom 1", "Zoom 2", "New"}
	var buttons, once []string
	for _, label := range labels {
		buttons = append(buttons, button(label))
		once = append(once, `[aria-label="`+label+`"]`)
	}
	d, _ := write(t, page(`{"Buttons":[`+strings.Join(buttons, ",")+`]}`, once...))
	if got := d.Actions[3:]; !slices.Equal(got, []string{"tea.zoom_1", "tea.zoom_2", "tea.new"}) {
		t.Errorf("actions %v", got)
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "3 buttons “Close …”") {
		t.Errorf("notes %v", d.Notes)
	}
}

func TestHiddenForm(t *testing.T) {
	// Ensure that a form that is not shown is left out with the way to have it written.
	d, _ := write(t, page(`{"Forms":[{"ID":"mail","Fields":[],"Buttons":[]}]}`, "#mail"))
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "Open it in the page") {
		t.Errorf("notes %v", d.Notes)
	}
}

func TestRoutes(t *testing.T) {
	// Ensure that the pages that an application keeps in its fragment are places to go to, and that what such a fragment may hold of a person is not kept.
	d, _ := write(t, page(`{"Links":[{"Text":"Tickets","Href":"/shop#/tickets","Nav":{}},{"Text":"Mine","Href":"/shop#/orders?user=7"}]}`))
	if !strings.Contains(string(d.Text), `"https://tea.example/shop#/tickets"`) || strings.Contains(string(d.Text), "user=7") {
		t.Errorf("%s", d.Text)
	}
}

func TestFieldsWithoutForms(t *testing.T) {
	// Ensure that the fields of an application without forms have an action each by what they are called and of their kind, and that those of
	// forms, secret, hidden, fixed and nameless ones have none.
	field := func(label, more string) string { return `{"Label":"` + label + `",` + shown + more + `}` }
	const chosen = `"Box":{"top":9,"left":1,"width":9,"height":9}`
	records := `{"Fields":[` + strings.Join([]string{
		field("Search tickets", `,"Type":"search"`), field("Only mine", `,"Type":"checkbox"`), `{"Label":"Sort by",` + chosen + `}`,
		field("Inside", `,"Form":{"width":5}`), field("PIN", `,"Type":"password"`), `{"Label":"Hidden","Box":{}}`, field("Fixed", `,"ReadOnly":""`), field("Twice", ""),
	}, ",") + `],"Selects":[{` + chosen + `}]}`
	d, tools := write(t, page(records, "searchbox Search tickets", "checkbox Only mine", "combobox Sort by", "textbox Inside", "textbox PIN", "textbox Fixed"))
	for name, want := range map[string]string{
		"tea.search_tickets.set": "type_value enter page text", "tea.only_mine.set": "set_value page text", "tea.sort_by.set": "choose_value page text",
	} {
		if got := tools[name].steps(); got != want || !slices.Equal(tools[name].InputSchema.Required, []string{"value"}) {
			t.Errorf("%s: %q, actions %v", name, got, d.Actions)
		}
	}
	if len(tools) != 3+3 {
		t.Errorf("actions %v", d.Actions)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, "PIN asks for a secret") || !strings.Contains(notes, "name of their own: Twice.") || len(d.Notes) != 2 {
		t.Errorf("notes %v", d.Notes)
	}
}

func TestFieldValues(t *testing.T) {
	// Ensure that nothing that stands in a field comes into the map or its notes, where the field has no other name either.
	fields := strings.Join([]string{
		`{"Name":"email","Value":"ada@home.example",` + shown + `}`, `{"Name":"key","Value":"sk_live_1","ReadOnly":"",` + shown + `}`,
		`{"Name":"about","Text":"Ada of Home",` + shown + `}`, `{"Value":"sk_live_2",` + shown + `}`,
	}, ",")
	for name, records := range map[string]string{
		"in a form": `{"Forms":[{"ID":"me",` + shown + `,"Fields":[` + fields + `],"Buttons":[{"Type":"submit","Value":"Keep",` + shown + `}]}]}`,
		"loose":     `{"Fields":[` + fields + `]}`,
	} {
		d, _ := write(t, page(records, "#me", `#me [name="email"]`, `#me [name="about"]`, `[name="email"]`, `[name="about"]`, "button Keep", "textbox sk_live_2"))
		text := string(d.Text) + strings.Join(d.Notes, "\n")
		for _, never := range []string{"ada@home", "ada_home", "sk_live", "Ada of"} {
			if strings.Contains(text, never) {
				t.Errorf("%s: %s is kept\n%s", name, never, text)
			}
		}
		if strings.Contains(text, ", .") {
			t.Errorf("%s: a field without a name is left out as nothing: %v", name, d.Notes)
		}
		if !strings.Contains(text, `"email"`) || name == "in a form" && !strings.Contains(text, `"Keep"`) {
			t.Errorf("%s: a name is missing\n%s", name, text)
		}
	}
}
