/**
 * The word `out`: people and things that are away for a time, at times of day or by chance. `{ vehicles at north: 2, from: 12:00, to: 14:00 }`
 * is away every day of the run; with `every` and `lasts` each of them breaks down by itself.
 */

import {
  COOKS_MAX,
  CREW_MAX,
  FLEET_STALLS_MAX,
  FLEET_VEHICLES_MAX,
  RUNNERS_MAX,
} from "../../../model/values/limits.ts"
import { instantsOf, midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Place } from "../../../model/place.ts"
import {
  either,
  eachNamed,
  listOf,
  mapped,
  saying,
  scalarText,
  whole,
  yesOrNo,
} from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"
import { changeTime } from "./changes.ts"
import type { ChangeTime } from "./changes.ts"
import { countNamed, namesLike } from "./counts.ts"
import { RESOURCES, figureNamed } from "./metrics.ts"
import type { Resource } from "./metrics.ts"
import { spread } from "./spread.ts"
import type { Spread } from "./spread.ts"
import type { StreetChoice } from "../travel/street-choice.ts"

export type OutEffect =
  /** So many of them; null is every site. */
  | {
      readonly is: "count"
      readonly resource: Resource
      readonly site: string | null
      readonly count: number
    }
  /** A store's cooks begin no order. */
  | { readonly is: "kitchen"; readonly store: string }
  /** The service answers new requests with 503. */
  | { readonly is: "service" }
  /** Vehicles drive another way. */
  | { readonly is: "street"; readonly street: StreetChoice }

/** Every day between two times of day, over midnight where the second is not later; or once, between two local times. */
export interface OutAtTimes {
  readonly is: "times"
  readonly from: ChangeTime
  readonly to: ChangeTime
}

/** Each by itself: so long in use, then so long away. */
export interface OutByChance {
  readonly is: "chance"
  readonly every: Spread
  readonly lasts: Spread
  /** So many are repaired at the same time; null is all. */
  readonly crew: number | null
}

export interface FleetOut {
  readonly when: OutAtTimes | OutByChance
  /** By the key, in written order. */
  readonly effects: ReadonlyMap<string, OutEffect>
}

const MAX: Readonly<Record<Resource, number>> = {
  runners: RUNNERS_MAX,
  stalls: FLEET_STALLS_MAX,
  cooks: COOKS_MAX,
  vehicles: FLEET_VEHICLES_MAX,
}

type Part =
  | OutEffect
  | { readonly is: "crew"; readonly crew: number }
  | { readonly is: "spread"; readonly spread: Spread }
  | { readonly is: "time"; readonly time: ChangeTime }

function countShape(resource: Resource, site: string | null): Shape<Part> {
  const count = whole("a count", { min: 1, max: MAX[resource] })
  return mapped(count, (value): Part => ({ is: "count", resource, site, count: value }))
}

/** `true`, because what is named is out as a whole. */
function wholeShape(effect: OutEffect): Shape<Part> {
  return saying(
    mapped(yesOrNo, (isOut, refuse): Part | undefined =>
      isOut ? effect : refuse("nothing is out", "yes, or leave it out"),
    ),
    { const: true },
  )
}

const described = (shape: Shape<Part>, description: string): Shape<Part> => saying(shape, { description })

const timeShape: Shape<Part> = mapped(changeTime, (time): Part => ({ is: "time", time }))
const spreadShape: Shape<Part> = mapped(spread, (value): Part => ({ is: "spread", spread: value }))
const crewShape: Shape<Part> = mapped(
  whole("a count of repairs", { min: 1, max: CREW_MAX }),
  (crew): Part => ({ is: "crew", crew }),
)

const KEYS = {
  vehicles: described(countShape("vehicles", null), "so many vehicles of every site"),
  runners: described(countShape("runners", null), "so many runners of every site"),
  cooks: described(countShape("cooks", null), "so many cooks of every kitchen that has a limit of them"),
  stalls: described(countShape("stalls", null), "so many stalls of every site"),
  service: described(wholeShape({ is: "service" }), "new requests are answered with 503"),
  from: described(timeShape, "the time of day, or the time of one day, from which it is out"),
  to: described(timeShape, "and until which; over midnight where it is not later"),
  every: described(spreadShape, "by chance: how long each is in use before it is out again"),
  lasts: described(spreadShape, "by chance: how long a repair takes"),
  crew: described(crewShape, "by chance: repairs at the same time; no limit unless said"),
}

/** `runners at north`, `kitchen of tacos`. */
function namedShape(name: string): Shape<Part> | undefined {
  const count = countNamed(name)
  if (count !== null && count.site !== null) return countShape(count.resource, count.site)
  const { base, part } = figureNamed(name)
  return base === "kitchen" && part?.kind === "demand"
    ? wholeShape({ is: "kitchen", store: part.name })
    : undefined
}

const NAMED_SCHEMAS = {
  ...Object.fromEntries(
    RESOURCES.map((resource) => [
      String.raw`^${resource} at \S`,
      described(countShape(resource, ""), `so many ${resource} of one site`).schema,
    ]),
  ),
  [String.raw`^kitchen of \S`]: described(
    wholeShape({ is: "kitchen", store: "" }),
    "the cooks of this store begin no order",
  ).schema,
}

