/** Times in the service area's time zone. Source: our choice K4. */

import type { EpochMs } from "../../../model/time.ts"

const TIME_ZONE = "America/Chicago"

const TIME = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, hour: "numeric", minute: "2-digit" })
const DATE = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
})

/** Such as `12:05 PM`. */
export function shortTime(instant: EpochMs): string {
  return TIME.format(instant)
}

/** Such as `Mar 2, 12:05 PM CST`. */
export function shortDate(instant: EpochMs): string {
  return DATE.format(instant)
}
