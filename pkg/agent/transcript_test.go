package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestTranscriptOfTwoSessions(t *testing.T) {
	// Ensure that the transcript says where a session begins that has not heard the turns above, once, and not where a session goes on.
	c := &Controller{Conversation: Conversation{Voice: &voice.Manager{}, SendChange: func(json.RawMessage) {}, OnError: func(err error) { t.Error(err) }}}
	c.Voice.Observer = c
	in := func(session, row string) {
		c.Voice.StateChanged(voice.State{Status: voice.Listening, SessionID: session})
		c.RowChanged(voice.Row{ID: row, Role: "user", Text: row}) // not complete, so not logged
	}
	c.Restore("voice:a", []voice.Row{{ID: "kept", Role: "user", Text: "kept"}})
	in("voice:a", "one")
	in("voice:b", "two")
	in("voice:b", "three")
	in("voice:b", "two")
	var got []string
	for _, r := range c.Rows() {
		got = append(got, r.Text)
	}
	if want := []string{"kept", "one", newSession, "two", "three"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the transcript is %q", got)
	}
}

func TestNowhere(t *testing.T) {
	// Ensure that an agent without a page is told why, and which way leads to one, by the tools that it is offered.
	for _, c := range []struct {
		page Page
		want string
	}{
		{Page{}, "Take control of this tab"},
		{Page{Tabs: 2}, "2 handed over: see browser.claimed_tabs.list and go on in one with browser.claimed_tabs.activate"},
		{Page{Tabs: 2, Current: true}, "shows no website"},
		{Page{Tabs: 2, Current: true, Origin: "https://tea.example"}, "The current tab is on https://tea.example"},
	} {
		s, err := fresh(t, policy.ModeAsk, c.page).ToolSet(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Instructions, c.want) {
			t.Errorf("%+v: %s", c.page, s.Instructions[len(s.Instructions)-200:])
		}
	}
}
