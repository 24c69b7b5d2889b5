package bench

import (
	"cmp"
	"strings"

	"github.com/actionsjson/actions-host/pkg/policy"
)

type object = map[string]any

// primitives drives Actions Host without a map. A reason is reported once for each effect
// of a task, though the server remembers it longer.
type primitives struct{ reported map[string]bool }

func newPrimitives() driver { return &primitives{reported: map[string]bool{}} }

// effects are those of the primitives that are called here.
var effects = map[string]string{"page.snapshot": "read", "page.wait_for": "read", "viewport.scroll": "view", "browser.navigate": "tab", "browser.dismiss_dialog": "tab"}

// call is a primitive that the catalogue has, as a tool of its name.
func (p *primitives) call(name string, args object) step {
	return step{strings.ReplaceAll(name, ".", "_"), p.report(name, args)}
}

// rare is one that it has not.
func (p *primitives) rare(name string, args object) step {
	return step{"primitives_call", object{"name": name, "arguments": p.report(name, args)}}
}

func (p *primitives) report(name string, args object) object {
	effect := effects[name]
	if !p.reported[effect] {
		p.reported[effect] = true
		args["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "A benchmark."}
	}
	return args
}

func (p *primitives) at(n node) object {
	if n.ref == "" {
		return object{"text_equals": cmp.Or(n.name, n.text)}
	}
	return object{"ref": n.ref}
}

func (p *primitives) open(url string) []step {
	return []step{p.call("browser.navigate", object{"url": url})}
}

func (p *primitives) leave(url string) []step {
	return []step{p.call("browser.navigate", object{"url": url, "force": true})}
}

func (p *primitives) look(whole bool) []step {
	return []step{p.call("page.snapshot", object{"interactive": !whole})}
}

func (p *primitives) form(fields []entry) []step {
	var calls []object
	for _, f := range fields {
		name, args := "locator.fill", object{"locator": p.at(f.node)}
		switch f.element.role {
		case "checkbox":
			name, args["checked"] = "locator.set_checked", f.value == "true"
		case "combobox":
			name, args["label"] = "locator.select_option", f.value
		default:
			args["text"] = f.value
		}
		calls = append(calls, object{"name": name, "arguments": p.report(name, args)})
	}
	if len(calls) == 1 {
		return []step{{strings.ReplaceAll(calls[0]["name"].(string), ".", "_"), calls[0]["arguments"]}}
	}
	return []step{{"primitives_batch", object{"calls": calls}}}
}

func (p *primitives) click(at node, shows bool) []step {
	// Rounds follow each other so soon that a press would count as sent twice by mistake.
	return []step{p.call("locator.click", p.diff(object{"locator": p.at(at), "allow_repeat": true}, shows))}
}

func (p *primitives) press(key string, shows bool) []step {
	return []step{p.call("keyboard.press", p.diff(object{"key": key}, shows))}
}

func (p *primitives) diff(args object, shows bool) object {
	if shows {
		args["diff"] = true
	}
	return args
}

func (p *primitives) write(at node, text string) []step {
	return append(p.click(at, false), p.rare("text.type", object{"text": text, "trusted": true}))
}

func (p *primitives) scroll(_ node, pixels int) []step {
	return []step{p.rare("viewport.scroll", object{"delta_y": pixels, "scope": object{"selector": "[role=list]"}})}
}

func (p *primitives) drag(from, to node) []step {
	return []step{p.rare("locator.drag_to", object{"locator": p.at(from), "to": p.at(to)})}
}

func (p *primitives) upload(at node, file string) []step {
	return []step{p.rare("locator.upload_file", object{"locator": p.at(at), "path": file})}
}

func (p *primitives) answer(accept bool, text string) []step {
	args := object{"accept": accept}
	if text != "" {
		args = object{"prompt_text": text}
	}
	return []step{p.rare("browser.dismiss_dialog", args)}
}

func (p *primitives) await(text string) []step {
	return []step{p.call("page.wait_for", object{"text": text})}
}

func (p *primitives) see(answer string) ([]node, bool) { return envelopeNodes(answer) }

func (p *primitives) byWords(e element) bool { return e.role == "" }
