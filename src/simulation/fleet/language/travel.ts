/** The word `travel` of a model: how long vehicles drive between two places. */

import { streetsFor } from "#streets"
import { STREET_REACH_M, TRAVEL_PLACES_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import {
  duration,
  either,
  listOf,
  mapped,
  named,
  oneOf,
  optional,
  record,
  required,
  saying,
  text,
} from "../../scenario/language/shapes.ts"
import type { Read, Shape } from "../../scenario/language/shapes.ts"
import { adviceFor } from "../../scenario/language/problems.ts"
import type { Advice, Report } from "../../scenario/language/problems.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { streetGraphOf } from "../travel/routing.ts"
import type { Travel } from "../travel/routing.ts"
import { streetNoteTexts } from "../travel/street-notes.ts"
import { TooManyStreets } from "../travel/street-network.ts"
import type { Beside } from "./beside.ts"
import { serviceBox } from "./site-area.ts"
import type { ServedSite } from "./site-area.ts"
import { always, hourly, speedFactor } from "./spread.ts"
import type { Hourly } from "./spread.ts"
import { spanAt } from "./written-part.ts"

/** `position` is the shape of `[latitude, longitude]`. */
export function travelShape(position: Shape<Place>) {
  const place = record("keys of a place", {
    as: required("its name", text),
    at: required("where it is: [latitude, longitude]", position),
  })
  const matrix = record("keys of a matrix", {
    places: required(
      "every position belongs to the nearest of these",
      listOf("places", place, { min: 1, max: TRAVEL_PLACES_MAX }),
    ),
    times: required(
      "by place of departure, then by destination; also the way back, unless it has a time of its own",
      named("places", named("places", hourly(duration()))),
    ),
  })
  const other = record("keys of travel", {
    streets: optional(
      "a file of streets beside the model: GeoJSON, the JSON of Overpass, or an extract of OpenStreetMap (.osm.pbf)",
      text,
      null,
    ),
    profile: optional(
      "who uses the streets: car, sidewalk_robot, on_foot, or a file beside the model that changes one of these",
      text,
      null,
    ),
    speeds: optional("times the speeds on all streets, also by the hour", hourly(speedFactor), null),
    matrix: optional("travel times between named places", matrix, null),
  })
  const ways = saying(other, { oneOf: ["streets", "matrix"].map((way) => ({ required: [way] })) })
  return either(
    mapped(oneOf(["straight"]), () => "straight" as const),
    ways,
  )
}

export type WrittenTravel = Read<ReturnType<typeof travelShape>>

interface TravellingSite extends ServedSite {
  readonly as: string
  readonly vehicles: number
  readonly stores: readonly { readonly as: string; readonly at: Place | null }[]
}

export interface TravelSource {
  readonly root: WrittenMap
  readonly report: Report
  readonly beside: Beside
  readonly sites: readonly TravellingSite[]
}

/** The travel times of a model; null after a reported problem. */
export function readTravel(written: WrittenTravel, source: TravelSource): Travel | null {
  if (written === "straight") return { is: "straight" }
  const { root, report, sites } = source
  const reject = (path: readonly (number | string)[], message: string, advice: Advice = {}): null => {
    report(spanAt(root, ["travel", ...path]), message, advice)
    return null
  }
  const { streets, matrix, profile, speeds } = written
  if ((streets === null) === (matrix === null)) {
    return reject([], "vehicles travel in one way", { expected: "one of straight, streets, matrix" })
  }
  const base = sites.find(({ vehicles }) => vehicles > 0)
  if (base === undefined) {
    return reject([], "no site has vehicles that could travel", { help: "write vehicles: 10 at a site" })
  }
  if (streets === null) {
    const of = profile !== null ? "profile" : speeds !== null ? "speeds" : null
    if (of !== null) return reject([of], `${of} without streets`, { help: "a matrix has times of its own" })
    return matrix === null ? null : matrixOf(matrix, reject)
  }
  const by = { streets, profile: profile ?? "car", speeds: speeds ?? always(1) }
  return streetsTravel(by, { ...source, reject, base })
}

/** What the streets of a model do not have as their file has it, in sentences. */
export function travelNotes(travel: Travel): readonly string[] {
  return travel.is === "streets"
    ? streetNoteTexts(travel.file, travel.notes, streetGraphOf(travel).unconnected)
    : []
}

/** Reports a mistake of `travel`; a model with one has no travel times. */
type Reject = (path: readonly (number | string)[], message: string, advice?: Advice) => null
interface WrittenStreets {
  readonly streets: string
  readonly profile: string
  readonly speeds: Hourly<number>
}
type WrittenMatrix = NonNullable<Exclude<WrittenTravel, string>["matrix"]>

function matrixOf({ places, times }: WrittenMatrix, reject: Reject): Travel | null {
  const names = places.map(({ as }) => as)
  let isRight = true
  const wrong = (path: readonly (number | string)[], message: string, advice: Advice = {}): void => {
    isRight = false
    reject(["matrix", ...path], message, advice)
  }
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) !== at)
      wrong(["places", at, "as"], `two places are called ${JSON.stringify(name)}`)
  }
  const unknown = (name: string): string => `there is no place ${JSON.stringify(name)}`
  for (const [from, row] of times) {
    if (!names.includes(from)) wrong(["times", from], unknown(from), adviceFor(from, names))
    for (const to of row.keys())
      if (!names.includes(to)) wrong(["times", from, to], unknown(to), adviceFor(to, names))
  }
  const rows = names.map((from) =>
    names.map((to) => times.get(from)?.get(to) ?? times.get(to)?.get(from) ?? null),
  )
  for (const [row, ways] of rows.entries()) {
    // Reports the first missing time of a row, and each pair of places once.
    const missing = ways.findIndex((time, column) => time === null && column >= row)
    if (missing === -1 || !isRight) continue
    const [from, to] = [names[row] ?? "", names[missing] ?? ""]
    const says =
      from === to ? `within ${JSON.stringify(from)}` : `from ${JSON.stringify(from)} to ${JSON.stringify(to)}`
    reject(["matrix", "times"], `no travel time ${says}`, {
      help: `write ${JSON.stringify(from)}: { ${JSON.stringify(to)}: 9m }`,
    })
    isRight = false
  }
  if (!isRight) return null
  return {
    is: "matrix",
    places: places.map(({ as, at }) => ({ as, ...at })),
    times: rows.map((ways) => ways.flatMap((time) => (time === null ? [] : [time]))),
  }
}

