package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// offering is a rig whose page offers tools; their rows are given as JSON.
func offering(t *testing.T, rows []string, maps string) *rig {
	t.Helper()
	r := shop(t, maps)
	r.site.PageTools = true
	r.step = func(name string, args json.RawMessage) (json.RawMessage, error) {
		if name != "webmcp.list" {
			return json.RawMessage(`{"output":1,"trust":"untrusted"}`), nil
		}
		var asked struct {
			Offset, Limit int
			Tool          string
		}
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		if asked.Tool != "" {
			return fmt.Appendf(nil, `{"tools":[%s],"total":1}`, rows[slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, asked.Tool) })]), nil
		}
		page := rows[min(asked.Offset, len(rows)):]
		return fmt.Appendf(nil, `{"tools":[%s],"total":%d}`, strings.Join(page[:min(len(page), asked.Limit)], ","), len(rows)), nil
	}
	return r
}

func (r *rig) list(t *testing.T, args string) (out struct {
	Actions   []json.RawMessage
	PageTools []struct {
		Name, Trust, Description string
		InputSchema              json.RawMessage `json:"input_schema"`
		Truncated                bool
		Whole                    json.RawMessage
	} `json:"page_tools"`
	Total int             `json:"page_tools_total"`
	Next  json.RawMessage `json:"page_tools_next"`
	Note  string          `json:"page_tools_note"`
	Needs []struct {
		Missing []string `json:"missing_page_tools"`
	} `json:"requires"`
}) {
	t.Helper()
	r.meta = primitive.Meta{}
	raw, err := r.site.Handle(t.Context(), primitive.Call{TabID: 1, URL: page, Arguments: json.RawMessage(args), Meta: &r.meta, Session: &dispatch.Session{ID: "s"}})
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func pageToolRow(name, more string) string {
	return fmt.Sprintf(`{"id":"pt_%s","name":%q,"action":"page:%s","origin":"https://shop.example.com","trust":"untrusted","frame_id":"f","top_frame":true%s}`, name, name, name, more)
}

func TestPageToolsAreListedWithinTheirBudget(t *testing.T) {
	// Ensure that page tools stand apart from the actions, marked, within a budget whatever the page says, and that the literal arguments lead through all of them.
	rows := []string{pageToolRow("huge", `,"input_schema":{"x":"`+strings.Repeat("x", 9000)+`"},"description":"`+strings.Repeat("d", 3000)+`"`)}
	for i := range 120 {
		rows = append(rows, pageToolRow(fmt.Sprint("t", i), `,"description":"`+strings.Repeat("d", 200)+`"`))
	}
	r := offering(t, rows, tool("a.b", greeting))
	seen := 0
	for args := `{"mode":"list"}`; args != ""; {
		l := r.list(t, args)
		if raw, err := json.Marshal(l.PageTools); err != nil || len(raw) > 7000 {
			t.Fatalf("%d bytes of page tools, %v", len(raw), err)
		}
		if wantActions := seen == 0; (len(l.Actions) == 1) != wantActions || l.Total != len(rows) {
			t.Errorf("after %d: %d actions, %d in all", seen, len(l.Actions), l.Total)
		}
		for _, one := range l.PageTools {
			seen++
			if one.Trust != "untrusted" {
				t.Errorf("%s is marked %q", one.Name, one.Trust)
			}
			if one.Name == "page:huge" && (!one.Truncated || one.InputSchema != nil || len(one.Description) > 400) {
				t.Errorf("the huge one is %.200v", one)
			}
			if one.Name == "page:huge" {
				if whole := r.list(t, string(one.Whole)).PageTools; len(whole) != 1 || len(whole[0].Description) != 3000 || len(whole[0].InputSchema) < 9000 || whole[0].Truncated {
					t.Errorf("the whole of it is %.200v", whole)
				}
			}
		}
		if args = string(l.Next); seen > len(rows) {
			t.Fatal("it never ends")
		}
	}
	if seen != len(rows) {
		t.Errorf("%d of %d were listed", seen, len(rows))
	}
	if l := r.list(t, `{"mode":"list","names_only":true}`); len(l.PageTools) < 40 || l.PageTools[1].Description != "" {
		t.Errorf("names only: %d, %+v", len(l.PageTools), l.PageTools[1])
	}
}

func TestPageToolsAreCalled(t *testing.T) {
	// Ensure that page: and an id reach the page's tool, that an action of a map with the same name wins, and that without page tools the names are unknown.
	r := offering(t, nil, tool("page:mapped", greeting))
	for action, want := range map[string]string{
		"page:add": `{"arguments":{"a":1},"name":"add"}`,
		"pt_X":     `{"arguments":{"a":1},"tool":"pt_X"}`,
	} {
		r.ran = nil
		out, err := r.call(t, action, `{"a":1}`)
		if err != nil || len(r.ran) != 1 || r.ran[0] != (ran{"webmcp.invoke", want}) || len(r.authorized) != 0 {
			t.Errorf("%s: %v, ran %+v, decided %v", action, err, r.ran, r.authorized)
		}
		wantJSON(t, out, `{"output":1,"trust":"untrusted"}`)
	}
	out, err := r.call(t, "page:mapped", `{}`)
	if err != nil || out != `"hello"` {
		t.Errorf("the map's own gave %s, %v", out, err)
	}
	r.site.PageTools = false
	_, err = r.call(t, "page:add", `{}`)
	wantCode(t, err, fault.UnknownAction)
}

func TestNoPageTools(t *testing.T) {
	// Ensure that what keeps page tools from being listed never fails the list: that there can be none is said once to a session, anything else each time.
	r := offering(t, nil, tool("a.b", greeting))
	r.step = func(string, json.RawMessage) (json.RawMessage, error) {
		return nil, fault.New(fault.CapabilityUnavailable, "no page tools")
	}
	if l := r.list(t, `{"mode":"list"}`); !strings.Contains(l.Note, "no page tools") || len(l.Actions) != 1 {
		t.Errorf("first: %+v", l)
	}
	if l := r.list(t, `{"mode":"list"}`); l.Note != "" || len(l.Actions) != 1 {
		t.Errorf("second: %+v", l)
	}
	r = offering(t, nil, tool("a.b", greeting))
	r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
		t.Errorf("%s was called where there can be no page tools", name)
		return nil, nil
	}
	r.site.NoPageTools = func(context.Context, primitive.Call) error {
		return fault.New(fault.CapabilityUnavailable, "no page tools")
	}
	if l := r.list(t, `{"mode":"list"}`); !strings.Contains(l.Note, "no page tools") || len(l.Actions) != 1 {
		t.Errorf("known before: %+v", l)
	}
	r = offering(t, nil, tool("a.b", greeting))
	r.step = func(string, json.RawMessage) (json.RawMessage, error) {
		return nil, fault.New(fault.DebuggerUnavailable, "no page tools")
	}
	for range 2 {
		if l := r.list(t, `{"mode":"list"}`); !strings.Contains(l.Note, "no page tools") || len(l.Actions) != 1 {
			t.Errorf("without debugger: %+v", l)
		}
	}
}

func TestRequiredPageTools(t *testing.T) {
	// Ensure that a list tells which of the page tools that a map requires are missing.
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(`"requires":{"page_tools":["add","gone"]},`, tool("a.b", greeting))})
	r.site.PageTools = true
	r.step = offering(t, []string{pageToolRow("add", "")}, "").step
	if l := r.list(t, `{"mode":"list"}`); len(l.Needs) != 1 || len(l.Needs[0].Missing) != 1 || l.Needs[0].Missing[0] != "gone" {
		t.Errorf("needs %+v", l.Needs)
	}
}
