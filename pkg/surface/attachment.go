package surface

import (
	"encoding/json"
	"slices"
)

// Attachment is something of the runtime's own that stands beside an element
// of the page, such as a launcher of an overlay.
type Attachment struct {
	ID          string            `json:"id"`
	Kind        string            `json:"kind"` // one of AttachmentKinds
	Description string            `json:"description,omitempty"`
	Target      Target            `json:"target"`
	Affordance  Affordance        `json:"affordance"`
	Lifecycle   Lifecycle         `json:"lifecycle"`
	Signals     map[string]string `json:"signals,omitempty"` // events of its life and the names they are told by
}

// Affordance is how an attachment looks and what it opens.
type Affordance struct {
	Label        string          `json:"label,omitempty"`
	Title        string          `json:"title,omitempty"`
	Placement    string          `json:"placement,omitempty"` // such as afterend; "" leaves it to the runtime
	MaxInstances int             `json:"max_instances"`       // 1 where the map says nothing
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

// AttachmentKinds are the kinds that there are.
var AttachmentKinds = []string{"overlay_launcher", "annotation", "shortcut", "status_badge"}

// readAttachments leaves out what cannot be placed.
func (s *Surface) readAttachments(p part) {
	for _, o := range s.section(p, "id") {
		target, found := readTarget(o.get("target"))
		lifecycle := o.get("lifecycle")
		kind := o.get("kind")
		switch {
		case !found:
			s.problem(o.get("target"), "an attachment must have a target that can be found")
		case lifecycle.absent():
			s.problem(lifecycle, "an attachment must have a lifecycle")
		case !slices.Contains(AttachmentKinds, kind.text()):
			s.problem(kind, "this kind of attachment is not known")
		default:
			s.Attachments = append(s.Attachments, Attachment{
				ID: o.get("id").text(), Kind: kind.text(), Description: o.get("description").prose(), Target: target,
				Affordance: readAffordance(o.get("affordance")),
				Lifecycle: Lifecycle{
					first(lifecycle.text(), lifecycle.get("install").text()), lifecycle.get("remove").text(),
					lifecycle.get("reattach").text(), lifecycle.get("drift").text(),
				},
				Signals: readNames(o.get("signals")),
			})
		}
	}
}

func readAffordance(p part) Affordance {
	o, _ := p.object()
	a := Affordance{Label: o.get("label").text(), Title: o.get("title").text(), Placement: o.get("placement").text(), MaxInstances: 1}
	if n := o.get("max_instances").integer(); n != nil && *n > 0 {
		a.MaxInstances = *n
	}
	opens := o.get("opens")
	a.OpensTool = first(opens.text(), opens.get("tool").text())
	if args := opens.get("arguments"); !args.absent() {
		a.OpensArgs = args.raw
	}
	return a
}

// readNames reads an object of texts.
func readNames(p part) map[string]string {
	o, _ := p.object()
	names := map[string]string{}
	for _, key := range o.names() {
		if text := o.get(key).text(); text != "" {
			names[key] = text
		}
	}
	return names
}
