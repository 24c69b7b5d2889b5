package voice

import "slices"

// Limits of what is carried over to a new connection.
const (
	historyItems = 60
	historyBytes = 32_000
)

// history is the newest part of the conversation, as text.
type history struct {
	items []Item
	bytes int
	added int // items ever

	// task is the user's newest message, and taskNumber what added was with it. It is kept
	// also where the results of long work have pushed it out of the items.
	task       Item
	taskNumber int
}

// add stores a message; pictures and bare results are not carried over.
func (h *history) add(item Item) {
	if item.Message == nil || item.Message.Text == "" {
		return
	}
	h.items = append(h.items, item)
	h.added++
	if item.Message.Role == "user" {
		h.task, h.taskNumber = item, h.added
	}
	h.bytes += len(item.Message.Text)
	for len(h.items) > historyItems || h.bytes > historyBytes && len(h.items) > 1 {
		h.bytes -= len(h.items[0].Message.Text)
		h.items = h.items[1:]
	}
}

// since returns the items added after the first n ever, as far as they are kept.
func (h *history) since(n int) []Item {
	newest := h.items[max(0, len(h.items)-(h.added-n)):]
	if h.taskNumber > n && h.taskNumber <= h.added-len(h.items) {
		return append([]Item{h.task}, newest...)
	}
	return slices.Clone(newest)
}
