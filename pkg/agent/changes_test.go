package agent

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestChanges(t *testing.T) {
	// Ensure that changes come in order, that more than may wait become one word that the view is stale, and that what comes after it was sent is told again.
	var c Changes
	put := func(n int) { c.Put(json.RawMessage(fmt.Sprintf(`{"row":%d}`, n))) }
	next := func() string {
		t.Helper()
		change, _ := c.Next(nil)
		return string(change)
	}
	for n := range maxChanges {
		put(n)
	}
	for n := range maxChanges {
		if got := next(); got != fmt.Sprintf(`{"row":%d}`, n) {
			t.Fatalf("change %d is %s", n, got)
		}
	}
	for n := range 2 * maxChanges {
		put(n)
	}
	if got := next(); got != `{"stale":true}` {
		t.Errorf("after too many came %s", got)
	}
	put(1)
	if got := next(); got != `{"row":1}` {
		t.Errorf("after the word came %s", got)
	}
	done := make(chan struct{})
	close(done)
	if change, ok := c.Next(done); ok {
		t.Errorf("from nothing came %s", change)
	}
	go put(2)
	if got := next(); got != `{"row":2}` {
		t.Errorf("waited for %s", got)
	}
}
