/**
 * The states of people and vehicles that the first replication kept, in the form that the pictures need: one list for
 * each person.
 */

import { FLEET_TRACE_MAX, REPORT_PEOPLE_MAX } from "../../../model/values/limits.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { FleetModel } from "../language/model.ts"
import type { CaseResult } from "../results/summary.ts"
import type { Traced } from "../world/tally.ts"

export interface TracedStates {
  readonly fromMs: number
  readonly untilMs: number
  readonly people: readonly {
    readonly who: string
    readonly states: readonly { readonly state: string; readonly fromMs: number; readonly untilMs: number }[]
  }[]
  readonly vehicles: readonly {
    readonly who: string
    readonly legs: readonly {
      readonly atMs: number
      readonly state: string
      readonly place: readonly [number, number]
      readonly to: readonly [number, number] | null
      readonly untilMs: number | null
      /** Corners of a drive along streets: latitude, longitude, instant. */
      readonly along?: readonly (readonly [number, number, number])[]
    }[]
  }[]
  readonly sites: readonly { readonly name: string; readonly at: readonly [number, number] }[]
  /** Names of states, in order of first occurrence. */
  readonly states: readonly string[]
  readonly isCut: boolean
}

/** Of the first replication of a case, which keeps them. */
export function tracedOf(model: FleetModel, one: CaseResult | null): TracedStates {
  const traced = one?.replications[0]?.traced ?? []
  const startMs = new SiteClock(model.clock).startMs
  const isFull = traced.length >= FLEET_TRACE_MAX
  const untilMs = isFull ? (traced.at(-1)?.atMs ?? startMs) : startMs + model.horizon
  const byWho = new Map<string, Traced[]>()
  for (const entry of traced) {
    if (entry.atMs > untilMs) continue
    const known = byWho.get(entry.who)
    if (known === undefined) byWho.set(entry.who, [entry])
    else known.push(entry)
  }
  const shown = [...byWho].slice(0, REPORT_PEOPLE_MAX)
  return {
    fromMs: startMs,
    untilMs,
    people: shown.map(([who, states]) => ({
      who,
      states: states.map(({ state, atMs }, at) => ({
        state,
        fromMs: atMs,
        untilMs: states[at + 1]?.atMs ?? untilMs,
      })),
    })),
    vehicles: shown.flatMap(([who, states]) => {
      const legs = states.flatMap((state) => legOf(state))
      return legs.length === 0 ? [] : [{ who, legs }]
    }),
    sites: model.sites.map(({ as, at }) => ({ name: as, at: pair(at) })),
    states: [...new Set(traced.map(({ state }) => state))],
    isCut: isFull || byWho.size > REPORT_PEOPLE_MAX,
  }
}

function legOf({ atMs, state, place, to, untilMs, along }: Traced) {
  if (place === null) return []
  const corners = along?.map((one) => [...pair(one.place), one.atMs] as const)
  const leg = { atMs, state, place: pair(place), to: to === null ? null : pair(to), untilMs }
  return [corners === undefined ? leg : { ...leg, along: corners }]
}

function pair({
  latitude,
  longitude,
}: {
  readonly latitude: number
  readonly longitude: number
}): readonly [number, number] {
  return [latitude, longitude]
}
