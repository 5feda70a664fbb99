/** The word `travel` of a model: how long vehicles drive between two places. */

import { STREET_REACH_M, TRAVEL_PLACES_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { squareAround } from "../../../areas/dispatch/geography.ts"
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
import { streetNoteTexts } from "../travel/street-kinds.ts"
import { TooManyStreets } from "../travel/street-graph.ts"
import { streetLinesOf } from "../travel/street-lines.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"
import { readStreets } from "./street-file.ts"
import { hourly } from "./spread.ts"
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
      "a GeoJSON file of streets beside the model, with speed_kmh and oneway of each line",
      text,
      null,
    ),
    matrix: optional("travel times between named places", matrix, null),
  })
  const ways = saying(other, { oneOf: ["streets", "matrix"].map((way) => ({ required: [way] })) })
  return either(
    mapped(oneOf(["straight"]), () => "straight" as const),
    ways,
  )
}

export type WrittenTravel = Read<ReturnType<typeof travelShape>>

interface TravellingSite {
  readonly as: string
  readonly at: Place
  readonly area: readonly Place[] | null
  readonly reach_km: number
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
  const { streets, matrix } = written
  if ((streets === null) === (matrix === null)) {
    return reject([], "vehicles travel in one way", { expected: "one of straight, streets, matrix" })
  }
  const base = sites.find(({ vehicles }) => vehicles > 0)
  if (base === undefined) {
    return reject([], "no site has vehicles that could travel", { help: "write vehicles: 10 at a site" })
  }
  if (matrix !== null) return matrixOf(matrix, reject)
  return streets === null ? null : streetsTravel(streets, { ...source, reject, base })
}

/** What the streets of a model do not have as their file has it, in sentences. */
export function travelNotes(travel: Travel): readonly string[] {
  return travel.is === "streets" ? streetNoteTexts(travel.file, travel.notes) : []
}

/** Reports a mistake of `travel`; a model with one has no travel times. */
type Reject = (path: readonly (number | string)[], message: string, advice?: Advice) => null
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
  file: string,
  { beside, sites, reject, base }: TravelSource & { readonly reject: Reject; readonly base: TravellingSite },
): Travel | null {
  const found = textBeside(file, beside)
  if ("fault" in found) return reject(["streets"], found.fault)
  const streets = readStreets(file, beside)
  if (typeof streets === "string") return reject(["streets"], streets)
  const read = streetLinesOf(JSON.parse(found.text))
  if (typeof read === "string") return reject(["streets"], `${file}: ${read}`)
  const { lines, notes } = read
  if (lines.length === 0) {
    const [why = ""] = streetNoteTexts(file, notes)
    return reject(["streets"], `${file} has no street that vehicles may drive`, { help: why })
  }
  const travel = { is: "streets", file, lines, notes, base: base.at } as const
  try {
    const problems = unreached(
      travel,
      sites.filter(({ vehicles }) => vehicles > 0),
    )
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
  if (problems.length > 0) return problems
  for (const site of sites) {
    const furthest = Math.max(...cornersOf(site).map((corner) => graph.metresFrom(corner).toConnected))
    if (furthest > STREET_REACH_M) {
      problems.push({
        message: `doors of ${JSON.stringify(site.as)} may be ${shownM(furthest)} from the nearest street ${files}`,
        help: "make the service area smaller, or give a file that covers it",
      })
    }
  }
  return problems
}

function cornersOf({ area, at, reach_km: reach }: TravellingSite): readonly Place[] {
  if (area !== null) return area
  const [ring = []] = squareAround(at, reach * 1000)
  return ring.map(([longitude, latitude]) => ({ latitude, longitude }))
}

function shownM(metres: number): string {
  return metres < 1_000 ? `${metres} m` : `${Math.round(metres / 100) / 10} km`
}
