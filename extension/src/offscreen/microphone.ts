// Rule of this file: the microphone is opened for a call only, and a failure to
// open it is reported in a form that people can act on. A microphone that opens
// after the timeout is released at once.

import { PERMISSION_NEEDED } from "./messages";
import { Refusal } from "./refusal";

/** An offscreen document cannot ask the user: what takes longer hangs. */
const OPEN_TIMEOUT_MS = 8_000;

/** Opens the microphone, with processing that keeps speech clear beside a loudspeaker. */
export async function openMicrophone(): Promise<MediaStream> {
  const opening = navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException("no answer", "TimeoutError")), OPEN_TIMEOUT_MS);
  });
  try {
    return await Promise.race([opening, timeout]);
  } catch (error) {
    opening.then(release, () => {}); // the failure is reported here already
    throw unavailable(error instanceof Error ? error.name : "", await permission());
  } finally {
    clearTimeout(timer);
  }
}

/** Releases the microphone; the browser's in-use indicator goes out. */
export function release(microphone: MediaStream): void {
  microphone.getTracks().forEach((track) => track.stop());
}

async function permission(): Promise<PermissionState> {
  const status = await navigator.permissions.query({ name: "microphone" });
  return status.state;
}

function unavailable(name: string, permission: PermissionState): Refusal {
  const because = (reason: string, message: string, next_step: string): Refusal =>
    new Refusal("microphone_unavailable", message, { evidence: { reason }, next_step: `${next_step} Or start a text session.` });

  if (permission === "denied") {
    return because(
      "permission_denied",
      "the extension may not use the microphone",
      "Allow the microphone in the extension's site settings of the browser, then start again.",
    );
  }
  if (permission === "prompt" && (name === "NotAllowedError" || name === "TimeoutError")) {
    return because(
      PERMISSION_NEEDED,
      "the extension has not been allowed to use the microphone yet",
      "Choose Allow the microphone in the tab that the extension has opened, then start again.",
    );
  }
  switch (name) {
    case "NotAllowedError":
      return because(
        "blocked_by_system",
        "the operating system does not let the browser use the microphone",
        "Allow the microphone for the browser in the system's privacy settings, then start again.",
      );
    case "NotFoundError":
      return because("no_microphone", "this computer has no microphone", "Connect a microphone, then start again.");
    case "NotReadableError":
    case "AbortError":
      return because("in_use", "the microphone cannot be opened; another program may be using it", "Close what uses it, then start again.");
    case "TimeoutError":
      return because("no_answer", `the microphone did not open within ${OPEN_TIMEOUT_MS / 1000} s`, "Connect it anew, then start again.");
    default:
      return because("failed", `the microphone cannot be opened (${name})`, "Check the microphone, then start again.");
  }
}
