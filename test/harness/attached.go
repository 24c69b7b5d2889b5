package harness

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// Attached is a target of a browser that a test looks into from outside. It enables
// no domain, and attaches anew where the session has ended and the target has not.
// It is a cdp.Session.
type Attached struct {
	browser *launch.Browser
	id      target.ID

	mu      sync.Mutex
	session cdp.Session
}

var _ cdp.Session = (*Attached)(nil)

// Attach attaches to a target until the test ends.
func Attach(t testing.TB, b *launch.Browser, id target.ID) *Attached {
	t.Helper()
	a, err := AttachTo(t, b, id)
	if err != nil {
		t.Fatalf("the target cannot be attached to: %v", err)
	}
	return a
}

// AttachTo is Attach to a target that may just be going.
func AttachTo(t testing.TB, b *launch.Browser, id target.ID) (*Attached, error) {
	t.Helper()
	a := &Attached{browser: b, id: id}
	if _, err := a.attach(t.Context()); err != nil {
		return nil, err
	}
	t.Cleanup(a.Detach)
	return a, nil
}

// attach attaches unless a session is there.
func (a *Attached) attach(ctx context.Context) (cdp.Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != nil {
		return a.session, nil
	}
	s, err := a.browser.Attach(ctx, a.id)
	a.session = s
	return s, err
}

// Detach ends the session. A target that is gone needs nothing.
func (a *Attached) Detach() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_ = a.browser.Detach(ctx, a.session)
	a.session = nil
}

// Call sends one command, for as long as the context and the patience last.
func (a *Attached) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	s, err := a.attach(ctx)
	if err != nil {
		return err
	}
	err = s.Call(ctx, method, params, result)
	if errors.Is(err, launch.ErrDetached) {
		a.forget(s)
	}
	return err
}

// forget has the next command attach to the target anew, if it is still there.
func (a *Attached) forget(ended cdp.Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == ended {
		a.session = nil
	}
}

// alive returns why nothing more can be asked of the target.
func (a *Attached) alive(ctx context.Context) error {
	_, err := a.attach(ctx)
	return err
}

// Subscribe buffers the session's events of one method from now on.
func (a *Attached) Subscribe(method string) (<-chan jsontext.Value, func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session.Subscribe(method)
}

// Eval returns the value of an expression in the target's document. A document that
// is replaced meanwhile does not answer: then the next one is asked.
func Eval[T any](t testing.TB, a *Attached, js string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	for {
		value, err := launch.Evaluate[T](ctx, a, js)
		if err == nil {
			return value
		}
		if !launch.IsDocumentGone(err) {
			t.Fatalf("%s: %v", js, err)
		}
	}
}

// holdsScript waits in the document until an expression holds. It looks whenever the
// tree changes, and every few milliseconds for what has no event, such as layout.
const holdsScript = `new Promise((held) => {
  const observer = new MutationObserver(() => look());
  const timer = setInterval(() => look(), 20);
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    let holds = false;
    try { holds = !!(await (EXPRESSION)); } catch {}
    looking = false;
    if (!holds) return;
    observer.disconnect();
    clearInterval(timer);
    held(true);
  };
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
})`
