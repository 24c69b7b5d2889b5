package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/model"
)

// What is kept of a conversation, and what of it a model gets.
const (
	MaxMessages   = 1_000
	MaxCharacters = 160_000
	// MaxResult is the most characters of one result: a whole answer of a tool, the host's words, the
	// seal and what came beside it included.
	MaxResult = 12_000

	compactAbove  = 80_000
	lastMessages  = 30
	oldResult     = 500
	longArguments = 2_000 // of an older call
	imageWeight   = 4_000 // what a picture counts, in characters
	maxShown      = 3     // pictures of pages: a newer one shows what has become of it
)

// Keep returns what stays of a conversation: the first task and the newest messages, within
// [MaxMessages] and [MaxCharacters], with the last pictures of pages.
func Keep(messages []model.Message) []model.Message {
	h := newHistory(lastShown(cutResults(messages, MaxResult)))
	h.dropWhile(func() bool { return h.length() > MaxMessages || h.size() > MaxCharacters }, 1)
	h.squeeze(MaxCharacters)
	h.dropped = nil // the summary is for a model, and made anew each time
	return h.messages()
}

// Compact returns the conversation as a model gets it, in at most limit characters. While it
// fits in, only results of more than [MaxResult] characters are cut. Then, as far as it takes:
// the results before the last 30 messages are cut, those messages give way to a summary, and
// the same is done to the last 30 but for the latest ones. The first task and the latest
// request of the person stay.
func Compact(messages []model.Message, limit int) []model.Message {
	limit = min(limit, compactAbove)
	h := newHistory(lastShown(cutResults(messages, MaxResult)))
	over := func() bool { return h.size() > limit || h.length() > MaxMessages }
	if !over() {
		return h.messages()
	}
	recent := h.recent()
	for i := range recent {
		h.groups[i].shorten()
	}
	if over() {
		h.dropWhile(func() bool { return true }, len(h.groups)-recent)
	}
	for i := 0; i < len(h.groups)-1 && over(); i++ {
		h.groups[i].shorten()
	}
	h.dropWhile(over, 1)
	h.squeeze(limit)
	return h.messages()
}

// group is what stays or goes as one: a message with calls and their results, or one message.
type group struct {
	messages []model.Message
	pinned   bool // the first task, and the latest request of the person
}

// history is a conversation in groups.
type history struct {
	groups  []group
	task    int     // of the groups; -1 without any
	dropped []group // from the oldest
}

func newHistory(messages []model.Message) *history {
	h := &history{task: -1}
	latest := -1
	spoken := slices.ContainsFunc(messages, isRequest)
	for _, m := range messages {
		if m.Role == model.RoleToolResult && len(h.groups) > 0 {
			last := &h.groups[len(h.groups)-1]
			last.messages = append(last.messages, m)
			continue
		}
		// In a conversation that goes on after its beginning is gone the host's words are the first.
		if isRequest(m) || !spoken && m.Role == model.RoleUser {
			latest = len(h.groups)
			if h.task < 0 {
				h.task = latest
			}
		}
		h.groups = append(h.groups, group{messages: []model.Message{m}})
	}
	if h.task >= 0 {
		h.groups[h.task].pinned, h.groups[latest].pinned = true, true
	}
	return h
}

// isRequest reports whether the message is the person's own.
func isRequest(m model.Message) bool { return m.Role == model.RoleUser && !m.Host }

// recent returns the first group of the last 30 messages.
func (h *history) recent() int {
	count := 0
	for i := len(h.groups) - 1; i >= 0; i-- {
		count += len(h.groups[i].messages)
		if count >= lastMessages {
			return i
		}
	}
	return 0
}

// dropWhile drops groups, from the oldest, while more are to go. Those that are pinned and the
// last keep ones stay.
func (h *history) dropWhile(more func() bool, keep int) {
	for i := 0; i < len(h.groups)-keep && more(); {
		if h.groups[i].pinned {
			i++
			continue
		}
		h.dropped = append(h.dropped, h.groups[i])
		h.groups = slices.Delete(h.groups, i, i+1)
		if i < h.task {
			h.task--
		}
	}
}

// messages returns the conversation, with a summary of what was dropped behind the first task.
func (h *history) messages() []model.Message {
	var all []model.Message
	for i, g := range h.groups {
		all = append(all, g.messages...)
		if i == h.task && len(h.dropped) > 0 {
			task := &all[len(all)-1]
			task.Content = append(slices.Clone(task.Content), h.summary())
		}
	}
	return all
}

func (h *history) length() int {
	count := 0
	for _, g := range h.groups {
		count += len(g.messages)
	}
	return count
}

// size returns how many characters the messages have, the summary included.
func (h *history) size() int {
	size := 0
	for _, g := range h.groups {
		for _, m := range g.messages {
			size += messageSize(m)
		}
	}
	if len(h.dropped) > 0 {
		size += maxSummary
	}
	return size
}

func messageSize(m model.Message) int {
	size := 0
	for _, c := range m.Content {
		size += contentSize(c)
	}
	return size
}

func contentSize(c model.Content) int {
	if c.Type == model.ImageContent {
		return imageWeight
	}
	return utf8.RuneCountInString(c.Text) + utf8.RuneCountInString(c.Thinking) + len(c.Name) + utf8.RuneCount(c.Arguments)
}

// shorten cuts what an older group need not have whole.
func (g *group) shorten() {
	g.messages = model.WithoutImages(cutResults(g.messages, oldResult))
	for i, m := range g.messages {
		if m.Role != model.RoleAssistant {
			continue
		}
		spoken := slices.DeleteFunc(slices.Clone(m.Content), func(c model.Content) bool { return c.Type == model.ThinkingContent })
		if len(spoken) > 0 {
			m.Content = spoken // of its own memory
		}
		for j, c := range m.Content {
			if n := utf8.RuneCount(c.Arguments); n > longArguments {
				m.Content[j].Arguments = leftOut(n)
			}
		}
		g.messages[i] = m
	}
}

func leftOut(characters int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"left_out":"%d characters"}`, characters))
}
