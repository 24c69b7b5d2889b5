package pagemodel

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Attachment is an element that the runtime adds next to an element of the page, such
// as a launcher of an overlay.
type Attachment struct {
	ID          string            `json:"id"`
	Kind        string            `json:"kind"` // one of AttachmentKinds
	Description string            `json:"description,omitempty"`
	Target      Target            `json:"target"`
	Affordance  Affordance        `json:"affordance"`
	Lifecycle   Lifecycle         `json:"lifecycle"`
	Signals     map[string]string `json:"signals,omitempty"` // events of its life and the names they are reported by
}

// Affordance is how an attachment looks and what it opens.
type Affordance struct {
	Label        string          `json:"label,omitempty"`
	Title        string          `json:"title,omitempty"`
	Placement    string          `json:"placement,omitempty"` // such as afterend; "" leaves it to the runtime
	MaxInstances int             `json:"max_instances"`       // 1 where the map has none
	OpensTool    string          `json:"opens_tool,omitempty"`
	OpensArgs    json.RawMessage `json:"opens_arguments,omitempty"`
}

// Lifecycle is when an attachment comes and goes, in the map's words.
type Lifecycle struct {
	Install  string `json:"install,omitempty"`
	Remove   string `json:"remove,omitempty"`
	Reattach string `json:"reattach,omitempty"`
	Drift    string `json:"drift,omitempty"`
}

// AttachmentKinds lists the known kinds.
var AttachmentKinds = []string{"overlay_launcher", "annotation", "shortcut", "status_badge"}

// readAttachments leaves out what cannot be placed.
func (s *Model) readAttachments(p jsonnode.Node) {
	for _, o := range s.section(p, "id") {
		target, found := readTarget(o.Get("target"))
		lifecycle := o.Get("lifecycle")
		kind := o.Get("kind")
		switch {
		case !found:
			s.problem(o.Get("target"), "an attachment must have a target that can be found")
		case lifecycle.Absent():
			s.problem(lifecycle, "an attachment must have a lifecycle")
		case !slices.Contains(AttachmentKinds, kind.Text()):
			s.problem(kind, "this kind of attachment is not known")
		default:
			s.Attachments = append(s.Attachments, Attachment{
				ID: o.Get("id").Text(), Kind: kind.Text(), Description: prose(o.Get("description")), Target: target,
				Affordance: readAffordance(o.Get("affordance")),
				Lifecycle: Lifecycle{
					firstNonEmpty(lifecycle.Text(), lifecycle.Get("install").Text()), lifecycle.Get("remove").Text(),
					lifecycle.Get("reattach").Text(), lifecycle.Get("drift").Text(),
				},
				Signals: readNames(o.Get("signals")),
			})
		}
	}
}

func readAffordance(p jsonnode.Node) Affordance {
	o := p.Object()
	a := Affordance{Label: o.Get("label").Text(), Title: o.Get("title").Text(), Placement: o.Get("placement").Text(), MaxInstances: 1}
	if n := o.Get("max_instances").Integer(); n != nil && *n > 0 {
		a.MaxInstances = *n
	}
	opens := o.Get("opens")
	a.OpensTool = firstNonEmpty(opens.Text(), opens.Get("tool").Text())
	if args := opens.Get("arguments"); !args.Absent() {
		a.OpensArgs = args.Raw
	}
	return a
}

// readNames reads an object of texts.
func readNames(p jsonnode.Node) map[string]string {
	names := map[string]string{}
	for _, m := range p.Members() {
		if text := m.Text(); text != "" {
			names[m.Name] = text
		}
	}
	return names
}
