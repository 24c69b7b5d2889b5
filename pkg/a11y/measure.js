// Tells where `this`, an element or a text, is seen in the top viewport, and
// whether a click on the middle of that hits it. It runs in a world of its own.
function () {
  const MIN_SIDE = 8;
  const el = this.nodeType === 1 ? this : this.parentElement;
  if (!el || !el.isConnected) return { visible_rect: null, visible_center: null, receives_events: false, clickable: false, occluded_by: null };

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

  let rect;
  if (this.nodeType === 1) rect = el.getBoundingClientRect();
  else {
    const range = el.ownerDocument.createRange();
    range.selectNode(this);
    rect = range.getBoundingClientRect();
  }
  const style = getComputedStyle(el);
  let box = clipped(el, { left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom });
  let shown = !empty(box) && style.visibility === "visible";
  const chain = [];
  for (let frame = el.ownerDocument.defaultView.frameElement; frame && shown; frame = frame.ownerDocument.defaultView.frameElement) {
    const at = placed(frame);
    chain.push({ frame, at });
    box = clipped(frame, { left: at.left + box.left * at.sx, top: at.top + box.top * at.sy, right: at.left + box.right * at.sx, bottom: at.top + box.bottom * at.sy });
    shown = !empty(box);
  }
  if (!shown) return { visible_rect: null, visible_center: null, receives_events: false, clickable: false, occluded_by: null };

  const center = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  // From the top down: each frame on the way must be what is hit there.
  let point = center;
  let blocker = null;
  for (const { frame, at } of chain.reverse()) {
    const hit = deepest(frame.ownerDocument, point.x, point.y);
    if (hit !== frame) {
      blocker = hit;
      break;
    }
    point = { x: (point.x - at.left) / at.sx, y: (point.y - at.top) / at.sy };
  }
  let receives = false;
  if (!blocker) {
    const hit = deepest(el.ownerDocument, point.x, point.y);
    receives = hit !== null && contains(el, hit);
    if (!receives) blocker = hit;
  }
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  return {
    visible_rect: { x: box.left, y: box.top, width, height, left: box.left, top: box.top, right: box.right, bottom: box.bottom },
    visible_center: center,
    receives_events: receives,
    clickable: receives && width >= MIN_SIDE && height >= MIN_SIDE,
    occluded_by: blocker ? labelOf(blocker) : null,
  };
}
