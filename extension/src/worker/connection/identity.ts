// Rule of this file: pure functions that name the browser and the profile.
// No API has the profile's name, so it is numbered until the user
// names it.

/** A brand as navigator.userAgentData lists it. */
export interface Brand {
  brand: string;
  version: string;
}

const known = [
  ["Microsoft Edge", "edge", "Edge"],
  ["Brave", "brave", "Brave"],
  ["Vivaldi", "vivaldi", "Vivaldi"],
  ["Opera", "opera", "Opera"],
  ["Google Chrome", "chrome", "Chrome"],
  ["Chromium", "chromium", "Chromium"],
] as const;

export type BrowserName = (typeof known)[number][1];

/** Returns the browser by its brands, of which Chromium is always one. */
export function browserOf(brands: readonly Brand[]): { name: BrowserName; version: string } {
  for (const [brand, name] of known) {
    const found = brands.find((b) => b.brand === brand);
    if (found) return { name, version: found.version };
  }
  return { name: "chromium", version: "" };
}

/**
 * "Chromium 417": profiles cannot count each other, so the number comes from
 * the random id and two profiles of one computer hardly ever share it.
 */
export function profileLabel(name: BrowserName, profileId: string): string {
  const title = known.find(([, n]) => n === name)?.[2] ?? "Chromium";
  return `${title} ${100 + (Number.parseInt(profileId.slice(0, 8), 16) % 900)}`;
}
