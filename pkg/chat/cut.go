package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// cutResults returns the messages with at most limit characters in each result.
func cutResults(messages []model.Message, limit int) []model.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		if m.Role == model.RoleToolResult {
			out[i].Content = cutTexts(m.Content, limit)
		}
	}
	return out
}

// lastShown returns the messages with a remark in place of each picture of a page but the last
// ones. The person's own pictures stay.
func lastShown(messages []model.Message) []model.Message {
	out, shown := slices.Clone(messages), 0
	for i, m := range slices.Backward(out) {
		if isRequest(m) || !slices.ContainsFunc(m.Content, isImage) {
			continue
		}
		if shown++; shown > maxShown {
			out[i] = model.WithoutImages(out[i : i+1])[0]
		}
	}
	return out
}

func isImage(c model.Content) bool { return c.Type == model.ImageContent }

// cutTexts returns the content with at most limit characters of text. Words of a page that are cut
// keep their end mark: what follows them is not the page's.
func cutTexts(content []model.Content, limit int) []model.Content {
	total := 0
	for _, c := range content {
		total += utf8.RuneCountInString(c.Text) + utf8.RuneCountInString(c.Thinking)
	}
	if total <= limit {
		return content
	}
	left := max(0, limit-len(truncationMark)-pagedata.EndLength)
	out := slices.Clone(content)
	for i := range out {
		for _, text := range []*string{&out[i].Text, &out[i].Thinking} {
			cut := firstCharacters(*text, left)
			left -= utf8.RuneCountInString(cut)
			if len(cut) < len(*text) {
				*text = pagedata.Close(cut)
			}
		}
	}
	out = slices.DeleteFunc(out, func(c model.Content) bool {
		return c.Type == model.TextContent && c.Text == "" || c.Type == model.ThinkingContent && c.Thinking == ""
	})
	return append(out, model.Content{Type: model.TextContent, Text: firstCharacters(truncationMark, limit)})
}

// squeeze cuts what is left so that it fits in, where the last calls or the task itself are
// too large: first arguments, then texts, the longest first.
func (h *history) squeeze(limit int) {
	if h.size() <= limit {
		return
	}
	for i := range h.groups {
		h.groups[i].shorten()
	}
	whole := slices.Clone(h.groups)
	least := limit / (4 * h.length()) // below it, names and arguments alone are that much
	for share := limit; h.size() > limit && share > least; share = share * 2 / 3 {
		for i, g := range whole {
			h.groups[i].messages = slices.Clone(g.messages)
			for j, m := range g.messages {
				if messageSize(m) > share {
					h.groups[i].messages[j].Content = cutTexts(m.Content, share)
				}
			}
		}
	}
}

// maxSummary is the most that the summary of what was dropped has, in characters.
const maxSummary = 1_500

// summary describes the messages that were dropped, by words of the person and of the
// assistant alone: what tools gave back is no part of it, as it would stand there unmarked.
func (h *history) summary() model.Content {
	requests, calls, failed := []string{}, map[string]int{}, map[string]int{}
	var names []string
	count, last := 0, ""
	for _, g := range h.dropped {
		for _, m := range g.messages {
			count++
			switch {
			case isRequest(m):
				requests = append(requests, quoted(m, 150))
			case m.Role == model.RoleToolResult:
				if calls[m.ToolName]++; calls[m.ToolName] == 1 {
					names = append(names, m.ToolName)
				}
				if m.IsError {
					failed[m.ToolName]++
				}
			case m.Role == model.RoleAssistant:
				if text := quoted(m, 300); text != `""` {
					last = text
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%d messages between this task and the next message are left out.", count)
	if len(requests) > 0 {
		fmt.Fprintf(&b, " The person also asked: %s.", strings.Join(requests[max(0, len(requests)-3):], "; "))
	}
	for i, name := range names[:min(len(names), 8)] {
		names[i] = fmt.Sprintf("%s %d times", truncate.Characters(name, 40), calls[name])
		if failed[name] > 0 {
			names[i] += fmt.Sprintf(" (%d failed)", failed[name])
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, " Tools that were called: %s.", strings.Join(names[:min(len(names), 8)], ", "))
	}
	if last != "" {
		fmt.Fprintf(&b, " You wrote last: %s.", last)
	}
	return model.Content{Type: model.TextContent, Text: truncate.Characters(b.String(), maxSummary-1) + "]"}
}

// quoted returns the beginning of a message's text.
func quoted(m model.Message, limit int) string {
	var texts []string
	for _, c := range m.Content {
		if c.Type == model.TextContent {
			texts = append(texts, firstCharacters(c.Text, limit))
		}
	}
	return `"` + truncate.Characters(strings.Join(strings.Fields(strings.Join(texts, " ")), " "), limit) + `"`
}
