package conformance

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// signalCases are about the primitive alone: what comes of an observed event
// takes the whole chain and stands in test/e2e.
func signalCases() []Case {
	return []Case{
		{Name: "signal.observe/observes each name once", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok("signal.observe", `{"events":["tea:ready","tea:cold","tea:ready"]}`), "observing", `2`)
			p.is(p.ok("signal.observe", `{"events":["tea:cold","tea:gone"]}`), "observing", `3`)
			p.is(p.ok("signal.observe", `{"events":[]}`), "observing", `3`)
			p.page(`document.body.dispatchEvent(new CustomEvent("tea:ready"))`, `true`)
		}},
		{Name: "signal.observe/refuses more names than a document may have", HTML: `<p>x</p>`, Run: func(p *Page) {
			names := make([]string, 100)
			for i := range names {
				names[i] = `"e` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `"`
			}
			p.is(p.ok("signal.observe", `{"events":[`+strings.Join(names, ",")+`]}`), "observing", `100`)
			p.fails("signal.observe", `{"events":["one more"]}`, fault.InvalidArguments)
			p.is(p.ok("signal.observe", `{"events":["e00"]}`), "observing", `100`)
		}},
	}
}
