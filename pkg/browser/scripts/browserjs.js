// What browserjs() lays around the function of an agent's code: what the function has beside
// the page, and how it ended, as a text. In the page's main world, whose built-in functions the
// page may have changed, it only has a console.
(tools, options, make, args) => {
  const MAX_LOG_CHARS = 20_000;
  const KEY = Symbol.for("actions-host.browserjs");

  const logs = [];
  let room = MAX_LOG_CHARS;
  const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(JSON.parse(tools.tell(value)).result));
  const log = (mark) => (...values) => {
    if (room <= 0) return;
    const line = (mark + values.map(textOf).join(" ")).slice(0, room);
    room -= line.length + 1;
    logs.push(line);
  };
  const plain = log("");
  const scope = { console: { log: plain, info: plain, debug: plain, warn: log("[warn] "), error: log("[error] ") } };

  let endTimers = () => {};
  if (!options.main) {
    const ends = new Set();
    const waiting = new Map();
    let ended = false;
    const over = () => ended || Date.now() > options.until; // also where nobody can reach it any more
    let count = 0;
    const timer = (set, clear, once) => (callback, ...rest) => {
      if (over()) return 0;
      const end = () => clear(id);
      const id = set((...given) => {
        if (once) ends.delete(end);
        if (over()) return end();
        callback(...given);
      }, ...rest);
      ends.add(end);
      return id;
    };
    endTimers = () => {
      ended = true;
      for (const end of ends) end();
    };
    globalThis[KEY] = {
      end: endTimers,
      answer: (id, answer) => waiting.get(id)?.(answer),
    };
    scope.setTimeout = timer((...a) => globalThis.setTimeout(...a), (id) => globalThis.clearTimeout(id), true);
    scope.setInterval = timer((...a) => globalThis.setInterval(...a), (id) => globalThis.clearInterval(id), false);
    scope.requestAnimationFrame = timer((...a) => globalThis.requestAnimationFrame(...a), (id) => globalThis.cancelAnimationFrame(id), true);

    const send = (message) => {
      if (!options.binding) return chrome.runtime.sendMessage(message);
      const id = ++count;
      const answer = new Promise((resolve) => waiting.set(id, resolve));
      globalThis[options.binding](JSON.stringify({ id, message }));
      return answer.finally(() => waiting.delete(id));
    };
    const ask = async (action, detail) => {
      const answer = await send({ type: "automation:native-input", capability: options.capability, action, ...detail });
      if (!answer?.ok) throw Object.assign(new Error(answer?.message ?? "nobody answered"), { name: "NativeInputError", code: answer?.code, reason: answer?.reason });
    };
    scope.nativeClick = (selector) => ask("click", { selector: String(selector) });
    scope.nativeType = (selector, text) => ask("type", { selector: String(selector), text: String(text) });
    scope.nativePress = (key) => ask("press", { key: String(key) });
    scope.nativeKeyDown = (key) => ask("keydown", { key: String(key) });
    scope.nativeKeyUp = (key) => ask("keyup", { key: String(key) });
  }

  const thrown = (error) => {
    try {
      return error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${textOf(error)}`;
    } catch {
      return "an error without a text";
    }
  };
  return (async () => {
    try {
      if (Date.now() > options.until) throw new Error("its time was over before it began");
      const value = await (await make(scope))(...args);
      return `{"logs":${tools.tell(logs)},"value":${tools.tell(value)}}`;
    } catch (error) {
      return `{"logs":${tools.tell(logs)},"thrown":${tools.tell(thrown(error).slice(0, 2000))}}`;
    } finally {
      endTimers(); // the next function takes its place behind KEY, and nobody could end them any more
    }
  })();
}
