// Every page of the gallery tells its server what it received: seen(what, more)
// posts it, also where the page is just going, and the server's record is what
// tests judge by.
export async function seen(what, more = {}) {
  await fetch("/seen", { method: "POST", body: JSON.stringify({ page: location.pathname, what, ...more }), keepalive: true });
}
globalThis.seen = seen;
