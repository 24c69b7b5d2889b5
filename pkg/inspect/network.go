package inspect

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/ring"
)

const (
	keptRequests = 500
	// maxInFlight bounds the requests that have not ended; a page can begin any
	// number. The answer shows fewer.
	maxInFlight   = 500
	shownInFlight = 20
)

// Request is one request that has ended, or that is under way.
type Request struct {
	Seq             uint64            `json:"seq,omitzero"` // absent while it is under way
	At              time.Time         `json:"at"`           // when it began
	Method          string            `json:"method"`
	URL             string            `json:"url"`
	Type            string            `json:"type"` // Document, XHR, Fetch, Script, …
	Status          int64             `json:"status,omitzero"`
	StatusText      string            `json:"status_text,omitzero"`
	MimeType        string            `json:"mime_type,omitzero"`
	DurationMS      float64           `json:"duration_ms,omitzero"`
	Bytes           int64             `json:"bytes,omitzero"` // over the network
	FromCache       bool              `json:"from_cache,omitzero"`
	Failed          bool              `json:"failed,omitzero"`
	Error           string            `json:"error,omitzero"`
	RedirectedTo    string            `json:"redirected_to,omitzero"`
	DocumentURL     string            `json:"document_url,omitzero"`
	RequestHeaders  map[string]string `json:"request_headers,omitzero"`
	ResponseHeaders map[string]string `json:"response_headers,omitzero"`

	began cdp.MonotonicTime
}

// network is the recording of one tab's requests. A request becomes an entry
// when it has ended.
type network struct {
	recording[Request]
	flights map[cdpnetwork.RequestID]*Request
	order   []cdpnetwork.RequestID
}

func newNetwork() *network {
	return &network{recording: recording[Request]{ring: ring.New[Request](keptRequests, keptBytes)}, flights: map[cdpnetwork.RequestID]*Request{}}
}

type networkQuestion struct {
	question
	sees           func(url string) bool
	URLContains    string   `json:"url_contains"`
	Methods        []string `json:"methods"`
	Types          []string `json:"types"`
	StatusMin      int64    `json:"status_min"`
	Failed         *bool    `json:"failed"`
	IncludeHeaders bool     `json:"include_headers"`
}

type networkAnswer struct {
	answer[Request]
	InFlight      []Request `json:"in_flight"`
	InFlightCount int       `json:"in_flight_count"`
}

// network answers browser.network.
func (i *Inspector) network(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	q, err := primitive.Arguments[networkQuestion](c)
	if err != nil {
		return nil, err
	}
	q.sees = c.Session.Sees
	r := of(i, &i.networks, c.TabID, newNetwork)
	d := i.Browser.Debugger(c.TabID).On(c.Origin)
	started := false
	if !q.Stop {
		started, err = r.start(ctx, d, r.event, func(ctx context.Context) error {
			r.forgetFlights()
			// Buffers are for bodies, which nobody reads.
			_, err := cdp.Call(ctx, d, cdpnetwork.Enable, cdpnetwork.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	a := networkAnswer{answer: r.read(q.question, q.matches, q.shown)}
	a.Started = started
	a.InFlight, a.InFlightCount = r.inFlight(q)
	if q.Stop && a.Recording {
		if _, err := cdp.Call(ctx, d, cdpnetwork.Disable, struct{}{}); err != nil {
			return nil, err
		}
		r.end()
		a.Recording = false
	}
	return primitive.Output(a)
}

func (q networkQuestion) matches(r Request) bool {
	same := func(of []string, value string) bool {
		return len(of) == 0 || slices.ContainsFunc(of, func(one string) bool { return strings.EqualFold(one, value) })
	}
	// A tab goes from page to page; what another one asked for is not for everybody.
	return q.sees(r.DocumentURL) && (q.URLContains == "" || strings.Contains(r.URL, q.URLContains)) && same(q.Methods, r.Method) && same(q.Types, r.Type) &&
		r.Status >= q.StatusMin && (q.Failed == nil || *q.Failed == r.Failed)
}

func (q networkQuestion) shown(r Request, seq uint64) Request {
	r.Seq = seq
	if !q.IncludeHeaders {
		r.RequestHeaders, r.ResponseHeaders = nil, nil
	}
	return r
}

// forgetFlights drops the requests whose end an interrupted recording missed.
func (r *network) forgetFlights() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.flights)
	r.order = nil
}

// inFlight gives the latest of the requests that have not ended.
func (r *network) inFlight(q networkQuestion) (shown []Request, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shown = []Request{}
	for _, id := range r.order {
		if q.matches(*r.flights[id]) {
			shown = append(shown, q.shown(*r.flights[id], 0))
		}
	}
	return shown[max(0, len(shown)-shownInFlight):], len(shown)
}
