package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// loggedRecords is how many records the log of BenchmarkLogDump holds.
const loggedRecords = 100_000

// BenchmarkLogDump is the command log dump of a whole log: of the file itself while no host
// runs, and through the host that holds it.
func BenchmarkLogDump(b *testing.B) {
	home := harness.NewHome(b)
	writeLog(b, home.Database())
	dump := func(name string) {
		b.Run(name, func(b *testing.B) {
			for range 3 { // a host that has started reads its log, too
				dumpedLines(b, home)
			}
			var all sample
			for b.Loop() {
				started := time.Now()
				if n := dumpedLines(b, home); n < loggedRecords {
					b.Fatalf("%d records", n)
				}
				all.add(time.Since(started))
			}
			all.report(b)
			b.ReportMetric(0, "ns/op")
		})
	}
	dump("file")
	home.Ready(b, &fakes.Browser{})
	dump("host")
}

// writeLog writes a log of calls, as large as a host keeps one.
func writeLog(b *testing.B, path string) {
	b.Helper()
	log, err := journal.Open(path, journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	const group = 1000
	for start := 0; start < loggedRecords; start += group {
		records := make([]journal.Record, group)
		for i := range records {
			records[i] = journal.Record{
				SessionID: fmt.Sprint("mcp:", i%7), Type: journal.TypeOutcome, CallID: fmt.Sprint("c-", start+i), Name: "locator.click",
				Data: json.RawMessage(fmt.Sprintf(`{"ok":true,"duration_ms":12,"arguments":{"locator":{"role":"button","name":"Save <%d>"}},"output":{"clicked":true,"text":"Add a card\nto the \"board\"","rect":{"x":10,"y":20,"width":80,"height":24}},"tab_id":%d,"url":"https://example.com/board/%d"}`, i, i%4+1, start)),
			}
		}
		if err := log.Commit(b.Context(), records...); err != nil {
			b.Fatal(err)
		}
	}
}

// dumpedLines runs the command and counts the records that it prints.
func dumpedLines(b *testing.B, home *harness.Home) (n int) {
	b.Helper()
	cmd := home.Command(b.Context(), "log", "dump", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	in := bufio.NewReaderSize(out, 1<<20)
	for {
		if _, err := in.ReadSlice('\n'); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		n++
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return n
}
