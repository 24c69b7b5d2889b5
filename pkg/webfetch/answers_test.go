package webfetch

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

func TestLostAnswers(t *testing.T) {
	// Ensure that a request that writes and whose answer is lost has an unknown outcome, one that was never sent has not, and that a body which is too large or a header that is not the caller's is refused first.
	r := newRig(t)
	r.session.AllowAPI(true)
	r.tools.Client.timeout = 300 * time.Millisecond
	r.asked(t, r.send(t, "1"), true, policy.ScopeSession)
	r.serve = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	if f := wantCode(t, r.send(t, "1"), fault.OutcomeUnknown); f.Dispatched != fault.DispatchedUnknown || f.Retryable {
		t.Errorf("%+v", f)
	}
	r.reaches(t, 1)
	wantCode(t, r.send(t, strings.Repeat("x", maxBody+1)), fault.PayloadTooLarge)
	wantCode(t, r.call(t, sendName, map[string]any{"url": r.server.URL, "method": "POST", "headers": map[string]string{"Cookie": "a=b"}}), fault.InvalidInput)
	r.server.Close()
	if f := wantCode(t, r.send(t, "1"), fault.FetchFailed); f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
}

func TestRedirectIsTheResult(t *testing.T) {
	// Ensure that a redirect to another origin is told with its status and place and is not followed.
	r := newRig(t)
	far := newRig(t)
	r.serve = func(w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, far.server.URL+"/there", http.StatusTemporaryRedirect)
	}
	r.asked(t, r.fetch(t, nil), true, policy.ScopeSession)
	out := good(t, r.fetch(t, nil))
	if out.Status != http.StatusTemporaryRedirect || out.Location != far.server.URL+"/there" || out.NextStep == "" {
		t.Errorf("%+v", out)
	}
	r.asked(t, r.send(t, "1"), true, policy.ScopeOnce)
	if out := good(t, r.send(t, "1")); out.Status != http.StatusTemporaryRedirect {
		t.Errorf("%+v", out)
	}
	far.reaches(t, 0)
}

func TestLargeAnswers(t *testing.T) {
	// Ensure that of 10 MB, and of a small answer that unpacks to more, 2 MB are read and said to be incomplete, and that the answer stays within its pages.
	r := newRig(t)
	var packed bool
	r.serve = func(w http.ResponseWriter, request *http.Request) {
		out := io.Writer(w)
		if packed {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			out = z
		}
		part := bytes.Repeat([]byte("a"), 64<<10)
		for written := 0; written < 10<<20 && request.Context().Err() == nil; written += len(part) {
			if _, err := out.Write(part); err != nil {
				return
			}
		}
	}
	r.asked(t, r.fetch(t, nil), true, policy.ScopeSession)
	for _, packed = range []bool{false, true} {
		out := good(t, r.fetch(t, nil))
		if out.TotalChars != maxBytes || !out.Incomplete || len(out.Text) != defaultMaxChars || out.Next == nil {
			t.Errorf("packed %v: %d of %d characters, incomplete %v", packed, len(out.Text), out.TotalChars, out.Incomplete)
		}
	}
}

func TestExplainNamesTheOrigin(t *testing.T) {
	// Ensure that policy explain tells of a request's own origin whether it would be asked about.
	r := newRig(t)
	explain := func() dispatch.Explanation {
		t.Helper()
		args, err := strictjson.Parse([]byte(`{"url":"`+r.server.URL+`/x","policy_exception_report":{"kind":"generic","intended_tool":"`+fetchName+`","actions_json_path":"none","reason":"a test"}}`), strictjson.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := r.Explain(r.session, dispatch.Call{Name: fetchName, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if x := explain(); x.Verdict != policy.Ask || x.Origin != r.server.URL {
		t.Errorf("%+v", x)
	}
	r.asked(t, r.fetch(t, nil), true, policy.ScopeSession)
	if x := explain(); x.Verdict != policy.Allow {
		t.Errorf("%+v", x)
	}
	r.reaches(t, 0)
}
