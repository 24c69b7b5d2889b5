// Rule of this file: helpers for every page of the extension: its texts and its
// elements.

/** Returns a text of _locales. */
export const t = (key: string, substitutions?: string[]): string => chrome.i18n.getMessage(key, substitutions);

/** Returns an element that the page must have. */
export function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as E;
}

export const button = (id: string): HTMLButtonElement => element<HTMLButtonElement>(id);

/** Returns an item of a list with a text. */
export const listItem = (text: string): HTMLLIElement => Object.assign(document.createElement("li"), { textContent: text });

/** Returns an item of a list with a sentence, in which *marks* stand around names. */
export function sentenceItem(text: string): HTMLLIElement {
  const item = document.createElement("li");
  for (const [i, words] of text.split("*").entries()) item.append(i % 2 === 1 ? Object.assign(document.createElement("strong"), { textContent: words }) : words);
  return item;
}

/**
 * Writes the texts that the page's elements name: data-text as content, data-label
 * as label and tooltip, data-name as label, data-title as tooltip, data-hint as
 * placeholder of an empty field.
 */
export function translate(): void {
  document.documentElement.lang = chrome.i18n.getUILanguage();
  for (const labelled of document.querySelectorAll<HTMLElement>("[data-text]")) labelled.textContent = t(labelled.dataset["text"] ?? "");
  for (const labelled of document.querySelectorAll<HTMLElement>("[data-label]")) {
    const text = t(labelled.dataset["label"] ?? "");
    labelled.setAttribute("aria-label", text);
    labelled.title = text;
  }
  for (const [name, attribute] of Object.entries({ name: "aria-label", title: "title", hint: "placeholder" })) {
    for (const labelled of document.querySelectorAll<HTMLElement>(`[data-${name}]`)) labelled.setAttribute(attribute, t(labelled.dataset[name] ?? ""));
  }
}
