// Rule of this file: only here can the browser ask the user for the microphone,
// since it does not ask for a page that is not visible. The microphone is
// released at once; the call opens its own.

import { button, element, t, translate } from "../shared/text";

async function ask(): Promise<void> {
  button("allow").disabled = true;
  try {
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
    microphone.getTracks().forEach((track) => track.stop());
    await show();
  } catch (error) {
    await show();
    // A refusal shows in the permission's state; other errors are the device's.
    if (!(error instanceof DOMException) || error.name !== "NotAllowedError") fail(error);
  } finally {
    button("allow").disabled = false;
  }
}

/** Shows the current permission. */
async function show(): Promise<void> {
  const { state } = await navigator.permissions.query({ name: "microphone" });
  button("allow").hidden = state !== "prompt";
  element("state").textContent = { prompt: "", granted: t("microphone_granted"), denied: t("microphone_denied") }[state];
}

function fail(error: unknown): void {
  element("state").textContent = t("failed", [error instanceof Error ? error.message : String(error)]);
}

translate();
button("allow").addEventListener("click", () => void ask().catch(fail));
// The answer may also be given in the browser's own settings, in another tab.
addEventListener("focus", () => void show().catch(fail));
show().catch(fail);
