package control

import (
	"net"
	"time"
)

// stallTimeout is how long a client may take for the rest of a message that it has begun, and
// for what the host writes to it at once. Whoever stands still for longer holds what others
// need.
var stallTimeout = 30 * time.Second

// stream is a client's end of the socket, which closes when the client stands still.
type stream struct{ net.Conn }

// Write implements [io.Writer].
func (s *stream) Write(data []byte) (int, error) {
	if err := s.SetWriteDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	n, err := s.Conn.Write(data)
	if err != nil {
		s.Close() // the rest of the frame would be taken for the next one
	}
	return n, err
}

// limitReading limits the time of what is read from now on, or not any more. It fails only
// on a stream that is closed, which reading reports.
func (s *stream) limitReading(limited bool) {
	var deadline time.Time
	if limited {
		deadline = time.Now().Add(stallTimeout)
	}
	_ = s.SetReadDeadline(deadline)
}
