/** Times in the service area's time zone. Source: our choice K4. */

import type { EpochMs } from "../../../model/values/time.ts"

const TIME_ZONE = "America/Chicago"

const DATE = new Intl.DateTimeFormat("en-US", {
  timeZone: TIME_ZONE,
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
})

/** Such as `Mar 2, 12:05 PM CST`. */
export function shortDate(instant: EpochMs): string {
  return DATE.format(instant)
}
