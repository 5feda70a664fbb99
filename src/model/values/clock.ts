/** Requests about the clock of an organization in the sandbox. */

import { Schema } from "effect"
import { CLOCK_MOVE_MS_MAX } from "./limits.ts"
import { Instant, absent, holdsOneOf, rules } from "./schema.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"

/** Weeks alone, or days, hours, minutes and seconds: months and years have no fixed length. Source: ISO 8601-1 §5.5.2. */
const DURATION =
  /^P(?:(\d{1,4})W|(?=\d|T\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,10})(?:[.,](\d{1,3})\d*)?S)?)?)$/

/** The duration in milliseconds; null when it is not one that this service reads. */
export function durationMs(written: string): number | null {
  const found = DURATION.exec(written)
  if (found === null) return null
  const [weeks, days, hours, minutes, seconds] = found.slice(1, 6).map((digits) => Number(digits ?? 0))
  const thousandths = Number((found[6] ?? "").padEnd(3, "0"))
  return (
    (weeks ?? 0) * 7 * DAY_MS +
    (days ?? 0) * DAY_MS +
    (hours ?? 0) * HOUR_MS +
    (minutes ?? 0) * MINUTE_MS +
    (seconds ?? 0) * SECOND_MS +
    thousandths
  )
}

const Duration = Schema.String.pipe(
  Schema.filter((written) => {
    const ms = durationMs(written)
    if (ms === null)
      return "must be an ISO 8601 duration of weeks, days, hours, minutes or seconds, such as PT15M"
    if (ms === 0) return "must be longer than nothing"
    return ms <= CLOCK_MOVE_MS_MAX || `must be at most ${CLOCK_MOVE_MS_MAX / DAY_MS} days`
  }),
  Schema.annotations({
    description: "How far the clock goes forwards, as an ISO 8601 duration: `PT15M`.",
    jsonSchema: { type: "string", pattern: DURATION.source },
  }),
)

/** In place of an instant: that of the organization's next timer. */
export const NEXT_TIMER = "next_timer"

const Target = Schema.Union(Schema.Literal(NEXT_TIMER), Instant).annotations({
  description: "Where the clock goes: an instant, or `next_timer`.",
  jsonSchema: {
    anyOf: [
      { type: "string", format: "date-time" },
      { type: "string", const: NEXT_TIMER },
    ],
  },
  message: () => ({
    message: `must be an RFC 3339 time with Z or an offset, or ${NEXT_TIMER}`,
    override: true,
  }),
})

export const AdvanceClockRequest = Schema.Struct({
  by: Schema.optional(Duration),
  to: Schema.optional(Target),
}).pipe(
  Schema.filter(
    ({ by, to }) => (by === undefined) !== (to === undefined) || "must have either by or to, and not both",
  ),
  Schema.annotations({
    identifier: "AdvanceClockRequest",
    ...rules(holdsOneOf(["by", "to"]), {
      not: {
        required: ["by", "to"],
        not: { anyOf: [{ properties: absent(["by"]) }, { properties: absent(["to"]) }] },
      },
    }),
  }),
)

export type AdvanceClockRequest = typeof AdvanceClockRequest.Type
