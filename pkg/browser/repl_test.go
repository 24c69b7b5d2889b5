package browser

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestRunRepl(t *testing.T) {
	// Ensure that the steps of a run are served one after the other, that their errors reach the code, that a step ends with its run, and that nobody else's run has steps.
	var w *worker
	var b *Browser
	step := func(ctx context.Context, run string, n int) (protocol.ReplStepResult, error) {
		var out protocol.ReplStepResult
		err := w.Call(ctx, protocol.MethodReplStep, protocol.ReplStep{RunID: run, Step: n, Action: "browserjs", Arguments: json.RawMessage(`{}`)}, &out)
		return out, err
	}
	inThird := make(chan struct{})
	b, w = greeted(t, func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if method != protocol.MethodReplRun {
			return nil, errors.New(method)
		}
		answers := make(chan string, 2)
		for n := range 2 {
			go func() {
				out, err := step(ctx, "r", n+1)
				answers <- string(out.Value) + " " + codeOf(err)
			}()
		}
		got := map[string]bool{<-answers: true, <-answers: true}
		if !got["1 "] || !got[" needs_approval"] {
			t.Errorf("the steps gave %v", got)
		}
		if _, err := step(ctx, "other", 1); !fault.Is(err, fault.Cancelled) {
			t.Errorf("a step of no run: %v", err)
		}
		go func() { _, _ = step(context.Background(), "r", 3) }() // it ends with the connection at the latest
		<-inThird
		return protocol.ReplResult{Output: "=> 1", Files: []protocol.ReplFile{}}, nil
	})
	var at atomic.Int32
	result, err := b.RunRepl(limited(t), protocol.ReplRun{RunID: "r", Code: "x", TimeoutMS: 1000}, func(ctx context.Context, s protocol.ReplStep) (json.RawMessage, error) {
		if at.Add(1) != 1 {
			t.Error("two steps at once")
		}
		defer at.Add(-1)
		switch s.Step {
		case 2:
			return nil, fault.New(fault.NeedsApproval, "ask")
		case 3:
			close(inThird)
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.Canceled) {
				t.Errorf("the step ended with %v, not with its run", ctx.Err())
			}
			return nil, fault.From(ctx.Err())
		}
		return json.RawMessage(`1`), nil
	})
	if err != nil || result.Output != "=> 1" {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := step(limited(t), "r", 4); !fault.Is(err, fault.Cancelled) {
		t.Errorf("a step after the end: %v", err)
	}
}

func TestReplOfOlderExtension(t *testing.T) {
	// Ensure that an extension without a sandbox is sent no code, and says so in words.
	b, w := connect(t, &owner{})
	h := hello()
	h.Protocol = minProtocolRepl - 1
	w.answer = func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		t.Errorf("it was asked for %s", method)
		return nil, nil
	}
	if err := w.Call(limited(t), protocol.MethodHandshake, h, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.RunRepl(limited(t), protocol.ReplRun{RunID: "r"}, nil); !fault.Is(err, fault.CapabilityUnavailable) {
		t.Error(err)
	}
	if out, err := b.RunUserScript(limited(t), protocol.UserScriptRun{TabID: 1}); err != nil || out.Supported {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestNativeInput(t *testing.T) {
	// Ensure that real input is served for the one run, document and capability that it was armed for, until it is closed.
	b, w := greeted(t, nil)
	ask := func(p protocol.NativeInput) *fault.Error {
		return fault.From(w.Call(limited(t), protocol.MethodNativeInput, p, nil))
	}
	refused := func(p protocol.NativeInput, reason string) {
		t.Helper()
		if f := ask(p); f == nil || f.Code != fault.PermissionDenied || f.Evidence["reason"] != reason || f.Dispatched != fault.NotDispatched {
			t.Errorf("%+v: %+v", p, f)
		}
	}
	good := protocol.NativeInput{TabID: 1, RuntimeID: "D", Action: "click", Selector: "b"}
	refused(good, "not armed")
	n := b.ArmNativeInput(1, "D")
	good.Capability = n.Capability()
	if len(good.Capability) != 32 {
		t.Errorf("the capability is %q", good.Capability)
	}
	for _, c := range []string{"", "x", good.Capability[1:], good.Capability + "0", b.ArmNativeInput(2, "D").Capability()} {
		wrong := good
		wrong.Capability = c
		refused(wrong, "wrong capability")
	}
	for _, wrong := range []protocol.NativeInput{{TabID: 1, RuntimeID: "E", Capability: good.Capability, Action: "click"}, {TabID: 3, RuntimeID: "D", Capability: good.Capability, Action: "click"}} {
		refused(wrong, "not armed")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := <-n.Requests()
		if r.Input.Selector != "b" {
			t.Errorf("asked for %+v", r.Input)
		}
		r.Answer(nil)
	}()
	if f := ask(good); f != nil {
		t.Error(f)
	}
	<-done
	waiting := make(chan *fault.Error, 1)
	go func() { waiting <- ask(good) }()
	again := b.ArmNativeInput(1, "D")
	n.Close()
	if f := <-waiting; f == nil || f.Code != fault.PermissionDenied {
		t.Errorf("one that waited: %+v", f)
	}
	refused(good, "wrong capability")
	again.Close()
	refused(good, "not armed")
	var none *NativeInput
	if none.Close(); none.Capability() != "" || none.Requests() != nil {
		t.Error("none is armed")
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return string(fault.From(err).Code)
}
