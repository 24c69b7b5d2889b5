package nativemsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

func header(size uint32) []byte { return binary.NativeEndian.AppendUint32(nil, size) }

func frame(payload string) []byte {
	return append(header(uint32(len(payload))), payload...)
}

func TestReadFrame(t *testing.T) {
	// Ensure that frames arrive whole, in order, however the stream is cut.
	stream := append(frame(`{"a":1}`), frame(strings.Repeat("x", 5000))...)
	for name, cut := range map[string]func(io.Reader) io.Reader{
		"at once":             func(r io.Reader) io.Reader { return r },
		"byte by byte":        iotest.OneByteReader,
		"in halves":           iotest.HalfReader,
		"end with last bytes": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			r := nativemsg.NewReader(cut(bytes.NewReader(stream)), 5000)
			for _, want := range []int{7, 5000} {
				if got, err := r.ReadFrame(); err != nil || len(got) != want {
					t.Fatalf("got %d bytes, %v; want %d", len(got), err, want)
				}
			}
			for range 2 {
				if _, err := r.ReadFrame(); err != io.EOF {
					t.Fatalf("got %v, want the bare io.EOF", err)
				}
			}
		})
	}
}

func TestReadFrameTruncated(t *testing.T) {
	// Ensure that a stream that ends anywhere within a frame is not taken for a
	// clean end.
	whole := frame(`{"method":"x"}`)
	for cut := 1; cut < len(whole); cut++ {
		r := nativemsg.NewReader(bytes.NewReader(whole[:cut]), 0)
		_, err := r.ReadFrame()
		if !errors.Is(err, io.ErrUnexpectedEOF) || !fault.Is(err, fault.TransportFailed) {
			t.Errorf("cut at %d: got %v", cut, err)
		}
		if _, again := r.ReadFrame(); again != err {
			t.Errorf("cut at %d: then got %v", cut, again)
		}
	}
}

func TestReadFrameTruncatedLate(t *testing.T) {
	// Ensure that the second part of a long frame is waited for just the same.
	for _, missing := range []int{1, 1 << 20, 2<<20 - 1, 2 << 20} {
		text := append(header(3<<20), make([]byte, 3<<20-missing)...)
		_, err := nativemsg.NewReader(bytes.NewReader(text), 0).ReadFrame()
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes missing: got %v", missing, err)
		}
	}
}

func TestReadFrameStreamError(t *testing.T) {
	// Ensure that an error of the stream itself reaches the caller.
	broken := errors.New("pipe broke")
	for _, before := range []int{0, 2, 4, 7} {
		r := nativemsg.NewReader(io.MultiReader(bytes.NewReader(frame("abcdef")[:before]), iotest.ErrReader(broken)), 0)
		if _, err := r.ReadFrame(); !errors.Is(err, broken) || !fault.Is(err, fault.TransportFailed) {
			t.Errorf("after %d bytes: got %v", before, err)
		}
	}
}

func TestReadFrameEdges(t *testing.T) {
	// Ensure that the limit itself passes, one more byte is final and says why,
	// and an empty frame costs nothing but itself.
	stream := append(header(0), frame("12345")...)
	stream = append(stream, frame("123456")...)
	r := nativemsg.NewReader(bytes.NewReader(stream), 5)
	if _, err := r.ReadFrame(); !errors.Is(err, nativemsg.ErrEmptyFrame) {
		t.Fatalf("empty frame: got %v", err)
	}
	if got, err := r.ReadFrame(); err != nil || string(got) != "12345" {
		t.Fatalf("got %q, %v", got, err)
	}
	for range 2 {
		_, err := r.ReadFrame()
		e := fault.From(err)
		if !errors.Is(err, nativemsg.ErrFrameTooLarge) || e.Evidence["claimed_bytes"] != uint64(6) {
			t.Fatalf("got %v", err)
		}
		if strings.Contains(e.Message, "text") {
			t.Errorf("a plain number was taken for text: %v", e)
		}
	}
}

func TestReadFrameOfText(t *testing.T) {
	// Ensure that a program that printed to the stream is told so: the classic
	// absurd length is the first four letters.
	_, err := nativemsg.NewReader(strings.NewReader("panic: oh no"), 0).ReadFrame()
	if !errors.Is(err, nativemsg.ErrFrameTooLarge) || !strings.Contains(err.Error(), `"pani"`) ||
		!strings.Contains(err.Error(), "wrote text to the stream") {
		t.Errorf("got %v", err)
	}
	_, err = nativemsg.NewReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff}), 0).ReadFrame()
	if !errors.Is(err, nativemsg.ErrFrameTooLarge) || strings.Contains(err.Error(), "text") {
		t.Errorf("got %v", err)
	}
}

