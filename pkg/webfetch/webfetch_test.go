package webfetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

var loopback = Client{Private: opening("127.0.0.0/8")}

// opening opens private networks.
func opening(networks ...string) func() []netip.Prefix {
	return func() []netip.Prefix { return prefixes(networks...) }
}

func codeOf(t *testing.T, err error) fault.Code {
	t.Helper()
	var f *fault.Error
	if err == nil {
		return ""
	}
	if !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	return f.Code
}

func TestPrivateAddresses(t *testing.T) {
	// Ensure that every way to write a private address is refused before anything is sent, that public ones are not, and that the settings open what they name and never what gives out credentials.
	open := Client{Private: opening("0.0.0.0/0", "::/0")}
	for host, want := range map[string]struct{ closed, opened fault.Code }{
		"127.0.0.1": {fault.PrivateAddress, ""}, "127.1": {fault.PrivateAddress, ""}, "0x7f.1": {fault.PrivateAddress, ""}, "017700000001": {fault.PrivateAddress, ""},
		"2130706433": {fault.PrivateAddress, ""}, "0": {fault.PrivateAddress, ""}, "0x": {fault.PrivateAddress, ""}, "127.0.0.1.": {fault.PrivateAddress, ""}, "localhost": {fault.PrivateAddress, ""},
		"10.1.2.3": {fault.PrivateAddress, ""}, "172.31.255.255": {fault.PrivateAddress, ""}, "192.168.0.1": {fault.PrivateAddress, ""}, "100.64.0.1": {fault.PrivateAddress, ""},
		"[::1]": {fault.PrivateAddress, ""}, "[::]": {fault.PrivateAddress, ""}, "[::ffff:10.0.0.1]": {fault.PrivateAddress, ""}, "[64:ff9b::a00:1]": {fault.PrivateAddress, ""}, "[2002:a00:1::]": {fault.PrivateAddress, ""},
		"[fd12::1]": {fault.PrivateAddress, ""}, "[fe80::1]": {fault.PrivateAddress, ""}, "[::7f00:1]": {fault.PrivateAddress, ""}, "224.0.0.1": {fault.PrivateAddress, ""},
		"169.254.169.254": {fault.PrivateAddress, fault.PrivateAddress}, "0xa9fea9fe": {fault.PrivateAddress, fault.PrivateAddress}, "[::ffff:169.254.169.254]": {fault.PrivateAddress, fault.PrivateAddress},
		"[64:ff9b::a9fe:a9fe]": {fault.PrivateAddress, fault.PrivateAddress}, "[fd00:ec2::254]": {fault.PrivateAddress, fault.PrivateAddress}, "100.100.100.200": {fault.PrivateAddress, fault.PrivateAddress},
		"1.1.1.1": {"", ""}, "172.32.0.1": {"", ""}, "[2606:4700::1111]": {"", ""}, "[64:ff9b::101:101]": {"", ""},
	} {
		if got := codeOf(t, new(Client).Check(t.Context(), "http://"+host+"/x")); got != want.closed {
			t.Errorf("%s: %q, want %q", host, got, want.closed)
		}
		if got := codeOf(t, open.Check(t.Context(), "http://"+host+"/x")); got != want.opened {
			t.Errorf("%s with all networks open: %q, want %q", host, got, want.opened)
		}
	}
	for _, bad := range []string{"", "x", "file:///etc/passwd", "ftp://a.test/", "http://", "http://user:pw@1.1.1.1/", "javascript:1", "http://1.1.1.1:port/"} {
		if got := codeOf(t, new(Client).Check(t.Context(), bad)); got != fault.InvalidInput {
			t.Errorf("%q: %q", bad, got)
		}
	}
}

func TestConnectionIsJudged(t *testing.T) {
	// Ensure that a connection to a private address is refused though the host's addresses were public when it was judged.
	reached := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer s.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := new(Client).client().Do(request)
	if err == nil {
		answer.Body.Close()
	}
	if codeOf(t, failed(request.URL, err, false)) != fault.PrivateAddress || reached {
		t.Errorf("%v, reached %v", err, reached)
	}
}

