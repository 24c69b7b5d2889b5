package primitives

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// The devices that real input comes from; text counts as keys.
const (
	devicePointer = "pointer"
	deviceKeys    = "keys"
)

// endInputTimeout bounds the end of input that was given up.
const endInputTimeout = 3 * time.Second

// hold names one run of real input. While it lasts, the extension keeps pointer
// and focus out of all frames that the input was not decided for.
type hold struct {
	id   string // known to the host and the extension only
	mark string // an attribute that pages can see
}

func newHold() hold {
	return hold{id: rand.Text(), mark: "h" + strings.ToLower(rand.Text())}
}

// command is one command of the protocol's Input domain.
type command struct {
	method string
	params any
}

// step is a part of real input: its commands are sent together, so that the page
// has no time to change in between.
type step struct {
	wait     time.Duration // before it
	check    bool          // that the target is still where it was, right before it
	settle   bool          // the check waits until the target has drawn itself anew for the pointer
	optional bool          // it is sent together with the step before it, and need not arrive
	commands []command
	release  []command // lets go of all that is pressed after this step; sent when the input ends after it
}

// realInput is a run of real input, or a part of one.
type realInput struct {
	hold      hold
	device    string
	documents []string // that it is for; empty is the tab's own
	steps     []step
	more      bool // another part of the same run follows
}

// sendInput sends real input. For input that was sent in part, its error has the number of
// commands that were carried out as evidence. A dialog that opens ends the wait.
func (h *Handlers) sendInput(ctx context.Context, c primitive.Call, in realInput) error {
	message, err := inputMessage(c, in)
	if err != nil {
		return err
	}
	return h.Browser.SendInput(ctx, message)
}

// inputMessage returns the input as the extension takes it.
func inputMessage(c primitive.Call, in realInput) (protocol.InputSend, error) {
	steps, err := protocolSteps(in.steps)
	return protocol.InputSend{
		TabID: c.TabID, Origin: c.Origin, FrameOrigins: c.FrameOrigins, Device: in.device, Documents: in.documents,
		Hold: protocol.InputHold{ID: in.hold.id, Mark: in.hold.mark}, Steps: steps, More: in.more,
	}, err
}

// endInput ends a run of real input, if it still lasts, and returns the reports of its
// documents, including those that are gone by now.
func (h *Handlers) endInput(ctx context.Context, c primitive.Call, inputHold hold) (protocol.InputSeen, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endInputTimeout)
	defer cancel()
	return h.Browser.EndInput(ctx, protocol.InputEnd{TabID: c.TabID, HoldID: inputHold.id})
}

// requireSeen returns outcome_unknown if a document that is gone had not received the input
// before: its target is unknown then. Keys is the number of keys that must have arrived, 0 if
// one event of the types is enough.
func (h *Handlers) requireSeen(ctx context.Context, c primitive.Call, inputHold hold, keys int, types ...string) error {
	seen, err := h.endInput(ctx, c, inputHold)
	got := err == nil && slices.ContainsFunc(seen.Events, func(event string) bool { return slices.Contains(types, event) })
	if got && seen.Count >= keys {
		return nil
	}
	f := fault.New(fault.OutcomeUnknown, "the document left the tab and had not reported the input by then").
		With("reason", "document_left").WithDispatched(fault.DispatchedUnknown)
	if keys > 0 {
		f = f.With("keys_sent", keys).With("keys_seen", seen.Count)
	}
	return f
}

func protocolSteps(steps []step) ([]protocol.InputStep, error) {
	out := make([]protocol.InputStep, len(steps))
	for i, s := range steps {
		commands, err := protocolCommands(s.commands)
		if err != nil {
			return nil, err
		}
		release, err := protocolCommands(s.release)
		if err != nil {
			return nil, err
		}
		out[i] = protocol.InputStep{WaitMS: int(s.wait.Milliseconds()), Check: s.check, Settle: s.settle, Optional: s.optional, Commands: commands, Release: release}
	}
	return out, nil
}

func protocolCommands(commands []command) ([]protocol.InputCommand, error) {
	out := make([]protocol.InputCommand, len(commands))
	for i, c := range commands {
		raw, err := jsonv2.Marshal(c.params)
		if err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the parameters of %s cannot be written: %v", c.method, err).WithDispatched(fault.NotDispatched)
		}
		out[i] = protocol.InputCommand{Method: c.method, Params: json.RawMessage(raw)}
	}
	return out, nil
}

// withDispatched returns the error with another value of Dispatched.
func withDispatched(err error, d fault.Dispatched) *fault.Error {
	f := *fault.From(err)
	f.Dispatched = d
	return &f
}

// commandsSent returns how many commands of a failed run were carried out.
func commandsSent(f *fault.Error) int {
	n, _ := f.Evidence["commands"].(float64)
	return int(n)
}
