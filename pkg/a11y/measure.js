// Tells where `this`, an element or a text, is seen ("box"), and whether a point
// hits it ("hit"), in the viewport of the outermost document that it can look into
// from here; how many frames lie between is told as levels. Where `this` is a frame
// whose document it cannot look into, given is the box that is seen in there. It
// runs in a world of its own.
function (mode, given) {
  const el = this.nodeType === 1 ? this : this.parentElement;
  if (!el || !el.isConnected) return { box: null, levels: 0, blocker: null, receives: false };

  const cross = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const empty = (box) => box.right - box.left <= 0 || box.bottom - box.top <= 0;
  const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const contains = (outer, inner) => {
    for (let at = inner; at; at = above(at)) if (at === outer) return true;
    return false;
  };
  const deepest = (doc, x, y) => {
    let hit = doc.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const labelOf = (hit) => ({ tag_name: hit.localName, id: hit.id, text: (hit.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 80) });

  // What is seen of the box within its own document.
  const clipped = (from, box) => {
    for (let at = above(from); at; at = above(at)) {
      const style = getComputedStyle(at);
      if (at === at.ownerDocument.documentElement || at === at.ownerDocument.body || style.display === "contents") continue;
      if (/^(visible|clip)$/.test(style.overflowX) && /^(visible|clip)$/.test(style.overflowY)) continue;
      const clip = at.getBoundingClientRect();
      if (!empty(clip)) box = cross(box, clip);
    }
    const view = from.ownerDocument.defaultView;
    return cross(box, { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight });
  };
  // How a frame's own viewport lies in its parent's.
  const placed = (frame) => {
    const rect = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    const sx = frame.offsetWidth ? rect.width / frame.offsetWidth : 1;
    const sy = frame.offsetHeight ? rect.height / frame.offsetHeight : 1;
    return { left: rect.left + (frame.clientLeft + parseFloat(style.paddingLeft)) * sx, top: rect.top + (frame.clientTop + parseFloat(style.paddingTop)) * sy, sx, sy };
  };

  const chain = []; // of the frames around, the innermost first
  for (let frame = el.ownerDocument.defaultView.frameElement; frame; frame = frame.ownerDocument.defaultView.frameElement) chain.push({ frame, at: placed(frame) });
  const out = ({ at }, box) => ({ left: at.left + box.left * at.sx, top: at.top + box.top * at.sy, right: at.left + box.right * at.sx, bottom: at.top + box.bottom * at.sy });
  const into = ({ at }, point) => ({ x: (point.x - at.left) / at.sx, y: (point.y - at.top) / at.sy });

  if (mode === "box") {
    let box;
    if (given) box = out({ at: placed(el) }, given);
    else if (this.nodeType === 1) box = el.getBoundingClientRect();
    else {
      const range = el.ownerDocument.createRange();
      range.selectNode(this);
      box = range.getBoundingClientRect();
    }
    box = clipped(el, { left: box.left, top: box.top, right: box.right, bottom: box.bottom });
    if (getComputedStyle(el).visibility !== "visible") return { box: null, levels: 0 };
    for (const each of chain) if (!empty(box)) box = clipped(each.frame, out(each, box));
    return { box: empty(box) ? null : box, levels: chain.length };
  }

  // From the top down: each frame on the way must be what is hit there.
  let point = given;
  for (const each of chain.reverse()) {
    const hit = deepest(each.frame.ownerDocument, point.x, point.y);
    if (hit !== each.frame) return { receives: false, blocker: hit ? labelOf(hit) : null };
    point = into(each, point);
  }
  const hit = deepest(el.ownerDocument, point.x, point.y);
  const receives = hit !== null && contains(el, hit);
  return { receives, blocker: receives || !hit ? null : labelOf(hit), inside: into({ at: placed(el) }, point) };
}
