// Returns the fields of this document whose text may be seen in a picture: not those
// that hold secrets, nor any in a closed shadow root, which cannot be entered from
// here. The list has what belongs to it: how many fields are left out, and a function
// that reports whether what was judged has changed since.
function (judge, known, limit) {
  const shadowRoot = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const fields = [];
  const collect = (root) => {
    fields.push(...root.querySelectorAll("input, textarea, select, output, [contenteditable]:not([contenteditable=false i]), [role=textbox i]"));
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let el = walker.nextNode(); el; el = walker.nextNode()) {
      const inner = shadowRoot.call(el);
      if (inner) collect(inner);
    }
  };
  collect(document);
  const textless = /^(checkbox|radio|range|color|file|image|hidden)$/;
  const shown = fields.filter((el) => !textless.test(el.type) && el.getClientRects().length > 0);
  const secret = judge(...known, ...shown).map((field) => field.secret);
  const open = shown.filter((_, i) => !secret[i]).slice(0, limit);
  let retyped = false;
  const observer = new MutationObserver(() => (retyped = true));
  for (const el of open) observer.observe(el, { attributes: true, attributeFilter: ["type"] });
  return Object.assign(open, {
    hidden: shown.length - open.length,
    changed: () => {
      if (observer.takeRecords().length > 0) retyped = true;
      return retyped || judge(...known, ...open).some((field) => field.secret);
    },
    close: () => observer.disconnect(),
  });
}
