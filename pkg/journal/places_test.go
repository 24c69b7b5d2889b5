package journal

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestScanOfSites(t *testing.T) {
	// Ensure that a filter by site finds exactly the records that it means, however their addresses are written and wherever in a run of others they are, and reads none of a run that has none.
	const odd = `{"url" : "https://odd\u002etest/a"}`
	data := []string{
		`{"url":"https://shop.example.com/a?b=https://other.test/"}`, `{"url":"http://shop.example.com:80/x"}`, `{"url":"http://user@shop.example.com:8080"}`,
		`{"url":"about:blank","origin":"https://frame.test"}`, `{"output":{"url":"https://deep.test/"},"url":null}`, `{"url":"https://xn--bcher-kva.test/"}`,
		`{"origin":"https://shop.example.com"}`, `{"url":"","name":"url"}`, `{"url":"https://a.test\u002fb"}`, `[]`, `{"url": {"origin": "https://in.test"}}`,
	}
	random := rand.New(rand.NewPCG(1, 2))
	var records []Record
	add := func(data string) {
		records = append(records, Record{At: day.Add(time.Duration(len(records)) * time.Second), SessionID: "cli", Type: TypeOutcome, CallID: fmt.Sprint(len(records)), Name: "x", Data: []byte(data)})
	}
	for run := range 12 {
		for i := range blockSize {
			switch {
			case run == 3:
				add(fmt.Sprintf(`{"url":"https://host%d.test/"}`, i))
			case run == 5 && i == 100:
				add(odd)
			case run < 8 && run%2 == 0:
				add(data[random.IntN(len(data))])
			default:
				add(`{"url":"https://quiet.test/"}`)
			}
		}
	}
	j := openTest(t, Options{})
	commit(t, j, records...)
	verified(t, &j.Reader)
	for _, place := range []string{"shop.example.com", "example.com", "shop.example.com:8080", "https://shop.example.com", "https://*.example.com", "frame.test", "deep.test", "in.test",
		"quiet.test", "https://odd.test", "a.test", "bücher.test", "host200.test", "nowhere.test"} {
		f := Filter{Origin: place}
		m, err := newMatcher(f)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for seq := uint64(1); seq <= uint64(len(records)); seq++ {
			page, err := j.Scan(t.Context(), Filter{}, seq, 1)
			if err != nil {
				t.Fatal(err)
			}
			if m.matchData(page.Records[0].Data, true) {
				want = append(want, seq)
			}
		}
		if got := scanned(t, &j.Reader, f, 0); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d records, want %d", place, len(got), len(want))
		}
	}
}
