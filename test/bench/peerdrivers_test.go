package bench

import (
	"strconv"
	"strings"
)

// devTools drives chrome-devtools-mcp, whose acts show the page where they are asked to.
type devTools struct{}

func (devTools) call(tool string, args object) step {
	args["pageId"] = devToolsPage
	return step{tool, args}
}

func (d devTools) open(url string) []step {
	return []step{d.call("navigate_page", object{"type": "url", "url": url})}
}

func (d devTools) leave(url string) []step { return d.open(url) }

func (d devTools) look(bool) []step { return []step{d.call("take_snapshot", object{})} }

func (d devTools) form(fields []entry) []step {
	if len(fields) == 1 {
		return []step{d.call("fill", object{"uid": fields[0].ref, "value": fields[0].value})}
	}
	var elements []object
	for _, f := range fields {
		elements = append(elements, object{"uid": f.ref, "value": f.value})
	}
	return []step{d.call("fill_form", object{"elements": elements})}
}

func (d devTools) click(at node, shows bool) []step {
	return []step{d.call("click", d.shown(object{"uid": at.ref}, shows))}
}

func (d devTools) press(key string, shows bool) []step {
	return []step{d.call("press_key", d.shown(object{"key": key}, shows))}
}

func (devTools) shown(args object, shows bool) object {
	if shows {
		args["includeSnapshot"] = true
	}
	return args
}

func (d devTools) write(at node, text string) []step {
	return append(d.click(at, false), d.call("type_text", object{"text": text}))
}

func (d devTools) scroll(inside node, pixels int) []step {
	return []step{d.call("evaluate_script", object{"function": scrollBy(pixels), "args": []string{inside.ref}})}
}

func (d devTools) drag(from, to node) []step {
	return []step{d.call("drag", object{"from_uid": from.ref, "to_uid": to.ref})}
}

func (d devTools) upload(at node, file string) []step {
	return []step{d.call("upload_file", object{"uid": at.ref, "filePaths": []string{file}})}
}

func (d devTools) answer(accept bool, text string) []step {
	args := object{"action": map[bool]string{true: "accept", false: "dismiss"}[accept]}
	if text != "" {
		args["promptText"] = text
	}
	return []step{d.call("handle_dialog", args)}
}

func (d devTools) await(text string) []step {
	return []step{d.call("wait_for", object{"text": []string{text}})}
}

func (devTools) see(answer string) ([]node, bool) { return uidNodes(answer), true }
func (devTools) byWords(element) bool             { return false }

// playwrightTools drives playwright, whose acts name a file that shows the page: one
// who has only the server asks for the page again.
type playwrightTools struct{}

func (p playwrightTools) open(url string) []step {
	return []step{{"browser_navigate", object{"url": url}}}
}

func (p playwrightTools) leave(url string) []step { return p.open(url) }

func (playwrightTools) look(bool) []step { return []step{{"browser_snapshot", object{}}} }

func (playwrightTools) form(fields []entry) []step {
	if len(fields) == 1 && fields[0].element.role == "textbox" {
		return []step{{"browser_type", object{"element": fields[0].element.name, "target": fields[0].ref, "text": fields[0].value}}}
	}
	var all []object
	for _, f := range fields {
		all = append(all, object{"name": f.element.name, "target": f.ref, "type": f.element.role, "value": f.value})
	}
	return []step{{"browser_fill_form", object{"fields": all}}}
}

func (p playwrightTools) click(at node, shows bool) []step {
	return p.shown(step{"browser_click", object{"element": at.name, "target": at.ref}}, shows)
}

func (p playwrightTools) press(key string, shows bool) []step {
	return p.shown(step{"browser_press_key", object{"key": key}}, shows)
}

func (p playwrightTools) shown(act step, shows bool) []step {
	if shows {
		return append([]step{act}, p.look(false)...)
	}
	return []step{act}
}

func (playwrightTools) write(at node, text string) []step {
	return []step{{"browser_type", object{"element": at.name, "target": at.ref, "text": text, "slowly": true}}}
}

func (playwrightTools) scroll(inside node, pixels int) []step {
	return []step{{"browser_evaluate", object{"element": inside.name, "target": inside.ref, "function": scrollBy(pixels)}}}
}

