/**
 * The streets of a file that a profile uses, with their speeds, directions, barriers and turn restrictions. Two lines meet where
 * they share a position, as in exports of OpenStreetMap; lines that only cross do not meet, because one may be a bridge.
 */

import type { FileTurn, Position, Tags } from "../../../pages/html/map/file-parts.ts"
import type { StreetFile } from "../../../pages/html/map/street-file.ts"
import type { Hourly } from "../language/spread.ts"
import type { StreetProfile } from "./profiles.ts"
import { directionOf, isClosedPoint, speedsOf, whyNoStreet } from "./street-kinds.ts"
import type { Direction, StreetSpeeds } from "./street-kinds.ts"
import type { StreetNotes } from "./street-notes.ts"
import { listOf, textOf } from "./tag-text.ts"

export interface StreetLine {
  readonly positions: readonly Position[]
  readonly kmh: StreetSpeeds
  /** In which direction of the line vehicles may drive. */
  readonly direction: Direction
  /** Its class of `highway`; "" without. */
  readonly kind: string
  /** "" without. */
  readonly name: string
  /** OpenStreetMap's, such as `way/4711`; "" without. */
  readonly way: string
}

/** At a position, or over further streets, from one street to others: these alone, or all but these. */
export interface StreetTurn {
  /** Numbers of lines. */
  readonly from: readonly number[]
  readonly to: readonly number[]
  /** Null: over streets. */
  readonly via: Position | null
  readonly over: readonly number[]
  readonly isOnly: boolean
}

/** Plain JSON. */
export interface StreetNet {
  readonly lines: readonly StreetLine[]
  readonly turns: readonly StreetTurn[]
  /** Positions that no one passes. */
  readonly closed: readonly Position[]
  /** Times the speeds on lines of a kind, by the hour. */
  readonly speeds: Readonly<Record<string, Hourly<number>>>
}

export interface StreetLines {
  readonly net: StreetNet
  readonly notes: StreetNotes
}

/** The streets of a file, or what is wrong with one in a sentence. */
export function streetLinesOf(file: StreetFile, profile: StreetProfile): StreetLines | string {
  const lines: StreetLine[] = []
  const numbersByWay = new Map<string, number[]>()
  const [used, leftOut] = [new Map<string, number>(), new Map<string, number>()]
  let [changing, unknown, firstUnknown] = [0, 0, ""]
  for (const { tags, id, label, parts } of file.lines) {
    const why = whyNoStreet(tags, profile)
    if (why !== null) {
      addOne(leftOut, why)
      continue
    }
    const kmh = speedsOf(tags, profile)
    if (typeof kmh === "string") return `${label}: ${kmh}`
    const said = directionOf(tags, profile)
    if (said === "changing") changing += 1
    if (said === "unknown") {
      unknown += 1
      if (unknown === 1) firstUnknown = `${label} has ${JSON.stringify(tags["oneway"])}`
    }
    const direction = said === "changing" || said === "unknown" ? "both" : said
    const kind = textOf(tags, "highway") ?? ""
    if (kind !== "") addOne(used, kind)
    for (const positions of parts) {
      if (id !== null) numbersByWay.set(id, [...(numbersByWay.get(id) ?? []), lines.length])
      lines.push({ positions, kmh, direction, kind, name: nameIn(tags), way: id ?? "" })
    }
  }
  const closed = file.points
    .filter(({ tags }) => isClosedPoint(tags, profile))
    .map(({ position }) => position)
  const turns = profile.isDriving ? file.turns.flatMap((turn) => turnsOf(turn, numbersByWay, profile)) : []
  return {
    net: { lines, turns, closed, speeds: profile.speeds },
    notes: {
      profile: profile.name,
      lines: file.lines.length,
      used: Object.fromEntries(used),
      leftOut: Object.fromEntries(leftOut),
      changing,
      unknown: unknown === 0 ? null : { streets: unknown, first: firstUnknown },
      barriers: closed.length,
      turns: { used: turns.length, leftOut: profile.isDriving ? file.turns.length - turns.length : 0 },
    },
  }
}

function nameIn({ name }: Tags): string {
  return typeof name === "string" ? name : ""
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** None for a restriction that is not used: it is conditional, of other vehicles, or of streets that are not there. */
function turnsOf(
  { tags, from, to, via, over }: FileTurn,
  numbersByWay: ReadonlyMap<string, readonly number[]>,
  { access }: StreetProfile,
): readonly StreetTurn[] {
  const words = restrictionOf(tags, access)
  const isOnly = words?.startsWith("only_") ?? false
  if (words === null || (!isOnly && !words.startsWith("no_"))) return []
  if (listOf(tags, "except").some((one) => access.includes(one))) return []
  const numbers = (ways: readonly string[]): readonly number[] =>
    ways.flatMap((way) => numbersByWay.get(way) ?? [])
  const [starts, ends] = [numbers(from), numbers(to)]
  const between = numbers(over)
  const isThere = via === null ? over.length > 0 && over.every((way) => numbersByWay.has(way)) : true
  if (!isThere || starts.length === 0 || ends.length === 0) return []
  return [{ from: starts, to: ends, via, over: between, isOnly }]
}

/** The most specific one of the profile's vehicle. */
function restrictionOf(tags: Tags, access: readonly string[]): string | null {
  return (
    ["restriction", ...access.map((key) => `restriction:${key}`)]
      .map((key) => textOf(tags, key))
      .findLast((one) => one !== null) ?? null
  )
}
