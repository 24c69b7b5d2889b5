package nativemsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

const fuzzLimit = 1 << 10

// FuzzReader compares the Reader with a slicing of the same bytes.
func FuzzReader(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add(append(frame("one"), frame("two")...), byte(1))
	f.Add(append(header(0), frame("after empty")...), byte(2))
	f.Add(frame("truncated")[:7], byte(0))
	f.Add([]byte("text on the stream"), byte(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0}, byte(0))
	f.Add(append(header(fuzzLimit+1), make([]byte, fuzzLimit+1)...), byte(2))
	// Ensure that any stream, cut in any way, yields exactly its frames and then
	// the error that its rest deserves.
	f.Fuzz(func(t *testing.T, stream []byte, cut byte) {
		var source io.Reader = bytes.NewReader(stream)
		switch cut % 3 {
		case 1:
			source = iotest.OneByteReader(source)
		case 2:
			source = iotest.DataErrReader(iotest.HalfReader(source))
		}
		r := nativemsg.NewReader(source, fuzzLimit)
		for rest := stream; ; {
			got, err := r.ReadFrame()
			switch {
			case len(rest) == 0:
				if err != io.EOF {
					t.Fatalf("at the end: got %v", err)
				}
				return
			case len(rest) < 4:
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("within a length: got %v", err)
				}
				return
			}
			size := int(binary.NativeEndian.Uint32(rest))
			rest = rest[4:]
			switch {
			case size == 0:
				if !errors.Is(err, nativemsg.ErrEmptyFrame) {
					t.Fatalf("empty frame: got %v", err)
				}
				continue
			case size > fuzzLimit:
				if !errors.Is(err, nativemsg.ErrFrameTooLarge) {
					t.Fatalf("frame of %d bytes: got %v", size, err)
				}
				return
			case size > len(rest):
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("within a frame: got %v", err)
				}
				return
			}
			if err != nil || !bytes.Equal(got, rest[:size]) {
				t.Fatalf("got %q, %v; want %q", got, err, rest[:size])
			}
			rest = rest[size:]
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(`{"a":1}`), []byte{})
	f.Add([]byte{0}, []byte("x"))
	// Ensure that what was written is read, frame by frame.
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var stream bytes.Buffer
		w := nativemsg.NewWriter(&stream, 0)
		var sent [][]byte
		for _, payload := range [][]byte{first, second} {
			if err := w.WriteFrame(payload); err == nil {
				sent = append(sent, payload)
			} else if len(payload) > 0 && len(payload) <= nativemsg.MaxToBrowser {
				t.Fatal(err)
			}
		}
		r := nativemsg.NewReader(&stream, 0)
		for _, want := range sent {
			if got, err := r.ReadFrame(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("got %q, %v; want %q", got, err, want)
			}
		}
		if _, err := r.ReadFrame(); err != io.EOF {
			t.Fatalf("at the end: got %v", err)
		}
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "1MB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			payload := make([]byte, size)
			var stream bytes.Buffer
			w := nativemsg.NewWriter(&stream, 0)
			r := nativemsg.NewReader(&stream, 0)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.WriteFrame(payload); err != nil {
					b.Fatal(err)
				}
				if _, err := r.ReadFrame(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
