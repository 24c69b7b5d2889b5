package inspect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestOtherPagesOfATab(t *testing.T) {
	// Ensure that a session which is kept to some pages is not shown what the tab's other pages, and frames of others, said and asked for, nor what the browser says of the one or the other.
	may := func(origin string) bool { return origin == "https://a.example" }
	n, c := newNetwork(), newConsole()
	for i, url := range []string{"https://a.example/", "https://bank.example/?id=7"} {
		n.handleEvent("", "Network.requestWillBeSent", json.RawMessage(fmt.Sprintf(
			`{"requestId":"%d","loaderId":"l","documentURL":%q,"request":{"url":"https://cdn.example/%d","method":"GET","headers":{},"initialPriority":"High","referrerPolicy":"origin"},"timestamp":1,"wallTime":2,"initiator":{"type":"other"},"type":"Fetch"}`, i, url, i)))
		c.handleEvent("", "Runtime.executionContextsCleared", json.RawMessage(`{}`))
		for id, origin := range []string{url, "https://frame.example"} {
			context := i*10 + id + 1
			c.handleEvent("", "Runtime.executionContextCreated", json.RawMessage(fmt.Sprintf(`{"context":{"id":%d,"origin":%q,"name":"","uniqueId":"%d","auxData":{"type":"default"}}}`, context, origin, context)))
			c.handleEvent("", "Runtime.consoleAPICalled", json.RawMessage(fmt.Sprintf(`{"type":"log","executionContextId":%d,"timestamp":1,"args":[{"type":"string","value":%q}]}`, context, fmt.Sprint("said ", context))))
			if id == 0 {
				c.handleEvent("", "Log.entryAdded", json.RawMessage(fmt.Sprintf(`{"entry":{"source":"security","level":"info","text":"note %d","timestamp":1}}`, i)))
			}
		}
		c.handleEvent("", "Log.entryAdded", json.RawMessage(fmt.Sprintf(`{"entry":{"source":"security","level":"info","text":"of either %d","timestamp":1}}`, i)))
	}
	shown, count := n.inFlight(networkArguments{shownURL: func(url string) string { return url }, permitted: func(r Request) bool { return may(r.origin) }})
	if count != 1 || shown[0].URL != "https://cdn.example/0" {
		t.Errorf("%d requests: %+v", count, shown)
	}
	var said []string
	a := c.read(arguments{}, func(m Message) bool { return may(m.origin) }, consoleArguments{}.matches, func(m Message, _ uint64) Message { return m })
	for _, m := range a.Entries {
		said = append(said, m.Text)
	}
	if got := strings.Join(said, ", "); got != "said 1, note 0" || a.Withheld != 8 {
		t.Errorf("the console told: %s, and withheld %d", got, a.Withheld)
	}
}
