package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// hostOf is a client of a host that answers log_read with a function.
func hostOf(t *testing.T, read func(context.Context, control.LogParams) (control.LogPage, error)) *control.Client {
	t.Helper()
	path := filepath.Join(folder(t), "h.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	m := rpc.NewMux(nil)
	rpc.Handle(m, control.MethodStatus, func(context.Context, control.Empty) (control.Status, error) { return control.Status{}, nil })
	rpc.Handle(m, control.MethodLog, read)
	go func() {
		stream, err := listener.Accept()
		if err != nil {
			return // the test is over
		}
		if _, err := rpc.Connect(t.Context(), stream, rpc.Options{Handler: m.Serve, MaxIn: 1 << 20, MaxOut: 1 << 20}); err != nil {
			t.Error(err)
		}
	}()
	return dial(t, path)
}

// pageAt is a page of one record, with another after it up to the last.
func pageAt(p control.LogParams, last uint64) control.LogPage {
	seq := max(p.From, 1)
	page := control.LogPage{Records: []journal.Record{{Seq: seq, Type: journal.TypeClaim}}}
	if seq < last {
		page.Next = seq + 1
	}
	return page
}

func TestLogReadsOn(t *testing.T) {
	// Ensure that the host reads the next page while the caller works on one, and no page beyond it.
	asked := make(chan uint64, 10)
	c := hostOf(t, func(_ context.Context, p control.LogParams) (control.LogPage, error) {
		asked <- p.From
		return pageAt(p, 3), nil
	})
	next := func() (from uint64) {
		select {
		case from = <-asked:
		case <-limited(t).Done():
			t.Fatal("no page was asked for")
		}
		return from
	}
	seen := uint64(0)
	err := c.Log(limited(t), control.LogParams{}, func(r journal.Record) error {
		if seen++; r.Seq != seen {
			t.Errorf("record %d after %d", r.Seq, seen-1)
		}
		if seen == 1 {
			next() // the first page itself
		}
		if seen < 3 && next() != seen+1 {
			t.Error("another page was asked for")
		}
		if len(asked) > 0 {
			t.Errorf("the page of %d was asked for, too", <-asked)
		}
		return nil
	})
	if err != nil || seen != 3 {
		t.Errorf("%d records, %v", seen, err)
	}
}

func TestLogIsLeft(t *testing.T) {
	// Ensure that a caller who has enough ends the reading of the next page, too, gets its own error, and can go on with the connection.
	reading, ended := make(chan struct{}), make(chan struct{})
	c := hostOf(t, func(ctx context.Context, p control.LogParams) (control.LogPage, error) {
		if p.From == 2 {
			close(reading)
			<-ctx.Done()
			close(ended)
			return control.LogPage{}, ctx.Err()
		}
		return pageAt(p, 2), nil
	})
	enough := errors.New("enough")
	ctx := limited(t)
	if err := c.Log(ctx, control.LogParams{}, func(journal.Record) error {
		within(t, reading, "the next page")
		return enough
	}); !errors.Is(err, enough) || ctx.Err() != nil {
		t.Errorf("got %v, %v", err, ctx.Err())
	}
	within(t, ended, "the end of the reading")
	if err := c.Log(limited(t), control.LogParams{From: 9}, func(journal.Record) error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestLogThatBreaksOff(t *testing.T) {
	// Ensure that what came before the connection ended reaches the caller, who learns of the end.
	end := make(chan func() error, 1)
	c := hostOf(t, func(ctx context.Context, p control.LogParams) (control.LogPage, error) {
		if p.From == 2 {
			_ = (<-end)()
			<-ctx.Done()
		}
		return pageAt(p, 3), nil
	})
	end <- c.Close
	seen := 0
	err := c.Log(limited(t), control.LogParams{}, func(journal.Record) error {
		within(t, c.Done(), "the end")
		seen++
		return nil
	})
	if !fault.Is(err, fault.TransportFailed) || seen != 1 {
		t.Errorf("%d records, %v", seen, err)
	}
}

func TestPagesOnTheWire(t *testing.T) {
	// Ensure that the records of a page arrive as the log has them, with all members, whatever is in them; their data in its canonical form.
	h, _, c := started(t)
	const hostile = "\"\\\u2028</script>\x00\n𝄞\u007f"
	text, err := json.Marshal(map[string]any{"<a>": hostile, "n": json.Number("1.50e3")})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []journal.Record{
		{Type: journal.TypeClaim},
		{SessionID: hostile, Type: journal.TypeOutcome, CallID: hostile, ParentID: hostile, Name: hostile, Data: text},
		{Type: journal.TypeLifecycle, Data: json.RawMessage(`[ 1, "a\/b" ]`)},
	} {
		if err := h.dispatcher.Journal.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want, err := h.dispatcher.Journal.Read(1, 0)
	if err != nil || len(want) < 3 {
		t.Fatal(len(want), err)
	}
	for i := range want {
		if len(want[i].Data) == 0 {
			continue
		}
		if want[i].Data, err = strictjson.Canonical(want[i].Data, strictjson.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	var got []journal.Record
	if err := c.Log(limited(t), control.LogParams{Limit: 2}, func(r journal.Record) error {
		got = append(got, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
