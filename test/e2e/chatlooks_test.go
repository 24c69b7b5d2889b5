package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/test/harness"
)

// chatLooks are the states of a chat that a person can meet.
func chatLooks(tab int) []struct {
	name string
	view object
} {
	voiced := looks()
	view := func(s object, rows []object, questions []object, more object) object {
		settings := agentSettings()
		settings["automationEnabled"], settings["text_model"], settings["allow_code"] = true, "auto", true
		v := object{
			"tab_id": tab, "claimed": true, "state": s, "rows": append([]object{}, rows...), "approvals": append([]object{}, questions...), "questions": []object{},
			"settings": settings, "summary": "", "code": false,
		}
		for name, value := range more {
			v[name] = value
		}
		return v
	}
	failed, good := false, true
	talk := []object{
		row(1, "user", "Put two boxes of Sencha into the basket and tell me the total."),
		{"id": "t1", "role": "tool", "text": "page_snapshot", "done": true, "ok": &good, "detail": `{"ok":true,"output":{"snapshot":"- button \"Pay\" [ref=e4]"}}`},
		{"id": "t2", "role": "tool", "text": "locator_click: target_occluded: the banner div#cookies covers button Pay", "done": true, "ok": &failed, "detail": `{"ok":false}`, "next_step": "Close the banner first."},
		row(2, "assistant", "The total is €18.40. The order: https://tea.example/orders/4711, or write to mailto:shop@tea.example."),
		{"id": "n1", "role": "note", "text": "There is no answer: the model sent nothing for 30 s", "done": true, "code": "model_timeout", "next_step": "Ask again, shorten the conversation, or choose another model."},
	}
	gateOff := agentSettings()
	gateOff["automationEnabled"] = false
	failure := object{"code": "spending_limit_reached", "message": "the session has cost $5.00, which is your limit of $5.00", "next_step": "The user can raise it in the options and start again."}
	return []struct {
		name string
		view object
	}{
		{"unclaimed", view(state("disconnected", nil), nil, nil, object{"claimed": false})},
		{"empty", view(state("disconnected", nil), nil, nil, object{"settings": gateOff})},
		{"talk", view(state("listening", nil), talk, nil, object{"code": true})},
		{"working", view(state("using_tool", object{"tool": "locator_fill"}), talk, nil, nil)},
		{"approval", view(state("listening", nil), talk, voiced[7].view["approvals"].([]object), nil)},
		{"failed", view(state("error", object{"error": failure}), talk, nil, nil)},
	}
}

func TestPanelCommands(t *testing.T) {
	// Ensure that the panel asks the host for what its buttons say, for its own tab alone, by the user's own input and not by a script's.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	tab := a.played.Launched.Tabs[0].TabID
	a.mu.Lock()
	a.view = chatLooks(tab)[4].view // a question waits
	a.mu.Unlock()
	panel := panelOf(t, a.played.Launched, tab)
	panel.says("approvals", "Place order")
	for _, id := range []string{"summarise", "clear", "code"} {
		eval[bool](panel, fmt.Sprintf(`(document.getElementById(%q).click(), true)`, id))
	}
	panel.writes("one")
	a.heard(fmt.Sprintf(`chat_send {"text":"one","mode":"queue","tab_id":%d}`, tab))
	panel.click("#summarise")
	a.heard(fmt.Sprintf(`chat_send {"text":"Summarise this page.","mode":"queue","summary":true,"tab_id":%d}`, tab))
	panel.click("#code")
	a.heard(fmt.Sprintf(`chat_settings {"code":true,"tab_id":%d}`, tab))
	panel.enabled("#approvals .answers .primary")
	panel.click("#approvals .answers .primary")
	a.heard(`approve {"id":"abcd1234","verdict":"allow","scope":"once","face":"panel"}`)
	change := func(of int, text string) {
		t.Helper()
		a.shows("chat", object{"tab_id": of, "row": object{"id": fmt.Sprint("r", of), "role": "note", "text": text, "done": true}})
	}
	change(tab+1, "of another tab")
	change(tab, "of this tab")
	panel.says("log", "of this tab")
	if text := panel.text("log"); strings.Contains(text, "of another tab") {
		t.Errorf("the panel shows %s", text)
	}
	panel.click("#clear")
	a.heard(fmt.Sprintf(`chat_clear {"tab_id":%d}`, tab))
}

func TestChatLooks(t *testing.T) {
	// Ensure that the side panel has no violation that axe knows of, in each state, in a narrow window, light and dark, that nothing of it is wider than the window, and that the popup opens it by a button.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	tab := a.played.Launched.Tabs[0].TabID
	panel := panelOf(t, a.played.Launched, tab)
	size(t, panel, 320, 640)
	for _, look := range chatLooks(tab) {
		a.mu.Lock()
		a.view = look.view
		a.mu.Unlock()
		// The document that goes may have as many rows as the one that comes.
		eval[bool](panel, `(window.former = true, location.reload(), true)`)
		rows := len(look.view["rows"].([]object))
		panel.until(look.name+" is shown", fmt.Sprintf(`window.former === undefined && document.title !== "" && document.querySelectorAll(".row").length === %d && document.body.dataset.status !== undefined && document.getElementById("free").checkVisibility() === %t`, rows, !look.view["claimed"].(bool)))
		for _, scheme := range []string{"light", "dark"} {
			prefer(t, scheme, panel)
			for _, v := range panel.violations() {
				t.Errorf("%s, %s: %s", look.name, scheme, v)
			}
			if wide := eval[int](panel, `document.documentElement.scrollWidth`); wide > 320 {
				t.Errorf("%s is %d pixels wide", look.name, wide)
			}
			picture(t, panel, "chat-"+look.name+"-"+scheme, nil)
		}
	}
	pageAt(t, a.played.Launched, url+"/").bringToFront()
	popup := openPopup(t, a.played.Launched)
	popup.says("open-chat", "Open chat")
	popup.settled()
	popup.click("#open-chat")
	harness.AwaitTargets(t, a.played.Launched, "the side panel opens", func(all []*target.Info) (bool, bool) {
		open := 0
		for _, info := range all {
			if info.Type == "page" && strings.Contains(info.URL, "sidepanel.html?tab=") {
				open++
			}
		}
		return true, open == 2
	})
}
