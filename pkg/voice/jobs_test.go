package voice

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestTooManyCalls(t *testing.T) {
	// Ensure that a response runs a bounded number of tools, that the calls beyond are answered as not run, and that the session goes on.
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, nil)
		close(k.hands.release)
		k.sendMessage(t, "work", Queue)
		l := k.script.conn()
		l.begin(t, "r1")
		var calls []ToolCall
		for i := range maxCalls + 5 {
			calls = append(calls, ToolCall{fmt.Sprint("c", i), "a", "{}"})
		}
		l.takeSent()
		l.done("r1", calls...)
		synctest.Wait()
		answered, refused := 0, 0
		sent := l.takeSent()
		for _, line := range sent {
			switch {
			case strings.HasPrefix(line, "result ") && strings.Contains(line, string(fault.RateLimited)):
				refused++
			case strings.HasPrefix(line, "result "):
				answered++
			}
		}
		if answered != maxCalls || refused != 5 || !strings.HasPrefix(sent[len(sent)-1], "respond ") {
			t.Errorf("%d ran, %d were refused, the last sent is %q", answered, refused, sent[len(sent)-1])
		}
	})
}
