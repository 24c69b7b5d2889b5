package agent

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// MaxAnswer is how many characters of an output a model gets in one answer, whatever the
// record allows; the answer says how to read on.
const MaxAnswer = 8000

// maxFailure is how many bytes a failure may have with its evidence and meta.
const maxFailure = 8000

// maxImage is the longest data URL that is worth sending to a model.
const maxImage = 512_000

// members are the members of an answer's part.
type members map[string]any

// encode returns the members as an object, nil for none.
func (m members) encode() (json.RawMessage, error) {
	if len(m) == 0 {
		return nil, nil
	}
	return primitive.Output(m)
}

// outcomeOf returns what a model gets of an answer. Words of a page go apart from the host's
// own: what is foreign, an output or a failure, see [dispatch.IsForeign], and what the page did
// beside. The host's part says that there are some.
func outcomeOf(name string, e dispatch.Envelope, foreign bool) voice.Outcome {
	o := voice.Outcome{Name: name, OK: e.OK, Stopped: e.Meta.Stopped, Ends: e.OK && e.Meta.Done != nil}
	o.Ran, o.Classes = e.OK || e.Error.Dispatched != fault.NotDispatched, e.Meta.Classes
	if name == dispatch.SiteTool && e.Meta.Acted {
		o.Classes = append(o.Classes, "state_change") // whatever its steps were
	}
	if e.Meta.Tab != nil {
		o.TabID = e.Meta.Tab.TabID
	}
	host, page := members{"ok": e.OK}, members{}
	words := host
	if foreign {
		words = page
	}
	for member, value := range e.Meta.Brief() {
		switch member {
		case "nudge", "log_damage":
			host[member] = value
		default:
			page[member] = value
		}
	}
	if e.Already {
		host["already"] = true
	}
	if e.OK {
		words["output"] = e.Output
		if o.Image = e.Picture(); o.Image != "" {
			host["delivered_as"] = "input_image"
		}
		if len(o.Image) > maxImage {
			o.Image, host["delivered_as"] = "", "omitted_oversize"
		}
	} else {
		o.Code, o.Reason, o.Next = string(e.Error.Code), e.Error.Message, e.Error.NextStep
		host["error"] = e.Error
		if foreign {
			host["error"] = withoutPageText(e.Error)
			page["message"], page["evidence"] = e.Error.Message, e.Error.Evidence
		}
		page["meta"] = e.Meta
	}
	if len(page) > 0 {
		host["trust"] = pagedata.Untrusted
	}
	o.Output, o.Page = encodeBoth(host, page)
	if !e.OK && len(o.Text()) > maxFailure {
		short := withoutPageText(e.Error).With("truncated", true)
		o.Output, o.Page = encodeBoth(members{"ok": false, "error": short}, nil)
	}
	return o
}

// withoutPageText returns a failure without the words that a page may have in it.
func withoutPageText(f *fault.Error) *fault.Error {
	own := *f
	own.Message, own.Evidence = string(f.Code), nil
	return &own
}

func encodeBoth(host, page members) (json.RawMessage, json.RawMessage) {
	output, err := host.encode()
	if err != nil {
		return json.RawMessage(`{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`), nil
	}
	words, err := page.encode()
	if err != nil {
		words = json.RawMessage(`{"message":"it cannot be written"}`)
	}
	return output, words
}