func (playwrightTools) drag(from, to node) []step {
	return []step{{"browser_drag", object{"startElement": from.text, "startTarget": from.ref, "endElement": to.text, "endTarget": to.ref}}}
}

func (p playwrightTools) upload(at node, file string) []step {
	return append(p.click(at, false), step{"browser_file_upload", object{"paths": []string{file}}})
}

func (playwrightTools) answer(accept bool, text string) []step {
	args := object{"accept": accept}
	if text != "" {
		args["promptText"] = text
	}
	return []step{{"browser_handle_dialog", args}}
}

func (playwrightTools) await(text string) []step {
	return []step{{"browser_wait_for", object{"text": text}}}
}

func (playwrightTools) see(answer string) ([]node, bool) { return ariaNodes(answer), true }
func (playwrightTools) byWords(element) bool             { return false }

// agentBrowserTools drives agent-browser, which looks by a call of its own.
type agentBrowserTools struct{}

func (agentBrowserTools) call(tool string, args object) step {
	return step{"agent_browser_" + tool, args}
}

func (a agentBrowserTools) open(url string) []step {
	return []step{a.call("open", object{"url": url})}
}

func (a agentBrowserTools) leave(url string) []step { return a.open(url) }

func (a agentBrowserTools) look(whole bool) []step {
	return []step{a.call("snapshot", object{"interactive": !whole})}
}

func (a agentBrowserTools) form(fields []entry) (steps []step) {
	for _, f := range fields {
		switch f.element.role {
		case "checkbox":
			steps = append(steps, a.call(map[string]string{"true": "check", "false": "uncheck"}[f.value], a.at(f.node)))
		case "combobox":
			steps = append(steps, a.call("select", object{"selector": "@" + f.ref, "values": []string{f.value}}))
		default:
			steps = append(steps, a.call("fill", object{"selector": "@" + f.ref, "text": f.value}))
		}
	}
	return steps
}

func (agentBrowserTools) at(n node) object { return object{"selector": "@" + n.ref} }

func (a agentBrowserTools) click(at node, shows bool) []step {
	return a.shown(a.call("click", a.at(at)), shows)
}

func (a agentBrowserTools) press(key string, shows bool) []step {
	return a.shown(a.call("press", object{"key": key}), shows)
}

func (a agentBrowserTools) shown(act step, shows bool) []step {
	if shows {
		return append([]step{act}, a.look(true)...)
	}
	return []step{act}
}

func (a agentBrowserTools) write(at node, text string) []step {
	steps := a.click(at, false)
	for _, key := range text { // what types a text at once sends no keys that a canvas takes
		steps = append(steps, a.call("press", object{"key": string(key)}))
	}
	return steps
}

func (a agentBrowserTools) scroll(_ node, pixels int) []step {
	return []step{a.call("scroll", object{"direction": "down", "amount": pixels, "selector": "[role=list]"})}
}

// drag takes its ends from the page's HTML: no snapshot has refs of what is no control.
func (a agentBrowserTools) drag(from, to node) []step {
	return []step{a.call("get_html", object{"selector": "body"}), a.call("drag", object{"source": from.css, "target": to.css})}
}

func (a agentBrowserTools) upload(at node, file string) []step {
	return []step{a.call("upload", object{"selector": "@" + at.ref, "files": []string{file}})}
}

func (a agentBrowserTools) answer(accept bool, text string) []step {
	if !accept {
		return []step{a.call("dialog_dismiss", object{})}
	}
	args := object{}
	if text != "" {
		args["text"] = text
	}
	return []step{a.call("dialog_accept", args)}
}

func (a agentBrowserTools) await(text string) []step {
	return []step{a.call("wait_for_text", object{"text": text})}
}

func (agentBrowserTools) see(answer string) ([]node, bool) { return ariaNodes(answer), true }

func (agentBrowserTools) byWords(e element) bool { return e.css != "" }

// scrollBy scrolls the element around one, for servers without a tool for it.
func scrollBy(pixels int) string {
	return strings.Replace(`(e) => { while (e && !(e.scrollHeight > e.clientHeight && getComputedStyle(e).overflowY === "auto")) e = e.parentElement; e.scrollTop += PIXELS; }`,
		"PIXELS", strconv.Itoa(pixels), 1)
}
