// Rule of this file: it shows what the report gives it, once. Static HTML was
// sanitised before; here scripts are forbidden for it once more.

import type { SandboxMessage, ShowMessage } from "./report-messages";

const LOOK = `:where(html) { color-scheme: light dark; }
:where(body) { margin: 16px; font: 14px/1.5 system-ui, sans-serif; }
:where(table) { border-collapse: collapse; } :where(th, td) { padding: 4px 10px; border: 1px solid #8886; text-align: start; }
:where(img, svg) { max-width: 100%; height: auto; }`;

const tell = (message: SandboxMessage): void => window.parent.postMessage(message, "*");

function receive(event: MessageEvent<ShowMessage>): void {
  if (event.source !== window.parent) return;
  window.removeEventListener("message", receive);
  const { html, scripts } = event.data;
  if (scripts) write(html);
  else show(html);
  // Writing a document takes its listeners away.
  document.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Escape") tell("escape");
  });
  tell("shown");
}

function write(html: string): void {
  document.open();
  document.write(html);
  document.close();
}

function show(html: string): void {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "script-src 'none'";
  document.head.append(policy);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(LOOK);
  document.adoptedStyleSheets = [sheet];
  const parsed = new DOMParser().parseFromString(html, "text/html");
  document.replaceChild(document.adoptNode(parsed.documentElement), document.documentElement);
}

window.addEventListener("message", receive);
tell("ready");
