// Rule of this file: a field is judged by what it is called. Only fields that take or show
// text are. What autocomplete says of it is believed, and a search names what it looks for.

import { CREDENTIAL_PATTERNS } from "../../contract";
import { attributeOf, isHTML, isInput } from "./dom";
import { namesOf } from "./field-names";

const [SECRET, PIN, POSTAL] = CREDENTIAL_PATTERNS.map((pattern) => new RegExp(pattern)) as [RegExp, RegExp, RegExp];

/** What takes no text, or none that is a secret by its name. */
const NOT_JUDGED = new Set("button checkbox color date datetime-local email file image month radio range reset search submit time url week".split(" "));
const SEARCHING = /^(searchbox|combobox|listbox)$/i;
const PUBLIC_AUTOCOMPLETE = /(^|\s)(.*name|.*email|organization.*|(street-|postal-)?address.*|country.*|postal-code|tel.*|bday.*|cc-(exp|type).*|transaction-.*|language|sex|url|photo|impp)(\s|$)/i;

const MAX_FIELDS = 200;
const MAX_JUDGED = 2000;

/** The judgement by names: pages have many fields of the same names. */
const judged = new Map<string, "secret" | "pin" | "">();

/** Reports whether the field is called like one that holds a secret. */
export function isCredentialField(field: Element): boolean {
  if (isInput(field) && NOT_JUDGED.has(field.type)) return false;
  if (SEARCHING.test(attributeOf(field, "role") ?? "") || PUBLIC_AUTOCOMPLETE.test(attributeOf(field, "autocomplete") ?? "")) return false;
  const names = namesOf(field);
  const judgement = judge(names);
  return judgement === "secret" || (judgement === "pin" && !POSTAL.test(words(names)) && !isInAddress(field));
}

function judge(names: string): "secret" | "pin" | "" {
  if (names === "") return "";
  const known = judged.get(names);
  if (known !== undefined) return known;
  const lines = names.split("\n").map(words);
  const judgement = lines.some((line) => SECRET.test(line)) ? "secret" : lines.some((line) => PIN.test(line)) ? "pin" : "";
  if (judged.size >= MAX_JUDGED) judged.clear();
  judged.set(names, judgement);
  return judgement;
}

/** In India a PIN is a postal code: the fields beside it tell. */
function isInAddress(field: Element): boolean {
  const form = (field as HTMLInputElement).form ?? Element.prototype.closest.call(field, "form");
  // A field of the form may be called elements.
  const fields: Iterable<Element> = isHTML(form) ? Reflect.get(HTMLFormElement.prototype, "elements", form) : [];
  return [...fields].slice(0, MAX_FIELDS).some((el) => POSTAL.test(words(`${attributeOf(el, "name")} ${attributeOf(el, "id")}`)));
}

/** The words in lower case without marks, a space before each and after the last. */
export function words(name: string): string {
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFKC");
  const apart = plain.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2").replace(/(\p{L}{3})(\d)/gu, "$1 $2");
  return ` ${apart.toLowerCase().replaceAll("ł", "l").replace(/[^\p{L}\d]+/gu, " ").trim()} `;
}
