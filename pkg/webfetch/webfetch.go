// Package webfetch asks addresses of the internet for the agent, without the browser and its cookies.
//
// Rules of this package:
//   - No request reaches a private network: the addresses of a host are judged before anybody is asked,
//     and again when one of them is connected to.
//   - It follows no redirect to another origin, keeps no cookies and uses no proxy.
//   - Time and size are bounded.
package webfetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	timeout      = 10 * time.Second
	maxBytes     = 2 << 20
	maxRedirects = 5
)

// Client asks addresses. It is safe for concurrent use.
type Client struct {
	// Private lists the private networks that the user's settings open.
	Private []netip.Prefix
}

// Request is what is asked.
type Request struct {
	Method, URL string
	Headers     map[string]string
	Body        string
}

// Response is what was answered.
type Response struct {
	Status      int
	URL         string // after redirects within the origin
	Location    string // where a redirect leads that was not followed
	ContentType string
	Body        []byte
	Truncated   bool // the body is longer than 2 MB
}

// notOurs are headers that the connection sets, or that carry what the user is signed in with.
var notOurs = []string{"Host", "Cookie", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection"}

// Do sends the request. Its errors are invalid_input, private_address and fetch_failed, which was sent unless it says
// otherwise.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	u, err := c.check(ctx, r.URL)
	if err != nil {
		return Response{}, err
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, u.String(), strings.NewReader(r.Body))
	if err != nil {
		return Response{}, fault.Wrap(err, fault.InvalidInput, "the request cannot be made: %v", err).WithDispatched(fault.NotDispatched)
	}
	for name, value := range r.Headers {
		if slices.Contains(notOurs, http.CanonicalHeaderKey(name)) {
			return Response{}, fault.New(fault.InvalidInput, "the header %s cannot be set", name).WithDispatched(fault.NotDispatched)
		}
		request.Header.Set(name, value)
	}
	client := c.client()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return Response{}, failed(u, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	if err != nil {
		return Response{}, failed(u, err)
	}
	return Response{
		Status: answer.StatusCode, URL: answer.Request.URL.String(), Location: answer.Header.Get("Location"),
		ContentType: answer.Header.Get("Content-Type"), Body: body[:min(len(body), maxBytes)], Truncated: len(body) > maxBytes,
	}, nil
}

func failed(u *url.URL, err error) error {
	var private *fault.Error
	if errors.As(err, &private) {
		return private
	}
	return fault.Wrap(err, fault.FetchFailed, "%s did not answer: %v", u.Host, err).WithDispatched(fault.DispatchedUnknown)
}

func (c *Client) client() *http.Client {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return c.judge(address, at.Addr())
	}}
	return &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			first := via[0].URL
			if len(via) > maxRedirects || next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}
