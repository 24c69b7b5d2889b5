/** Set in the script's world once the recorder listens there. */
export const RECORDER = Symbol.for("actions-host.recorder");

/** Reports whether the recorder listens in this document. */
export const isRecorderHere = (): boolean => (globalThis as { [RECORDER]?: true })[RECORDER] === true;