function streetsTravel(
  { streets: file, profile, speeds }: WrittenStreets,
  { beside, sites, reject, base }: TravelSource & { readonly reject: Reject; readonly base: TravellingSite },
): Travel | null {
  const read = streetsFor(file, { profile, beside, near: serviceBox(sites) })
  if ("message" in read) return reject([read.key], read.message)
  const { net, notes } = read
  if (net.lines.length === 0) {
    const [why = ""] = streetNoteTexts(file, notes, { parts: 0, share: 0 })
    return reject(["streets"], `${file} has no street that vehicles may drive`, { help: why })
  }
  const served = sites.filter(({ vehicles }) => vehicles > 0)
  const places = served.flatMap(({ at, stores }) => [
    at,
    ...stores.flatMap((store) => (store.at === null ? [] : [store.at])),
  ])
  const travel = { is: "streets", file, net, notes, speeds, stops: [base.at, ...places.slice(1)] } as const
  try {
    const problems = unreached(travel, served)
    for (const { message, help } of problems) reject(["streets"], message, { help })
    return problems.length === 0 ? travel : null
  } catch (error) {
    if (!(error instanceof TooManyStreets)) throw error
    return reject(["streets"], `${file}: ${error.message}`, { help: "cut the streets to the sites' areas" })
  }
}

interface Unreached {
  readonly message: string
  readonly help: string
}

/** Places of the model that its streets do not reach. */
function unreached(
  travel: Extract<Travel, { readonly is: "streets" }>,
  sites: readonly TravellingSite[],
): readonly Unreached[] {
  const graph = streetGraphOf(travel)
  const [base] = sites
  const files = `of ${travel.file}`
  const problems: Unreached[] = []
  const places = sites.flatMap(({ as, at, stores }) => [
    { as, at },
    ...stores.flatMap((store) => (store.at === null ? [] : [{ as: store.as, at: store.at }])),
  ])
  for (const { as, at } of places) {
    const { toAny, toConnected } = graph.metresFrom(at)
    const name = JSON.stringify(as)
    if (toAny > STREET_REACH_M) {
      const help = `a site and a store may be ${STREET_REACH_M} m from the nearest street`
      problems.push({ message: `${name} is ${shownM(toAny)} from the nearest street ${files}`, help })
    } else if (!graph.leadsSomewhere || toConnected > STREET_REACH_M) {
      const from = as === base?.as ? name : `${JSON.stringify(base?.as)} to ${name}`
      const help = "lines meet where they share a position; look at oneway of the streets there"
      problems.push({ message: `no street ${files} leads from ${from} and back`, help })
    }
  }
  return problems
}

function shownM(metres: number): string {
  return metres < 1_000 ? `${metres} m` : `${Math.round(metres / 100) / 10} km`
}
