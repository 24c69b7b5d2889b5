// Rule of this file: page.fetch reads what the page itself could read with a
// GET, and nothing else: an address of another origin is refused before it is
// requested, and a redirect to one is not followed. The response is bounded in size
// and time, and a binary body is not returned as text.

import { type Args, flag, requiredText } from "../base/args";
import { type Evidence, PageError } from "../base/errors";
import { type Context, throwIfCancelled } from "../wait/schedule";
import { standsInPage } from "./addresses";

const MAX_BYTES = 512 * 1024;

/** Unless the call has less time. */
const FETCH_TIMEOUT_MS = 10_000;

const TEXTUAL = /^(text\/|application\/(.+\+)?(json|xml|javascript|ecmascript|x-ndjson|x-www-form-urlencoded|graphql|yaml|toml)\b|image\/svg\+xml)/i;

/** page.fetch */
export async function fetchPage(args: Args, ctx: Context): Promise<unknown> {
  const url = requireSameOrigin(requiredText(args, "url"));
  if (flag(args, "listed_only", false)) requireListed(url);
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(FETCH_TIMEOUT_MS, ctx.deadline - performance.now())));
  const signal = AbortSignal.any([ctx.signal, timeout]);
  try {
    const response = await request(url, signal);
    const { bytes, truncated } = await readBody(response);
    const type = response.headers.get("content-type") ?? "";
    const body = decodeText(bytes, type);
    return {
      ok: response.ok,
      status: response.status,
      content_type: type,
      url: response.url,
      redirected: response.redirected,
      length: body?.length ?? 0,
      bytes: bytes.length,
      body: body ?? "",
      truncated,
      binary: body === undefined,
    };
  } catch (thrown) {
    throwIfCancelled(ctx);
    if (timeout.aborted) throw new PageError("timeout", `${url.href} was not read in time`, { url: url.href });
    if (thrown instanceof PageError) throw thrown;
    throw new PageError("page_fetch_failed", `${url.href} could not be read: ${String(thrown)}`, { url: url.href });
  }
}

function requireSameOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === self.origin) return url;
  const evidence: Evidence = { requested_origin: url?.origin ?? null, page_origin: self.origin };
  const what = url ? `${url.origin} is not the page's origin` : "the address is not absolute";
  throw new PageError("page_fetch_cross_origin", `${what}: only addresses from ${self.origin}/ on can be read`, evidence);
}

function requireListed(url: URL): void {
  if (standsInPage(url)) return;
  throw new PageError("permission_denied", `${url.href} stands nowhere in the page, and a request can change things`, { url: url.href }, "no");
}

// In the mode same-origin the browser itself refuses to follow a redirect to
// another origin, before anything is sent there. The error does not show it: whether
// the address redirects is tested after a failure.
async function request(url: URL, signal: AbortSignal): Promise<Response> {
  const init: RequestInit = { credentials: "include", mode: "same-origin", signal };
  try {
    return await fetch(url, init);
  } catch (failed) {
    const { type } = await fetch(url, { ...init, redirect: "manual" });
    if (type !== "opaqueredirect") throw failed;
    throw new PageError("page_fetch_cross_origin", `${url.href} redirects to another origin`, { url: url.href, page_origin: self.origin });
  }
}

async function readBody(response: Response): Promise<{ bytes: Uint8Array<ArrayBuffer>; truncated: boolean }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let remaining = MAX_BYTES;
  let truncated = false;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    truncated = value.length > remaining;
    chunks.push(truncated ? value.subarray(0, remaining) : value);
    remaining -= Math.min(remaining, value.length);
    if (truncated) break;
  }
  // The rest of a long answer is not loaded.
  if (truncated) await reader?.cancel();
  return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), truncated };
}

/** Returns the text of the bytes; undefined where they are not text. */
function decodeText(bytes: Uint8Array<ArrayBuffer>, type: string): string | undefined {
  if (type !== "" && !TEXTUAL.test(type)) return undefined;
  // Without a type, a body with a zero byte is not text.
  if (type === "" && bytes.includes(0)) return undefined;
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // no such charset
  }
}
