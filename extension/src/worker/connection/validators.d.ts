// Rule of this file: it types the module that validators.mjs generates while
// building; the checks themselves come from the schemas alone.

import type { ExtensionRequests, HostNotifications, HostRequests } from "../../protocol";

/** One violation that a check found. */
export interface Violation {
  instancePath: string;
  message?: string;
}

/** Reports whether the data has the type; `errors` has the violations of the last failed check. */
export interface Check<T> {
  (data: unknown): data is T;
  errors?: Violation[] | null;
}

/** The checks by name of the definition: of all incoming messages, and of errors. */
export const definitions: { [name: string]: Check<unknown> | undefined };

/** The checks of the host's requests, by method. */
export const requests: { [M in keyof HostRequests]: Check<HostRequests[M]["params"]> };

/** The checks of the host's notifications, by method. */
export const notifications: { [M in keyof HostNotifications]: Check<HostNotifications[M]["params"]> };

/** The checks of the host's results, by method. */
export const results: { [M in keyof ExtensionRequests]: Check<ExtensionRequests[M]["result"]> };