func TestReadFrameMemory(t *testing.T) {
	// Ensure that a header alone claims next to no memory, and a frame of the largest
	// size no more than the limit and 1 MiB.
	allocated := func(stream io.Reader) uint64 {
		r := nativemsg.NewReader(stream, nativemsg.MaxFromBrowser)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = r.ReadFrame()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const slack = 64 << 10
	least := allocated(bytes.NewReader(header(nativemsg.MaxFromBrowser)))
	for range 9 { // what the runtime itself takes meanwhile only adds
		least = min(least, allocated(bytes.NewReader(header(nativemsg.MaxFromBrowser))))
	}
	if least > 8<<10 {
		t.Errorf("a header alone took %d bytes", least)
	}
	full := io.MultiReader(bytes.NewReader(header(nativemsg.MaxFromBrowser)), io.LimitReader(zeros{}, nativemsg.MaxFromBrowser))
	if got := allocated(full); got > nativemsg.MaxFromBrowser+1<<20+slack {
		t.Errorf("a frame of the largest size took %d bytes", got)
	}
}

// room is so much memory for each frame, in bytes, and records what is asked of it.
type room struct {
	each, held, begun, ended int
}

func (r *room) Begin() { r.begun++ }
func (r *room) End()   { r.ended, r.held = r.ended+1, 0 }
func (r *room) Take(n int) error {
	if r.held += n; r.held > r.each {
		return errors.New("full")
	}
	return nil
}

func TestRoom(t *testing.T) {
	// Ensure that a frame for which there is no room is skipped with its beginning known, that the next one is read, and that a stream which breaks off meanwhile gives the room back.
	const each = 100 << 10
	long := strings.Repeat("long ", each)
	stream := append(append(frame("one"), frame(long)...), frame("two")...)
	stream = append(stream, frame(long)[:each]...)
	limit := &room{each: each}
	r := nativemsg.NewReader(bytes.NewReader(stream), 0)
	r.Limit(limit)
	if got, err := r.ReadFrame(); err != nil || string(got) != "one" {
		t.Fatalf("got %q, %v", got, err)
	}
	_, err := r.ReadFrame()
	var refused *nativemsg.RefusedFrame
	if !errors.As(err, &refused) || err.Error() != "full" || len(refused.Start) == 0 || !strings.HasPrefix(long, string(refused.Start)) {
		t.Fatalf("got %v", err)
	}
	if got, err := r.ReadFrame(); err != nil || string(got) != "two" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := r.ReadFrame(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v", err)
	}
	if limit.begun != 4 || limit.ended != 4 || limit.held != 0 {
		t.Errorf("room: %+v", limit)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWriteFrame(t *testing.T) {
	// Ensure that a frame is one Write, and that a refused payload writes nothing
	// and leaves the Writer usable.
	var w countingWriter
	frames := nativemsg.NewWriter(&w, 5)
	if err := frames.WriteFrame(nil); !errors.Is(err, nativemsg.ErrEmptyFrame) {
		t.Errorf("empty: got %v", err)
	}
	if err := frames.WriteFrame([]byte("123456")); !errors.Is(err, nativemsg.ErrFrameTooLarge) || !fault.Is(err, fault.PayloadTooLarge) {
		t.Errorf("too large: got %v", err)
	}
	if w.writes != 0 {
		t.Fatalf("%d writes for refused payloads", w.writes)
	}
	for _, payload := range []string{"12345", "1"} {
		if err := frames.WriteFrame([]byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	if want := append(frame("12345"), frame("1")...); w.writes != 2 || !bytes.Equal(w.Bytes(), want) {
		t.Errorf("%d writes of %q", w.writes, w.Bytes())
	}
}

func TestWriterDefaultLimit(t *testing.T) {
	// Ensure that the default is the browser's limit, to the byte.
	frames := nativemsg.NewWriter(io.Discard, 0)
	if err := frames.WriteFrame(make([]byte, 1_048_576)); err != nil {
		t.Error(err)
	}
	if err := frames.WriteFrame(make([]byte, 1_048_577)); !errors.Is(err, nativemsg.ErrFrameTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestWriterFinalError(t *testing.T) {
	// Ensure that after half a frame nothing more is written.
	broken := errors.New("pipe broke")
	for name, w := range map[string]*countingWriter{"error": {err: broken}, "short": {short: true}} {
		frames := nativemsg.NewWriter(w, 0)
		first := frames.WriteFrame([]byte("abc"))
		if !fault.Is(first, fault.TransportFailed) || !errors.Is(first, broken) && !errors.Is(first, io.ErrShortWrite) {
			t.Errorf("%s: got %v", name, first)
		}
		if again := frames.WriteFrame([]byte("abc")); again != first || w.writes != 1 {
			t.Errorf("%s: then got %v with %d writes", name, again, w.writes)
		}
	}
}

type countingWriter struct {
	bytes.Buffer
	writes int
	err    error
	short  bool
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	switch {
	case w.err != nil:
		return 0, w.err
	case w.short:
		return len(p) - 1, nil
	}
	return w.Buffer.Write(p)
}
