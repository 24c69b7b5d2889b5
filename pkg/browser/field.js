// Tells of each element whether it is a plain field, and whether what stands in it
// is a secret: by its type, by what autocomplete says it holds, or because somebody
// has seen it as a password field. It runs in a world of its own.
function (event, hints, ...nodes) {
  const hint = new RegExp(`(^|\\s)(${hints.join("|")})(\\s|$)`, "i");
  return nodes.map((el) => {
    if (Number.isNaN(el)) return { plain: true, secret: true }; // it is gone
    if (el.localName !== "input") return { plain: el.localName === "textarea", secret: false };
    // "Show password" turns the type into text; whoever knows better answers.
    if (el.type === "password") el.addEventListener(event, globalThis[Symbol.for(event)] ??= (asked) => asked.preventDefault());
    const known = !el.dispatchEvent(new Event(event, { cancelable: true }));
    return { plain: true, secret: known || hint.test(el.getAttribute("autocomplete") ?? "") };
  });
}
