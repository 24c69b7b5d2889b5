package browser

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// unsavedWait is how long a page may take to say what it holds. One that does
// not answer must still be left: it may have crashed.
const unsavedWait = time.Second

// What makes a page worth a question: a single field is often only a search.
const (
	maxDirtyFields = 1
	maxChosenFiles = 0
)

// demandSaved refuses to leave a page that holds work which would be lost.
func (h *Handlers) demandSaved(ctx context.Context, c primitive.Call) error {
	if !origin.Operable(c.URL) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, unsavedWait)
	defer cancel()
	raw, err := h.inPage(limited, c, "page.unsaved", json.RawMessage(`{}`))
	if fault.Is(err, fault.DialogOpen) {
		f := *fault.From(err)
		f.Dispatched = fault.NotDispatched // only the question was sent
		return &f
	}
	if err != nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var held struct {
		Fields []string `json:"fields"`
		Files  int      `json:"files"`
	}
	if err := json.Unmarshal(raw, &held); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "what the page holds cannot be read: %v", err).WithDispatched(fault.NotDispatched)
	}
	if len(held.Fields) <= maxDirtyFields && held.Files <= maxChosenFiles {
		return nil
	}
	return fault.New(fault.UnsavedChanges, "the page holds %d edited fields and %d chosen files that were not sent", len(held.Fields), held.Files).
		With("fields", held.Fields).With("files", held.Files).WithDispatched(fault.NotDispatched)
}
