package chat_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/pagedata"
)

func text(role model.Role, words string) model.Message {
	return model.Message{Role: role, Content: []model.Content{{Type: model.TextContent, Text: words}}}
}

// note is a message of the host.
func note(words string) model.Message {
	m := text(model.RoleUser, words)
	m.Host = true
	return m
}

func call(ids ...string) model.Message {
	m := model.Message{Role: model.RoleAssistant, StopReason: model.StopToolUse}
	for _, id := range ids {
		m.Content = append(m.Content, model.Content{Type: model.ToolCallContent, ID: id, Name: "page_read", Arguments: json.RawMessage(`{}`)})
	}
	return m
}

func result(id, words string) model.Message {
	m := text(model.RoleToolResult, words)
	m.ToolCallID, m.ToolName = id, "page_read"
	return m
}

// size counts the characters of all texts.
func size(messages []model.Message) int {
	total := 0
	for _, m := range messages {
		for _, c := range m.Content {
			total += utf8.RuneCountInString(c.Text) + utf8.RuneCountInString(c.Thinking) + utf8.RuneCount(c.Arguments) + len(c.Name)
		}
	}
	return total
}

// conversation draws a task and what came of it.
func conversation(t *rapid.T) []model.Message {
	words := func(what string) string {
		letter := rapid.SampledFrom([]string{"w", "ü", "長", "\n"}).Draw(t, what)
		return strings.Repeat(letter, rapid.OneOf(rapid.IntRange(1, 300), rapid.IntRange(1, 20_000)).Draw(t, "length"))
	}
	var all []model.Message
	if rapid.Bool().Draw(t, "greeting") {
		all = append(all, text(model.RoleAssistant, "Hello"))
	}
	all = append(all, text(model.RoleUser, "task "+strings.Repeat("t", rapid.IntRange(0, 900).Draw(t, "task"))))
	for i := range rapid.IntRange(0, 60).Draw(t, "turns") {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 6:
			all = append(all, note(fmt.Sprintf("note %d", i)))
		case 0:
			all = append(all, text(model.RoleUser, fmt.Sprintf("request %d", i)))
		case 1:
			all = append(all, text(model.RoleAssistant, words("answer")))
		default:
			var ids []string
			for j := range rapid.IntRange(1, 4).Draw(t, "calls") {
				ids = append(ids, fmt.Sprintf("c%d_%d", i, j))
			}
			m := call(ids...)
			m.Content = append([]model.Content{{Type: model.ThinkingContent, Thinking: words("thinking")}}, m.Content...)
			m.Content[1].Arguments, _ = json.Marshal(map[string]string{"code": words("code")})
			all = append(all, m)
			for _, id := range ids {
				all = append(all, result(id, words("result")))
			}
		}
	}
	return all
}

// first returns the first message of the person.
func first(messages []model.Message) model.Message {
	for _, m := range messages {
		if m.Role == model.RoleUser && !m.Host {
			return m
		}
	}
	return model.Message{}
}

