package a11y

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"

	"github.com/actionsjson/actions-host/pkg/announce"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestSecret(t *testing.T) {
	// Ensure that a field counts as secret by its type or by what autocomplete says it holds, however that is written.
	for attributes, want := range map[string]bool{
		"type password": true, "TYPE Password": true, "type text": false, "autocomplete one-time-code": true,
		"autocomplete section-a_cc-csc": true, "autocomplete name": false, "name password": false, "": false,
	} {
		list := strings.Fields(attributes)
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], "_", " ")
		}
		if got := secret(list); got != want {
			t.Errorf("%q is secret: %t", attributes, got)
		}
	}
}

func TestDecidedFrames(t *testing.T) {
	// Ensure that a frame is read only with an origin that was decided for, one that the document around it wrote with that one's, and none whose parent is not there.
	asked := []string{}
	f := &forest{
		allowed: []string{"https://tea.example"},
		permit: func(origin string) error {
			asked = append(asked, origin)
			if origin == "https://allowed.example" {
				return nil
			}
			return errors.New("denied")
		},
		frames: map[cdp.FrameID]*cdp.Frame{
			"top":     {ID: "top", URL: "https://tea.example/", SecurityOrigin: "https://tea.example"},
			"written": {ID: "written", ParentID: "top", URL: "about:srcdoc", SecurityOrigin: "://"},
			"other":   {ID: "other", ParentID: "top", URL: "https://other.example/", SecurityOrigin: "https://other.example"},
			"inside":  {ID: "inside", ParentID: "other", URL: "about:blank", SecurityOrigin: "://"},
			"allowed": {ID: "allowed", ParentID: "top", URL: "https://allowed.example/", SecurityOrigin: "https://allowed.example"},
			"opaque":  {ID: "opaque", ParentID: "top", URL: "https://tea.example/", SecurityOrigin: "://"},
			"orphan":  {ID: "orphan", ParentID: "gone", URL: "about:blank", SecurityOrigin: "://"},
		},
	}
	for id, want := range map[cdp.FrameID]bool{"top": true, "written": true, "other": false, "inside": false, "allowed": true, "opaque": false, "orphan": false} {
		if got := f.decided(f.frames[id]); got != want {
			t.Errorf("%s is read: %t", id, got)
		}
	}
	for _, origin := range asked {
		if origin == "https://tea.example" {
			t.Error("what was decided already was decided again")
		}
	}
}

func TestSilentNodes(t *testing.T) {
	// Ensure that a node which only repeats or groups takes no line, and that one which tells anything does.
	heading := &node{role: "heading", name: "Green  tea"}
	for name, row := range map[string]struct {
		n    *node
		want bool
	}{
		"ignored":            {&node{role: "button", ignored: true}, true},
		"its parent's words": {&node{role: "StaticText", name: "Green tea"}, true},
		"other words":        {&node{role: "StaticText", name: "Black tea"}, false},
		"white space":        {&node{role: "StaticText", name: " "}, true},
		"a group":            {&node{role: "generic"}, true},
		"a named group":      {&node{role: "generic", name: "Teas"}, false},
		"a live group":       {&node{role: "generic", states: map[string]json.RawMessage{"live": json.RawMessage(`"polite"`)}}, false},
		"a list":             {&node{role: "list"}, false},
	} {
		if got := silent(row.n, heading); got != row.want {
			t.Errorf("%s is silent: %t", name, got)
		}
	}
}

// kept is a session that may know some pages only.
type kept struct{ primitive.Session }

func (kept) Sees(url string) bool { return strings.HasPrefix(url, "https://tea.example/") }

func TestHeardBy(t *testing.T) {
	// Ensure that a session which is kept to some pages hears nothing of what a tab's other pages said, nor of what came from nobody knows where.
	said := []announce.Announcement{{Text: "one", URL: "https://tea.example/a"}, {Text: "two", URL: "https://bank.example/"}, {Text: "three"}}
	if got := heardBy(kept{}, said); len(got) != 1 || got[0].Text != "one" {
		t.Errorf("heard %+v", got)
	}
}
