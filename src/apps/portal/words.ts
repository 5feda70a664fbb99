/** Codes of the APIs and names of the machines in words, for people. */

/** `WAITING_FOR_LOAD` and `waiting_for_load` become "Waiting for load". */
export function inWords(code: string): string {
  const words = code
    .toLowerCase()
    .replaceAll(/[._-]+/g, " ")
    // The APIs spell it in both ways; what people read has one.
    .replaceAll(/\bcanceled\b/g, "cancelled")
    .trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
