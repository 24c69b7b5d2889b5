// Every page of the gallery tells its server what it received: seen(what, more)
// posts it, also where the page is just going, and the server's record is what
// tests judge by. Requests sent one after the other may arrive in another order,
// so each says when it was sent: the time, and a number within its document.
let number = 0;
export function seen(what, more = {}) {
  const sent = { at: performance.timeOrigin + performance.now(), number: number++ };
  seen.sent.push(fetch("/seen", { method: "POST", body: JSON.stringify({ page: location.pathname, what, ...more, sent }), keepalive: true }));
}
/** What was sent, for tests that wait until all of it has arrived. */
seen.sent = [];
globalThis.seen = seen;
