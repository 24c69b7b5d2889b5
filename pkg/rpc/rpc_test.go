package rpc

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const patience = time.Minute // only what hangs takes so long

// pair connects two ends; the handler answers on the far one.
func pair(t *testing.T, far Handler) *Conn {
	t.Helper()
	a, b := net.Pipe()
	if _, err := Connect(t.Context(), b, Options{Handler: far, MaxIn: 1 << 20, MaxOut: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	near, err := Connect(t.Context(), a, Options{Handler: nothing, MaxIn: 1 << 20, MaxOut: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	return near
}

func nothing(_ context.Context, method string, _ json.RawMessage) (any, error) {
	return nil, fault.New(fault.CapabilityUnavailable, "unknown %s", method)
}

func TestCall(t *testing.T) {
	// Ensure a call's parameters arrive and its answer comes back, decoded strictly.
	c := pair(t, func(_ context.Context, method string, params json.RawMessage) (any, error) {
		return map[string]any{"method": method, "params": params}, nil
	})
	var got struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := c.Call(t.Context(), "echo", map[string]int{"a": 1}, &got); err != nil {
		t.Fatal(err)
	}
	if got.Method != "echo" || string(got.Params) != `{"a":1}` {
		t.Fatalf("got %+v", got)
	}
	var narrow struct{}
	if err := c.Call(t.Context(), "echo", nil, &narrow); !fault.Is(err, fault.InvalidMessage) {
		t.Fatalf("an answer with unknown members gave %v", err)
	}
}

func TestResultThatIsNotJSON(t *testing.T) {
	// Ensure that a call whose result cannot be encoded is answered with an internal error.
	c := pair(t, func(context.Context, string, json.RawMessage) (any, error) { return json.RawMessage(`{`), nil })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Call(ctx, "broken", nil, nil); !fault.Is(err, fault.InternalError) {
		t.Fatalf("got %v", err)
	}
}

func TestEncodedResult(t *testing.T) {
	// Ensure that a result that is JSON already arrives whole, and that the caller checks it as any other: one that is none, or that two readers could read differently, is refused and costs that call only.
	c := pair(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) { return Encoded(method), nil })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got json.RawMessage
	for _, text := range []string{`{"a":["<b>",1.50e3]}`, `null`, `"x"`, `{}`} {
		if err := c.Call(ctx, text, nil, &got); err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	for _, text := range []string{`{"a":1,"a":2}`, `"\ud800"`, `{"a":1},"x":{}`} {
		if err := c.Call(ctx, text, nil, &got); !fault.Is(err, fault.InvalidMessage) {
			t.Errorf("%q gave %s, %v", text, got, err)
		}
	}
}

func TestErrorKeepsItsShape(t *testing.T) {
	// Ensure a fault crosses the wire with code, message, evidence, dispatched and next step.
	want := fault.New(fault.TargetNotFound, "nothing matches %q", "#x").With("count", 0).
		WithDispatched(fault.NotDispatched).WithNextStep("look again")
	c := pair(t, func(context.Context, string, json.RawMessage) (any, error) { return nil, want })
	got := fault.From(c.Call(t.Context(), "fail", nil, nil))
	if got.Code != want.Code || got.Message != want.Message || got.NextStep != want.NextStep || got.Dispatched != want.Dispatched {
		t.Fatalf("got %+v", got)
	}
	if got.Evidence["count"] != 0.0 {
		t.Fatalf("evidence %v", got.Evidence)
	}
}

func TestCancellation(t *testing.T) {
	// Ensure that a caller who gives up ends the handler on the other side too.
	entered, ended := make(chan struct{}), make(chan struct{})
	c := pair(t, func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		close(entered)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	err := c.Call(ctx, "slow", nil, nil)
	if !fault.Is(err, fault.Cancelled) || fault.From(err).Dispatched != fault.DispatchedUnknown {
		t.Fatalf("got %v", err)
	}
	within(t, ended, "the handler's end")
}

func TestConcurrentRequests(t *testing.T) {
	// Ensure that a slow request does not hold up the next one.
	release := make(chan struct{})
	c := pair(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		if method == "slow" {
			<-release
		}
		return "done", nil
	})
	slow := make(chan error, 1)
	go func() { slow <- c.Call(t.Context(), "slow", nil, nil) }()
	if err := c.Call(t.Context(), "quick", nil, nil); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-slow; err != nil {
		t.Fatal(err)
	}
}

func TestBrokenConnection(t *testing.T) {
	// Ensure that the end of the connection ends the calls that wait on it, and that later ones say that nothing was sent.
	near, far := net.Pipe()
	c, err := Connect(t.Context(), near, Options{Handler: nothing, MaxIn: 1 << 20, MaxOut: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { waiting <- c.Call(context.Background(), "never", nil, nil) }()
	var head [4]byte
	if _, err := io.ReadFull(far, head[:]); err != nil {
		t.Fatal(err)
	}
	far.Close()
	if f := fault.From(<-waiting); f.Code != fault.TransportFailed || f.Dispatched != fault.DispatchedUnknown {
		t.Fatalf("the waiting call got %+v", f)
	}
	within(t, c.Done(), "the connection's end")
	if f := fault.From(c.Call(t.Context(), "late", nil, nil)); f.Code != fault.TransportFailed || f.Dispatched != fault.NotDispatched {
		t.Fatalf("the late call got %+v", f)
	}
}

func TestAnswerBeforeTheEnd(t *testing.T) {
	// Ensure that an answer which came before the connection ended is given, also to who looks for it only after that.
	for i := range 50 {
		a, b := net.Pipe()
		var far *Conn
		far, err := Connect(t.Context(), b, Options{MaxIn: 1 << 20, MaxOut: 1 << 20, Handler: func(context.Context, string, json.RawMessage) (any, error) {
			return Answer{Result: 7, OnSent: func() { go far.Close() }}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		near, err := Connect(t.Context(), a, Options{Handler: nothing, MaxIn: 1 << 20, MaxOut: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := near.Start(t.Context(), "last", nil)
		if err != nil {
			t.Fatal(err)
		}
		<-near.Done()
		var got int
		late, cancel := context.WithCancel(t.Context())
		cancel() // as the end of the connection does a moment later
		if err := sent.Await(late, &got); err != nil || got != 7 {
			t.Fatalf("time %d: %d, %v", i, got, err)
		}
	}
}

func TestBadFrames(t *testing.T) {
	// Ensure that a bad frame is answered, by its id where one can be read, and costs nothing but itself.
	byID := []string{"duplicate key", "case variant", "unknown member", "old version", "no version", "both"}
	bad := map[string]string{
		"empty":           "",
		"not JSON":        "hello",
		"duplicate key":   `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`,
		"case variant":    `{"jsonrpc":"2.0","id":1,"METHOD":"a"}`,
		"unknown member":  `{"jsonrpc":"2.0","id":1,"method":"a","extra":1}`,
		"old version":     `{"jsonrpc":"1.0","id":1,"method":"a"}`,
		"no version":      `{"id":1,"method":"a"}`,
		"neither":         `{"jsonrpc":"2.0"}`,
		"both":            `{"jsonrpc":"2.0","id":1,"method":"a","result":1}`,
		"fractional id":   `{"jsonrpc":"2.0","id":1.5,"method":"a"}`,
		"reserved method": `{"jsonrpc":"2.0","method":"$/badMessage"}`,
		"array":           `[]`,
		"deep":            strings.Repeat("[", 100000),
		"trailing":        `{"jsonrpc":"2.0","id":1,"method":"a"} {}`,
	}
	for name, text := range bad {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			c, err := Connect(t.Context(), near, Options{Handler: func(context.Context, string, json.RawMessage) (any, error) {
				return "alive", nil
			}, MaxIn: 1 << 20, MaxOut: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := far.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			go func() {
				writeFrame(far, text)
				writeFrame(far, `{"jsonrpc":"2.0","id":7,"method":"still"}`)
			}()
			seen := readFrame(t, far) + readFrame(t, far)
			want := `"method":"action_error"`
			if slices.Contains(byID, name) {
				want = `"id":1,"error"`
			}
			if !strings.Contains(seen, want) || !strings.Contains(seen, string(fault.InvalidMessage)) {
				t.Fatalf("no %s: %s", want, seen)
			}
			if !strings.Contains(seen, `"id":7`) || !strings.Contains(seen, `"alive"`) {
				t.Fatalf("the connection did not go on: %s", seen)
			}
		})
	}
}

func TestOversizedAnswer(t *testing.T) {
	// Ensure that an answer too large for a frame arrives as an error instead of never.
	c := pair(t, func(context.Context, string, json.RawMessage) (any, error) {
		return strings.Repeat("x", 2<<20), nil
	})
	if err := c.Call(t.Context(), "big", nil, nil); !fault.Is(err, fault.PayloadTooLarge) {
		t.Fatalf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`, `{"jsonrpc":"2.0","id":"x","result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":{"code":"timeout","message":"m"}}}`, `{}`, `[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		// Ensure that whatever is accepted can be written again and read as the same.
		msg, err := decode(frame)
		if err != nil {
			return
		}
		text, err := encode(msg)
		if err != nil {
			t.Fatalf("%s was read but cannot be written: %v", frame, err)
		}
		if _, err := decode(text); err != nil {
			t.Fatalf("%s became %s: %v", frame, text, err)
		}
	})
}

func within(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

func TestLists(t *testing.T) {
	// Ensure that a list of messages is those messages: calls are answered each by its id, a malformed one by a typed error with its id or, without one, by the notification; that the connection goes on, and that an empty and a much too long list are one bad frame.
	a, b := net.Pipe()
	received := make(chan string, 4)
	if _, err := Connect(t.Context(), b, Options{Handler: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		received <- method
		return map[string]string{"did": method}, nil
	}, MaxIn: 1 << 20, MaxOut: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	const one, two, told = `{"jsonrpc":"2.0","id":1,"method":"one"}`, `{"jsonrpc":"2.0","id":2,"method":"two"}`, `{"jsonrpc":"2.0","method":"told"}`
	for _, c := range []struct {
		frame         string
		want          []string // parts of the answers, in any order
		notifications int
	}{
		{"[" + one + `,{"jsonrpc":"2.0","id":"bad","method":7},` + told + "," + two + "]", []string{`"id":1,"result":{"did":"one"}`, `"id":2,"result":{"did":"two"}`, `"id":"bad","error":{"code":-32000`}, 3},
		{" \n[" + one + "]", []string{`"id":1,"result"`}, 1},
		{"[7," + one + ",[" + two + "]]", []string{`"method":"action_error"`, `"id":1,"result"`, `"method":"action_error"`}, 1},
		{"[]", []string{`"method":"action_error"`}, 0},
		{"[" + strings.Repeat(one+",", maxBatch) + two + "]", []string{`"method":"action_error"`}, 0},
		{"[" + one, []string{`"method":"action_error"`}, 0},
		{one, []string{`"id":1,"result"`}, 1},
	} {
		go writeFrame(a, c.frame)
		var got []string
		for range c.want {
			got = append(got, readFrame(t, a))
		}
		for _, want := range c.want {
			at := slices.IndexFunc(got, func(answer string) bool { return strings.Contains(answer, want) })
			if at < 0 {
				t.Fatalf("%.80s: no answer has %s: %q", c.frame, want, got)
			}
			if strings.Contains(want, "error") && !strings.Contains(got[at], `"invalid_message"`) {
				t.Errorf("%.80s: %s", c.frame, got[at])
			}
			got = slices.Delete(got, at, at+1)
		}
		for range c.notifications {
			select {
			case <-received:
			case <-time.After(patience):
				t.Fatalf("%.80s: a message was not handled", c.frame)
			}
		}
	}
	if len(received) > 0 {
		t.Errorf("%s was handled too", <-received)
	}
}

func writeFrame(w io.Writer, text string) {
	frame := binary.NativeEndian.AppendUint32(nil, uint32(len(text)))
	// A write that fails shows in what the test reads.
	_, _ = w.Write(append(frame, text...))
}

func readFrame(t *testing.T, r io.Reader) string {
	t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, binary.NativeEndian.Uint32(head[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	return string(body)
}
