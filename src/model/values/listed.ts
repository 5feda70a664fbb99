/** Words as a sentence lists them. */

/** `7, 12 and 31`, or with the other word `7, 12 or 31`. */
export function listed(words: readonly string[], before: "and" | "or" = "and"): string {
  const last = words.at(-1) ?? ""
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${before} ${last}`
}
