package compile

// kind is what becomes of a call of a primitive.
type kind int

const (
	kindDrop        kind = iota // what it did is over: it looked, or kept the host's own books
	kindAct                     // a step with its target
	kindKey                     // a key for what has the focus
	kindPoint                   // a step on what was at the point
	kindDrag                    // from one target to another
	kindNavigate                //
	kindKeep                    // a step as it is, which others may need
	kindRead                    // a step where its output is used
	kindWait                    // waiting, which belongs to the step before
	kindUnsupported             // it did something that an action cannot repeat
)

const (
	navigateTool = "browser.navigate"
	selectTool   = "locator.select_option"
	waitTool     = "page.wait_for"
	textTool     = "locator.text_content"
)

var kinds = map[string]kind{
	"locator.click": kindAct, "locator.double_click": kindAct, "locator.hover": kindAct, "locator.fill": kindAct,
	"locator.press": kindAct, selectTool: kindAct, "locator.set_checked": kindAct, "text.insert": kindAct,
	"clipboard.paste": kindAct, "clipboard.copy": kindAct, "text.type": kindAct, "locator.upload_file": kindAct,
	"keyboard.press": kindKey,
	"pointer.click":  kindPoint, "pointer.double_click": kindPoint, "pointer.move": kindPoint,
	"locator.drag_to": kindDrag, "pointer.drag": kindDrag,
	navigateTool: kindNavigate,
	"dom.focus":  kindKeep, "text.select": kindKeep, "viewport.scroll": kindKeep, "browser.dismiss_dialog": kindKeep,
	textTool: kindRead, "locator.value": kindRead, "page.table": kindRead, "dom.observe.attributes": kindRead,
	"dom.observe.visible": kindRead, "dom.snapshot_text": kindRead, "browser.extract_elements": kindRead,
	"locator.wait_for": kindWait, waitTool: kindWait,

	"keyboard.press_gated": kindUnsupported, "pointer.down": kindUnsupported, "pointer.up": kindUnsupported,
	"pointer.move_to": kindUnsupported, "cursor.move_to": kindUnsupported, "marker.query": kindUnsupported,
	"transfer.insert": kindUnsupported, "webmcp.invoke": kindUnsupported, "net.send_url": kindUnsupported,
	"browser.open_tab": kindUnsupported, "browser.close_tab": kindUnsupported, "automation.navigate": kindUnsupported,
	"automation.repl": kindUnsupported, "automation.browserjs": kindUnsupported, "automation.debugger": kindUnsupported,
	"browser.run_javascript": kindUnsupported, "debug.run_javascript": kindUnsupported,
}

func kindOf(name string) kind { return kinds[name] }

// targetMember is the argument that names the target of a primitive.
func targetMember(name string) string {
	switch name {
	case "text.insert", "clipboard.paste", "clipboard.copy", "text.select":
		return "target"
	case "pointer.drag":
		return "from"
	case "text.type", "keyboard.press", "viewport.scroll", "browser.dismiss_dialog", navigateTool:
		return ""
	}
	return "locator"
}

// ownArguments are those that only the call at hand needed.
var ownArguments = []string{"diff", "expect", "allow_repeat", "recent_submits", "tab_id", "policy_exception_report", "force", "timeout_ms"}
