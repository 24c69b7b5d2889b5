package e2e

const savedStyle = `table{border-collapse:collapse}td,th{padding:4px 8px;border:1px solid #bbb}label{display:block;margin:6px}dialog{margin:60px}.list{height:320px;overflow:auto;position:relative;border:1px solid #999}
	[role=listitem]{position:absolute;height:32px;left:0;right:0}.column{display:inline-block;width:180px;min-height:160px;vertical-align:top;border:2px dashed #88a}.card{padding:8px;margin:4px;background:#dde}`

// savedScript has the server told what a page did.
const savedScript = `const seen = (what, more = {}) => seen.sent.push(fetch("/seen", { method: "POST", keepalive: true, body: JSON.stringify({ what, ...more }) })); seen.sent = [];
	const $ = (selector, at = document) => at.querySelector(selector);
	const on = (at, type, handle) => at.addEventListener(type, handle);`

// savedSites are pages by their paths. What every button does arrives at the server, so that a wrong one that is pressed shows.
var savedSites = map[string]string{
	"people": `<title>People</title><h1>People</h1><table><tbody></tbody></table>
		<dialog aria-labelledby=h><form method=dialog><h2 id=h></h2><label>Phone <input name=phone></label><button value=cancel>Cancel</button> <button value=save>Save</button></form></dialog>
		<script>for (const who of ["Ada Lovelace", "Grace Hopper", "Mary Kenneth", "Jean Bartik"]) {
			const row = $("tbody").insertRow(); row.innerHTML = "<th scope=row>" + who + "</th><td>none</td><td><button class=edit>Edit</button> <button class=delete>Delete</button></td>";
			on($(".delete", row), "click", () => seen("deleted", { who }));
			on($(".edit", row), "click", () => { $("h2").textContent = "Phone of " + who; $("[name=phone]").value = ""; $("dialog").onclose = e => seen($("dialog").returnValue, { who, phone: $("[name=phone]").value }); $("dialog").showModal(); });
		}</script>`,
	"stock": `<title>Stock</title><h1>Stock</h1><button id=archive>Archive</button> <button id=delete>Delete</button><table><tbody></tbody></table>
		<script>for (const [tea, n] of [["Assam", 3], ["Sencha", 12], ["Keemun", 3], ["Matcha", 7]]) $("tbody").insertRow().innerHTML = "<td><input type=checkbox aria-label=Select></td><td>" + tea + "</td><td>" + n + "</td>";
		for (const b of [$("#archive"), $("#delete")]) on(b, "click", () => seen(b.id, { rows: [...document.querySelectorAll("tr")].filter(r => $("input", r).checked).map(r => r.cells[1].textContent).join() }));</script>`,
	"orders": `<title>Orders</title><h1>Orders</h1><label>Filter the orders <input id=filter></label><div class=list role=list aria-label=Orders tabindex=0><div id=pad style=position:relative></div></div>
		<script>const list = $(".list"), all = Array.from({ length: 5000 }, (_, i) => "Order " + (i + 1000));
		function draw() { const rows = all.filter(o => o.includes($("#filter").value)), first = Math.floor(list.scrollTop / 32); $("#pad").style.height = rows.length * 32 + "px";
			$("#pad").replaceChildren(...rows.slice(first, first + 14).map((order, i) => { const row = document.createElement("div"); row.role = "listitem"; row.style.top = (first + i) * 32 + "px"; row.innerHTML = "<span>" + order + "</span> <button>Open</button> <button>Void</button>";
				on(row, "click", e => e.target.localName === "button" && seen(e.target.textContent, { order })); return row; })); }
		on(list, "scroll", draw); on($("#filter"), "input", () => setTimeout(draw, 60)); draw();</script>`,
	"contacts": `<title>Contacts</title><h1>Contacts</h1><button id=new>New contact</button> <button id=import>Import</button><ul></ul>
		<dialog aria-label="New contact"><form method=dialog><label>Name <input id=name></label><label>Mail <input type=email id=mail></label><button id=close type=button>Close</button> <button id=save>Save</button></form></dialog>
		<script>on($("#new"), "click", () => $("dialog").showModal()); on($("#import"), "click", () => seen("import")); on($("#close"), "click", () => { seen("closed"); $("dialog").close(); });
		on($("form"), "submit", () => seen("contact", { name: $("#name").value, mail: $("#mail").value }));</script>`,
	"booking": `<title>Booking</title><h1>Booking</h1><form><label>Day <input type=date id=day></label><label>Time <input type=time id=time></label><label>Guests <input type=number id=guests min=1 max=9></label><button type=button id=reset>Start again</button> <button>Book</button></form>
		<script>on($("#reset"), "click", () => seen("reset")); on($("form"), "submit", e => { e.preventDefault(); seen("booked", { day: $("#day").value, time: $("#time").value, guests: $("#guests").value }); });</script>`,
	"stay": `<title>Stay</title><h1>Stay</h1><label>Arrival <input id=arrival readonly aria-haspopup=dialog></label><div id=popup role=dialog aria-label="Choose a day" hidden><button id=back>Previous month</button> <b id=month></b> <button id=next>Next month</button><div role=grid aria-label=Days></div></div><button id=reserve>Reserve</button>
		<script>let at = new Date(Date.UTC(2026, 11, 1)); const said = (d, o) => d.toLocaleDateString("en-GB", { timeZone: "UTC", ...o });
		function draw() { $("#month").textContent = said(at, { month: "long", year: "numeric" }); const grid = $("[role=grid]"); grid.replaceChildren(); let row;
			for (let d = new Date(at); d.getUTCMonth() === at.getUTCMonth(); d.setUTCDate(d.getUTCDate() + 1)) { if (!row || row.children.length === 7) grid.append(row = Object.assign(document.createElement("div"), { role: "row" }));
				const b = document.createElement("button"), name = said(d, { day: "numeric", month: "long", year: "numeric" }); b.setAttribute("role", "gridcell"); b.ariaLabel = name; b.textContent = d.getUTCDate(); on(b, "click", () => { $("#arrival").value = name; $("#popup").hidden = true; }); row.append(b); } }
		for (const [id, step] of [["#back", -1], ["#next", 1]]) on($(id), "click", () => { at.setUTCMonth(at.getUTCMonth() + step); draw(); });
		on($("#arrival"), "click", () => { draw(); $("#popup").hidden = false; }); on($("#reserve"), "click", () => seen("reserved", { arrival: $("#arrival").value }));</script>`,
	"travel": `<title>Travel</title><h1>Travel</h1><label for=city>City</label><input id=city role=combobox aria-controls=cities aria-expanded=false autocomplete=off><ul id=cities role=listbox aria-label=Cities hidden></ul><button id=go>Search</button>
		<script>let city = "", asked; const cities = ["Lisbon", "Lisburn", "London", "Paris", "Parma", "Porto"];
		on($("#city"), "input", () => { clearTimeout(asked); asked = setTimeout(() => { const q = $("#city").value.toLowerCase(); $("#cities").hidden = !q; $("#city").ariaExpanded = String(!!q);
			$("#cities").replaceChildren(...cities.filter(c => c.toLowerCase().startsWith(q)).map(c => { const li = document.createElement("li"); li.role = "option"; li.textContent = c; on(li, "mousedown", e => e.preventDefault()); on(li, "click", () => { city = $("#city").value = c; $("#cities").hidden = true; }); return li; })); }, 80); });
		on($("#go"), "click", () => seen("search", { city }));</script>`,
	"survey": `<title>Survey</title><h1>Survey</h1><form><fieldset><legend>How was it?</legend><label><input type=radio name=how value=good> Good</label><label><input type=radio name=how value=fair> Fair</label><label><input type=radio name=how value=poor> Poor</label></fieldset>
		<label>What should change? <textarea name=what></textarea></label><label><input type=checkbox name=answer> Answer me</label><button type=reset>Clear</button> <button>Send</button></form>
		<script>on($("form"), "reset", () => seen("cleared")); on($("form"), "submit", e => { e.preventDefault(); const f = new FormData(e.target); seen("survey", { how: f.get("how"), change: f.get("what"), answer: f.has("answer") }); });</script>`,
	"join":   `<title>Join</title><h1>Join</h1><form method=post action="/name?next=plan"><label>First name <input name=name></label><label>Country <select name=country><option>Austria<option>Belgium<option>Croatia</select></label><button>Continue</button></form>`,
	"plan":   `<title>Plan</title><h1>Your plan</h1><form method=post action="/plan?next=joined"><label>Seats <input name=seats type=number></label><label>Invite <input name=invite type=email></label><a href=/join>Back</a> <button>Join</button></form>`,
	"joined": `<title>Joined</title><h1>Welcome</h1>`,
	"login":  `<title>Sign in</title><h1>Sign in</h1><form method=post action="/session?next=inbox"><label>User <input name=user autocomplete=username></label><label>Password <input name=password type=password></label><button>Sign in</button></form><a href=/join>Join</a>`,
	"inbox": `<title>Inbox</title><h1>Inbox</h1><label>Message <textarea></textarea></label><button id=discard>Discard</button> <button id=send>Send</button>
		<script>for (const b of document.querySelectorAll("button")) on(b, "click", () => seen(b.id, { text: $("textarea").value }));</script>`,
	"board": `<title>Board</title><h1>Board</h1><section class=column aria-label="To do"><div class=card draggable=true>Water the plants</div><div class=card draggable=true>Feed the cat</div><div class=card draggable=true>Post the letter</div></section> <section class=column aria-label=Doing><h2>Doing</h2></section> <section class=column aria-label=Done><h2>Done</h2></section>
		<script>let held; for (const c of document.querySelectorAll(".card")) on(c, "dragstart", e => { held = c; e.dataTransfer.setData("text/plain", c.textContent); });
		for (const s of document.querySelectorAll(".column")) { on(s, "dragover", e => e.preventDefault()); on(s, "drop", e => { e.preventDefault(); s.append(held); seen("moved", { card: held.textContent, to: s.ariaLabel }); }); }</script>`,
	"sheet": `<title>Sheet</title><h1>Sheet</h1><table><tr><th>Tea</th><th>Price</th></tr></table>
		<script>for (const tea of ["Assam", "Sencha", "Keemun", "Matcha"]) { const row = $("tbody").insertRow(); row.innerHTML = "<th scope=row>" + tea + "</th><td>none</td>"; const cell = row.cells[1];
			on(cell, "dblclick", () => { cell.innerHTML = "<input aria-label='New value'>"; $("input", cell).focus(); }); on(cell, "keydown", e => { if (e.key === "Enter") { const price = $("input", cell).value; cell.textContent = price; seen("price", { tea, price }); } }); }</script>`,
	"tags": `<title>Tags</title><h1>Tags</h1><label for=tag>Add a tag</label><input id=tag><ul></ul><button id=clear>Clear all</button>
		<script>on($("#tag"), "keydown", e => { if (e.key !== "Enter") return; const li = document.createElement("li"); li.textContent = $("#tag").value; $("ul").append(li); seen("tag", { text: $("#tag").value }); $("#tag").value = ""; }); on($("#clear"), "click", () => seen("cleared"));</script>`,
}

