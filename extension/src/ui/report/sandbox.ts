// Rule of this file: it shows the content that the report sends, once. Static HTML was
// sanitised before; here scripts are forbidden for it once more.

/** From the report to its sandbox, once. */
export interface ShowMessage {
  html: string;
  scripts: boolean;
}

/** From the sandbox to the report; a template's scripts may forge it, and close their own report. */
export type SandboxMessage = "ready" | "shown" | "escape";

const STYLE = `:where(html) { color-scheme: light dark; }
:where(body) { margin: 16px; font: 14px/1.5 system-ui, sans-serif; }
:where(table) { border-collapse: collapse; } :where(th, td) { padding: 4px 10px; border: 1px solid #8886; text-align: start; }
:where(img, svg) { max-width: 100%; height: auto; }`;

const send = (message: SandboxMessage): void => window.parent.postMessage(message, "*");

function receive(event: MessageEvent<ShowMessage>): void {
  if (event.source !== window.parent) return;
  window.removeEventListener("message", receive);
  const { html, scripts } = event.data;
  if (scripts) write(html);
  else show(html);
  // Writing a document removes its listeners.
  document.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Escape") send("escape");
  });
  send("shown");
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
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets = [sheet];
  const parsed = new DOMParser().parseFromString(html, "text/html");
  document.replaceChild(document.adoptNode(parsed.documentElement), document.documentElement);
}

window.addEventListener("message", receive);
send("ready");
