/** Telling fleet models from scenarios: both are YAML, often in one folder. */

/** True when the text is meant as a fleet model: a key of its top level says so. */
export function isFleetText(text: string): boolean {
  return /^fleet\s*:/m.test(text)
}
