// Rule of this file: what the model or a page wrote is text, never HTML. An
// address in it is shown exactly as it was written and leads exactly there.

const ADDRESS = /(?:https?:\/\/|mailto:)[^\s<>"'`\u201c\u201d\u00ab\u00bb]+/gi;
/** Ends a sentence rather than an address. */
const TRAILING = /[.,;:!?*\]}]$/;

/** Splits a text into plain pieces and links. */
export function pieces(text: string): { text: string; link: boolean }[] {
  const found: { text: string; link: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimmed(match[0]);
    if (!URL.canParse(address)) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), link: false });
    found.push({ text: address, link: true });
    at = match.index + address.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), link: false });
  return found;
}

// A closing parenthesis belongs to the address only if it opens there too.
function trimmed(address: string): string {
  const unopened = address.endsWith(")") && address.split(")").length > address.split("(").length;
  return unopened || TRAILING.test(address) ? trimmed(address.slice(0, -1)) : address;
}

/** Writes the text into the element, its addresses as links. */
export function writeLinked(into: HTMLElement, text: string): void {
  into.replaceChildren(...pieces(text).map((piece) => (piece.link ? link(piece.text) : piece.text)));
}

function link(address: string): HTMLAnchorElement {
  const made = document.createElement("a");
  made.href = made.textContent = address;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}
