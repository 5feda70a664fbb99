/**
 * The word `changes`: what holds from an instant of the run on. A change has the settings of a sweep as its keys, with counts as differences:
 * `{ at: 12:40, runners at north: +1, demand: 1.5 }`.
 */

import { COOKS_MAX, FLEET_VEHICLES_MAX, RUNNERS_MAX } from "../../../model/values/limits.ts"
import { instantsOf, midnightOf, wallClockAt, wallClockOf } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import type { DispatchPolicy } from "../../../model/vehicle-pool.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { found } from "../../scenario/language/keys.ts"
import {
  duration,
  eachNamed,
  mapped,
  number,
  oneOf,
  saying,
  share,
  text,
} from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"
import { countNamed, countsAt, namesLike } from "./counts.ts"
import type { CountedSite } from "./counts.ts"
import type { Resource } from "./metrics.ts"
import { figureNamed } from "./metrics.ts"
import { DISPATCH } from "./rules.ts"
import { TIME_OF_DAY, timeOfDay, timeOfDayText } from "./spread.ts"

/** When a change begins by the clocks of the sites: a time of day, for its first time in the run, or a time of one day. */
export type ChangeTime = { readonly msOfDay: number } | { readonly wallMs: WallClockMs }

export type ChangeEffect =
  /** So many more, or fewer; null is every site. */
  | {
      readonly is: "count"
      readonly resource: ChangedCount
      readonly site: string | null
      readonly by: number
    }
  /** Times the rates of the model; null is every demand. */
  | { readonly is: "demand"; readonly demand: string | null; readonly factor: number }
  | { readonly is: "dispatch"; readonly policy: (typeof DISPATCH)[number] }
  | { readonly is: "vehicle_dispatch"; readonly policy: DispatchPolicy }
  | { readonly is: "open_link_fails" | "payload_too_heavy"; readonly share: number }
  /** Times the rate of `vehicle.breakdown`. */
  | { readonly is: "breakdowns"; readonly factor: number }
  /** A vehicle breaks down, and is repaired after so long. */
  | { readonly is: "breakdown"; readonly vehicle: string; readonly ms: number }

export interface FleetChange {
  readonly at: ChangeTime
  /** By the key, in written order. */
  readonly effects: ReadonlyMap<string, ChangeEffect>
}

/** Stalls are of the catalog, and stay. */
const CHANGED_COUNTS = ["runners", "vehicles", "cooks"] as const
export type ChangedCount = (typeof CHANGED_COUNTS)[number]

/** Of one change, and of what a site has. */
export const COUNT_MAX: Readonly<Record<ChangedCount, number>> = {
  runners: RUNNERS_MAX,
  vehicles: FLEET_VEHICLES_MAX,
  cooks: COOKS_MAX,
}

const isChanged = (resource: Resource): resource is ChangedCount => resource !== "stalls"

/** A site without the resource has no use for more of it. */
export function canChange(site: CountedSite, resource: ChangedCount): boolean {
  return resource === "vehicles" ? site.vehicles > 0 : countsAt(site, resource).length > 0
}

/** `+1`, `-2`: the sign says that it is a difference. */
function difference(max: number): Shape<number> {
  const words = `how many more or fewer, such as +1 or -1, up to ${max}`
  return {
    words,
    schema: { type: "integer", minimum: -max, maximum: max, not: { const: 0 } },
    read: (value, report) => {
      const written = value.type === "scalar" ? value.text.trim() : ""
      const by = Number(written)
      if (/^[+-]\d+$/.test(written) && by !== 0 && Math.abs(by) <= max) return by
      const isBare = /^\d+$/.test(written)
      report(value.span, `${found(value)} is not how many more or fewer`, {
        expected: words,
        ...(isBare && by !== 0 ? { suggestion: `+${by}` } : {}),
      })
      return undefined
    },
  }
}

/** 1 is what the model says. */
export const FACTOR_MAX = 100
const factor = number("a factor of what the model says", { min: 0, max: FACTOR_MAX })

function countShape(resource: ChangedCount, site: string | null): Shape<ChangeEffect> {
  return mapped(difference(COUNT_MAX[resource]), (by) => ({ is: "count", resource, site, by }))
}

function demandShape(demand: string | null): Shape<ChangeEffect> {
  return mapped(factor, (value) => ({ is: "demand", demand, factor: value }))
}

function breakdownShape(vehicle: string): Shape<ChangeEffect> {
  return mapped(duration(), (ms) => ({ is: "breakdown", vehicle, ms }))
}

const described = (shape: Shape<ChangeEffect>, description: string): Shape<ChangeEffect> =>
  saying(shape, { description })

const EFFECTS = {
  runners: described(countShape("runners", null), "more or fewer runners at every site"),
  vehicles: described(countShape("vehicles", null), "more or fewer vehicles at every site"),
  cooks: described(countShape("cooks", null), "more or fewer cooks in every kitchen"),
  demand: described(demandShape(null), "times the rates of the model, for every demand"),
  dispatch: described(
    mapped(oneOf(DISPATCH), (policy): ChangeEffect => ({ is: "dispatch", policy })),
    "which task an idle runner takes",
  ),
  vehicle_dispatch: described(
    mapped(oneOf(DISPATCH_POLICIES), (policy): ChangeEffect => ({ is: "vehicle_dispatch", policy })),
    "which vehicle takes a run",
  ),
  open_link_fails: described(
    mapped(share, (value): ChangeEffect => ({ is: "open_link_fails", share: value })),
    "open links that fail for good, of reservations that are made from then on",
  ),
  payload_too_heavy: described(
    mapped(share, (value): ChangeEffect => ({ is: "payload_too_heavy", share: value })),
    "orders over the bot's limit, of reservations that are made from then on",
  ),
  breakdowns: described(
    mapped(factor, (value): ChangeEffect => ({ is: "breakdowns", factor: value })),
    "times the rate of vehicle.breakdown",
  ),
}

