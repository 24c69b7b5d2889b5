// Rule of this file: it tests what the worker and the host hold of each other's claims,
// with a host made of functions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Claims } = await load("src/worker/tabs/claims.ts");
const { Handover } = await load("src/worker/tabs/handover.ts");

globalThis.chrome = { storage: { session: { get: async () => ({ claims: { 7: {}, 8: {}, 9: {} } }), set: async () => {} } } };

test("tabs that are released during the handshake", async () => {
  // Ensure that the host, which still has them by the handshake, is notified of the release of each, and of that of no other tab.
  const claims = new Claims();
  await claims.restored();
  const atHost = new Set(claims.ids());
  const released = [];
  const link = {
    state: { state: "connecting" },
    request: async (method, { tab_id }) => {
      assert.equal(method, "release");
      released.push(tab_id);
      atHost.delete(tab_id);
      return { tab_ids: [...atHost] };
    },
  };
  const nothing = { current: () => undefined, forget() {}, detach: async () => {} };
  const handover = new Handover(claims, nothing, nothing, nothing, nothing, link);
  const named = claims.ids();
  await handover.release(7, "closed");
  await handover.release(8, "user");
  assert.deepEqual(released, []);
  await handover.onConnected(named);
  assert.deepEqual(released, [7, 8]);
  assert.deepEqual([claims.ids(), [...atHost]], [[9], [9]]);
});
