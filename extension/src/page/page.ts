// Rule: the document as it is now, nothing remembered.

/** page.info */
export function info(): { url: string; title: string } {
  return { url: location.href, title: document.title };
}
