package primitives

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// unsavedTimeout bounds the page's report of unsaved input. A page that does not answer can be
// left all the same: it may have crashed.
const unsavedTimeout = time.Second

// Limits beyond which leaving a page is refused: a single field is often only a search.
const (
	maxDirtyFields = 1
	maxChosenFiles = 0
)

// requireSaved returns an error if the page has unsaved input that would be lost.
func (h *Handlers) requireSaved(ctx context.Context, c primitive.Call) error {
	if !origin.Operable(c.URL) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, unsavedTimeout)
	defer cancel()
	raw, err := h.inPage(limited, c, "page.unsaved", json.RawMessage(`{}`))
	if fault.Is(err, fault.DialogOpen) {
		f := *fault.From(err)
		f.Dispatched = fault.NotDispatched // only the query was sent
		return &f
	}
	if err != nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var unsaved struct {
		Fields []string `json:"fields"`
		Files  int      `json:"files"`
	}
	if err := json.Unmarshal(raw, &unsaved); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "what the page holds cannot be read: %v", err).WithDispatched(fault.NotDispatched)
	}
	if len(unsaved.Fields) <= maxDirtyFields && unsaved.Files <= maxChosenFiles {
		return nil
	}
	return fault.New(fault.UnsavedChanges, "the page holds %d edited fields and %d chosen files that were not sent", len(unsaved.Fields), unsaved.Files).
		With("fields", unsaved.Fields).With("files", unsaved.Files).WithDispatched(fault.NotDispatched)
}
