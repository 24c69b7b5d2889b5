// Tells of each element whether it is a plain field, and whether what stands in it
// is a secret: by its type, by what autocomplete says it holds, by what it is called
// (as extension/src/page/dom/credentials.ts judges), or because somebody knows better: who
// has seen it as a password field, or knows what is written around it. It runs in a world
// of its own.
function (event, hints, patterns, ...nodes) {
  const hint = new RegExp(`(^|\\s)(${hints.join("|")})(\\s|$)`, "i");
  const [secret, pin, postal] = patterns.map((pattern) => new RegExp(pattern));
  const notJudged = new Set("button checkbox color date datetime-local email file image month radio range reset search submit time url week".split(" "));
  const open = /(^|\s)(.*name|.*email|organization.*|(street-|postal-)?address.*|country.*|postal-code|tel.*|bday.*|cc-(exp|type).*|transaction-.*|language|sex|url|photo|impp)(\s|$)/i;
  const attribute = (el, name) => Element.prototype.getAttribute.call(el, name) ?? "";
  const words = (name) => {
    const plain = name.slice(0, 200).normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFKC");
    const apart = plain.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2").replace(/(\p{L}{3})(\d)/gu, "$1 $2");
    return ` ${apart.toLowerCase().replaceAll("ł", "l").replace(/[^\p{L}\d]+/gu, " ").trim()} `;
  };
  const called = (el) => {
    if ((el.localName === "input" && notJudged.has(el.type)) || /^(searchbox|combobox|listbox)$/i.test(attribute(el, "role")) || open.test(attribute(el, "autocomplete"))) return false;
    const ids = attribute(el, "aria-labelledby").split(/\s+/).filter(Boolean);
    const labels = [...(el.labels ?? []), ...ids.map((id) => el.ownerDocument.getElementById(id))].map((label) => label?.textContent ?? "");
    const names = [...["name", "id", "data-testid", "placeholder", "aria-placeholder", "data-placeholder", "aria-label", "title"].map((name) => attribute(el, name)), ...labels].map(words);
    if (names.some((name) => secret.test(name))) return true;
    if (!names.some((name) => pin.test(name))) return false;
    const beside = [...(el.form?.elements ?? [])].slice(0, 200).map((other) => words(`${attribute(other, "name")} ${attribute(other, "id")}`));
    return ![...names, ...beside].some((name) => postal.test(name));
  };
  const isField = (el) => /^(select|output)$/.test(el.localName) || /^textbox$/i.test(attribute(el, "role")) || /^(|true|plaintext-only)$/i.test(Element.prototype.getAttribute.call(el, "contenteditable") ?? "false");
  const known = (el) => !EventTarget.prototype.dispatchEvent.call(el, new Event(event, { cancelable: true, composed: true }));
  const hinted = (el) => hint.test(attribute(el, "autocomplete"));
  return nodes.map((el) => {
    if (Number.isNaN(el)) return { plain: true, secret: true }; // it is gone
    if (el.nodeType !== 1) return { plain: false, secret: false };
    if (el.localName === "textarea") return { plain: true, secret: known(el) || hinted(el) || called(el) };
    if (el.localName !== "input") return { plain: false, secret: known(el) || (isField(el) && (hinted(el) || called(el))) };
    // "Show password" turns the type into text; whoever knows better answers.
    if (el.type === "password") el.addEventListener(event, globalThis[Symbol.for(event)] ??= (asked) => asked.preventDefault());
    return { plain: true, secret: known(el) || hinted(el) || called(el) };
  });
}
