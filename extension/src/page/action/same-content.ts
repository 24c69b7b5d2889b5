// Rule of this file: a field that groups, pads or decorates what was typed
// holds the same content; one that changed a digit, a letter, a sign or the
// decimal point does not.

/** Reports whether the value is the text in another format. A secret keeps all of its signs, but for spaces and hyphens between digits, as of a card or a code. */
export function sameContent(text: string, value: string, secret = false): boolean {
  if (!secret && NUMBER.test(text)) return possibleNumbers(value).includes(Number(text));
  if (significant(text) === "" || significant(text) !== significant(value)) return false;
  if (!inOrder(secret ? withoutGroups(text) : text.replace(BETWEEN_WORDS, "$1$2"), value)) return false;
  if (!ONE_NUMBER.test(text)) return true;
  const numbers = possibleNumbers(withoutHyphens(value));
  return possibleNumbers(withoutHyphens(text)).some((number) => numbers.includes(number));
}

// Short enough to be exact; with zeros in front it is a code, not a number.
const NUMBER = /^[-+]?(0|[1-9]\d{0,14})(\.\d{1,6})?$/;

// With what may stand around it, and between its digits.
const ONE_NUMBER = /^\D*\d(?:[\s.,'’]?\d)*[^\d.,]*$/;

// A point or a comma separates the decimals, or groups of digits: both readings count.
function possibleNumbers(value: string): number[] {
  const sign = /^\D*[-\u2212]\D*\d/.test(value) || /^\(.*\)$/.test(value) ? -1 : 1;
  const digits = value.replace(/(?<=\p{L})[.,]|[^\d.,]/gu, "").replace(/[.,]+$/, "");
  const separators = new Set(digits.match(/[.,]/g));
  const grouped = /^[1-9]\d{0,2}([.,]\d{3})+$/.test(digits) || (separators.size === 1 && /[.,].*[.,]/.test(digits));
  const found: number[] = [];
  if (grouped || separators.size === 0) found.push(sign * Number(digits.replace(/[.,]/g, "")));
  const match = /^([\d.,]*)[.,](\d+)$/.exec(digits);
  if (match) found.push(sign * Number(`${(match[1] ?? "").replace(/[.,]/g, "") || "0"}.${match[2]}`));
  return found;
}

const withoutGroups = (text: string): string => (/^[\d\s-]+$/.test(text) ? text.replace(/\D/g, "") : text);

// A hyphen right behind a letter is no sign of a number: AB-12.
const withoutHyphens = (text: string): string => text.replace(/(?<=\p{L})-/gu, "");

const significant = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");

// Signs inside of a word are of it, john_doe or john.doe; the points of p.m. are not.
const BETWEEN_WORDS = /(?<=[\p{L}\p{N}])([_@$!#%&*+=^~]+)(?=[\p{L}\p{N}])|(?<=\p{L})(\.)(?=\p{L}{2})|[^\p{L}\p{N}]/gu;

/** Reports whether the characters stand in the text in this order. */
function inOrder(characters: string, text: string): boolean {
  let left = characters;
  for (const unit of text.split("")) if (left.startsWith(unit)) left = left.slice(1);
  return left === "";
}
