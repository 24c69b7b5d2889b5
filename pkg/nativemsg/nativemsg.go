// Package nativemsg frames messages as Chrome's native messaging does: a
// 4-byte length in the machine's own byte order, then that many bytes of UTF-8
// JSON.
//
// Rules of this package:
//   - It knows frames, not what is in them.
//   - A length is compared with its limit before memory is taken for it.
//   - io.EOF means the stream ended between two frames and nothing else.
//   - After an error other than ErrEmptyFrame and RefusedFrame the position in the
//     stream is lost: every further call returns the same error.
//   - A Reader and a Writer each belong to one goroutine. Nothing else may write
//     to the stream: one stray print ends the connection.
package nativemsg

import (
	"errors"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// The browser's limits on the bytes after the length, as Chrome documents and
// enforces them.
const (
	MaxFromBrowser = 64 << 20
	MaxToBrowser   = 1 << 20
)

const headerSize = 4

// ErrFrameTooLarge is the cause of the error for a frame above the limit. On a
// Reader it is final; a Writer has written nothing and can go on.
var ErrFrameTooLarge = errors.New("frame too large")

// ErrEmptyFrame is the cause of the error for a frame of length zero, which the
// browser drops silently. It is never final: the Reader is at the
// next frame, the Writer has written nothing.
var ErrEmptyFrame = errors.New("empty frame")

func emptyFrame() error {
	return fault.Wrap(ErrEmptyFrame, fault.InvalidMessage, "a frame of length zero holds no message")
}
