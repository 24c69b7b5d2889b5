// Every page of the gallery tells its server what it received: seen(what, more)
// posts it, and the server's record is what tests judge by. What did not get
// through is sent again: the browser may drop a request while it starts.
export async function seen(what, more = {}) {
  const body = JSON.stringify({ page: location.pathname, what, ...more });
  for (let left = 3; left > 0; left--) {
    try {
      await fetch("/seen", { method: "POST", body, keepalive: true });
      return;
    } catch {
      await new Promise((again) => setTimeout(again, 100));
    }
  }
}
globalThis.seen = seen;