const streetName: Shape<StreetChoice> = {
  words: "the name of a street, or the number of a way",
  schema: { type: ["string", "integer"] },
  read: (value, report) => {
    const written = scalarText(value)?.trim() ?? ""
    if (written === "") {
      report(value.span, "no street is named", {
        expected: "a name, the number of a way, or two corners of a box",
      })
      return undefined
    }
    const way = /^(?:way\/)?(\d+)$/.exec(written)?.[1]
    return way === undefined ? { is: "name", name: written } : { is: "way", id: `way/${way}` }
  },
}

function streetShape(position: Shape<Place>): Shape<Part> {
  const corners = listOf("corners of a box or an area", position, { min: 2, max: 200 })
  return mapped(
    either(
      streetName,
      mapped(corners, (found): StreetChoice => ({
        is: "area",
        corners: found.length === 2 ? boxOf(found) : found,
      })),
      "list",
    ),
    (street): Part => ({ is: "street", street }),
  )
}

function boxOf(corners: readonly Place[]): readonly Place[] {
  const [latitudes, longitudes] = [
    corners.map(({ latitude }) => latitude),
    corners.map(({ longitude }) => longitude),
  ]
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  return [
    { latitude: south, longitude: west },
    { latitude: south, longitude: east },
    { latitude: north, longitude: east },
    { latitude: north, longitude: west },
  ]
}

/** `position` is the shape of `[latitude, longitude]`. */
export const outShape = (position: Shape<Place>): Shape<FleetOut> =>
  saying(
    mapped(
      eachNamed<Part>(
        "keys of out",
        {
          ...KEYS,
          street: described(
            streetShape(position),
            "a street by its name or the number of its way, or the streets in a box of two corners or an area: vehicles drive another way",
          ),
        },
        {
          shapeOf: namedShape,
          meantBy: (name) => namesLike(name, { at: RESOURCES, of: ["kitchen"] }),
          schemas: NAMED_SCHEMAS,
        },
      ),
      (parts, refuse) => {
        const when = whenOf(parts)
        if (when === null)
          return refuse(
            "it is not clear when it is out",
            "from and to, or every and lasts with or without crew",
          )
        const effects = new Map(
          [...parts].flatMap(([key, part]) => (isEffect(part) ? [[key, part] as const] : [])),
        )
        if (effects.size === 0) return refuse("nothing is out", "such as vehicles: 2")
        return { when, effects }
      },
    ),
    { minProperties: 3, oneOf: [{ required: ["from", "to"] }, { required: ["every", "lasts"] }] },
  )

function isEffect(part: Part): part is OutEffect {
  return part.is === "count" || part.is === "kitchen" || part.is === "service" || part.is === "street"
}

function whenOf(parts: ReadonlyMap<string, Part>): FleetOut["when"] | null {
  const [from, to, every, lasts, crew] = ["from", "to", "every", "lasts", "crew"].map((key) => parts.get(key))
  const isByTimes = from?.is === "time" && to?.is === "time"
  const isByChance = every?.is === "spread" && lasts?.is === "spread"
  const hasCrew = crew?.is === "crew"
  if (isByTimes && every === undefined && lasts === undefined && !hasCrew)
    return { is: "times", from: from.time, to: to.time }
  if (isByChance && from === undefined && to === undefined)
    return { is: "chance", every: every.spread, lasts: lasts.spread, crew: hasCrew ? crew.crew : null }
  return null
}

export interface OutSpan {
  readonly fromMs: EpochMs
  readonly untilMs: EpochMs
}

/** When it is out in a run, earliest first: at the start of the run at the earliest, and perhaps beyond its end. */
export function outSpans(
  { from, to }: Pick<OutAtTimes, "from" | "to">,
  run: { readonly startMs: EpochMs; readonly horizonMs: number; readonly timeZone: string },
): readonly OutSpan[] {
  const { startMs, horizonMs, timeZone } = run
  const endMs = startMs + horizonMs
  return wallSpans({ from, to }, { startMs, endMs, timeZone })
    .map(([fromWall, toWall]) => ({
      fromMs: Math.max(startMs, instantOf(fromWall, timeZone)),
      untilMs: instantOf(toWall, timeZone),
    }))
    .filter(({ fromMs, untilMs }) => fromMs < endMs && untilMs > fromMs)
}

function wallSpans(
  { from, to }: Pick<OutAtTimes, "from" | "to">,
  {
    startMs,
    endMs,
    timeZone,
  }: { readonly startMs: EpochMs; readonly endMs: EpochMs; readonly timeZone: string },
): readonly (readonly [WallClockMs, WallClockMs])[] {
  if ("wallMs" in from || "wallMs" in to)
    return "wallMs" in from && "wallMs" in to ? [[from.wallMs, to.wallMs]] : []
  const length = to.msOfDay > from.msOfDay ? to.msOfDay - from.msOfDay : to.msOfDay + DAY_MS - from.msOfDay
  // One that began the day before may still be out.
  const firstDay = midnightOf(wallClockAt(startMs, timeZone)) - DAY_MS
  const lastDay = midnightOf(wallClockAt(endMs, timeZone))
  const days = Array.from({ length: (lastDay - firstDay) / DAY_MS + 1 }, (_, day) => firstDay + day * DAY_MS)
  return days.map((day) => [day + from.msOfDay, day + from.msOfDay + length])
}

/** A time that the clocks skip is an hour later. */
function instantOf(wall: WallClockMs, timeZone: string): EpochMs {
  return [wall, wall + HOUR_MS].flatMap((one) => instantsOf(one, timeZone))[0] ?? wall
}
