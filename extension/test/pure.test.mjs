// Rule of this file: it tests the pure functions over addresses, identities and
// messages of the extension's pages.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "./load.mjs";

const urls = await load("src/worker/shared/urls.ts");
const { hostMatches } = await load("src/hosts.ts");
const { browserOf, profileLabel } = await load("src/worker/connection/identity.ts");
const { isUiRequest } = await load("src/ui/shared/messages.ts");

test("restricted pages", () => {
  // Ensure that pages without a content script are known before anything is sent.
  const closed = [
    "", "about:blank", "chrome://settings/", "edge://flags", "view-source:https://example.test/",
    "chrome-extension://encoedhnbaoknbelphgpkjkgfjfllgcc/popup.html", "data:text/html,x", "blob:https://example.test/1",
    "javascript:1", "chromewebstore.google.com", "https://chromewebstore.google.com/detail/x",
    "https://chrome.google.com/webstore/category/a", "https://microsoftedge.microsoft.com/addons/detail/x",
  ];
  for (const url of closed) assert.equal(urls.restricted(url), true, url);
  const open = [
    "http://localhost:8080/", "https://example.test/webstore", "https://chrome.google.com/", "file:///tmp/a.html",
    "https://chromewebstore.google.com.example.test/", "https://microsoftedge.microsoft.com/en-us",
  ];
  for (const url of open) assert.equal(urls.restricted(url), false, url);
});

test("hosts are compared by whole labels", () => {
  // Ensure that a host matches itself and the domains above it, and nothing that only contains it.
  for (const [host, wanted] of [["stripe.com", "stripe.com"], ["js.stripe.com", "Stripe.com"], ["js.stripe.com", " js.stripe.com "], ["127.0.0.1", "127.0.0.1"], ["[::1]", "[::1]"]]) {
    assert.equal(hostMatches(host, wanted), true, `${host} ${wanted}`);
  }
  for (const [host, wanted] of [["evilstripe.com", "stripe.com"], ["stripe.com.evil.example", "stripe.com"], ["stripe.com", "js.stripe.com"], ["stripe.com", ""], ["", ""], ["127.0.0.1", "0.1"], ["127.0.0.1", "1"], ["stripe.com", ".com"]]) {
    assert.equal(hostMatches(host, wanted), false, `${host} ${wanted}`);
  }
});

test("only web addresses can be opened", () => {
  // Ensure that a navigation cannot reach scripts, files or browser pages.
  assert.equal(urls.navigable("HTTP://Example.test"), "http://example.test/");
  assert.equal(urls.navigable(" https://example.test/a b"), "https://example.test/a%20b");
  const refused = [
    "javascript:alert(1)", " java\nscript:alert(1)", "file:///etc/passwd", "chrome://settings", "about:blank",
    "data:text/html,x", "blob:https://example.test/1", "view-source:https://example.test", "example.test", "/a", "",
    "filesystem:https://example.test/x", "ftp://example.test/", "http://",
  ];
  for (const url of refused) {
    assert.throws(() => urls.navigable(url), (error) => error.data.code === "unsafe_url" && error.data.dispatched === "no", url);
  }
});

test("a new fragment keeps the document", () => {
  // Ensure that only a change of the fragment counts as a move within the document.
  assert.equal(urls.sameDocument("https://a.test/x", "https://a.test/x#1"), true);
  assert.equal(urls.sameDocument("https://a.test/x#1", "https://a.test/x#2"), true);
  assert.equal(urls.sameDocument("https://a.test/x#1", "https://a.test/x"), false);
  assert.equal(urls.sameDocument("https://a.test/x", "https://a.test/y#1"), false);
  assert.equal(urls.originOf("https://a.test:8443/x?y#z"), "https://a.test:8443");
  assert.equal(urls.originOf("nonsense"), "null");
});

test("browsers are distinguished", () => {
  // Ensure that the install command names the browser that the user has.
  const brands = (...names) => names.map((brand) => ({ brand, version: "1" }));
  assert.equal(browserOf(brands("Not)A;Brand", "Chromium")).name, "chromium");
  assert.equal(browserOf(brands("Chromium", "Google Chrome")).name, "chrome");
  assert.equal(browserOf(brands("Chromium", "Microsoft Edge")).name, "edge");
  assert.equal(browserOf(brands("Brave", "Chromium")).name, "brave");
  assert.equal(browserOf([]).name, "chromium");
});

test("a profile's label", () => {
  // Ensure that labels are short, stable and differ between profiles.
  const id = "0123456789abcdef0123456789abcdef";
  assert.match(profileLabel("edge", id), /^Edge [1-9]\d\d$/);
  assert.equal(profileLabel("edge", id), profileLabel("edge", id));
  assert.notEqual(profileLabel("edge", id), profileLabel("edge", id.replace("0", "f")));
});

test("messages of the popup", () => {
  // Ensure that nothing but the closed set of requests is understood.
  for (const message of [{ kind: "ui_state" }, { kind: "ui_retry" }, { kind: "ui_claim", tab_id: 7 }, { kind: "ui_release", tab_id: 7 }]) {
    assert.equal(isUiRequest(message), true);
  }
  const refused = [
    undefined, null, "ui_state", 7, [], {}, { kind: "ui_claim" }, { kind: "ui_claim", tab_id: "7" },
    { kind: "ui_release", tab_id: 7.5 }, { kind: "ui_claim", tab_id: NaN }, { kind: "hello" }, { kind: "UI_STATE" },
  ];
  for (const message of refused) assert.equal(isUiRequest(message), false, JSON.stringify(message));
});

test("every text of the pages exists", async () => {
  // Ensure that no label is empty because its key is not in _locales.
  const read = (file) => readFile(new URL(`../${file}`, import.meta.url), "utf8");
  const texts = JSON.parse(await read("_locales/en/messages.json"));
  const files = await readdir(new URL("../src/ui/", import.meta.url), { recursive: true });
  const sources = await Promise.all(files.filter((file) => /\.\w+$/.test(file)).map((file) => read(`src/ui/${file}`)));
  const keys = sources.flatMap((source) => [
    ...[...source.matchAll(/data-(?:text|label|name|title|hint)="(\w+)"/g)].map(([, key]) => key),
    ...[...source.matchAll(/\bt\("(\w+)"/g)].map(([, key]) => key),
  ]);
  assert.ok(keys.length > 100);
  for (const key of keys) assert.ok(texts[key], key);
});
