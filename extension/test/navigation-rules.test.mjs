// Rule of this file: it tests which code is refused before it runs, as it would leave the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { findNavigation } = await load("src/offscreen/repl/navigation-rules.ts");

const REFUSED = [
  `location = "/x"`,
  `window.location = "/x"`,
  `self["location"] = "/x"`,
  `globalThis["loca" + "tion"] = "/x"`,
  "window[`location`].href = '/x'",
  "window[`$" + "{'loc'}ation`].href = '/x'",
  `window[["loc", "ation"].join("")] = "/x"`,
  `window["loc".concat("ation")] = "/x"`,
  `const k = "location"; window[k] = "/x"`,
  `let k; k = "location"; window[k] = "/x"`,
  `document.location.href = "/x"`,
  `document.defaultView.location.hash += "x"`,
  `top?.location?.assign("/x")`,
  `location.assign("/x")`,
  `location["re" + "place"]("/x")`,
  `location?.reload()`,
  `location[method]("/x")`,
  `(0, location).href = "/x"`,
  `(location || x).assign("/x")`,
  `(a ? location : b).href = "/x"`,
  `const l = location; l.href = "/x"`,
  `const w = window; w.location = "/x"`,
  `let w; w = window; w.location = "/x"`,
  `const { location: l } = window; l.href = "/x"`,
  `const { location } = window; location.href = "/x"`,
  `var { assign } = location; assign("/x")`,
  `[location.href] = ["/x"]`,
  `({ a: location.href } = { a: "/x" })`,
  `[...location.href] = ["/x"]`,
  `for (location.href of ["/x"]);`,
  `for (location in {});`,
  `location.href ||= "/x"`,
  `with (location) href = "/x"`,
  `const go = location.assign; go("/x")`,
  `location.assign.call(location, "/x")`,
  `Reflect.set(location, "href", "/x")`,
  `Reflect.set(window, "location", "/x")`,
  `Object.assign(location, { href: "/x" })`,
  `Object.assign(window, { location: "/x" })`,
  `go(location)`,
  `return () => location`,
  `history.back()`,
  `history.go(-1)`,
  `window.history["forward"]()`,
  `history.pushState({}, "", "/x")`,
  `const { back } = history; back()`,
  `navigation.navigate("/x")`,
  `navigation.reload()`,
  `window.open("/x")`,
  `open("/x")`,
  `this.location = "/x"`,
  `(() => { this.location = "/x" })()`,
  `frame.contentWindow.location = "/x"`,
  `eval("location = '/x'")`,
  `new Function("location.href = '/x'")()`,
  `setTimeout("location.reload()", 1)`,
  `await browserjs(() => { location.href = "/x" })`,
  `await browserjs(function () { document.querySelector("a").ownerDocument.location = "/x" })`,
  `delete location.href`,
  `location.href++`,
];

const ALLOWED = [
  `return location.href`,
  `const { pathname, search } = location; return pathname + search`,
  `return String(location)`,
  "return `$" + "{location}`",
  `return new URL("/x", location.href).href`,
  `console.log(location)`,
  `const location = { name: "Berlin" }; location.name = "Bonn"; return location`,
  `function f(location) { location.href = 1; return location }`,
  `for (const location of list) location.seen = true`,
  `const item = {}; item.location = "Berlin"; return item`,
  `items.map((item) => ({ location: item.location }))`,
  `class Place { location = 1; constructor() { this.location = 2 } history() {} }`,
  `function Place() { this.location = "x" }`,
  `const history = []; history.push(1); history.back = 1`,
  `return history.length`,
  `if (location.pathname === "/x") return 1`,
  `try { a() } catch (location) { location.x = 1 }`,
  `const open = () => 1; open()`,
  `dialog.open("/x")`,
  `await browserjs(() => document.title)`,
  `await navigate({ url: "/x" })`,
  `setTimeout(() => log(location.href), 1)`,
  `return "location = 1"`,
  `history: for (;;) break history`,
];

test("code that leaves the page in plain words is refused", () => {
  // Ensure that each spelling of a navigation whose words are constants is found.
  for (const code of REFUSED) assert.ok(findNavigation(code), code);
});

test("code that only reads the address runs", () => {
  // Ensure that reading the address, and names of the code's own, are not taken for navigations.
  for (const code of ALLOWED) assert.equal(findNavigation(code), undefined, code);
});

test("it says where", () => {
  // Ensure that the line and the words are named, and that what is no code is a SyntaxError.
  assert.deepEqual(findNavigation("const a = 1;\nlocation.href = a"), { line: 2, what: "sets location.href" });
  assert.throws(() => findNavigation("return ]["), SyntaxError);
  assert.throws(() => findNavigation("} )(); ({"), SyntaxError);
});

test("constants that grow without bound are refused", () => {
  // Ensure that constants made of constants, texts that double, and code in code are refused before they are evaluated, and that long code of the usual kind is not.
  const names = Array.from({ length: 10 }, (_, i) => i);
  const grown = (of) => `const a0 = "";${names.map((i) => `const a${i + 1} = ${of(`a${i}`)};`).join("")}`;
  for (const code of [
    `${grown((a) => `[${Array(30).fill(a)}].join("")`)} x[a10]`,
    `${grown((a) => `\`${`\${${a}}`.repeat(30)}\``)} x[a10]`,
    `${grown((a) => `"".concat(${Array(30).fill(a)})`)} x[a10]`,
    `${grown((a) => Array(30).fill(a).join(" || "))} a10.href = 1`,
    `const t = "${"x".repeat(50_000)}"; x[[${Array(100).fill("t")}].join(t)]`,
    `const t = "${"x;".repeat(20_000)}"; ${"eval(t);".repeat(5_000)}`,
  ]) {
    assert.match(findNavigation(code)?.what ?? "", /too involved/, code.slice(0, 200));
  }
  assert.equal(findNavigation(`document.body.dataset["be" + "ats"] = Number(a.b.c.d ?? 0) + 1;\n`.repeat(3_000)), undefined);
});