/** Names of settings with a site, a demand or a vehicle behind them. */
function namedShape(name: string): Shape<ChangeEffect> | undefined {
  const count = countNamed(name)
  if (count !== null && count.site !== null)
    return isChanged(count.resource) ? countShape(count.resource, count.site) : undefined
  const { base, part } = figureNamed(name)
  if (part?.kind !== "demand") return undefined
  if (base === "demand") return demandShape(part.name)
  return base === "breakdown" ? breakdownShape(part.name) : undefined
}

const NAMED_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(
    CHANGED_COUNTS.map((resource) => [
      String.raw`^${resource} at \S`,
      described(countShape(resource, ""), `more or fewer ${resource} at one site`).schema,
    ]),
  ),
  [String.raw`^demand of \S`]: described(demandShape(""), "times the rates of one demand").schema,
  [String.raw`^breakdown of \S`]: described(
    breakdownShape(""),
    "this vehicle breaks down then, such as veh_0_0001, and is repaired after so long",
  ).schema,
}

export const changeTime: Shape<ChangeTime> = saying(
  mapped(text, (written, refuse): ChangeTime | undefined => {
    const msOfDay = timeOfDay(written)
    if (msOfDay !== null) return { msOfDay }
    const wallMs = wallClockOf(written)
    if (wallMs !== null) return { wallMs }
    return refuse(`${JSON.stringify(written)} is no time`, "such as 12:40, or 2026-03-02T12:40 for one day")
  }),
  {
    pattern: String.raw`${TIME_OF_DAY.source}|^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$`,
    description: "the time of day from which it holds, or the time of one day",
  },
)

type Part = ChangeEffect | ChangeTime

const isTime = (part: Part): part is ChangeTime => "msOfDay" in part || "wallMs" in part

export const changeShape: Shape<FleetChange> = saying(
  mapped(
    eachNamed<Part>(
      "keys of a change",
      { at: changeTime, ...EFFECTS },
      {
        shapeOf: namedShape,
        meantBy: (name) => namesLike(name, { at: CHANGED_COUNTS, of: ["demand", "breakdown"] }),
        schemas: NAMED_SCHEMAS,
      },
    ),
    (parts, refuse) => {
      const at = parts.get("at")
      if (at === undefined || !isTime(at)) return refuse('the key "at" is missing', "a time such as 12:40")
      const effects = new Map(
        [...parts].flatMap(([key, part]) => (isTime(part) ? [] : [[key, part] as const])),
      )
      if (effects.size === 0) return refuse("nothing is changed", "such as runners at north: +1")
      return { at, effects }
    },
  ),
  { required: ["at"], minProperties: 2 },
)

/** The instant of a change in a run that begins at `startMs`. A time that the clocks skip is an hour later. */
export function instantOfChange(
  { at }: Pick<FleetChange, "at">,
  { startMs, timeZone }: { readonly startMs: EpochMs; readonly timeZone: string },
): EpochMs {
  const startWall = wallClockAt(startMs, timeZone)
  const wallMs = "wallMs" in at ? at.wallMs : timeOn(startWall, at.msOfDay)
  const instants = [wallMs, wallMs + HOUR_MS].flatMap((wall) => instantsOf(wall, timeZone))
  return instants.find((instant) => "wallMs" in at || instant >= startMs) ?? startMs
}

/** `12:40`, `2026-03-02 12:40`. */
export function changeTimeText(at: FleetChange["at"]): string {
  if ("msOfDay" in at) return timeOfDayText(at.msOfDay)
  return new Date(at.wallMs)
    .toISOString()
    .replace("T", " ")
    .replace(/(:00)?\.000Z$/, "")
}

/** The first time at or after a local time at which the clocks show this time of day. */
function timeOn(fromMs: WallClockMs, msOfDay: number): WallClockMs {
  const wallMs = midnightOf(fromMs) + msOfDay
  return wallMs < fromMs ? wallMs + DAY_MS : wallMs
}

/** Changes at one instant. */
export interface TimedEffects {
  readonly atMs: EpochMs
  readonly effects: readonly ChangeEffect[]
}

/** Earliest first; those of one instant in written order. */
export function timedChanges(
  changes: readonly FleetChange[],
  run: { readonly startMs: EpochMs; readonly timeZone: string },
): readonly TimedEffects[] {
  return changes
    .map((change) => ({ atMs: instantOfChange(change, run), effects: [...change.effects.values()] }))
    .toSorted((one, other) => one.atMs - other.atMs)
}

/** From an instant on a demand has so many times its orders. */
export interface DemandFactor {
  /** From the start of the run. */
  readonly fromMs: number
  readonly factor: number
}

/** Of a demand by its name, earliest first; before the first one the factor is 1. */
export function factorsOf(
  name: string,
  timed: readonly TimedEffects[],
  startMs: EpochMs,
): readonly DemandFactor[] {
  return timed.flatMap(({ atMs, effects }) => {
    const own = effects.findLast((one) => one.is === "demand" && (one.demand ?? name) === name)
    return own?.is === "demand" && atMs >= startMs ? [{ fromMs: atMs - startMs, factor: own.factor }] : []
  })
}

export function factorAt(factors: readonly DemandFactor[], afterMs: number): number {
  return factors.findLast(({ fromMs }) => fromMs <= afterMs)?.factor ?? 1
}
