/** Lines of the service's log that are written without its logger. */

import type { Configuration } from "../configuration/configuration.ts"

export interface PlainLine {
  readonly time: string
  readonly level: "info" | "warn"
  readonly msg: string
  /** Further fields. */
  readonly fields: Readonly<Record<string, number>>
}

/** One line in the format of the service's logger. */
export function lineText(
  format: Configuration["logFormat"],
  { time, level, msg, fields }: PlainLine,
): string {
  if (format === "json") return `${JSON.stringify({ level, time, ...fields, msg })}\n`
  const more = Object.entries(fields).map(([key, value]) => ` ${key}=${value}`)
  return `time=${time} level=${level} msg=${JSON.stringify(msg)}${more.join("")}\n`
}
