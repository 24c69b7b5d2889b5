package control

import "time"

// SetStallTimeout sets how long a client may stand still, and returns what sets it back.
func SetStallTimeout(d time.Duration) (reset func()) {
	before := stallTimeout
	stallTimeout = d
	return func() { stallTimeout = before }
}

// Admitted returns how many requests of all clients run or wait.
func (s *Server) Admitted() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.conns {
		l.mu.Lock()
		n += l.admitted
		l.mu.Unlock()
	}
	return n
}
