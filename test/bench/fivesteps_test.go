package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

// order is the page of the five steps. It answers a click after 30 ms by itself.
const order = `<style>form > * {display:block;width:200px;height:30px}</style>
<form onsubmit="return false">
	<input id="name" name="name" aria-label="Name"><input id="mail" name="mail" aria-label="Mail">
	<select id="size" name="size" aria-label="Size"><option value="small">small</option><option value="large">large</option></select>
	<button id="send" onclick="const text = 'Received: ' + [...new FormData(this.form).values()].join(', ');
		result.textContent = ''; this.form.reset(); setTimeout(() => result.textContent = text, 30)">Send</button>
</form><p id="result"></p>`

// orderMap is the same job as a stored action.
const orderMap = `{"protocol":"actions.json","version":1,"tools":[{
	"name":"bench.send","description":"Fill in the form and send it.",
	"input_schema":{"type":"object","required":["name","mail"],"additionalProperties":false,
		"properties":{"name":{"type":"string"},"mail":{"type":"string"}}},
	"workflow":{"version":1,"expression_language":"jsonata","steps":[
		{"id":"name","primitive":"locator.fill","args":{"locator":{"selector":"#name"},"text":"{% input.name %}"}},
		{"id":"mail","primitive":"locator.fill","args":{"locator":{"selector":"#mail"},"text":"{% input.mail %}"}},
		{"id":"choose","primitive":"locator.select_option","args":{"locator":{"selector":"#size"},"value":"large"}},
		{"id":"click","primitive":"locator.click","args":{"locator":{"selector":"#send"}}},
		{"id":"result","primitive":"locator.wait_for","args":{"locator":{"selector":"#result","text_contains":"{% input.name %}"},"timeout_ms":5000}}],
	"output":"{% {'result': steps.result.output.text} %}"}}]}`

// step is one call of a tool.
type step struct {
	tool string
	args any
}

// contestant is one way to do the five steps.
type contestant struct {
	name   string
	server *server
	home   *harness.Home // nil for another server
	// steps are the calls of one turn; the last one reads the result.
	steps func(name, mail string) []step
	time  sample
	bytes int
}

// turn does the job once. A read that comes before the page has answered is made
// again, for everybody: nobody knows how long a page takes.
func (c *contestant) turn(b *testing.B, number int) (took time.Duration, bytes int) {
	b.Helper()
	name := fmt.Sprintf("Ada %d", number)
	want := "Received: " + name + ", a@b.example, large"
	steps := c.steps(name, "a@b.example")
	started := time.Now()
	for _, s := range steps[:len(steps)-1] {
		c.server.must(s.tool, s.args)
		bytes += c.server.answer.last()
	}
	read := steps[len(steps)-1]
	for {
		text, failed := c.server.call(read.tool, read.args)
		if strings.Contains(text, want) {
			return time.Since(started), bytes + c.server.answer.last()
		}
		if len(steps) == 1 || failed && !strings.Contains(text, "visible") || time.Since(started) > harness.Patience {
			b.Fatalf("%s: the page says %s, not %q", c.name, text, want)
		}
	}
}

// BenchmarkFiveSteps fills in two fields, chooses an option, clicks and reads the
// result, over MCP: as one stored action, as five primitive calls, and through
// other browser servers from npm, as they are shipped. All are given the
// addresses of the elements; all drive the same Chromium, headless; each round
// begins with another one.
func BenchmarkFiveSteps(b *testing.B) {
	site := orderPage(b)
	all := append(ours(b, site), peers(b, site)...)
	for range 3 {
		for _, c := range all {
			c.turn(b, 0)
		}
	}
	followed := map[*contestant]*shares{}
	for _, c := range all {
		if c.home != nil {
			client := connect(b, c.home)
			defer client.Close()
			followed[c] = follow(b, client)
		}
	}
	for round := 1; b.Loop(); round++ {
		for i := range all {
			c := all[(i+round)%len(all)]
			took, bytes := c.turn(b, round)
			c.time.add(took)
			c.bytes = max(c.bytes, bytes)
		}
	}
	for _, c := range all {
		c.time.name = c.name + "-"
		c.time.report(b)
		if f := followed[c]; f != nil {
			f.report(c.name+"-", c.time.times)
		}
		b.ReportMetric(ms(slices.Min(c.time.times)), c.name+"-min-ms")
		b.ReportMetric(ms(slices.Max(c.time.times)), c.name+"-max-ms")
		b.ReportMetric(float64(c.bytes), c.name+"-answer-bytes")
		b.ReportMetric(float64(c.server.catalogue()), c.name+"-catalogue-bytes")
	}
	b.ReportMetric(0, "ns/op")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func orderPage(b *testing.B) string {
	b.Helper()
	if testing.Short() {
		b.Skip("short mode: no browser")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// A browser that went away has nothing to be told.
		_, _ = w.Write([]byte("<!doctype html><title>bench</title>" + order))
	}))
	b.Cleanup(site.Close)
	return site.URL
}

// ours is Actions Host twice: each with a client and a browser of its own, as
// the others have.
func ours(b *testing.B, site string) []*contestant {
	selector := func(id string) map[string]string { return map[string]string{"selector": "#" + id} }
	primitive := func(tool, id string, more map[string]any) step {
		args := map[string]any{"locator": selector(id), "policy_exception_report": policy.Report{
			Kind: policy.KindGeneric, IntendedTool: strings.Replace(tool, "_", ".", 1), ActionsJSONPath: "none", Reason: "A benchmark.",
		}}
		for k, v := range more {
			args[k] = v
		}
		return step{tool, args}
	}
	action, primitives := shop(b, site), shop(b, site)
	return []*contestant{
		{name: "site-action", home: action, server: own(b, action), steps: func(name, mail string) []step {
			return []step{{"actions_site", map[string]any{
				"mode": "call", "action": "bench.send", "arguments": map[string]string{"name": name, "mail": mail},
			}}}
		}},
		{name: "primitives", home: primitives, server: own(b, primitives), steps: func(name, mail string) []step {
			return []step{
				primitive("locator_fill", "name", map[string]any{"text": name}),
				primitive("locator_fill", "mail", map[string]any{"text": mail}),
				primitive("locator_select_option", "size", map[string]any{"value": "large"}),
				primitive("locator_click", "send", nil),
				primitive("locator_text_content", "result", nil),
			}
		}},
	}
}

// shop is a browser with the page open and its map loaded.
func shop(b *testing.B, site string) *harness.Home {
	b.Helper()
	home := harness.NewHome(b)
	home.Map(b, "public", "127.0.0.1", "bench", orderMap)
	home.Open(b, site)
	return home
}

// own is our MCP server of that browser.
func own(b *testing.B, home *harness.Home) *server {
	b.Helper()
	return serve(b, home.Command(context.WithoutCancel(b.Context()), "mcp", "--no-loop-guard"))
}
