package nativemsg

import (
	"encoding/binary"
	"io"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// keptBuffer is the largest buffer that a Writer keeps between frames: room
// for any frame to a browser, doubled because append rounds up.
const keptBuffer = 2 * MaxToBrowser

// Writer puts frames on a stream. It is not safe for concurrent use: one
// goroutine owns it.
type Writer struct {
	w      io.Writer
	max    int
	buffer []byte
	failed error // the final error, once there is one
}

// NewWriter returns a Writer of frames of at most max bytes; a max that is not
// positive means MaxToBrowser.
func NewWriter(w io.Writer, max int) *Writer {
	if max <= 0 {
		max = MaxToBrowser
	}
	return &Writer{w: w, max: max}
}

// WriteFrame writes the payload as one frame with a single Write. A payload
// that is empty or above the limit is refused before anything is written; the
// causes are ErrEmptyFrame and ErrFrameTooLarge. When the stream itself fails,
// part of a frame may be on it and the Writer is finished.
func (w *Writer) WriteFrame(payload []byte) error {
	switch {
	case w.failed != nil:
		return w.failed
	case len(payload) == 0:
		return emptyFrame()
	case len(payload) > w.max:
		return fault.Wrap(ErrFrameTooLarge, fault.PayloadTooLarge,
			"a message of %d bytes cannot be sent; %d are allowed", len(payload), w.max).
			With("bytes", len(payload)).With("max_bytes", w.max)
	}
	// One Write keeps header and payload together, whatever else goes wrong.
	frame := binary.NativeEndian.AppendUint32(w.buffer[:0], uint32(len(payload)))
	frame = append(frame, payload...)
	if cap(frame) <= keptBuffer {
		w.buffer = frame
	}
	n, err := w.w.Write(frame)
	if err == nil && n < len(frame) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.failed = fault.Wrap(err, fault.TransportFailed, "the message could not be written to the stream: %v", err)
	}
	return w.failed
}
