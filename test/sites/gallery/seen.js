// Every page of the gallery tells its server what it received: seen(what, more)
// posts it, and the server's record is what tests judge by. What did not get
// through is sent again, in the other way: a browser that has just started may
// hold requests that outlive their page for ever. The server takes each once.
export async function seen(what, more = {}) {
  const body = JSON.stringify({ page: location.pathname, what, ...more });
  const id = `${Date.now()}-${Math.random()}`;
  for (let keepalive = true, end = Date.now() + 20_000; Date.now() < end; keepalive = !keepalive) {
    try {
      await fetch(`/seen?told=${id}`, { method: "POST", body, keepalive, signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      await new Promise((again) => setTimeout(again, 100));
    }
  }
}
globalThis.seen = seen;