func TestCompactKeepsWhatCounts(t *testing.T) {
	// Ensure for any conversation that every call keeps its result, the first task and the latest request stay, the limits hold, the order does, and nothing that was given is changed.
	rapid.Check(t, func(t *rapid.T) {
		given := conversation(t)
		limit := rapid.SampledFrom([]int{12_000, 40_000, 80_000, 1_000_000}).Draw(t, "limit")
		before, _ := json.Marshal(given)
		for name, got := range map[string][]model.Message{"keep": chat.Keep(given), "compact": chat.Compact(given, limit)} {
			if err := model.CheckPairs(got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if task := first(got).Content[0].Text; task != first(given).Content[0].Text {
				t.Fatalf("%s: the task is %.40q", name, task)
			}
			for _, m := range got {
				if n := size([]model.Message{m}); m.Role == model.RoleToolResult && n > chat.MaxResult {
					t.Fatalf("%s: a result of %d characters", name, n)
				}
			}
			checkOrder(t, given, got)
			allowed := min(limit, 80_000)
			if name == "keep" {
				allowed = chat.MaxCharacters
			}
			if n := size(got); n > allowed || len(got) > chat.MaxMessages {
				t.Fatalf("%s: %d characters of %d in %d messages", name, n, allowed, len(got))
			}
		}
		if after, _ := json.Marshal(given); string(after) != string(before) {
			t.Fatal("the messages that were given are changed")
		}
	})
}

// checkOrder ensures that the messages are some of the given ones in their order, the latest
// request among them.
func checkOrder(t *rapid.T, given, got []model.Message) {
	key := func(m model.Message) string {
		k := string(m.Role) + m.ToolCallID
		for _, c := range m.Content {
			k += c.ID
		}
		if m.Role == model.RoleUser {
			k += m.Content[0].Text
		}
		return k
	}
	at, latest := 0, ""
	for _, m := range got {
		for at < len(given) && key(given[at]) != key(m) {
			at++
		}
		if at == len(given) {
			t.Fatalf("%s is out of order", key(m))
		}
		at++
		if m.Role == model.RoleUser && !m.Host {
			latest = key(m)
		}
	}
	for i := len(given) - 1; i >= 0; i-- {
		if given[i].Role == model.RoleUser && !given[i].Host {
			if key(given[i]) != latest {
				t.Fatalf("the latest request is %.40q, want %.40q", latest, key(given[i]))
			}
			return
		}
	}
}

func TestCompactSteps(t *testing.T) {
	// Ensure the order of what is given up: nothing while it fits in, then older results, then older messages for a summary.
	steps := func(count, length int) []model.Message {
		all := []model.Message{text(model.RoleUser, "Buy tea"), text(model.RoleAssistant, "Which?"), text(model.RoleUser, "Green")}
		for i := range count {
			id := fmt.Sprint(i)
			all = append(all, call(id), result(id, strings.Repeat("x", length)))
		}
		return all
	}
	small := steps(10, 500)
	if got := chat.Compact(small, 80_000); !reflect.DeepEqual(got, small) {
		t.Error("what fits in is changed")
	}
	results := steps(40, 1_500) // 60,000 characters of results beyond the limit; 25 of them are old
	got := chat.Compact(results, 50_000)
	if len(got) != len(results) || size(got) > 50_000 {
		t.Errorf("%d messages of %d, %d characters", len(got), len(results), size(got))
	}
	if old, recent := got[4].Content[0].Text+got[4].Content[1].Text, got[len(got)-1].Content[0].Text; len(old) > 500 || !strings.HasSuffix(old, "[cut here]") || len(recent) != 1_500 {
		t.Errorf("an old result has %d characters, the last %d", len(old), len(recent))
	}
	many := steps(300, 1_500)
	got = chat.Compact(many, 80_000)
	// The task, the latest request, and the last 30.
	if len(got) != 2+30 || got[1].Content[0].Text != "Green" {
		t.Fatalf("%d messages", len(got))
	}
	summary := got[0].Content[1].Text
	for _, want := range []string{"571 messages", "page_read 285 times", `You wrote last: "Which?"`} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in %s", want, summary)
		}
	}
	if strings.Contains(summary, "xxx") {
		t.Errorf("the words of a page stand in the summary: %s", summary)
	}
	if n := len(chat.Keep(steps(600, 10))); n > chat.MaxMessages {
		t.Errorf("%d messages are kept", n)
	}
}

func TestNotesAreNoRequests(t *testing.T) {
	// Ensure that what the host says in the person's place is neither kept nor quoted as their request, unless there is nothing of theirs.
	all := []model.Message{text(model.RoleUser, "Order tea"), text(model.RoleAssistant, "Done."), text(model.RoleUser, "Now cancel it")}
	for i := range 40 {
		id := fmt.Sprint(i)
		all = append(all, call(id), result(id, strings.Repeat("x", 1_500)), note("The tab shows another page now."))
	}
	got := chat.Compact(all, 20_000)
	if got[0].Content[0].Text != "Order tea" || got[1].Content[0].Text != "Now cancel it" {
		t.Errorf("the conversation begins with %q and %q", got[0].Content[0].Text, got[1].Content[0].Text)
	}
	if summary := got[0].Content[1].Text; strings.Contains(summary, "another page") || strings.Contains(summary, "also asked") {
		t.Errorf("the summary is %s", summary)
	}
	if got := chat.Compact(all[5:], 20_000); !strings.Contains(fmt.Sprint(got), "are left out") {
		t.Error("a conversation of the host's words alone does not say that it is cut")
	}
}

