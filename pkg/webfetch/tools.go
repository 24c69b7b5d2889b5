package webfetch

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	fetchName = "net.fetch_url"
	sendName  = "net.send_url"

	defaultMaxChars = 7000
	maxBody         = 1 << 20
)

// Tools are the primitives that send requests. Its fields are set once, before the first call.
type Tools struct {
	Client Client

	kept keptPages
}

// Handlers returns the handlers of this package by the names of their primitives.
func (t *Tools) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{fetchName: t.fetch, sendName: t.send}
}

type fetchArguments struct {
	URL      string            `json:"url"`
	Method   string            `json:"method,omitzero"`
	Headers  map[string]string `json:"headers,omitzero"`
	Offset   int               `json:"offset,omitzero"`
	MaxChars int               `json:"max_chars,omitzero"`
	Find     string            `json:"find,omitzero"`
}

// output is what both primitives give.
type output struct {
	Status      int               `json:"status"`
	URL         string            `json:"url"`
	ContentType string            `json:"content_type"`
	Headers     map[string]string `json:"headers"`
	Location    string            `json:"location,omitzero"`
	NextStep    string            `json:"next_step,omitzero"`
	Text        string            `json:"text"`
	TotalChars  int               `json:"total_chars"`
	Offset      int               `json:"offset"`
	Binary      bool              `json:"binary"`
	Incomplete  bool              `json:"incomplete"`
	Matches     []match           `json:"matches,omitzero"`
	MatchCount  *int              `json:"match_count,omitzero"`
	Next        *nextCall         `json:"next,omitzero"`
}

// nextCall is the literal call that goes on where an answer ends.
type nextCall struct {
	Name      string         `json:"name"`
	Arguments fetchArguments `json:"arguments"`
}

// fetch answers net.fetch_url.
func (t *Tools) fetch(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[fetchArguments](c)
	if err != nil {
		return nil, err
	}
	request := Request{Method: cmp.Or(args.Method, http.MethodGet), URL: args.URL, Headers: args.Headers}
	key := keptKey(c.Session.SessionID(), request)
	page, ok := t.kept.get(key)
	if !ok || args.Offset == 0 {
		if page, err = t.ask(ctx, c, request); err != nil {
			return nil, err
		}
	}
	out := page.output()
	if args.Find != "" {
		out.addMatches(page.text, args)
	} else {
		out.addText(page.text, args)
	}
	if out.Next != nil {
		t.kept.put(key, page)
	}
	return primitive.Output(out)
}

// ask sends a request that reads, if the user has granted its origin.
func (t *Tools) ask(ctx context.Context, c primitive.Call, request Request) (page, error) {
	question, err := t.question(ctx, c, request)
	if err != nil {
		return page{}, err
	}
	if err := c.Confirm(question); err != nil {
		return page{}, err
	}
	answer, err := t.Client.Do(ctx, request)
	if err != nil {
		return page{}, err
	}
	if err := t.judgeRedirect(ctx, answer); err != nil {
		return page{}, err
	}
	return newPage(request.Method, answer), nil
}

// sentElsewhere is the next step after a request that writes was redirected.
const sentElsewhere = "The request was sent once, and its redirect was not followed. After 301, 302 or 303 read the address in location with net.fetch_url to see what came of it; after 307 or 308 nothing was done yet, and the request belongs to that address."

// send answers net.send_url.
func (t *Tools) send(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	request, err := primitive.Arguments[Request](c)
	if err != nil {
		return nil, err
	}
	if len(request.Body) > maxBody {
		return nil, fault.New(fault.PayloadTooLarge, "the body has %d bytes, and at most %d are sent", len(request.Body), maxBody).WithDispatched(fault.NotDispatched)
	}
	question, err := t.question(ctx, c, request)
	if err != nil {
		return nil, err
	}
	question.RequireNewApproval = !c.AllowsAPI
	if c.AllowsAPI {
		question.CoveredBy = "read" // the origin was granted for requests that read
	}
	if err := c.Confirm(question); err != nil {
		return nil, err
	}
	answer, err := t.Client.Do(ctx, request)
	if err != nil {
		return nil, lost(err)
	}
	page := newPage(request.Method, answer)
	out := page.output()
	out.addText(page.text, fetchArguments{})
	out.Next = nil // it would send once more
	if out.NextStep != "" {
		out.NextStep = sentElsewhere
	}
	return primitive.Output(out)
}

// lost returns the error of a request that writes. Sent again it could write twice.
func lost(err error) error {
	f := fault.From(err)
	if f.Dispatched == fault.NotDispatched || f.Code != fault.FetchFailed {
		return f
	}
	return fault.Wrap(f, fault.OutcomeUnknown, "the request was sent and its answer was lost: %s", f.Message).WithDispatched(fault.DispatchedUnknown)
}

// question judges the address before anybody is asked, and returns what the user is asked then. A
// grant for one call is for exactly this request.
func (t *Tools) question(ctx context.Context, c primitive.Call, r Request) (primitive.Question, error) {
	if err := checkHeaders(r.Headers); err != nil {
		return primitive.Question{}, err
	}
	to, err := t.Client.originOf(ctx, r.URL)
	if err != nil {
		return primitive.Question{}, err
	}
	asked, err := primitive.Output(summarize(r))
	return primitive.Question{Name: c.Record.Name, Origin: to, Arguments: asked}, err
}

// judgeRedirect returns an error if the answer leads to a private address.
func (t *Tools) judgeRedirect(ctx context.Context, answer Response) error {
	if answer.Location == "" {
		return nil
	}
	err := t.Client.Check(ctx, answer.Location)
	if !fault.Is(err, fault.PrivateAddress) {
		return nil // the caller sees where it leads, and asks there or not
	}
	redirected := fault.From(err)
	private := fault.Wrap(err, fault.PrivateAddress, "the answer leads elsewhere: %s", redirected.Message).With("status", answer.Status)
	for key, value := range redirected.Evidence {
		private = private.With(key, value)
	}
	return private.WithDispatched(fault.WasDispatched)
}
