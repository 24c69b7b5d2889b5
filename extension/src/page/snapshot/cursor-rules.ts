// Rule of this file: a cursor is inherited, so under a pointer cursor only a rule
// that sets it again shows that an element is a target of its own. Style sheets of
// other origins cannot be read and count as having no such rules.

import { splitSelectorList } from "../dom/selectors";

/** Cursors that offer an action. */
const OFFERING = /(?:^|, )(?:pointer|grab|move|copy|cell|crosshair|zoom-in|zoom-out|(?:col|row|[nsew]+)-resize)$/;

/** Reports whether the cursor, which most elements leave to the browser, offers one. */
export const offersAction = (cursor: string): boolean => cursor === "pointer" || (cursor !== "auto" && OFFERING.test(cursor));

/** The selectors of one sheet; the number of rules shows that it has changed. */
interface Sheet {
  rules: number;
  selectors: string[];
}

const sheets = new WeakMap<CSSStyleSheet, Sheet>();

/** Finds the elements that set their cursor themselves; made anew for each read. */
export class CursorRules {
  private readonly selectors = new Map<Node, string>();

  setsCursor(el: Element): boolean {
    if (offersAction((el as HTMLElement).style?.cursor ?? "")) return true;
    const root = el.getRootNode() as Document | ShadowRoot;
    let list = this.selectors.get(root);
    if (list === undefined) {
      list = [...root.styleSheets, ...root.adoptedStyleSheets].flatMap(selectorsOf).join(",");
      this.selectors.set(root, list);
    }
    return list !== "" && el.matches(list);
  }
}

function selectorsOf(sheet: CSSStyleSheet): string[] {
  const rules = rulesOf(sheet);
  const known = sheets.get(sheet);
  if (known?.rules === rules.length) return known.selectors;
  const selectors: string[] = [];
  collect(rules, selectors);
  sheets.set(sheet, { rules: rules.length, selectors });
  return selectors;
}

function rulesOf(sheet: CSSStyleSheet): CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

function collect(rules: Iterable<CSSRule>, into: string[]): void {
  for (const rule of rules) {
    const { style, selectorText, cssRules } = rule as CSSStyleRule;
    if (selectorText && offersAction(style.cursor)) into.push(...splitSelectorList(selectorText).filter(isOfTarget));
    if (cssRules?.length) collect(cssRules, into);
  }
}

// A rule for everything inside of a target makes none of it a target; a nested
// selector cannot be matched alone.
function isOfTarget(selector: string): boolean {
  return !selector.endsWith("*") && !selector.includes("&") && CSS.supports(`selector(${selector})`);
}
