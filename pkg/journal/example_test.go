package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// The intent is on disk before the call is sent, the outcome before it is answered.
func Example() {
	folder, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	log, err := journal.Open(filepath.Join(folder, "log.db"), journal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = log.Close() }()
	ctx := context.Background()
	intent := journal.Record{Type: journal.TypeIntent, SessionID: "s1", CallID: "c1", Name: "locator.click", Data: json.RawMessage(`{"arguments":{"token":"abc"}}`)}
	outcome := journal.Record{Type: journal.TypeOutcome, SessionID: "s1", CallID: "c1", Name: "locator.click", Data: json.RawMessage(`{"ok":true}`)}
	for _, r := range []journal.Record{intent, outcome} {
		if err := log.Commit(ctx, r); err != nil {
			fmt.Println(err)
		}
	}
	records, err := log.Read(1, 10)
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range records {
		fmt.Println(r.Seq, r.Type, r.CallID, string(r.Data))
	}
	// Output:
	// 1 intent c1 {"arguments":{"token":"[redacted]"}}
	// 2 outcome c1 {"ok":true}
}
