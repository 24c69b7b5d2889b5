package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestNewTakesTheDeclaredTraits(t *testing.T) {
	// Ensure that a fault carries what errors.json declares for its code, and its own message.
	f := fault.New(fault.TargetNotVisible, "%q is %d px below the fold", "#buy", 40)
	if f.Message != `"#buy" is 40 px below the fold` || f.Error() != "target_not_visible: "+f.Message {
		t.Errorf("message %q, error %q", f.Message, f.Error())
	}
	if !f.Retryable || !f.Recoverable || f.NextStep == "" || f.Dispatched != "" || f.Evidence != nil {
		t.Errorf("got %+v", f)
	}
	if f := fault.New(fault.VersionSkew, "too old"); f.Retryable || f.Recoverable {
		t.Errorf("version_skew is hopeless until something is updated: %+v", f)
	}
}

func TestNewWithAnUndeclaredCode(t *testing.T) {
	// Ensure that a code of a newer peer is kept, with the traits of a defect: nothing is promised about it.
	f := fault.New("of_tomorrow", "m")
	defect := fault.New(fault.InternalError, "m")
	if f.Code != "of_tomorrow" || f.NextStep != defect.NextStep || f.Retryable || f.Recoverable || fault.Known(f.Code) {
		t.Errorf("got %+v", f)
	}
}

func TestJSONForm(t *testing.T) {
	// Ensure the JSON form is the envelope's: exact names, and no member that says nothing.
	raw, err := json.Marshal(fault.New(fault.Cancelled, "m"))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "next_step")
	want := map[string]any{"code": "cancelled", "message": "m", "recoverable": true, "retryable": false}
	if diff := cmp.Diff(want, members); diff != "" {
		t.Error(diff)
	}
	full, err := json.Marshal(fault.New(fault.Cancelled, "m").With("k", 1).WithDispatched(fault.WasDispatched).WithNextStep("n"))
	if err != nil {
		t.Fatal(err)
	}
	wantFull := `{"code":"cancelled","message":"m","recoverable":true,"retryable":false,"dispatched":"yes","evidence":{"k":1},"next_step":"n"}`
	if string(full) != wantFull {
		t.Errorf("got %s", full)
	}
}

func TestWithCopies(t *testing.T) {
	// Ensure that evidence, hints and answers added on the way up never change the fault below, which others may hold.
	base := fault.New(fault.HandlerFailed, "m").With("a", 1)
	more := base.With("b", 2).With("a", 3).WithNextStep("other").WithDispatched(fault.NotDispatched)
	if diff := cmp.Diff(map[string]any{"a": 1}, base.Evidence); diff != "" {
		t.Errorf("the base changed: %s", diff)
	}
	if base.NextStep == "other" || base.Dispatched != "" {
		t.Errorf("the base changed: %+v", base)
	}
	if diff := cmp.Diff(map[string]any{"a": 3, "b": 2}, more.Evidence); diff != "" {
		t.Error(diff)
	}
	if more.NextStep != "other" || more.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v", more)
	}
}

func TestDispatchedStays(t *testing.T) {
	// Ensure that whoever is nearest to the page has the last word on whether a call was sent.
	f := fault.New(fault.HandlerFailed, "m").WithDispatched(fault.WasDispatched).WithDispatched(fault.NotDispatched)
	if f.Dispatched != fault.WasDispatched {
		t.Errorf("dispatched %q", f.Dispatched)
	}
}

func TestFrom(t *testing.T) {
	// Ensure that every error becomes a fault of the right code and that its cause can still be found.
	own := fault.New(fault.TargetNotFound, "m")
	for name, c := range map[string]struct {
		err   error
		code  fault.Code
		cause error
	}{
		"fault":           {own, fault.TargetNotFound, own},
		"wrapped fault":   {fmt.Errorf("while clicking: %w", own), fault.TargetNotFound, own},
		"joined fault":    {errors.Join(io.EOF, own), fault.TargetNotFound, own},
		"cancelled":       {fmt.Errorf("read: %w", context.Canceled), fault.Cancelled, context.Canceled},
		"deadline":        {context.DeadlineExceeded, fault.HandlerTimeout, context.DeadlineExceeded},
		"anything else":   {io.ErrUnexpectedEOF, fault.InternalError, io.ErrUnexpectedEOF},
		"cause of a wrap": {fault.Wrap(io.EOF, fault.TransportFailed, "m"), fault.TransportFailed, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			f := fault.From(c.err)
			if f.Code != c.code || f.Message == "" || !errors.Is(f, c.cause) {
				t.Errorf("got %v", f)
			}
			if !fault.Is(fmt.Errorf("more: %w", f), c.code) || fault.Is(f, fault.NavigationFailed) {
				t.Errorf("Is does not see %v as it is", f)
			}
		})
	}
	if fault.From(nil) != nil || fault.Is(nil, fault.InternalError) {
		t.Error("no error became one")
	}
	if diff := cmp.Diff(own, fault.From(own), cmpopts.IgnoreUnexported(fault.Error{})); diff != "" {
		t.Errorf("a fault does not stay as it is: %s", diff)
	}
}
