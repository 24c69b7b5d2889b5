// Rule of this file: a field that groups, pads or decorates what was typed
// holds the same content; one that changed a digit, a letter, a sign or the
// decimal point does not.

/** Reports whether the value is the text in another format. */
export function sameContent(text: string, value: string): boolean {
  if (NUMBER.test(text)) return possibleNumbers(value).includes(Number(text));
  return significant(text) !== "" && significant(text) === significant(value);
}

// Short enough to be exact; with zeros in front it is a code, not a number.
const NUMBER = /^[-+]?(0|[1-9]\d{0,14})(\.\d{1,6})?$/;

// A point or a comma separates the decimals, or groups of digits: both readings count.
function possibleNumbers(value: string): number[] {
  const sign = /^\D*[-\u2212]\D*\d/.test(value) || /^\(.*\)$/.test(value) ? -1 : 1;
  const digits = value.replace(/[^\d.,]/g, "").replace(/^[.,]+|[.,]+$/g, "");
  const separators = new Set(digits.match(/[.,]/g));
  const grouped = /^\d{1,3}([.,]\d{3})+$/.test(digits) || (separators.size === 1 && /[.,].*[.,]/.test(digits));
  const found: number[] = [];
  if (grouped || separators.size === 0) found.push(sign * Number(digits.replace(/[.,]/g, "")));
  const match = /^([\d.,]*)[.,](\d+)$/.exec(digits);
  if (match) found.push(sign * Number(`${(match[1] ?? "").replace(/[.,]/g, "") || "0"}.${match[2]}`));
  return found;
}

const significant = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