func TestPicturesOfPages(t *testing.T) {
	// Ensure that of the pictures that show pages the last three stay, and all of the person's own.
	picture := model.Content{Type: model.ImageContent, Data: "x", MimeType: "image/png"}
	own, shown, looked := text(model.RoleUser, "Like this"), note("A picture"), result("a", "")
	own.Content = append(own.Content, picture)
	shown.Content = append(shown.Content, picture)
	looked.Content = append(looked.Content, picture)
	all := []model.Message{own, own, own, own, shown, shown, call("a"), looked, shown, shown}
	for name, got := range map[string][]model.Message{"keep": chat.Keep(all), "compact": chat.Compact(all, 80_000)} {
		var with []int
		for i, m := range got {
			if m.Content[len(m.Content)-1].Type == model.ImageContent {
				with = append(with, i)
			}
		}
		if want := []int{0, 1, 2, 3, 7, 8, 9}; !reflect.DeepEqual(with, want) {
			t.Errorf("%s: messages %v have pictures, want %v", name, with, want)
		}
	}
}

func TestSqueeze(t *testing.T) {
	// Ensure that a task or a batch which is too large by itself is cut, not sent whole.
	huge := text(model.RoleUser, strings.Repeat("t", 200_000))
	if n := size(chat.Compact([]model.Message{huge}, 80_000)); n > 80_000 || n < 40_000 {
		t.Errorf("a task of 200,000 characters has %d", n)
	}
	var ids []string
	all := []model.Message{text(model.RoleUser, "Read all")}
	for i := range 40 {
		ids = append(ids, fmt.Sprint(i))
	}
	all = append(all, call(ids...))
	for _, id := range ids {
		all = append(all, result(id, strings.Repeat("x", 8_000)))
	}
	got := chat.Compact(all, 20_000)
	if n := size(got); n > 20_000 || model.CheckPairs(got) != nil || len(got) != len(all) {
		t.Errorf("%d characters in %d messages, %v", n, len(got), model.CheckPairs(got))
	}
}

func TestCutPageWords(t *testing.T) {
	// Ensure that words of a page which are cut, in a result or a note, end before what follows them.
	sealed := pagedata.Seal(strings.Repeat("x", 20_000))
	all := []model.Message{text(model.RoleUser, "Read it"), note(sealed), call("a"), result("a", `{"ok":true}`+"\n"+sealed), text(model.RoleAssistant, "Done.")}
	for limit, got := range map[int][]model.Message{0: chat.Keep(all), 30_000: chat.Compact(all, 30_000), 6_000: chat.Compact(all, 6_000)} {
		for _, m := range got {
			if words := m.Content[0].Text; strings.Contains(words, "<page_data") {
				if _, _, after, ok := pagedata.Split(words); !ok || after != "" {
					t.Errorf("within %d a message ends %q", limit, words[max(0, len(words)-60):])
				}
			}
		}
		if n := size(got); limit > 0 && n > limit {
			t.Errorf("%d characters of %d", n, limit)
		}
	}
}

func TestPairs(t *testing.T) {
	// Ensure that each way of leaving a call or a result alone names the index of the message.
	user := text(model.RoleUser, "u")
	for name, row := range map[string]struct {
		messages []model.Message
		index    int
	}{
		"good":                  {[]model.Message{user, call("a", "b"), result("b", ""), result("a", ""), call("a"), result("a", "")}, -1},
		"at the end":            {[]model.Message{user, call("a")}, 1},
		"before a message":      {[]model.Message{user, call("a", "b"), result("a", ""), user}, 1},
		"result alone":          {[]model.Message{user, result("a", "")}, 1},
		"result twice":          {[]model.Message{user, call("a"), result("a", ""), result("a", "")}, 3},
		"result of another":     {[]model.Message{user, call("a"), result("b", "")}, 2},
		"two calls of one id":   {[]model.Message{user, call("a", "a"), result("a", "")}, 1},
		"result after the next": {[]model.Message{user, call("a"), call("b"), result("b", ""), result("a", "")}, 1},
	} {
		err := model.CheckPairs(row.messages)
		if row.index < 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if f := fault.From(err); f == nil || f.Code != fault.InvalidInput || f.Evidence["index"] != row.index || !strings.Contains(f.Message, fmt.Sprintf("messages[%d]", row.index)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
