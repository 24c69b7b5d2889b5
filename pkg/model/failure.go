package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxReason bounds in characters what is quoted of a service's own words.
const maxReason = 300

var errFiltered = errors.New("the service held the answer back")

// streamError is an error that a service sends as an event of its stream.
type streamError struct{ code, message string }

func (e *streamError) Error() string { return e.code + ": " + e.message }

func unknownFinish(reason string) error {
	return fault.New(fault.ModelResponseInvalid, "the model ended for a reason that is not known: %.60q", reason)
}

// failure is why a call gave no answer.
type failure struct {
	*fault.Error
	again   bool          // trying the same once more may help
	after   time.Duration // how long the service wants to be left alone; 0 if it does not say
	status  int
	refused string // the service's words, in small letters
}

// explain returns the failure of a call. What it quotes has neither keys nor control characters.
func (c *call) explain(ctx context.Context, err error) *failure {
	name := c.provider + "/" + c.model
	report := func(code fault.Code, format string, args ...any) *failure {
		return &failure{Error: fault.New(code, "%s: %s", name, fmt.Sprintf(format, args...)).With("model", name)}
	}
	var known *fault.Error
	var inStream *streamError
	switch {
	case c.watch.status != 0:
		return c.refusal(report, c.watch.status, c.watch.refusal, c.watch.header)
	case c.watch.silent.Load():
		if c.watch.sent.Load() {
			return report(fault.ModelTimeout, "nothing came for %s", c.watch.between)
		}
		return report(fault.ModelTimeout, "no answer began within %s", c.watch.first)
	case errors.Is(context.Cause(ctx), errTooLong):
		return report(fault.ModelTimeout, "the answer took longer than %s", wholeAnswer)
	case ctx.Err() != nil:
		return report(fault.Cancelled, "the call was cancelled")
	case errors.Is(err, errRedirect):
		return report(fault.ModelRefused, "the service redirects to another address; neither key nor conversation is sent there")
	case errors.Is(err, errFiltered):
		return report(fault.ModelRefused, "the service held the answer back by its rules of content")
	case errors.Is(err, errEndless):
		return report(fault.ModelResponseInvalid, "the answer does not end")
	case errors.Is(err, errNoStream):
		return report(fault.ModelResponseInvalid, "what answers at the provider's address is no service of this kind")
	case errors.As(err, &inStream):
		return c.inStream(report, inStream)
	case errors.As(err, &known):
		return report(known.Code, "%s", c.clean(known.Message))
	case c.watch.sent.Load():
		if text, found := strings.CutPrefix(err.Error(), "received error while streaming: "); found {
			return c.inStream(report, eventError(text))
		}
		return report(fault.ModelResponseInvalid, "the answer broke off or cannot be read (%s)", c.clean(err.Error()))
	}
	var connection *url.Error
	if !errors.As(err, &connection) {
		return report(fault.InternalError, "the request cannot be made (%s)", c.clean(err.Error()))
	}
	f := report(fault.ModelUnavailable, "no connection (%s)", c.clean(connection.Err.Error()))
	f.again = true
	return f
}

// refusal is the failure of an answer with an HTTP status.
func (c *call) refusal(report func(fault.Code, string, ...any) *failure, status int, text string, header http.Header) *failure {
	reason := c.clean(reasonOf(text))
	var f *failure
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		f = report(fault.ModelUnavailable, "the service is busy or broken (%d) %s", status, reason)
		f.again, f.after = true, retryAfter(header, time.Now())
		if f.after > 0 {
			f.Error = f.With("retry_after_ms", f.after.Milliseconds())
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f = report(fault.ModelRefused, "the service does not take the key (%d) %s", status, reason)
		f.Error = f.WithNextStep("Check the key: actions-host key show --provider " + c.provider + "; set another with key set.")
	case status == http.StatusNotFound:
		f = report(fault.ModelRefused, "the service knows no such model or address (404) %s", reason)
		f.Error = f.WithNextStep("Check the model's name and the provider's address: actions-host models list.")
	default:
		f = report(fault.ModelRefused, "the service refused the request (%d) %s", status, reason)
	}
	f.Message = strings.TrimSpace(f.Message)
	f.status, f.refused = status, strings.ToLower(reasonOf(text))
	return f
}

// inStream is the failure that a service reports after its answer had begun.
func (c *call) inStream(report func(fault.Code, string, ...any) *failure, e *streamError) *failure {
	for _, busy := range []string{"overloaded", "rate_limit", "server_error", "unavailable", "api_error", "timeout"} {
		if strings.Contains(e.code, busy) {
			f := report(fault.ModelUnavailable, "the service broke off: %s", c.clean(e.Error()))
			f.again = true
			return f
		}
	}
	return report(fault.ModelResponseInvalid, "the service broke off: %s", c.clean(e.Error()))
}

// reasonOf returns the words of an error's body.
func reasonOf(text string) string {
	root := nodeOf(text)
	for _, node := range []jsonnode.Node{root.Get("error", "message"), root.Get("message"), root.Get("error")} {
		if message := node.Text(); message != "" {
			return message
		}
	}
	return text
}

// nodeOf returns the value of a JSON text, its first element if it is an array; absent if it is none.
func nodeOf(text string) jsonnode.Node {
	if !json.Valid([]byte(text)) {
		return jsonnode.Node{}
	}
	root := jsonnode.Node{Raw: []byte(strings.TrimSpace(text))}
	if root.IsArray() {
		root = root.At(0)
	}
	return root
}

func eventError(text string) *streamError {
	root := nodeOf(text)
	if inner := root.Get("error"); inner.IsObject() {
		root = inner
	}
	e := &streamError{code: root.Get("type").Text(), message: root.Get("message").Text()}
	if code := root.Get("code").Text(); code != "" {
		e.code = code
	}
	if e.message == "" {
		e.message = text
	}
	return e
}

// clean returns a stranger's words for a message: without keys, on one line and short.
func (c *call) clean(text string) string {
	if c.key != "" {
		for _, form := range []string{c.key, url.QueryEscape(c.key), strings.Trim(strconv.Quote(c.key), `"`)} {
			text = strings.ReplaceAll(text, form, "…")
		}
	}
	if safe, ok := redact.String(text).(string); ok {
		text = safe
	} else {
		text = ""
	}
	return truncate.Characters(printable.Escape(strings.Join(strings.Fields(text), " ")), maxReason)
}

// retryAfter returns what a head says about when to come back.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