func TestDo(t *testing.T) {
	// Ensure that a request arrives as it was asked for and without cookies, that redirects stay in their origin, and that size is bounded, also of what unpacks to more.
	var got *http.Request
	var body string
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed to another origin") }))
	defer far.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/x", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, body = r, string(raw)
		w.Header().Set("Content-Type", "text/plain")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "answer")
	})
	mux.HandleFunc("/near", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Path: "/"})
		http.Redirect(w, r, "/x", http.StatusFound)
	})
	mux.HandleFunc("/far", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, far.URL+"/y", http.StatusFound) })
	mux.HandleFunc("/cloud", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(bytes.Repeat([]byte("a"), 3*maxBytes))
		_ = z.Close()
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	do := func(r Request) Response {
		t.Helper()
		r.URL = s.URL + r.URL
		answer, err := loopback.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	answer := do(Request{Method: "PUT", URL: "/x?q=1#f", Headers: map[string]string{"x-a": "1"}, Body: "data"})
	if got.Method != "PUT" || got.Header.Get("X-A") != "1" || body != "data" || got.URL.RawQuery != "q=1" {
		t.Errorf("%s %s %v %q", got.Method, got.URL, got.Header, body)
	}
	if answer.Status != http.StatusTeapot || string(answer.Body) != "answer" || answer.ContentType != "text/plain" || answer.URL != s.URL+"/x?q=1" {
		t.Errorf("%+v", answer)
	}
	answer = do(Request{Method: "GET", URL: "/near"})
	if answer.Status != http.StatusTeapot || answer.URL != s.URL+"/x" || len(got.Cookies()) != 0 {
		t.Errorf("%+v, cookies %v", answer, got.Cookies())
	}
	for path, want := range map[string]string{"/far": far.URL + "/y", "/cloud": "http://169.254.169.254/", "/loop": s.URL + "/loop"} {
		if answer := do(Request{Method: "GET", URL: path}); answer.Status != http.StatusFound || answer.Location != want {
			t.Errorf("%s: %d to %q", path, answer.Status, answer.Location)
		}
	}
	if answer := do(Request{Method: "GET", URL: "/large"}); len(answer.Body) != maxBytes || !answer.Truncated {
		t.Errorf("%d bytes, truncated %v", len(answer.Body), answer.Truncated)
	}
}

func TestWritesAreSentOnce(t *testing.T) {
	// Ensure that a request that writes is sent to its own address alone, and that a redirect within the origin is its answer.
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			var came []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				came = append(came, r.Method+" "+r.URL.Path)
				if r.URL.Path == "/items" {
					http.Redirect(w, r, "/items/", status)
				}
			}))
			answer, err := loopback.Do(t.Context(), Request{Method: method, URL: s.URL + "/items", Body: "data"})
			s.Close()
			if err != nil || answer.Status != status || answer.Location != s.URL+"/items/" || len(came) != 1 || came[0] != method+" /items" {
				t.Errorf("%s, %d: %+v, %v; the server got %q", method, status, answer, err, came)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	// Ensure that what the request must not set is refused, that a server which is gone or silent is a failure of its own, and that the caller can give up.
	for _, name := range []string{"cookie", "Host", "proxy-authorization", "X-Forwarded-For", "te", "accept-encoding", "sec-fetch-site", "a b", "x:"} {
		_, err := loopback.Do(t.Context(), Request{Method: "GET", URL: "http://127.0.0.1:9/", Headers: map[string]string{name: "x"}})
		if codeOf(t, err) != fault.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := loopback.Do(t.Context(), Request{Method: "G T", URL: "http://127.0.0.1:9/"}); codeOf(t, err) != fault.InvalidInput {
		t.Errorf("a bad method: %v", err)
	}
	if _, err := loopback.Do(t.Context(), Request{Method: "GET", URL: "http://127.0.0.1:9/", Headers: map[string]string{"X-A": "1\r\nHost: b"}}); codeOf(t, err) != fault.InvalidInput {
		t.Errorf("a header with a line end: %v", err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, err := loopback.Do(t.Context(), Request{Method: "GET", URL: gone.URL}); codeOf(t, err) != fault.FetchFailed || fault.From(err).Dispatched != fault.NotDispatched {
		t.Errorf("a server that is gone: %+v", err)
	}
	asked, end := make(chan struct{}), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-end }))
	defer silent.Close()
	defer close(end)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := loopback.Do(ctx, Request{Method: "GET", URL: silent.URL}); codeOf(t, err) != fault.FetchFailed {
		t.Errorf("a silent server: %v", err)
	}
}

// turning is a resolver whose names turn private after so many lookups.
type turning struct{ lookups, public int }

