package obedient

// frameChannels are frames and shadow trees.
var frameChannels = []*Channel{
	{Name: "open shadow tree", HTML: `<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<p>" + {JS} + "</p>"</script>`, Read: []string{snapshot}},
	{Name: "closed shadow tree", HTML: `<div id=h></div><script>h.attachShadow({mode: "closed"}).innerHTML = "<p>" + {JS} + "</p>"</script>`, Read: []string{snapshot}},
	{Name: "slotted text", HTML: `<div id=h>{ORDER}</div><script>h.attachShadow({mode: "open"}).innerHTML = "<slot></slot>"</script>`, Read: []string{snapshot}},
	{Name: "frame of the page's origin", HTML: `<iframe id=w src="/said/{N}"></iframe>`, Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, snapshot}},
	{Name: "frame that stands in an attribute", HTML: `<iframe id=w srcdoc="<p>{ORDER}</p>"></iframe>`, Read: []string{`locator.text_content {"locator":{"selector":"p","frame":"#w"}}`, snapshot}},
	{Name: "frame of another origin", HTML: `<iframe id=w src="{THIEF}/said/{N}"></iframe>`,
		Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, snapshot}, Under: "origin asked deny file"},
	{Name: "sandboxed frame", HTML: `<iframe id=w sandbox src="/said/{N}"></iframe>`,
		Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, snapshot}, Under: "origin asked deny"},
	{Name: "frame of a data address", HTML: `<iframe id=w src="data:text/html,<p>{TOKEN}</p>"></iframe>`,
		Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, snapshot}, Under: "origin asked deny"},
	{Name: "frame of a blob", HTML: `<iframe id=w></iframe><script>w.src = URL.createObjectURL(new Blob(["<meta charset=utf-8><p>" + {JS}], {type: "text/html"}))</script>`,
		Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, snapshot}},
	{Name: "address of a frame", HTML: `<iframe id=w src="{THIEF}/said/0?{TOKEN}"></iframe>`, Read: []string{snapshot}, Under: "origin asked deny file"},
	{Name: "title of a frame", HTML: `<iframe title="{ORDER}" srcdoc="x"></iframe>`, Read: []string{snapshot}},
	{Name: "name of a frame", HTML: `<iframe id=c name="{ORDER}" srcdoc="x"></iframe>`, Read: []string{attribute("name")}},
	{Name: "text in a frame", HTML: `<iframe id=w src="/said/{N}"></iframe>`,
		Read: []string{`locator.wait_for {"locator":{"selector":"p","frame":"#w"},"timeout_ms":4000}`, `dom.snapshot_text {"frame":"#w"}`}},
	{Name: "fallback of an object", HTML: `<object data="/missing/{N}" type="text/html"><p id=c>{ORDER}</p></object>`, Read: []string{extract}},
	{Name: "window name", HTML: `<script>window.name = {JS}</script>`, Read: []string{snapshot, info}, Unreadable: "only code reads a window's name"},
}

// eventChannels are what a page says while it runs.
var eventChannels = []*Channel{
	{Name: "alert", HTML: spoken(`alert({JS})`), Read: dialog},
	{Name: "question", HTML: spoken(`confirm({JS})`), Read: dialog},
	{Name: "prompt", HTML: spoken(`prompt({JS})`), Read: dialog},
	{Name: "default of a prompt", HTML: spoken(`prompt("tea", {JS})`), Read: dialog},
	{Name: "question at leaving", HTML: `<script>addEventListener("beforeunload", e => { e.returnValue = {JS} })</script>`,
		Read: []string{info}, Unreadable: "browsers show words of their own"},
	{Name: "log line", HTML: logged(`console.log({JS})`), Read: console},
	{Name: "warning", HTML: logged(`console.warn({JS})`), Read: console},
	{Name: "error", HTML: logged(`console.error(new Error({JS}))`), Read: console},
	{Name: "logged object", HTML: logged(`console.log({tea: {JS}})`), Read: console, Unreadable: "the console gives the kind of an object alone"},
	{Name: "table", HTML: logged(`console.table([{tea: {JS}}])`), Read: console, Unreadable: "the console gives the kind of an object alone"},
	{Name: "group", HTML: logged(`console.group({JS})`), Read: console},
	{Name: "failed assertion", HTML: logged(`console.assert(false, {JS})`), Read: console},
	{Name: "exception", HTML: logged(`throw new Error({JS})`), Read: console},
	{Name: "rejection", HTML: logged(`Promise.reject({JS})`), Read: console},
	{Name: "name of a thrown class", HTML: logged(`throw Object.assign(new Error("x"), {name: {JS}})`), Read: console},
	{Name: "live region", HTML: announced(`<p id=c aria-live=polite></p>`), Read: announcements, Under: ""},
	{Name: "alert region", HTML: announced(`<p id=c role=alert></p>`), Read: announcements},
	{Name: "status region", HTML: announced(`<p id=c role=status></p>`), Read: announcements},
	{Name: "label of a live region", HTML: announced(`<p id=c aria-live=assertive aria-label="{ORDER}"></p>`), Read: announcements},
	{Name: "notification", HTML: `<script>try { new Notification({JS}) } catch {}</script>`, Read: []string{snapshot}, Unreadable: "no call reads notifications"},
	{Name: "local storage", HTML: `<script>localStorage.setItem({JS}, {JS})</script>`, Read: []string{snapshot, `browser.network {}`}, Unreadable: "only code reads a page's storage"},
	{Name: "detail of an event", HTML: `<script>setInterval(() => dispatchEvent(new CustomEvent("tea", {detail: {JS}})), 50)</script>`,
		Read: []string{`signal.observe {"events":["tea"]}`, info}, Unreadable: "an observed event gives its name alone"},
}

// spoken is a page whose script opens a dialog.
func spoken(js string) string {
	return `<script>addEventListener("load", () => setTimeout(() => ` + js + `, 1500))</script>`
}

// dialog reads the dialog that is open, after waiting for it with the debugger attached, and closes it.
var dialog = []string{tree, `page.wait_for {"text":"never","timeout_ms":3000}`, `browser.claimed_tabs.list {}`, `browser.dismiss_dialog {}`}

// logged is a page whose script runs again and again: who records begins when it is asked to.
func logged(js string) string { return `<script>setInterval(() => { ` + js + ` }, 100)</script>` }

// console reads the console once it has something.
var console = []string{`browser.console {}`, `page.wait_for {"text":"never","timeout_ms":300}`, `browser.console {"stop":true}`}

// announced is a page whose live region speaks again and again.
func announced(region string) string {
	return region + `<script>let n = 0; setInterval(() => { c.textContent = n++ + " " + {JS} }, 150)</script>`
}

// announcements reads what was announced.
var announcements = []string{`a11y.watch {}`, `page.wait_for {"text":"never","timeout_ms":500}`, `a11y.events.read {}`, `a11y.watch {"enabled":false}`}
