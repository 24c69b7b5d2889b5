// Rule of this file: while many names are read, the labels of each field come from
// an index that is made once for each tree. The browser searches the whole document
// at every access, which takes seconds on a page of many fields.

type Labels = Map<Element, Element[]>;

let indexes: Map<Node, Labels> | undefined;

/** Begins a read in which labels are found by the index, and returns what ends it. */
export function indexLabels(): () => void {
  indexes = new Map();
  return () => (indexes = undefined);
}

/** Returns the labels of the field. */
export function labelsOf(el: Element): readonly Element[] {
  if (!indexes) return [...((el as HTMLInputElement).labels ?? [])];
  const root = el.getRootNode() as Document | ShadowRoot;
  const index = indexes.get(root) ?? indexOf(root);
  indexes.set(root, index);
  return index.get(el) ?? [];
}

function indexOf(root: Document | ShadowRoot): Labels {
  const index: Labels = new Map();
  for (const label of root.querySelectorAll("label")) {
    if (label.control) index.set(label.control, [...(index.get(label.control) ?? []), label]);
  }
  return index;
}
