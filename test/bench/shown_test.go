package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/harness"
)

const fiveStepsPage = `<form onsubmit="event.preventDefault(); out.textContent = name1.value + who.value + size.value">
<input id=name1><input id=who><select id=size><option>small<option>large</select><button id=go type=button onclick="out.textContent = name1.value + who.value + size.value">Show</button>
<output id=out></output></form>`

// BenchmarkFiveStepsShown is the job of two fields, a choice, a click and a look
// as five calls, without and with the showing of actions in the page, one after
// the other on the same machine.
func BenchmarkFiveStepsShown(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// A browser that went away has nothing to be told.
		_, _ = w.Write([]byte("<!doctype html><title>bench</title>" + fiveStepsPage))
	}))
	b.Cleanup(server.Close)
	open := func(unwatched string) *host {
		home := harness.NewHome(b)
		h := &host{home: home, browser: home.OpenWith(b, []string{paths.EnvUnwatched + "=" + unwatched}, nil, server.URL), b: b}
		h.Client = connect(b, h.home)
		b.Cleanup(func() { h.Close() })
		return h
	}
	hosts := []*host{open("1"), open("0")}
	samples := []*sample{{name: "hidden-"}, {name: "shown-"}}
	round := 0
	job := func(h *host) time.Duration {
		started := time.Now()
		at := func(selector string) map[string]any { return map[string]any{"selector": selector} }
		h.must("locator.fill", map[string]any{"locator": at("#name1"), "text": fmt.Sprint("a", round)}, nil)
		h.must("locator.fill", map[string]any{"locator": at("#who"), "text": fmt.Sprint("b", round)}, nil)
		h.must("locator.select_option", map[string]any{"locator": at("#size"), "value": []string{"small", "large"}[round%2]}, nil)
		h.must("locator.click", map[string]any{"locator": at("#go")}, nil)
		h.must("locator.text_content", map[string]any{"locator": at("#out")}, nil)
		return time.Since(started)
	}
	for ; round < warmUp; round++ {
		for _, h := range hosts {
			job(h)
		}
	}
	for ; b.Loop(); round++ {
		for i, h := range hosts {
			samples[i].add(job(h))
		}
	}
	for _, s := range samples {
		s.report(b)
	}
	b.ReportMetric(0, "ns/op") // a mean of both, which the percentiles replace
}
