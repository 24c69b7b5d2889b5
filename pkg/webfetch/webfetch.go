// Package webfetch asks addresses of the internet for the agent, without the browser and its cookies.
//
// Rules of this package:
//   - No request reaches a private network: the addresses of a host are judged before anybody is asked,
//     and again when one of them is connected to.
//   - It follows no redirect to another origin, nor one of a request that writes, keeps no cookies and uses
//     no proxy.
//   - Time and size are bounded.
//   - A request that writes is sent once: where its answer is lost, nobody knows what it did.
package webfetch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	requestTimeout = 10 * time.Second
	maxBytes       = 2 << 20
	maxRedirects   = 5

	// addressShare is how much of the time an address of a host that has others may take to connect: one
	// that never answers, as where IPv6 is broken, leaves the rest to them.
	addressShare = 1. / 5
)

// Client asks addresses. It is safe for concurrent use.
type Client struct {
	// Private returns the private networks that policy.json opens at this moment; nil: none.
	Private func() []netip.Prefix

	connect  connectFunc   // nil: the system's
	resolver resolver      // nil: the system's
	timeout  time.Duration // 0: requestTimeout
}

type connectFunc = func(ctx context.Context, network, address string) (net.Conn, error)

type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Request is what is asked.
type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// Response is what was answered.
type Response struct {
	Status      int
	URL         string // of one that reads: after redirects within the origin
	Location    string // where a redirect leads that was not followed
	ContentType string
	Headers     map[string]string // those that say something to an agent
	Body        []byte
	Truncated   bool // the body is longer than 2 MB, or what wrote it did not end in time
}

// Do sends the request. Its errors are invalid_input, private_address and fetch_failed, which was sent unless it says
// otherwise.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	u, err := c.check(ctx, r.URL)
	if err != nil {
		return Response{}, err
	}
	if err := checkHeaders(r.Headers); err != nil {
		return Response{}, err
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, r.Method, u.String(), strings.NewReader(r.Body))
	if err != nil {
		return Response{}, fault.Wrap(err, fault.InvalidInput, "the request cannot be made: %v", err).WithDispatched(fault.NotDispatched)
	}
	request.Header.Set("User-Agent", "actions-host")
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	client := c.client()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return Response{}, failed(u, err, sent.Load())
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	if err != nil && reads(r.Method) {
		return Response{}, failed(u, err, true)
	}
	return Response{
		Status: answer.StatusCode, URL: answer.Request.URL.String(), Location: location(answer),
		ContentType: answer.Header.Get("Content-Type"), Headers: shownHeaders(answer.Header),
		Body: body[:min(len(body), maxBytes)], Truncated: len(body) > maxBytes || err != nil,
	}, nil
}

func (c *Client) limit() time.Duration { return cmp.Or(c.timeout, requestTimeout) }

// reads reports whether a request of the method changes nothing.
func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// location returns the absolute address that a redirect leads to.
func location(answer *http.Response) string {
	to := answer.Header.Get("Location")
	if u, err := answer.Location(); err == nil {
		nameHost(u)
		to = u.String()
	}
	return to
}

func failed(u *url.URL, err error, sent bool) error {
	dispatched := fault.NotDispatched
	if sent {
		dispatched = fault.DispatchedUnknown
	}
	var private *fault.Error
	if errors.As(err, &private) {
		undecided := *private
		undecided.Dispatched = dispatched
		return &undecided
	}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // the address may hold secrets
	}
	return fault.Wrap(err, fault.FetchFailed, "%s did not answer: %v", u.Host, err).WithDispatched(dispatched)
}

func (c *Client) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{DialContext: c.dial, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			first := via[0].URL
			// A request that writes would be sent twice, or arrive as one that reads.
			if !reads(via[0].Method) {
				return http.ErrUseLastResponse
			}
			if len(via) > maxRedirects || next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || next.URL.User != nil {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// dial connects to one of the host's addresses of this moment, each of which is judged.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return c.judge(address, at.Addr())
	}}
	connect := dialer.DialContext
	if c.connect != nil {
		connect = c.connect
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, addr := range addrs {
		attempt, cancel := ctx, func() {}
		if i < len(addrs)-1 {
			attempt, cancel = context.WithTimeout(ctx, time.Duration(float64(c.limit())*addressShare))
		}
		var conn net.Conn
		conn, err = connect(attempt, network, net.JoinHostPort(addr.String(), port))
		cancel()
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}
