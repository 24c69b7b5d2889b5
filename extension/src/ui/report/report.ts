// Rule of this file: the report's content is never put into this page. It is
// in a sandbox of an origin of its own, without the extension's APIs and without
// the network; HTML from a caller is sanitised before it goes there.

import DOMPurify from "dompurify";
import { ask, focusWhenShown, makeHandle, whenOwned } from "../shared/frame";
import type { ReportContent } from "../shared/frame-messages";
import { button, element, t, translate } from "../shared/text";
import type { SandboxMessage, ShowMessage } from "./sandbox";

/** Links of a report open in a new tab and without a referrer. */
const STATIC_SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox";
const TEMPLATE_SANDBOX = "allow-scripts";

let content: ReportContent | undefined;
let sandbox: HTMLIFrameElement | undefined;

whenOwned(() => {
  translate();
  const actions = { close: "close", minimize: "collapse", restore: "expand" } as const;
  for (const [id, what] of Object.entries(actions)) button(id).addEventListener("click", () => void press(what));
  button("reset").addEventListener("click", () => void reset());
  button("download").addEventListener("click", () => void download());
  makeHandle("move", element("bar"), element("grip"));
  makeHandle("resize", element("corner"));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") void press("close");
  });
  window.addEventListener("message", onSandboxMessage);
  void load();
});

async function load(): Promise<void> {
  try {
    ({ content } = await ask({ ask: "content" }));
    if (!content) throw new Error(t("report_empty"));
    element("title").textContent = document.title = content.title;
    render();
  } catch (error) {
    element("failed").textContent = t("failed", [error instanceof Error ? error.message : String(error)]);
    element("failed").hidden = false;
  }
  document.body.classList.add("owned");
}

// Returns the message for the sandbox.
function contentMessage(of: ReportContent): ShowMessage {
  if (!of.scripts) return { html: sanitised(of.html), scripts: false };
  if (of.data === undefined) return { html: of.html, scripts: true };
  // In JSON text an escaped < means the same, and ends no script element.
  const data = `<script type="application/json" data-actions-json-overlay-data>${of.data.replaceAll("<", "\\u003c")}</script>`;
  const doctype = /^\s*<!doctype[^>]*>/i.exec(of.html)?.[0] ?? "";
  return { html: doctype + data + of.html.slice(doctype.length), scripts: true };
}

function sanitised(html: string): string {
  DOMPurify.addHook("afterSanitizeAttributes", (node) => {
    if (!node.hasAttribute("href") || node.getAttribute("href")?.startsWith("#")) return;
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  });
  try {
    return DOMPurify.sanitize(html, { WHOLE_DOCUMENT: true, USE_PROFILES: { html: true, svg: true }, ADD_ATTR: ["target"], FORBID_TAGS: ["form"] });
  } finally {
    DOMPurify.removeAllHooks();
  }
}

function render(): void {
  if (!content) return;
  sandbox?.remove();
  sandbox = document.createElement("iframe");
  sandbox.title = content.title;
  sandbox.setAttribute("sandbox", content.scripts ? TEMPLATE_SANDBOX : STATIC_SANDBOX);
  sandbox.src = chrome.runtime.getURL("report-sandbox.html");
  document.querySelector("main")?.prepend(sandbox);
}

function onSandboxMessage(event: MessageEvent<SandboxMessage>): void {
  if (!sandbox || event.source !== sandbox.contentWindow) return;
  if (event.data === "escape") void press("close");
  else if (event.data === "shown") void ask({ ask: "shown" });
  // Its origin is opaque, so it cannot be the target origin; it shows what it
  // gets and has no other place to send it to.
  else if (event.data === "ready" && content) sandbox.contentWindow?.postMessage(contentMessage(content), "*");
}

async function press(what: "close" | "collapse" | "expand"): Promise<void> {
  await ask({ ask: what });
  if (what !== "close") focusWhenShown(button(what === "collapse" ? "restore" : "minimize"));
}

/** Restores place, size and content. */
async function reset(): Promise<void> {
  await ask({ ask: "reset" });
  render();
}

async function download(): Promise<void> {
  if (!content) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([contentMessage(content).html], { type: "text/html;charset=utf-8" }));
  link.download = `${content.title.replace(/[^\p{L}\p{N} ._-]+/gu, "-").slice(0, 80)}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