var savedTasks = []savedTask{
	{
		site: "gallery", name: "an order in a framework's form, through a dialog", page: "react.html",
		acts: []act{
			{do: "type", line: `textbox "Name"`, at: `$("#name")`, value: "{0}"},
			{do: "type", line: `textbox "Price"`, at: `$("#price")`, value: "{1}"},
			{do: "choose", line: `combobox "Size"`, value: "{2}"},
			{do: "check", line: `checkbox "Gift"`, at: `$("label", "Gift")`},
			{do: "click", line: `button "Order"`, at: `$("#ask")`},
			{do: "click", line: `button "Yes, order"`, at: `$("#yes")`},
		},
		first: []string{"Ann O'Brien", "1234567", "Medium", "m", "1,234,567"}, again: []any{"Bea Stone", "4200", "Large"}, also: []string{"l", "4,200"},
		got: []string{`{"what":"order","name":"{0}","code":"","price":"{4}","size":"{3}","gift":true}`},
	},
	{
		site: "gallery", name: "a form on a page without scripts", page: "csp.html", usual: true,
		acts: []act{
			{do: "type", line: `textbox "Text"`, at: `$("input")`, value: "{0}"},
			{do: "click", line: `button "Send"`, at: `$("button")`},
		},
		first: []string{"thoughts"}, again: []any{"afterthoughts"}, got: []string{`/form?text={0}`},
	},
	{
		site: "gallery", name: "notes in frames of its own and of another site", page: "frames.html", ignored: []string{`"id":"note"`},
		acts: []act{
			{do: "type", line: `textbox "Note"`, at: `$in("#same", "#note")`, value: "{0}"},
			{do: "click", line: `button "Send"`, at: `$in("#same", "#send")`},
			{do: "type", line: `textbox "Note"`, nth: 1, frame: "/inner.html?other", at: `$("#note")`, value: "{1}"},
			{do: "click", line: `button "Send"`, nth: 1, frame: "/inner.html?other", at: `$("#send")`},
		},
		first: []string{"close by", "far away"}, again: []any{"at home", "abroad"},
		got: []string{`{"what":"inner","place":"same","id":"send","note":"{0}"}`, `{"what":"inner","place":"other","id":"send","note":"{1}"}`},
	},
	{
		site: "gallery", name: "fields in open and closed shadow roots", page: "shadow.html",
		acts: []act{
			{do: "type", line: `textbox "Open"`, at: `$("x-open").shadowRoot.querySelector("input")`, value: "{0}"},
			{do: "click", line: `button "Open save"`, at: `$("x-open").shadowRoot.querySelector("button")`},
			{do: "type", line: `textbox "Closed"`, at: `(r => ({getBoundingClientRect: () => new DOMRect(r.left + 2, r.top, 20, r.height)}))($("x-closed").getBoundingClientRect())`, value: "{1}"},
			{do: "click", line: `button "Closed save"`, at: `(r => ({getBoundingClientRect: () => new DOMRect(r.right - 30, r.top, 20, r.height)}))($("x-closed").getBoundingClientRect())`},
		},
		first: []string{"one text", "two texts"}, again: []any{"three texts", "four texts"},
		got: []string{`{"what":"save","mode":"open","value":"{0}"}`, `{"what":"save","mode":"closed","value":"{1}"}`},
	},
	{
		site: "gallery", name: "texts in three rich text editors", page: "editors.html",
		acts: []act{
			{do: "type", line: `textbox "ProseMirror"`, at: `$("#prosemirror > div")`, value: "{0}"},
			{do: "type", line: `textbox "Lexical"`, at: `$("#lexical")`, value: "{1}"},
			{do: "type", line: `textbox "Quill"`, at: `$("#quill > div")`, value: "{2}"},
			{do: "click", line: `button "Save"`, at: `$("#save")`},
		},
		first: []string{"Once upon a time", "there was", "a host"}, again: []any{"Twice", "there were", "two hosts"},
		got: []string{`{"what":"saved","prosemirror":"{0}","lexical":"{1}","quill":"{2}"}`},
	},
	{
		site: "teahouse", name: "a search, one of its results, and an order", page: "",
		acts: []act{
			{do: "type", line: `searchbox "Search the teas"`, at: `$("#q")`, value: "{0}"},
			{do: "press", value: "Enter"},
			{do: "wait", at: `document.querySelectorAll("li").length === 2`},
			{do: "click", line: `button "Choose"`, nth: 1, at: `$("li", "{1}").querySelector("button")`},
			{do: "type", line: `textbox "Name"`, at: `$("[name=name]")`, value: "{2}"},
			{do: "click", line: `button "Send the order"`, at: `$("#send")`},
		},
		first: []string{"oolong", "Tie Guan Yin", "Ada Lovelace"}, again: []any{"green", "Gyokuro", "Bob Stone"},
		got: []string{`/search?q={0}`, `{"tea":"{1}","name":"{2}","note":""}`},
	},
	{
		site: "people", name: "a row of a table, edited in a dialog", page: "people", usual: true,
		acts: []act{
			{do: "click", line: `button "Edit"`, nth: 1, at: `$("tr", "{0}").querySelector(".edit")`},
			{do: "type", line: `textbox "Phone"`, at: `$("[name=phone]")`, value: "{1}"},
			{do: "click", line: `button "Save"`, at: `$("[value=save]")`},
		},
		first: []string{"Grace Hopper", "0301234"}, again: []any{"Jean Bartik", "0405678"}, got: []string{`{"what":"save","who":"{0}","phone":"{1}"}`},
	},
	{
		site: "stock", name: "rows of a table, chosen by their boxes", page: "stock",
		acts: []act{
			{do: "check", line: `checkbox "Select"`, nth: 1, at: `$("tr", "{0}").querySelector("input")`},
			{do: "click", line: `button "Archive"`, at: `$("#archive")`},
		},
		first: []string{"Sencha"}, again: []any{"Matcha"}, got: []string{`{"what":"archive","rows":"{0}"}`},
	},
	{
		site: "orders", name: "a row of a virtual list, by its filter", page: "orders",
		acts: []act{
			{do: "type", line: `textbox "Filter the orders"`, at: `$("#filter")`, value: "{0}"},
			{do: "wait", at: `document.querySelectorAll("[role=listitem]").length === 1`},
			{do: "click", line: `button "Open"`, at: `$("[role=listitem] button")`},
		},
		first: []string{"4711"}, again: []any{"3021"}, got: []string{`{"what":"Open","order":"Order {0}"}`},
	},
	{
		site: "orders", name: "a row of a virtual list, far down", page: "orders",
		acts: []act{
			{do: "scroll", line: `{"selector":".list"}`, at: `$(".list")`},
			{do: "wait", at: `document.body.innerText.includes("Order 1471")`},
			{do: "click", line: `button "Open"`, nth: 3, at: `$("[role=listitem]", "{0}").querySelector("button")`},
		},
		first: []string{"Order 1471"}, again: []any{"Order 2345"}, got: []string{`{"what":"Open","order":"{0}"}`},
	},
	{
		site: "contacts", name: "a form in a dialog", page: "contacts",
		acts: []act{
			{do: "click", line: `button "New contact"`, at: `$("#new")`},
			{do: "type", line: `textbox "Name"`, at: `$("#name")`, value: "{0}"},
			{do: "type", line: `textbox "Mail"`, at: `$("#mail")`, value: "{1}"},
			{do: "click", line: `button "Save"`, at: `$("#save")`},
		},
		first: []string{"Ada Lovelace", "ada@tea.example"}, again: []any{"Bob Stone", "bob@example.net"},
		got: []string{`{"what":"contact","name":"{0}","mail":"{1}"}`},
	},
	{
		site: "booking", name: "a date, a time and a number in the browser's own fields", page: "booking",
		acts: []act{
			{do: "type", line: `textbox "Day"`, at: `({getBoundingClientRect: () => { const r = $("#day").getBoundingClientRect(); return new DOMRect(r.left, r.top, 24, r.height) }})`, value: "{0}", keys: "{3}"},
			{do: "type", line: `textbox "Time"`, at: `({getBoundingClientRect: () => { const r = $("#time").getBoundingClientRect(); return new DOMRect(r.left, r.top, 20, r.height) }})`, value: "{1}", keys: "{4}"},
			{do: "type", line: `spinbutton "Guests"`, at: `$("#guests")`, value: "{2}"},
			{do: "click", line: `button "Book"`, at: `$("form button:last-child")`},
		},
		first: []string{"2026-12-24", "19:30", "4", "12242026", "0730PM"}, again: []any{"2027-01-31", "08:15", "6"},
		got: []string{`{"what":"booked","day":"{0}","time":"{1}","guests":"{2}"}`},
	},
	{
		site: "stay", name: "a day of a calendar that pops up", page: "stay",
		acts: []act{
			{do: "click", line: `textbox "Arrival"`, at: `$("#arrival")`},
			{do: "click", line: `gridcell "{0}"`, at: `$("[aria-label='{0}']")`},
			{do: "click", line: `button "Reserve"`, at: `$("#reserve")`},
		},
		first: []string{"17 December 2026"}, again: []any{"24 December 2026"}, got: []string{`{"what":"reserved","arrival":"{0}"}`},
	},
	{
		site: "travel", name: "an option of a list that filters", page: "travel", usual: true,
		acts: []act{
			{do: "type", line: `combobox "City"`, at: `$("#city")`, value: "{0}"},
			{do: "wait", at: `document.querySelectorAll("li").length === 1`},
			{do: "click", line: `option "{1}"`, at: `$("li", "{1}")`},
			{do: "click", line: `button "Search"`, at: `$("#go")`},
		},
		first: []string{"Lisbu", "Lisburn"}, again: []any{"Par", "Paris"}, got: []string{`{"what":"search","city":"{1}"}`},
	},
	{
		site: "survey", name: "radio buttons, a long text and a box", page: "survey",
		acts: []act{
			{do: "check", line: `radio "{0}"`, at: `$("label", "{0}")`},
			{do: "type", line: `textbox "What should change?"`, at: `$("textarea")`, value: "{1}"},
			{do: "check", line: `checkbox "Answer me"`, at: `$("[name=answer]")`},
			{do: "click", line: `button "Send"`, at: `$("form button:last-child")`},
		},
		first: []string{"Good", "Open earlier please", "good"}, again: []any{"Poor", "Close later please"}, also: []string{"poor"},
		got: []string{`{"what":"survey","how":"{2}","change":"{1}","answer":true}`},
	},
	{
		site: "join", name: "a form over two pages", page: "join",
		acts: []act{
			{do: "type", line: `textbox "First name"`, at: `$("input")`, value: "{0}"},
			{do: "choose", line: `combobox "Country"`, value: "{1}"},
			{do: "click", line: `button "Continue"`, at: `$("button")`},
			{do: "wait", at: `document.readyState === "complete" && document.title === "Plan"`},
			{do: "type", line: `spinbutton "Seats"`, at: `$("[name=seats]")`, value: "{2}"},
			{do: "type", line: `textbox "Invite"`, at: `$("[name=invite]")`, value: "{3}"},
			{do: "click", line: `button "Join"`, at: `$("button")`},
		},
		first: []string{"Adalina", "Croatia", "3", "eve@example.org", "eve%40example.org"}, again: []any{"Bobby", "Belgium", "8", "max@example.org"}, also: []string{"max%40example.org"},
		got: []string{`/name?next=plan name={0}&country={1}`, `/plan?next=joined seats={2}&invite={4}`},
	},
	{
		site: "login", name: "a password, and a message on the next page", page: "login",
		acts: []act{
			{do: "type", line: `textbox "User"`, at: `$("[name=user]")`, value: "{0}"},
			{do: "type", line: `textbox "Password"`, at: `$("[name=password]")`, value: "{1}"},
			{do: "press", value: "Enter"},
			{do: "wait", at: `document.readyState === "complete" && document.title === "Inbox"`},
			{do: "type", line: `textbox "Message"`, at: `$("textarea")`, value: "{2}"},
			{do: "click", line: `button "Send"`, at: `$("#send")`},
		},
		first: []string{"lovelace", "hunter2hunter2", "See you"}, again: []any{"hopper", "correct-horse", "Good bye"},
		got: []string{`/session?next=inbox user={0}&password={1}`, `{"what":"send","text":"{2}"}`},
	},
	{
		site: "board", name: "a card that is dragged to another column", page: "board",
		acts: []act{
			{do: "drag", line: `{"text_equals":"{0}"}`, at: `$(".card", "{0}")`, value: `{"role":"region","name":"Doing"}`, keys: `$("[aria-label=Doing]")`},
		},
		first: []string{"Feed the cat"}, again: []any{"Post the letter"}, got: []string{`{"what":"moved","card":"{0}","to":"Doing"}`},
	},
	{
		site: "sheet", name: "a cell that is edited in its place", page: "sheet",
		acts: []act{
			{do: "double", line: `{"selector":"tr:nth-of-type(3) > td"}`, at: `$("tr", "{0}").cells[1]`},
			{do: "type", line: `textbox "New value"`, value: "{1}"},
			{do: "press", value: "Enter"},
		},
		first: []string{"Sencha", "12.50"}, again: []any{"Matcha", "33.10"}, got: []string{`{"what":"price","tea":"{0}","price":"{1}"}`},
	},
	{
		site: "tags", name: "a list that is entered one by one", page: "tags",
		acts: []act{
			{do: "type", line: `textbox "Add a tag"`, at: `$("#tag")`, value: "{0}"},
			{do: "press", value: "Enter"},
			{do: "type", line: `textbox "Add a tag"`, at: `$("#tag")`, value: "{1}"},
			{do: "press", value: "Enter"},
			{do: "type", line: `textbox "Add a tag"`, at: `$("#tag")`, value: "{2}"},
			{do: "press", value: "Enter"},
		},
		first: []string{"spring", "summer", "autumn"}, again: []any{[]any{"winter", "monsoon"}},
		got: []string{`{"what":"tag","text":"{0}"}`, `{"what":"tag","text":"{1}"}`, `{"what":"tag","text":"{2}"}`},
	},
}
