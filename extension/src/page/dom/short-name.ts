// Rule: a name of the page that stands among our own words is one short line, without
// characters that are not seen.

const MAX_NAME = 60;

/** Returns the name as one short line. */
export function shortName(name: string): string {
  const text = name.replace(/[\p{Cc}\p{Cf}]/gu, " ").replace(/\s+/g, " ").trim();
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}
