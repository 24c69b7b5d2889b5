package endpoint

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// The paths that are there.
const (
	agentPath  = "/v1/agent"
	healthPath = "/health"
)

// tokenShape is what a token looks like: nothing else is looked up.
var tokenShape = regexp.MustCompile(`^[0-9a-f]{48}$`)

// admit checks a request in the order that callers rely on: host, origin, path, token, method,
// type and size.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	if !isLoopbackHost(r.Host) {
		return fault.New(fault.PermissionDenied, "the header Host names no address of this machine").
			WithNextStep("Ask 127.0.0.1, [::1] or localhost: other names may be led here by a web page.")
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin+"/" != manifest.ExtensionURL {
			return fault.New(fault.PermissionDenied, "the header Origin names another program than the extension").
				WithNextStep("Web pages are not answered. A program of yours sends no Origin.")
		}
	}
	if r.URL.Path == healthPath {
		return allowMethod(w, r, http.MethodGet, http.MethodHead)
	}
	if r.URL.Path != agentPath {
		return fault.New(fault.EndpointNotFound, "there is nothing at this path")
	}
	if err := s.authorize(w, r); err != nil {
		return err
	}
	if err := allowMethod(w, r, http.MethodPost); err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fault.New(fault.MediaTypeUnsupported, "the body is not declared as application/json")
	}
	if r.ContentLength > MaxBody {
		return tooLarge()
	}
	return nil
}

// isLoopbackHost reports whether the Host header names this machine.
func isLoopbackHost(header string) bool {
	host := header
	if h, port, err := net.SplitHostPort(header); err == nil {
		if !isPort(port) {
			return false
		}
		host = h
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.Unmap().IsLoopback()
}

func isPort(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != "" && len(text) <= 5
}

// authorize checks the token. A good one is served whatever its address did before.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) error {
	good, err := s.hasToken(r)
	if err != nil || good {
		return err
	}
	if s.failures.add(remote(r), s.now()) {
		return fault.New(fault.Unauthorized, "the token is missing or wrong")
	}
	w.Header().Set("Retry-After", "60")
	return fault.New(fault.RateLimited, "there were too many wrong tokens from this address").
		With("retry_after_ms", lockTimeout.Milliseconds()).
		WithNextStep("Wait a minute, then send a token of actions-host token new. A good one is served at once.")
}

func (s *Server) hasToken(r *http.Request) (bool, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return false, nil
	}
	scheme, text, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || !tokenShape.MatchString(text) {
		return false, nil
	}
	return s.config.Tokens.Check(text)
}

// remote returns the address of the caller without its port; all on the unix socket are one.
func remote(r *http.Request) string {
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return at.Addr().Unmap().String()
	}
	return "unix"
}

func allowMethod(w http.ResponseWriter, r *http.Request, allowed ...string) error {
	for _, method := range allowed {
		if r.Method == method {
			return nil
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return fault.New(fault.MethodNotAllowed, "%s does not take this method", r.URL.Path)
}

func tooLarge() error {
	return fault.New(fault.PayloadTooLarge, "the body has more than %d bytes", MaxBody).With("max_bytes", MaxBody).
		WithNextStep("Send less: at most 40,000 characters of pageContent reach the model, and older results are cut.")
}

// read reads the body within its time.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fault.New(fault.Timeout, "the body did not arrive within %s", s.timeouts.body).
			WithNextStep("Send the whole body at once.")
	case err != nil:
		return nil, invalid("the body cannot be read")
	}
	// From here on a read that ends means that the caller has gone.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return text, nil
}
