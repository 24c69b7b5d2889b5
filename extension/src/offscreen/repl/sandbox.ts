// Rule of this file: a page without an origin, a network and an API of the extension. It
// starts one worker with the code, and ends with its frame.

import { ALIVE_INTERVAL_MS, type BeginMessage, type SandboxMessage } from "./messages";

const send = (message: SandboxMessage): void => window.parent.postMessage(message, "*");

window.addEventListener("message", function begin(event: MessageEvent<BeginMessage>) {
  if (event.source !== window.parent) return;
  window.removeEventListener("message", begin);
  const address = URL.createObjectURL(new Blob([event.data.program], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.addEventListener("error", ({ message }) => send({ kind: "broken", message }));
  worker.postMessage(null, [...event.ports]);
});
setInterval(() => send({ kind: "alive" }), ALIVE_INTERVAL_MS);
send({ kind: "ready" });
