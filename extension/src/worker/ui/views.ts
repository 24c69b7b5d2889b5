// Rule of this file: it shows a page the whole of what the host knows, and what changes meanwhile.

import type { PortMessage } from "../../ui/shared/port-client";
import { Fault } from "../shared/fault";

/** A page that is shown a view, and then its changes. */
export interface Viewer<Change> {
  /** Changes that came while its view is under way. */
  pendingChanges?: Change[];
}

/**
 * Requests a view and sends it, or why there is none. A change that comes meanwhile may be older or newer than
 * the view; sent after it, the newest one is right in the end.
 */
export async function showView<View, Change>(
  viewer: Viewer<Change>,
  request: () => Promise<View>,
  send: (message: PortMessage<View, Change>) => void,
  sendChange: (change: Change) => void,
): Promise<void> {
  const pendingChanges: Change[] = [];
  viewer.pendingChanges = pendingChanges;
  let shown: PortMessage<View, Change>;
  try {
    shown = { kind: "view", view: await request() };
  } catch (error) {
    shown = { kind: "offline", message: Fault.of(error).data.message };
    pendingChanges.length = 0; // the whole view comes when the host is back
  }
  if (viewer.pendingChanges !== pendingChanges) return; // a later view, which has all of it, was requested
  delete viewer.pendingChanges;
  send(shown);
  for (const change of pendingChanges) sendChange(change);
}
