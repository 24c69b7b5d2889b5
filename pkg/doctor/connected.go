package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// pingTimeout bounds a ping through the worker, pageTimeout one through a page.
const (
	pingTimeout = 2 * time.Second
	pageTimeout = 3 * time.Second
)

// maxPages bounds the tabs whose pages are asked.
const maxPages = 10

// connected looks at a running host: its browser, its extension, its socket, and
// a ping through the worker to each claimed page.
func (e *examiner) connected(c *control.Client) {
	s := c.Status
	add := func(h Hop) {
		h.Browser, h.Profile = s.Browser, s.ProfileID
		e.add(h)
	}
	add(Hop{Name: HopRunning, Status: OK, Message: fmt.Sprintf("%s %s, profile %s (%s)", s.Browser, s.BrowserVersion, s.ProfileLabel, s.ProfileID[:min(8, len(s.ProfileID))])})
	extension := Hop{Name: HopExtension, Status: OK, Message: fmt.Sprintf("version %s, protocol %d, id %s", s.ExtensionVersion, s.Protocol, manifest.ExtensionID)}
	if !s.DictionaryMatch {
		extension.Status = Broken
		extension.Message += ": its primitives differ from the host's"
		extension.Fix = "Update the older of the two (actions-host install places this program's extension), reload the extension and restart the browser; until then only what both know is offered."
	}
	add(extension)
	socket, err := paths.Socket(s.ProfileID)
	if err == nil {
		add(Hop{Name: HopSocket, Status: OK, Message: fmt.Sprintf("host %s, pid %d, %s", s.HostVersion, s.PID, filepath.Base(socket))})
	}
	ctx, cancel := context.WithTimeout(e.ctx, pingTimeout)
	defer cancel()
	var pong control.Pong
	if err := c.Call(ctx, control.MethodPing, control.Empty{}, &pong); err != nil {
		add(Hop{
			Name: HopWorker, Status: Broken, Message: "the extension's worker does not answer: " + fault.From(err).Message,
			Fix: "Reload the extension in the browser's page of extensions, then run doctor again.",
		})
		for _, name := range []string{HopPort, HopPing, HopTabs, HopPage} {
			e.addIndependent(Hop{Name: name, Status: Skipped, Browser: s.Browser, Profile: s.ProfileID, WaitsFor: HopWorker, Message: "not examined: it waits for " + HopWorker})
		}
		return
	}
	add(awake(pong))
	add(Hop{Name: HopPort, Status: OK, Message: "open between extension and host"})
	add(Hop{Name: HopPing, Status: OK, Message: fmt.Sprintf("through host and worker in %.1f ms", pong.RoundTripMS)})
	e.pages(c, add)
	e.lastRuns(c, add)
}

// awake is the hop of a worker that answers, with a warning where somebody sends it messages in
// the name of the extension.
func awake(pong control.Pong) Hop {
	h := Hop{Name: HopWorker, Status: OK, Message: fmt.Sprintf("awake for %s", (time.Duration(pong.WorkerUptimeMS) * time.Millisecond).Round(time.Second))}
	d := pong.Dropped
	if d == (protocol.DroppedMessages{}) {
		return h
	}
	var kinds []string
	total := 0
	for _, k := range []struct {
		count int
		name  string
	}{{d.Keys, "keys"}, {d.Events, "events"}, {d.Ports, "ports"}, {d.Frames, "frames"}, {d.Requests, "requests"}} {
		if total += k.count; k.count > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d", k.name, k.count))
		}
	}
	h.Status = Warning
	h.Message += fmt.Sprintf(", and it has dropped %d forged messages (%s), the last one from %s", total, strings.Join(kinds, ", "), cmp.Or(d.Origin, "a page without an origin"))
	h.Fix = "None of them had an effect. Take the page that sends them out of control if you do not trust it."
	return h
}

// asking is how the doctor's own calls show in the log.
var asking = control.SessionParams{Kind: policy.SessionCLI, ID: "doctor"}

const askPage = `{"policy_exception_report":{"kind":"generic","intended_tool":"page.info","actions_json_path":"none","reason":"actions-host doctor asks whether the page answers"}}`

// pages asks the page of each claimed tab.
func (e *examiner) pages(c *control.Client, add func(Hop)) {
	ctx, cancel := context.WithTimeout(e.ctx, pingTimeout)
	defer cancel()
	var list control.Tabs
	var tabs []struct {
		ID    int    `json:"tab_id"`
		Host  string `json:"host"`
		Title string `json:"title"`
	}
	err := c.Call(ctx, control.MethodTabs, asking, &list)
	if err == nil {
		err = json.Unmarshal(list.Tabs, &tabs)
	}
	if err != nil {
		add(Hop{Name: HopTabs, Status: Broken, Message: "the claimed tabs cannot be listed: " + fault.From(err).Message, Fix: "Restart the browser."})
		return
	}
	if len(tabs) == 0 {
		add(Hop{Name: HopTabs, Status: OK, Message: "no tab is handed over: open a page and choose Take control of this tab in the popup"})
		return
	}
	add(Hop{Name: HopTabs, Status: OK, Message: fmt.Sprintf("%d claimed", len(tabs))})
	for _, t := range tabs[:min(len(tabs), maxPages)] {
		add(e.page(c, t.ID, t.Host))
	}
}

func (e *examiner) page(c *control.Client, id int, host string) Hop {
	ctx, cancel := context.WithTimeout(e.ctx, pageTimeout+time.Second)
	defer cancel()
	started := time.Now()
	var answer dispatch.Envelope
	err := c.Call(ctx, control.MethodCall, control.CallParams{
		Session: asking, Name: "page.info", Arguments: json.RawMessage(askPage),
		Target: control.TargetParams{TabID: id}, TimeoutMS: int(pageTimeout.Milliseconds()),
	}, &answer)
	if err == nil && answer.Error != nil {
		err = answer.Error
	}
	h := Hop{Name: HopPage, Status: OK, Message: fmt.Sprintf("tab %d (%s) answered in %d ms", id, host, time.Since(started).Milliseconds())}
	if err == nil {
		return h
	}
	f := fault.From(err)
	h.Status, h.Message, h.Fix = Broken, fmt.Sprintf("tab %d (%s) does not answer: %s (%s)", id, host, f.Message, f.Code), f.NextStep
	switch f.Code {
	case fault.NeedsApproval, fault.PrimitiveBlocked, fault.DialogOpen, fault.RestrictedPage:
		h.Status = Warning // asked for, forbidden or held up, and so not broken
	case fault.HandlerTimeout, fault.Timeout:
		h.Fix = "The page is busy or frozen. Reload it, or release the tab."
	}
	return h
}
