package launch

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
)

// Question is a call that waits for the user, as the extension's pages show it. Whoever gets it
// answers as the user: it has the code.
type Question struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expires_at"`
	Session   string    `json:"session"`
	SessionID string    `json:"session_id"`
	Caller    string    `json:"caller,omitzero"`
	Name      string    `json:"name"`
	Origin    string    `json:"origin"`
	Effects   []string  `json:"effects"`
	Summary   string    `json:"summary"`
	Code      string    `json:"code"`
}

// questionScript runs in the extension's page: it follows what waits over the port that the popup
// uses, and returns the questions that it has not returned before, once there are some. The port ends
// with the worker.
const questionScript = `(() => {
  const watch = globalThis.launcherQuestions ??= {returned: new Set(), open: [], wake: () => {}};
  const connect = () => {
    const port = chrome.runtime.connect({name: "agent"});
    port.onMessage.addListener((message) => {
      const approvals = message.view?.approvals ?? message.change?.approvals;
      if (!approvals) return;
      watch.open = approvals;
      watch.wake();
    });
    port.onDisconnect.addListener(() => setTimeout(connect, 500));
    port.postMessage({kind: "hello", launcher: true});
  };
  if (!watch.connected) {
    watch.connected = true;
    connect();
  }
  return new Promise((done) => {
    watch.wake = () => {
      const fresh = watch.open.filter(({id}) => !watch.returned.has(id));
      if (fresh.length === 0) return;
      watch.wake = () => {}; // what comes before the next call is for that one
      for (const {id} of fresh) watch.returned.add(id);
      done(fresh);
    };
    watch.wake();
  });
})()`

// watchQuestions reports the questions of the profile until the page ends. Questions of earlier
// versions of the host have no code, and are left to the popup.
func (b *Browser) watchQuestions(page cdp.Session, report func(Question)) {
	ctx := context.Background() // it ends with the page
	for {
		text, err := Evaluate[json.RawMessage](ctx, page, questionScript)
		if err != nil {
			return
		}
		var fresh []Question
		if err := json.Unmarshal(text, &fresh); err != nil {
			return // of a host that is newer: the popup shows it
		}
		for _, q := range fresh {
			if q.Code != "" {
				report(q)
			}
		}
	}
}
