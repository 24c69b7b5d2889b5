// Rule of this file: a page without an origin, a network and an API of the extension. It
// starts one worker with the code, and ends with its frame.

import type { BeginMessage, SandboxMessage } from "./messages";

const send = (message: SandboxMessage): void => window.parent.postMessage(message, "*");

window.addEventListener("message", function begin(event: MessageEvent<BeginMessage>) {
  if (event.source !== window.parent) return;
  window.removeEventListener("message", begin);
  const address = URL.createObjectURL(new Blob([event.data.program], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.addEventListener("error", ({ message }) => send({ kind: "broken", message }));
  worker.postMessage(null, [...event.ports]);
});
send({ kind: "ready" });
