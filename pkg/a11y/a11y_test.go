package a11y

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestDecidedFrames(t *testing.T) {
	// Ensure that a frame is read only with an origin that was decided for, and none that has no origin anything could be granted for.
	asked := []string{}
	f := &axTree{
		allowed: []string{"https://tea.example"},
		permit: func(origin string) error {
			asked = append(asked, origin)
			if origin == "https://allowed.example" {
				return nil
			}
			return errors.New("denied")
		},
	}
	for origin, want := range map[string]bool{"https://tea.example": true, "https://other.example": false, "https://allowed.example": true, "": false} {
		if got := f.isPermitted(browser.Frame{Origin: origin}); got != want {
			t.Errorf("%q is read: %t", origin, got)
		}
	}
	for _, origin := range asked {
		if origin == "https://tea.example" || origin == "" {
			t.Errorf("%q was asked for", origin)
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
		if got := isRedundant(row.n, heading); got != row.want {
			t.Errorf("%s is silent: %t", name, got)
		}
	}
}

// kept is a session that may know some pages only.
type kept struct{ primitive.Session }

func (kept) Sees(url string) bool { return strings.HasPrefix(url, "https://tea.example/") }

func TestHeardBy(t *testing.T) {
	// Ensure that a session which is kept to some pages hears nothing of what a tab's other pages said, nor of what came from nobody knows where.
	said := []announcements.Announcement{{Text: "one", URL: "https://tea.example/a"}, {Text: "two", URL: "https://bank.example/"}, {Text: "three"}}
	if got := visibleTo(kept{}, said); len(got) != 1 || got[0].Text != "one" {
		t.Errorf("heard %+v", got)
	}
}
