package voice

import "slices"

// Limits of what is carried over to a new connection.
const (
	historyItems = 60
	historyBytes = 32_000
)

// history is the newest part of the conversation, as text.
type history struct {
	items []Item // one without a message holds the place of the turn with its id
	bytes int
	added int // messages ever

	// task is the user's newest message, and taskNumber what added was with it. It is kept
	// also where the results of long work have pushed it out of the items.
	task       Item
	taskNumber int
}

// hold keeps the place of a turn whose text comes later.
func (h *history) hold(id string) {
	h.items = append(h.items, Item{ID: id})
	h.trim()
}

// fill puts the text of a turn into its place; one that is empty leaves none.
func (h *history) fill(id string, message Message) {
	i := slices.IndexFunc(h.items, func(item Item) bool { return item.Message == nil && item.ID == id })
	if i < 0 {
		i = len(h.items) // it has slipped out
	} else {
		h.items = slices.Delete(h.items, i, i+1)
	}
	h.insert(i, Item{Message: &message})
}

// add stores a message; pictures and bare results are not carried over.
func (h *history) add(item Item) { h.insert(len(h.items), item) }

func (h *history) insert(i int, item Item) {
	if item.Message == nil || item.Message.Text == "" {
		return
	}
	later := slices.ContainsFunc(h.items[i:], isUserMessage)
	h.items = slices.Insert(h.items, i, item)
	h.added++
	if isUserMessage(item) && !later {
		h.task, h.taskNumber = item, h.added
	}
	h.bytes += len(item.Message.Text)
	h.trim()
}

func isUserMessage(item Item) bool { return item.Message != nil && item.Message.Role == "user" }

func (h *history) trim() {
	for len(h.items) > historyItems || h.bytes > historyBytes && len(h.items) > 1 {
		if oldest := h.items[0].Message; oldest != nil {
			h.bytes -= len(oldest.Text)
		}
		h.items = h.items[1:]
	}
}

// since returns the messages added after the first n ever, as far as they are kept.
func (h *history) since(n int) []Item {
	kept := slices.DeleteFunc(slices.Clone(h.items), func(item Item) bool { return item.Message == nil })
	newest := kept[max(0, len(kept)-(h.added-n)):]
	if h.taskNumber > n && !slices.ContainsFunc(kept, func(item Item) bool { return item.Message == h.task.Message }) {
		return append([]Item{h.task}, newest...)
	}
	return newest
}
