package inspect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func everything(string) bool { return true }

func TestOtherPagesOfATab(t *testing.T) {
	// Ensure that a session which is kept to some pages is not shown what the tab's other pages, and frames of others, said and asked for.
	sees := func(url string) bool { return strings.HasPrefix(url, "https://a.example") }
	n, c := newNetwork(), newConsole()
	for i, url := range []string{"https://a.example/", "https://bank.example/?id=7"} {
		n.event("Network.requestWillBeSent", json.RawMessage(fmt.Sprintf(
			`{"requestId":"%d","loaderId":"l","documentURL":%q,"request":{"url":"https://cdn.example/%d","method":"GET","headers":{},"initialPriority":"High","referrerPolicy":"origin"},"timestamp":1,"wallTime":2,"initiator":{"type":"other"},"type":"Fetch"}`, i, url, i)))
		c.event("Runtime.executionContextsCleared", json.RawMessage(`{}`))
		for id, origin := range []string{url, "https://frame.example"} {
			context := i*10 + id + 1
			c.event("Runtime.executionContextCreated", json.RawMessage(fmt.Sprintf(`{"context":{"id":%d,"origin":%q,"name":"","uniqueId":"%d","auxData":{"type":"default"}}}`, context, origin, context)))
			c.event("Runtime.consoleAPICalled", json.RawMessage(fmt.Sprintf(`{"type":"log","executionContextId":%d,"timestamp":1,"args":[{"type":"string","value":%q}]}`, context, fmt.Sprint("said ", context))))
		}
		c.event("Log.entryAdded", json.RawMessage(fmt.Sprintf(`{"entry":{"source":"security","level":"info","text":"note %d","timestamp":1}}`, i)))
	}
	shown, count := n.inFlight(networkQuestion{sees: sees})
	if count != 1 || shown[0].URL != "https://cdn.example/0" {
		t.Errorf("%d requests: %+v", count, shown)
	}
	var said []string
	for _, m := range c.ring.Since(0) {
		if (consoleQuestion{sees: sees}).matches(m) {
			said = append(said, m.Text)
		}
	}
	if got := strings.Join(said, ", "); got != "said 1, note 0" {
		t.Errorf("the console told: %s", got)
	}
}
