// Rule: the host has checked the arguments against input_schema. These readers
// check the types once more, because a content script trusts no message, and
// return real types to the handlers.

import { PageError } from "./errors";

export type Args = Record<string, unknown>;

function invalidArgument(name: string, want: string): PageError {
  return new PageError("invalid_arguments", `${name} must be ${want}`, { argument: name });
}

/** An optional string. */
export function text(args: Args, name: string): string | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalidArgument(name, "a string");
  return value;
}

/** A required string. */
export function requiredText(args: Args, name: string): string {
  const value = text(args, name);
  if (value === undefined) throw invalidArgument(name, "given");
  return value;
}

/** An optional number with a default, clamped to its limits. */
export function number(args: Args, name: string, fallback: number, min: number, max: number): number {
  const value = args[name];
  if (value === undefined) return fallback;
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalidArgument(name, "a number");
  return Math.min(max, Math.max(min, value));
}

export function flag(args: Args, name: string, fallback: boolean): boolean {
  const value = args[name];
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw invalidArgument(name, "true or false");
  return value;
}

/** An optional list of strings. */
export function texts(args: Args, name: string): string[] | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((v): v is string => typeof v === "string")) {
    throw invalidArgument(name, "a list of strings");
  }
  return value;
}

/** An optional object. */
export function object(args: Args, name: string): Args | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (!isObject(value)) throw invalidArgument(name, "an object");
  return value;
}

export function isObject(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
