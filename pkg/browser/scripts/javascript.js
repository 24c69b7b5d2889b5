// What browser.run_javascript lays around the caller's code: the helpers it may
// use, and a description of its result as JSON. It runs in the page's own world,
// which may have changed every built-in function: nothing here is relied on for
// safety. Values that JSON does not know become text, and the answer says so.
(() => {
  const MAX_DEPTH = 40;
  const MAX_CHARS = 2_000_000;

  const normalizeText = (text) => String(text ?? "").replace(/[\s\u00a0]+/g, " ").trim();
  const isElementVisible = (el) => {
    if (!el?.isConnected) return false;
    const { width, height } = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    return width > 0 && height > 0 && style.visibility === "visible" && style.display !== "none";
  };
  const queryRelative = (root, selector) => {
    const from = root ?? document;
    return selector === ":scope" ? from : from.querySelector(selector);
  };
  const visibleText = (el) => (isElementVisible(el) ? normalizeText(el.innerText) : "");
  const helpers = { normalizeText, isElementVisible, queryRelative, visibleText };

  const labelOf = (el) => `<${el.localName}${el.id ? `#${el.id}` : ""}>`;

  // The text for what JSON has no form for, undefined for what it has.
  const described = (value) => {
    switch (typeof value) {
      case "bigint":
        return `${value}n`;
      case "symbol":
        return String(value);
      case "function":
        return `[function ${value.name || "without a name"}]`;
      case "number":
        return Number.isFinite(value) ? undefined : String(value);
      case "object":
        break;
      default:
        return undefined;
    }
    if (value === null || Array.isArray(value)) return undefined;
    if (typeof value.nodeType === "number" && typeof value.nodeName === "string") {
      return value.nodeType === 1 ? labelOf(value) : `[node ${value.nodeName}]`;
    }
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    switch (kind) {
      case "Date":
        return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
      case "RegExp":
        return String(value);
      case "Error":
      case "DOMException":
        return `${value.name}: ${value.message}`;
      case "Map":
      case "Set":
        return `[${kind} of ${value.size}]`;
      case "Window":
      case "Promise":
      case "WeakMap":
      case "WeakSet":
      case "ArrayBuffer":
        return `[${kind}]`;
    }
    return undefined;
  };

  const typeOf = (value) => {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    if (typeof value === "object" && typeof value.nodeType === "number" && typeof value.nodeName === "string") return "node";
    return typeof value;
  };

  // JSON.stringify would ask toJSON, which some pages define for all arrays.
  const jsonOf = (root) => {
    const parts = [];
    const above = new Set();
    let size = 0;
    const put = (text) => {
      size += text.length;
      if (size > MAX_CHARS) throw new RangeError(`the result has more than ${MAX_CHARS} characters as JSON`);
      parts.push(text);
    };
    // Half a surrogate pair is no text that JSON may hold.
    const putText = (text) => put(JSON.stringify(text.toWellFormed?.() ?? text));
    const write = (value, depth) => {
      const text = described(value);
      if (text !== undefined) return putText(text);
      if (value === undefined) return put("null");
      if (typeof value === "string") return putText(value);
      if (value === null || typeof value !== "object") return put(JSON.stringify(value));
      if (above.has(value)) return put('"[circular]"');
      if (depth === MAX_DEPTH) return put('"[deeper]"');
      above.add(value);
      if (Array.isArray(value) || ArrayBuffer.isView(value)) writeList(value, depth);
      else writeObject(value, depth);
      above.delete(value);
    };
    const writeList = (list, depth) => {
      put("[");
      for (let i = 0; i < list.length; i++) {
        if (i > 0) put(",");
        write(list[i], depth + 1);
      }
      put("]");
    };
    const writeObject = (object, depth) => {
      put("{");
      let first = true;
      for (const name of Object.keys(object)) {
        const member = object[name];
        if (member === undefined) continue;
        if (!first) put(",");
        first = false;
        putText(name);
        put(":");
        write(member, depth + 1);
      }
      put("}");
    };
    write(root, 0);
    return parts.join("");
  };

  const tell = (value) =>
    `{"type":"${typeOf(value)}","described":${described(value) !== undefined},"result":${jsonOf(value)}}`;
  return { helpers, tell };
})()
