/** What everybody did in the first replication of a case, in the form that the report and its script need. */

import { Course } from "../../../model/replay/course-reader.ts"
import { courseOf } from "../../../model/replay/written-course.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { FleetModel } from "../language/model.ts"
import type { CaseResult } from "../results/summary.ts"

export interface RecordedDay {
  readonly fromMs: number
  readonly untilMs: number
  /** Runners and vehicles. */
  readonly people: readonly RecordedPerson[]
  /** Names of their states, in order of first occurrence. */
  readonly states: readonly string[]
}

export interface RecordedPerson {
  readonly who: string
  readonly isVehicle: boolean
  readonly states: readonly { readonly state: string; readonly fromMs: number; readonly untilMs: number }[]
}

/** Of the first replication of a case, which has a course. */
export function recordedDayOf(model: FleetModel, one: CaseResult | null): RecordedDay {
  const written = one?.replications[0]?.course ?? null
  const course = new Course()
  if (written !== null) course.append(courseOf(written))
  const fromMs = new SiteClock(model.clock).startMs
  const untilMs = fromMs + model.horizon
  const people = [...course.actors.entries()].flatMap(([actor, { kind, name }]) => {
    if (kind !== "runner" && kind !== "vehicle") return []
    const changes = course.changesOf(actor).filter(({ atMs }) => atMs < model.horizon)
    const states = changes.map(({ state, atMs }, at) => ({
      state,
      fromMs: fromMs + atMs,
      untilMs: fromMs + (changes[at + 1]?.atMs ?? model.horizon),
    }))
    const isVehicle = kind === "vehicle"
    return [{ who: name, isVehicle, states: states.filter((state) => state.fromMs < state.untilMs) }]
  })
  return {
    fromMs,
    untilMs,
    people,
    states: [...new Set(people.flatMap(({ states }) => states.map(({ state }) => state)))],
  }
}
