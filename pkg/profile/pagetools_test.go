package profile

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

func TestSeenInputs(t *testing.T) {
	// Ensure that the log tells what a tool was invoked with by others, without what the rules of the log name as secrets, and of a large input its length.
	for want, in := range map[string]*registry.Input{
		`"input":{"leaf":"oolong","password":"[redacted]"}`: {Value: json.RawMessage(`{"leaf":"oolong","password":"hunter2"}`), Bytes: 38},
		`"input":"free text"`:                               {Value: json.RawMessage(`"free text"`), Bytes: 9},
		`"input_bytes":70000`:                               {Bytes: 70000},
		`"by":"others"`:                                     nil,
	} {
		raw, err := json.Marshal(newInvocationRecord(7, registry.Invocation{ID: "i", Tool: "stock", By: registry.OtherClient, Input: in}, 0))
		if logged := string(redact.JSON(raw)); err != nil || !strings.Contains(logged, want) || strings.Contains(logged, "hunter2") || in == nil && strings.Contains(logged, "input") {
			t.Errorf("logged %s, %v; want %s", logged, err, want)
		}
	}
}

func TestSeenInvocationsAreLimited(t *testing.T) {
	// Ensure that a page which invokes its tools without end does not fill the log, and that what was left out is counted.
	var l invocationLimit
	now := time.Unix(1000, 0)
	taken := 0
	for range 3 * maxInvocations {
		if _, ok := l.take(now); ok {
			taken++
		}
	}
	if dropped, ok := l.take(now.Add(invocationInterval)); taken != maxInvocations || !ok || dropped != 2*maxInvocations {
		t.Errorf("%d were taken, then %v with %d dropped", taken, ok, dropped)
	}
	if dropped, _ := l.take(now.Add(invocationInterval)); dropped != 0 {
		t.Errorf("%d are told twice", dropped)
	}
}
