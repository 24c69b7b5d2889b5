// Rule: a table is read as it is laid out: a merged cell stands in every row and column
// that it covers, and a grid that draws only a part of its rows says how many there are.

import { type Args, number, object } from "../base/args";
import { PageError } from "../base/errors";
import { withAriaCaches } from "../dom/aria";
import { composedClosest } from "../dom/dom";
import { normalize, visibleTextOf } from "../dom/read-text";
import { queryAll } from "../dom/selectors";
import { isRendered } from "../dom/visibility";
import { locateOne } from "../locator/locate";

// One :is each keeps the order of the document.
const TABLES = ":is(table:not([role]), [role=table], [role=grid], [role=treegrid])";
const ROWS = ":is(tr, [role=row])";
const CELLS = ":is(td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader])";
const COLUMN_HEADERS = "th:not([scope=row], [role]), [role=columnheader]";

/** What HTML allows for one cell. */
const MAX_SPAN = 1000;

/** What merged cells may cover in all; beyond it each stands once. */
const MAX_COVERED = 200_000;

/** Characters of the rows of one page, below the budget of an output. */
const PAGE_CHARS = 7000;

interface Cell {
  text: string;
  header: boolean;
}

/** page.table */
export function table(args: Args): unknown {
  const el = tableOf(args);
  const lines = withAriaCaches(() => laidOut(rowsOf(el)));
  const first = lines.findIndex((line) => !line.some((cell) => cell) || line.some((cell) => cell && !cell.header));
  const headerCount = first < 0 ? lines.length : first;
  const headers = headersOf(lines.slice(0, headerCount));
  const rows = lines.slice(headerCount).map((line) => rowOf(line, headers));
  const offset = number(args, "offset", 0, 0, 1_000_000);
  let end = offset;
  for (let chars = 0; end < rows.length; end++) {
    chars += JSON.stringify(rows[end]).length + 1;
    if (chars > PAGE_CHARS && end > offset) break;
  }
  const all = Number(el.getAttribute("aria-rowcount") ?? "0") - headerCount;
  const name = normalize(el.querySelector(":scope > caption")?.textContent ?? el.getAttribute("aria-label") ?? "");
  return {
    ...(name && { name }),
    headers,
    rows: rows.slice(offset, end),
    row_count: rows.length,
    ...(all > rows.length && { total_rows: all }),
    truncated: end < rows.length,
    ...(end < rows.length && { next: { name: "page.table", arguments: { ...args, offset: end } } }),
  };
}

// The table that the locator names, that is around what it names, or the only one in it.
function tableOf(args: Args): Element {
  const locator = object(args, "locator");
  if (!locator) return locateOne({ selector: TABLES });
  const el = locateOne(locator);
  const inside = composedClosest(el, TABLES) ?? queryAll(el, TABLES);
  if (!Array.isArray(inside)) return inside;
  const only = inside.filter(isRendered);
  if (only[0] && only.length === 1) return only[0];
  throw new PageError(only.length === 0 ? "target_not_found" : "multiple_targets", `${only.length} tables are in what the locator names`, { locator, match_count: only.length });
}

// The rows, each with its cells. A grid may draw one row in several pieces, beside each
// other, and its rows in any order; its own numbers tell.
function rowsOf(el: Element): Element[][] {
  const rows = queryAll(el, ROWS).filter((row) => composedClosest(row, TABLES) === el);
  const byIndex = new Map<number, Element[]>();
  for (const [at, row] of rows.entries()) {
    const index = positive(row, "aria-rowindex") ?? at + 1e9;
    const cells = queryAll(row, CELLS).filter((cell) => composedClosest(cell, ROWS) === row && isRendered(cell));
    if (cells.length === 0 && !isRendered(row)) continue; // one that cells above cover is flat
    byIndex.set(index, [...(byIndex.get(index) ?? []), ...cells]);
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, cells]) => cells);
}

function laidOut(rows: Element[][]): (Cell | undefined)[][] {
  const lines: (Cell | undefined)[][] = rows.map(() => []);
  let width = 0;
  let covered = 0;
  for (const [at, cells] of rows.entries()) {
    let column = 0;
    for (const el of cells) {
      const own = positive(el, "aria-colindex");
      if (own !== undefined) column = own - 1;
      else while (lines[at]?.[column]) column++;
      const cell = { text: visibleTextOf(el) || normalize(el.getAttribute("aria-label") ?? ""), header: el.matches(COLUMN_HEADERS) };
      const below = el.getAttribute("rowspan") === "0" ? rows.length : spanOf(el, "rowspan");
      const across = spanOf(el, "colspan");
      for (const line of covered < MAX_COVERED ? lines.slice(at, at + below) : lines.slice(at, at + 1)) {
        for (let i = 0; i < (covered < MAX_COVERED ? across : 1); i++, covered++) line[column + i] ??= cell;
      }
      width = Math.max(width, column + 1);
      column += across;
    }
  }
  // A cell that is wider than the table covers no columns that nothing else has.
  return lines.map((line) => line.slice(0, width));
}

function spanOf(el: Element, name: "colspan" | "rowspan"): number {
  return Math.min(positive(el, name) ?? positive(el, `aria-${name}`) ?? 1, MAX_SPAN);
}

function positive(el: Element, name: string): number | undefined {
  const value = Number.parseInt(el.getAttribute(name) ?? "", 10);
  return value > 0 ? value : undefined;
}

// One name for each column, the upper headers before the lower; null where there are none.
function headersOf(lines: (Cell | undefined)[][]): string[] | null {
  if (lines.length === 0) return null;
  const width = Math.max(...lines.map((line) => line.length));
  const names: string[] = [];
  for (let i = 0; i < width; i++) {
    const texts = new Set(lines.map((line) => line[i]?.text ?? "").filter((text) => text !== ""));
    const name = [...texts].join(" / ") || `column ${i + 1}`;
    let unique = name;
    for (let n = 2; names.includes(unique); n++) unique = `${name} (${n})`;
    names.push(unique);
  }
  return names;
}

function rowOf(line: (Cell | undefined)[], headers: string[] | null): unknown {
  const texts = Array.from(line, (cell) => cell?.text ?? "");
  if (!headers) return texts;
  return Object.fromEntries(texts.map((text, i) => [headers[i] ?? `column ${i + 1}`, text]));
}
