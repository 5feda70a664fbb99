/** The clock on which a reservation or a delivery lives: in the sandbox its organization may have moved it (src/DECISIONS.md §207). */

import type { EpochMs } from "../../model/values/time.ts"
import { ClockRows, stateOf } from "../../areas/clock/rows.ts"
import { batch } from "../../engine/services/host.ts"
import { instantOf } from "../../engine/services/organization-clock.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface BoardClock {
  readonly nowMs: EpochMs
  readonly isStanding: boolean
}

/** Of organizations that have moved their clocks. */
export type MovedClocks = ReadonlyMap<string, ClockState>

export const NO_CLOCK_MOVED: MovedClocks = new Map()

export const movedClocks = Routine.fn(function* (organizationIds: readonly string[]) {
  const { clock } = yield* ClockRows
  const ids = [...new Set(organizationIds)]
  const rows = yield* batch(ids.map((id) => clock(id)))
  const states = rows.flatMap((row) => (row === null ? [] : [[row.organizationId, stateOf(row)] as const]))
  return new Map(states)
})

export function clockOf(organizationId: string, clocks: MovedClocks, realMs: EpochMs): BoardClock {
  const state = clocks.get(organizationId)
  return {
    nowMs: state === undefined ? realMs : instantOf(state, realMs),
    isStanding: (state?.standsAtMs ?? null) !== null,
  }
}
