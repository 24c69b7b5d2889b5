// What the components report in their own change events, by the name of the component: the
// tests judge by this alone.
export const model = (globalThis.model = {});

// record keeps the value that a component's event carried.
export function record(name, value) {
  model[name] = value;
}

// recorder returns a handler of one event argument that keeps what pick takes from it.
export const recorder = (name, pick = (value) => value) => (...args) => record(name, pick(...args));
