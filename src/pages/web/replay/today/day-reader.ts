/** Today of a site as the service has it: read again and again, and kept as a scene. Each answer has the whole day. */

import { emptyBreaks, emptyChanges, emptyLegs, emptyLevels } from "../../../../model/replay/course.ts"
import { DAY_COMPLETE_UNTIL } from "../../../../model/replay/site-day.ts"
import type { SiteDayAnswer, WrittenDay } from "../../../../model/replay/site-day.ts"
import { courseOf } from "../../../../model/replay/written-course.ts"
import { asFault } from "../../faults.ts"
import type { ApiFault } from "../../faults.ts"
import { Scene } from "../seen/scene.ts"

export interface ReadDay {
  readonly state: SiteDayAnswer["data"]["today"]["state"]
  /** Null before the first day is read. Another one when something has happened. */
  readonly scene: Scene | null
  readonly leftOut: WrittenDay["left_out"]
  /** Of the last read; the scene of an earlier one stays. */
  readonly fault: ApiFault | null
}

/** The body is null when the answer with that tag is still the present one. */
export type AskDay = (
  tag: string | null,
) => Promise<{ readonly body: SiteDayAnswer | null; readonly headers: Pick<Headers, "get"> }>

export class DayReader {
  now: ReadDay = { state: "being_made", scene: null, leftOut: [], fault: null }
  readonly #ask: AskDay
  #tag: string | null = null

  constructor(ask: AskDay) {
    this.#ask = ask
  }

  /** Never rejects. */
  async read(): Promise<void> {
    try {
      const { body, headers } = await this.#ask(this.#tag)
      const untilMs = Date.parse(headers.get(DAY_COMPLETE_UNTIL) ?? "")
      if (body === null) this.#goOn(untilMs)
      else this.#take(body, { untilMs, tag: headers.get("ETag") })
    } catch (cause) {
      this.now = { ...this.now, fault: asFault(cause) }
    }
  }

  #take(
    { data: { today } }: SiteDayAnswer,
    { untilMs, tag }: { readonly untilMs: number; readonly tag: string | null },
  ): void {
    const { state, day } = today
    if (day === null) {
      this.now = { ...this.now, state, fault: null }
      return
    }
    const scene = new Scene(day.head)
    scene.append({ ...courseOf(day.course), untilMs: sinceStart(scene, untilMs) })
    this.#tag = tag
    this.now = { state, scene, leftOut: day.left_out, fault: null }
  }

  /** Nothing has happened up to a later instant. */
  #goOn(untilMs: number): void {
    const { scene } = this.now
    this.now = { ...this.now, fault: null }
    if (scene === null || !(sinceStart(scene, untilMs) > scene.untilMs)) return
    scene.append({
      untilMs: sinceStart(scene, untilMs),
      actors: [],
      states: [],
      levelNames: [],
      legs: emptyLegs(),
      changes: emptyChanges(),
      levels: emptyLevels(),
      breaks: emptyBreaks(),
    })
  }
}

/** Of an instant on the service's clock, inside of the day. */
function sinceStart({ head }: Scene, atMs: number): number {
  return Math.min(head.horizonMs, Math.max(0, atMs - head.startMs))
}
