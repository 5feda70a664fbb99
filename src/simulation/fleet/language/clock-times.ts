/** Times of the day as a model writes them. */

import { DAY_MS } from "../../../model/values/time.ts"
import { mapped, saying, text } from "../../scenario/language/shapes.ts"
import { END_TIME_OF_DAY, TIME_OF_DAY, timeOfDay } from "./spread.ts"

/** `11:30`, milliseconds since local midnight. */
export const clockTime = saying(
  mapped(
    text,
    (written, refuse) =>
      timeOfDay(written) ?? refuse(`${JSON.stringify(written)} is no time of day`, "such as 07:00"),
  ),
  { pattern: TIME_OF_DAY.source },
)

/** Where a span of the day ends: midnight is its last time, and so 24:00. */
export const endTime = saying(
  mapped(text, (written, refuse) => {
    if (written === "24:00") return DAY_MS
    const advice = "such as 22:00, or 24:00 for midnight"
    return timeOfDay(written) ?? refuse(`${JSON.stringify(written)} is no time of day`, advice)
  }),
  { pattern: END_TIME_OF_DAY.source },
)