func (r *turning) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if r.lookups++; r.lookups <= r.public {
		return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func TestNameThatTurnsPrivate(t *testing.T) {
	// Ensure that a name is judged by the address that is connected to, and not by the one that it had when the user was asked.
	reached := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer s.Close()
	address := "http://rebinding.test" + s.URL[strings.LastIndex(s.URL, ":"):]
	for _, public := range []int{0, 1} {
		_, err := (&Client{resolver: &turning{public: public}}).Do(t.Context(), Request{Method: "GET", URL: address})
		if codeOf(t, err) != fault.PrivateAddress || fault.From(err).Dispatched != fault.NotDispatched {
			t.Errorf("after %d lookups: %+v", public, err)
		}
	}
	if reached {
		t.Error("the private address was asked")
	}
	open := Client{resolver: &turning{}, Private: loopback.Private}
	if _, err := open.Do(t.Context(), Request{Method: "GET", URL: address}); err != nil || !reached {
		t.Errorf("opened: %v, reached %v", err, reached)
	}
}

// several is a resolver whose names have several addresses.
type several []string

func (r several) LookupNetIP(context.Context, string, string) (all []netip.Addr, err error) {
	for _, text := range r {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

func TestAddressThatNeverAnswers(t *testing.T) {
	// Ensure that a host is reached by the last of its addresses where the others never answer.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer s.Close()
	c := Client{Private: loopback.Private, timeout: 2 * time.Second, resolver: several{"127.0.0.3", "127.0.0.2", "127.0.0.1"}}
	tried := 0
	c.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		if tried++; tried < 3 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	address := "http://tea.example:" + strings.TrimPrefix(s.URL, "http://127.0.0.1:")
	if answer, err := c.Do(t.Context(), Request{Method: "GET", URL: address}); err != nil || answer.Status != http.StatusTeapot || tried != 3 {
		t.Errorf("after %d addresses: %+v, %v", tried, answer, err)
	}
}

// onlyASCII is a resolver that knows one name.
type onlyASCII struct{}

func (onlyASCII) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host != "xn--bcher-kva.example" {
		return nil, errors.New("no such host: " + host)
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func TestLettersOutsideASCII(t *testing.T) {
	// Ensure that a host with letters outside ASCII is looked up, asked and named in the form of the DNS, and that one which maps to a private address is judged by it.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://bücher.example/there")
		w.WriteHeader(http.StatusFound)
	}))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	c := Client{resolver: onlyASCII{}, Private: loopback.Private}
	address := "http://Bücher.example" + port + "/x"
	if to, err := c.originOf(t.Context(), address); err != nil || to != "http://xn--bcher-kva.example"+port {
		t.Errorf("%q, %v", to, err)
	}
	if answer, err := c.Do(t.Context(), Request{Method: "GET", URL: address}); err != nil || answer.URL != "http://xn--bcher-kva.example"+port+"/x" || answer.Location != "https://xn--bcher-kva.example/there" {
		t.Errorf("%+v, %v", answer, err)
	}
	if link := (&reader{base: &url.URL{Scheme: "https", Host: "tea.example"}}).address("//bücher.example/a"); link != "https://xn--bcher-kva.example/a" {
		t.Errorf("a link is %s", link)
	}
	if err := new(Client).Check(t.Context(), "http://１２７.0.0.1/"); codeOf(t, err) != fault.PrivateAddress {
		t.Errorf("%v", err)
	}
}

func TestServerThatNeverEnds(t *testing.T) {
	// Ensure that an answer without an end is a failure where it was to be read, and where it was to write, the answer's head with what came of it.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "and ")
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}))
	defer s.Close()
	c := Client{Private: loopback.Private, timeout: 300 * time.Millisecond}
	if _, err := c.Do(t.Context(), Request{Method: "GET", URL: s.URL}); codeOf(t, err) != fault.FetchFailed || fault.From(err).Dispatched != fault.DispatchedUnknown {
		t.Errorf("%v", err)
	}
	answer, err := c.Do(t.Context(), Request{Method: "POST", URL: s.URL})
	if err != nil || answer.Status != http.StatusCreated || !answer.Truncated || !strings.HasPrefix(string(answer.Body), "and ") {
		t.Errorf("%+v, %v", answer, err)
	}
}

func FuzzCheck(f *testing.F) {
	// Ensure that no address is taken whose host is written in numbers and is private as a browser reads it.
	f.Fuzz(func(t *testing.T, raw string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // no name is looked up
		err := new(Client).Check(ctx, raw)
		if err == nil && strings.Contains(raw, "127.0.0.1") && !strings.ContainsAny(raw, "/?#@\\") {
			t.Errorf("%q is taken", raw)
		}
	})
}
