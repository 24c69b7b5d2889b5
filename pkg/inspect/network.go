package inspect

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	maxRequests = 500
	// maxInFlight bounds the requests that have not ended; a page can begin any
	// number. The answer shows fewer.
	maxInFlight      = 500
	maxShownInFlight = 20
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
	Frame           *Place            `json:"frame,omitzero"` // that asked, if not the tab's own document

	began  cdp.MonotonicTime
	origin string // of the document that asked
}

// network is the recording of one tab's requests. A request becomes an entry
// when it has ended.
type network struct {
	recording[Request]
	pending map[cdpnetwork.RequestID]*Request
	order   []cdpnetwork.RequestID
}

func newNetwork() *network {
	return &network{recording: recordingOf[Request](maxRequests), pending: map[cdpnetwork.RequestID]*Request{}}
}

type networkArguments struct {
	arguments
	permitted      func(Request) bool
	shownURL       func(url string) string
	URLContains    string   `json:"url_contains"`
	Methods        []string `json:"methods"`
	Types          []string `json:"types"`
	StatusMin      int64    `json:"status_min"`
	Failed         *bool    `json:"failed"`
	IncludeHeaders bool     `json:"include_headers"`
}

type networkOutput struct {
	output[Request]
	InFlight      []Request `json:"in_flight"`
	InFlightCount int       `json:"in_flight_count"`
}

// network answers browser.network.
func (i *Inspector) network(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	q, err := primitive.Arguments[networkArguments](c)
	if err != nil {
		return nil, err
	}
	allowed := c.PermittedOrigins(c.Permit)
	q.permitted = func(r Request) bool { return allowed(r.origin) }
	q.shownURL = c.VisibleURL
	r := recordingFor(i, &i.networks, c.TabID, newNetwork)
	d := i.Browser.Debugger(c.TabID).ForOrigin(c.Origin)
	started, err := r.switchTo(ctx, d, c.Origin, q.Stop, r.source())
	if err != nil {
		return nil, err
	}
	a := networkOutput{output: r.read(q.arguments, q.permitted, q.matches, q.shown)}
	a.Started = started
	a.InFlight, a.InFlightCount = r.inFlight(q)
	return primitive.Output(a)
}

// source returns the source of requests.
func (r *network) source() source {
	return source{
		event: r.handleEvent, sessionDetached: func(string) {}, reset: r.reset, early: true, domain: browser.NetworkDomain(),
	}
}

func (q networkArguments) matches(r Request) bool {
	same := func(of []string, value string) bool {
		return len(of) == 0 || slices.ContainsFunc(of, func(one string) bool { return strings.EqualFold(one, value) })
	}
	return (q.URLContains == "" || strings.Contains(r.URL, q.URLContains)) && same(q.Methods, r.Method) && same(q.Types, r.Type) &&
		r.Status >= q.StatusMin && (q.Failed == nil || *q.Failed == r.Failed)
}

func (q networkArguments) shown(r Request, seq uint64) Request {
	r.Seq = seq
	r.DocumentURL = q.shownURL(r.DocumentURL)
	hidden := q.shownURL(r.RedirectedTo) != r.RedirectedTo // the place may hold what is for its own page alone
	if hidden {
		r.RedirectedTo = ""
	}
	if !q.IncludeHeaders || hidden {
		r.RequestHeaders, r.ResponseHeaders = nil, nil
	}
	return r
}

// reset drops the requests whose end the recording missed.
func (r *network) reset() {
	clear(r.pending)
	r.order = nil
}

// inFlight returns the latest of the requests that have not ended.
func (r *network) inFlight(q networkArguments) (shown []Request, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shown = []Request{}
	for _, id := range r.order {
		if q.permitted(*r.pending[id]) && q.matches(*r.pending[id]) {
			shown = append(shown, q.shown(*r.pending[id], 0))
		}
	}
	return shown[max(0, len(shown)-maxShownInFlight):], len(shown)
}
