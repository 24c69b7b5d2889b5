package nativemsg

import (
	"encoding/binary"
	"io"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// stages are the sizes up to which a frame gets memory, one after the other as its bytes
// arrive; after the last it gets all of it. A header alone claims the first, and a Reader
// never holds more than its limit plus these.
var stages = [...]int{4 << 10, 32 << 10, 1 << 20}

// Room limits the memory of the frames that have begun and are not complete. A Reader calls
// it from its own goroutine.
type Room interface {
	// Begin is called when the length of a frame has arrived.
	Begin()
	// Take is called before the frame takes this much more memory, in bytes. An error
	// refuses the frame.
	Take(bytes int) error
	// End is called when the frame is complete, was skipped or broke off.
	End()
}

// RefusedFrame is the error of a frame for which there was no [Room]. The Reader has skipped
// it and is at the next one.
type RefusedFrame struct {
	Start  []byte // what had arrived of it
	Reason error
}

// Error implements error.
func (r *RefusedFrame) Error() string { return r.Reason.Error() }

// Unwrap returns the reason.
func (r *RefusedFrame) Unwrap() error { return r.Reason }

// Reader takes frames from a stream. It reads no byte beyond the frame it
// returns.
type Reader struct {
	r      io.Reader
	max    int
	room   Room  // nil: not limited
	failed error // the final error, once there is one
}

// NewReader returns a Reader of frames of at most max bytes; a max that is not
// positive means MaxFromBrowser.
func NewReader(r io.Reader, max int) *Reader {
	if max <= 0 {
		max = MaxFromBrowser
	}
	return &Reader{r: r, max: max}
}

// Limit makes the room decide about every further frame.
func (r *Reader) Limit(room Room) { r.room = room }

// ReadFrame waits for the next frame and returns its payload, which the caller
// owns. It returns the bare io.EOF when the stream ended after a whole frame.
// Other errors are *fault.Error; their cause is ErrEmptyFrame,
// ErrFrameTooLarge, a [RefusedFrame], io.ErrUnexpectedEOF for a stream that ends within
// a frame, or the stream's own error.
func (r *Reader) ReadFrame() ([]byte, error) {
	if r.failed != nil {
		return nil, r.failed
	}
	var header [headerSize]byte
	if n, err := io.ReadFull(r.r, header[:]); err != nil {
		if err == io.EOF {
			return nil, r.fail(io.EOF)
		}
		return nil, r.fail(brokenStream(err, "within the length of a frame", n, headerSize))
	}
	// uint64 holds any claimed length, also where int has 32 bits.
	size := uint64(binary.NativeEndian.Uint32(header[:]))
	switch {
	case size == 0:
		return nil, emptyFrame()
	case size > uint64(r.max):
		return nil, r.fail(tooLarge(header, size, r.max))
	}
	if r.room == nil {
		return r.readPayload(int(size))
	}
	r.room.Begin()
	defer r.room.End()
	return r.readPayload(int(size))
}

func (r *Reader) readPayload(size int) ([]byte, error) {
	var payload []byte
	for stage := 0; len(payload) < size; stage++ {
		next := size
		if stage < len(stages) {
			next = min(size, stages[stage])
		}
		if r.room != nil {
			if err := r.room.Take(next - len(payload)); err != nil {
				return nil, r.skip(payload, size, err)
			}
		}
		grown := make([]byte, next)
		copy(grown, payload)
		if n, err := io.ReadFull(r.r, grown[len(payload):]); err != nil {
			return nil, r.fail(brokenPayload(err, len(payload)+n, size))
		}
		payload = grown
	}
	return payload, nil
}

// skip passes over the rest of a frame that was refused.
func (r *Reader) skip(start []byte, size int, reason error) error {
	n, err := io.CopyN(io.Discard, r.r, int64(size-len(start)))
	if err != nil {
		return r.fail(brokenPayload(err, len(start)+int(n), size))
	}
	return &RefusedFrame{start, reason}
}

func brokenPayload(err error, got, want int) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the header promised more
	}
	return brokenStream(err, "within a frame", got, want)
}

func (r *Reader) fail(err error) error {
	r.failed = err
	return err
}

func brokenStream(err error, where string, got, want int) error {
	return fault.Wrap(err, fault.TransportFailed, "the stream broke off %s, after %d of %d bytes: %v", where, got, want, err)
}

// tooLarge names the usual reason of an absurd length: a program printed text
// to the stream and its first four letters were taken for a length.
func tooLarge(header [headerSize]byte, size uint64, max int) error {
	e := fault.Wrap(ErrFrameTooLarge, fault.InvalidMessage, "a frame claims %d bytes; %d are allowed", size, max)
	if printable(header[:]) {
		e = fault.Wrap(ErrFrameTooLarge, fault.InvalidMessage,
			"a frame claims %d bytes; %d are allowed. Its length reads as the text %q: something wrote text to the stream", size, max, header[:])
	}
	return e.With("claimed_bytes", size).With("max_bytes", max)
}

func printable(text []byte) bool {
	for _, c := range text {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}
