package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/database"
)

// steps is a call path that answers each primitive with a text, and notes what it was given.
type steps struct {
	answers map[string]string
	ran     []string
}

func (s *steps) Delegate(_ context.Context, name string, args json.RawMessage, _ bool) (json.RawMessage, error) {
	s.ran = append(s.ran, fmt.Sprint(name, " ", string(args)))
	answer, ok := s.answers[name]
	if !ok {
		return nil, fault.New(fault.PrimitiveBlocked, "the site's map blocks %s", name)
	}
	return json.RawMessage(answer), nil
}

func run(t *testing.T, path *steps, name, args string) (string, error) {
	t.Helper()
	skills, err := skill.Open(database.New(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	record, ok := primitive.Load().Public(name)
	if !ok {
		t.Fatal(name)
	}
	tools := &Tools{Path: path, Skills: skills}
	output, err := tools.Handlers()[name](t.Context(), primitive.Call{Record: record, Arguments: json.RawMessage(args), TabID: 7})
	if err == nil {
		err = record.CheckOutput(output)
	}
	return string(output), err
}

func TestNavigate(t *testing.T) {
	// Ensure that a navigation has the address where it ended with the skills for it, that one which is still loading is a timeout, and that a refused step is refused.
	path := &steps{answers: map[string]string{
		"browser.navigate": `{"complete":true,"tab":{"tab_id":7,"url":"https://github.com/o/r/issues","title":"Issues"},"next_step":"List."}`,
	}}
	got, err := run(t, path, "automation.navigate", `{"url":"https://github.com/o/r/issues?x"}`)
	const want = `{"finalUrl":"https://github.com/o/r/issues","title":"Issues","tabId":7,"skills":[{"name":"github-issues","shortDescription":"Find and read issues of a GitHub repository by their address."}],"next_step":"List."}`
	if err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	path.answers["browser.navigate"] = `{"complete":false,"tab":{"tab_id":7,"url":"https://old.example/","title":"Old"}}`
	if got, err := run(t, path, "automation.navigate", `{"url":"https://a.example/"}`); !fault.Is(err, fault.Timeout) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := run(t, path, "automation.navigate", `{"url":"https://a.example/","newTab":true}`); !fault.Is(err, fault.PrimitiveBlocked) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestNavigateInANewTab(t *testing.T) {
	// Ensure that a new tab says whether it is handed over, and where it is going while it shows nothing yet.
	path := &steps{answers: map[string]string{"browser.open_tab": `{"opened":true,"claimed":false,"tab":{"tab_id":8,"url":"","title":""},"next_step":"Ask."}`}}
	got, err := run(t, path, "automation.navigate", `{"url":"https://a.example/","newTab":true}`)
	if err != nil || got != `{"finalUrl":"https://a.example/","title":"","tabId":8,"claimed":false,"skills":[],"next_step":"Ask."}` {
		t.Errorf("%s, %v", got, err)
	}
	if len(path.ran) != 1 || path.ran[0] != `browser.open_tab {"url":"https://a.example/"}` {
		t.Errorf("%v", path.ran)
	}
}
