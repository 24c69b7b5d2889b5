package harness

import (
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// codes are those of the questions that a person could have seen: in the output of launch, on the
// launcher's page, or in what the fake browser was shown.
type codes struct {
	mu   sync.Mutex
	byID map[string]string
}

func (c *codes) put(id, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[id] = code
}

func (c *codes) putQuestion(q launch.Question) { c.put(q.ID, q.Code) }

func (c *codes) get(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[id]
}

// Code returns the code of a question, from where a person reads it.
func (h *Home) Code(t testing.TB, id string) string {
	t.Helper()
	Until(t, "the question "+id+" is shown", func() bool { return h.codes.get(id) != "" })
	return h.codes.get(id)
}

// Allow answers the question in a terminal, as a person who has seen it.
func (h *Home) Allow(t testing.TB, id string, flags ...string) {
	t.Helper()
	if r := h.Run(t, append([]string{"approvals", "allow", id, "--code", h.Code(t, id)}, flags...)...); r.Exit != 0 {
		t.Fatalf("allow: %+v", r)
	}
}

// Answer returns the answer of a person who has seen the question.
func (h *Home) Answer(t testing.TB, id string, allow bool, scope policy.Scope) control.Answer {
	t.Helper()
	a := control.Answer{ID: id, Allow: allow, Scope: scope}
	if allow {
		a.Code = h.Code(t, id)
	}
	return a
}
