package nativemsg

import (
	"encoding/binary"
	"io"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// trustedSize is how much memory a header alone can claim. A longer frame gets
// the rest once that many of its bytes have arrived, so a Reader never
// holds more than its limit plus this.
const trustedSize = 1 << 20

// Reader takes frames from a stream. It reads no byte beyond the frame it
// returns.
type Reader struct {
	r      io.Reader
	max    int
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

// ReadFrame waits for the next frame and returns its payload, which the caller
// owns. It returns the bare io.EOF when the stream ended after a whole frame.
// Other errors are *fault.Error; their cause is ErrEmptyFrame,
// ErrFrameTooLarge, io.ErrUnexpectedEOF for a stream that ends within a frame,
// or the stream's own error.
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
	payload := make([]byte, min(size, trustedSize))
	n, err := io.ReadFull(r.r, payload)
	if err == nil && size > trustedSize {
		whole := make([]byte, size)
		copy(whole, payload)
		payload = whole
		n, err = io.ReadFull(r.r, payload[trustedSize:])
		n += trustedSize
	}
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the header promised more
		}
		return nil, r.fail(brokenStream(err, "within a frame", n, int(size)))
	}
	return payload, nil
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
