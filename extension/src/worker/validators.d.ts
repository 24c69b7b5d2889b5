// Rule of this file: it types the module that validators.mjs generates while
// building; the checks themselves come from the schemas alone.

import type { ExtensionRequests, HostNotifications, HostRequests } from "../protocol";

/** One fault that a check found. */
export interface Violation {
  instancePath: string;
  message?: string;
}

/** Says whether the data has the type; `errors` tells why the last one had not. */
export interface Check<T> {
  (data: unknown): data is T;
  errors?: Violation[] | null;
}

/** The checks by name of the definition: of all that comes in, and of the errors. */
export const definitions: { [name: string]: Check<unknown> | undefined };

/** The checks of what the host asks, by method. */
export const requests: { [M in keyof HostRequests]: Check<HostRequests[M]["params"]> };

/** The checks of what the host tells, by method. */
export const notifications: { [M in keyof HostNotifications]: Check<HostNotifications[M]["params"]> };

/** The checks of what the host answers, by method. */
export const results: { [M in keyof ExtensionRequests]: Check<ExtensionRequests[M]["result"]> };
