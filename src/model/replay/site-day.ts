/** The answer to "today of a site": its course so far, as the service writes it and a page reads it. */

import type { CourseHead } from "./course.ts"
import type { WrittenCourse } from "./written-course.ts"

/** Response header: everything that was known by this instant is part of the answer. The body alone changes when something happens. */
export const DAY_COMPLETE_UNTIL = "X-Complete-Until"

export interface WrittenDay {
  readonly head: CourseHead
  /** Its `untilMs` is 0: the header says how far it is complete. */
  readonly course: WrittenCourse
  readonly left_out: readonly { readonly what: string; readonly count: number }[]
}

export interface SiteDayAnswer {
  readonly success: true
  readonly data: {
    readonly today: {
      readonly site_id: string
      readonly state: "being_made" | "ready" | "unavailable"
      /** Null unless it is ready. */
      readonly day: WrittenDay | null
    }
  }
}

export function dayAnswer(
  siteId: string,
  state: SiteDayAnswer["data"]["today"]["state"],
  day: WrittenDay | null,
): SiteDayAnswer {
  return { success: true, data: { today: { site_id: siteId, state, day } } }
}
