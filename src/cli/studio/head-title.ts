/** The title in the first key of a file, also of one with problems elsewhere. */

/** The value of `scenario:` or `fleet:` as it is written, without its quotes; null when there is none. */
export function headTitle(text: string, key: "fleet" | "scenario"): string | null {
  const pattern = key === "fleet" ? /^fleet *:(.*)$/m : /^scenario:(.*)$/m
  const value = (pattern.exec(text)?.[1] ?? "").trim()
  const quote = value.charAt(0)
  const isQuoted = value.length > 2 && (quote === '"' || quote === "'") && value.endsWith(quote)
  const title = isQuoted ? value.slice(1, -1) : value
  return title === "" ? null : title
}
