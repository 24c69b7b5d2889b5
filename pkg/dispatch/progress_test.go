package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestProgress(t *testing.T) {
	// Ensure that each step of a stored action is told before it begins, in order, and that nobody who did not ask hears of it.
	r := newRig(t)
	var heard []string
	r.page = func(context.Context, primitive.Call) (json.RawMessage, error) {
		heard = append(heard, "ran")
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		for range 2 {
			if _, err := r.Step(ctx, "page.info", nil); err != nil {
				return nil, err
			}
		}
		return json.RawMessage(`{}`), nil
	}
	call := Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"a"}`)}
	ctx := WithProgress(t.Context(), func(step string) { heard = append(heard, step) })
	if e := r.Call(ctx, r.session, call); !e.OK {
		t.Fatal(e.Error)
	}
	if want := []string{"page.info", "ran", "page.info", "ran"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v", heard)
	}
	heard = nil
	if e := r.Call(t.Context(), r.session, call); !e.OK || len(heard) != 2 {
		t.Errorf("%v, heard %v", e.Error, heard)
	}
}

func TestOwnBudget(t *testing.T) {
	// Ensure that a caller's budget makes an answer shorter than the primitive's own, and never longer.
	r := newRig(t)
	record, _ := r.Catalogue.Record("page.info")
	for own, want := range map[int]int{0: defaultBudget, 500: 500, 10 * defaultBudget: defaultBudget} {
		if got := budget(record, Call{MaxOutputChars: own}); got != want {
			t.Errorf("%d gives %d, not %d", own, got, want)
		}
	}
}
