/** Distinguishes fleet models from scenarios: both are YAML, often in one folder. */

/** True for a fleet model, which has a top-level key that scenarios do not have. */
export function isFleetText(text: string): boolean {
  return /^fleet\s*:/m.test(text)
}
