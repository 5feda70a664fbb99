/**
 * A course as pages and reports read it: chunks are appended while a run is computed, and any instant that is known can be asked for.
 * An instant before the first row of an actor has neither state nor place.
 *
 * Cost of a question: constant where time moves on in small steps, else a binary search over the rows of one actor.
 */

import { BREAK_KINDS, emptyBreaks, emptyChanges, emptyLegs, emptyLevels } from "./course.ts"
import type { BreakKind, CourseActor, CourseChunk, CourseLevelName, CoursePlace } from "./course.ts"
import { GrowingRows } from "./columns.ts"

/** An actor is in a state from an instant until its next change. */
export interface CourseChange {
  readonly state: string
  readonly atMs: number
  /** Actor number of the order that it is about; null for none. */
  readonly order: number | null
}

/** A straight way. */
export interface CourseLeg {
  readonly state: string
  readonly fromMs: number
  readonly untilMs: number
  readonly from: CoursePlace
  readonly to: CoursePlace
}

/** What holds of an actor between two of its changes: one state, and a straight way or none. */
export interface CourseStretch {
  /** It holds from here until before `untilMs`, and not beyond what is known. */
  readonly fromMs: number
  readonly untilMs: number
  readonly change: CourseChange | null
  /** Where it is at `fromMs`, and where at `untilMs` if it goes on. */
  readonly from: CoursePlace
  readonly to: CoursePlace
  /** Null while it stands. */
  readonly leg: CourseLeg | null
}

export interface CourseBreak {
  readonly kind: BreakKind
  readonly atMs: number
  /** Null for an order that never began. */
  readonly actor: number | null
  readonly site: number
}

const MICRODEGREES = 1_000_000

export class Course {
  /** Rows are complete up to this instant. */
  untilMs = 0
  /** By actor number. */
  readonly actors: CourseActor[] = []
  readonly states: string[] = []
  /** By level number. */
  readonly levels: CourseLevelName[] = []
  readonly #legs = new GrowingRows(emptyLegs())
  readonly #changes = new GrowingRows(emptyChanges())
  readonly #values = new GrowingRows(emptyLevels())
  readonly #breaks = new GrowingRows(emptyBreaks())
  /** By actor number. */
  readonly #legsOf: Timelines = new Map()
  readonly #changesOf: Timelines = new Map()
  /** By level number. */
  readonly #valuesOf: Timelines = new Map()
  readonly #breaksInOrder = new Timeline()
  /** By row of a leg: when it was left; -1 until that is known. */
  readonly #leftMsOf: number[] = []

  append(chunk: CourseChunk): void {
    this.actors.push(...chunk.actors)
    this.states.push(...chunk.states)
    this.levels.push(...chunk.levelNames)
    index(this.#legsOf, chunk.legs.actor, this.#legs.length)
    index(this.#changesOf, chunk.changes.actor, this.#changes.length)
    index(this.#valuesOf, chunk.levels.level, this.#values.length)
    for (let row = 0; row < chunk.breaks.kind.length; row += 1)
      this.#breaksInOrder.rows.push(this.#breaks.length + row)
    this.#legs.append(chunk.legs)
    // Filled from the beginning: an array with gaps is slower to read.
    while (this.#leftMsOf.length < this.#legs.length) this.#leftMsOf.push(-1)
    this.#changes.append(chunk.changes)
    this.#values.append(chunk.levels)
    this.#breaks.append(chunk.breaks)
    this.untilMs = chunk.untilMs
  }

  stateAt(actor: number, ms: number): string | null {
    const row = this.#changeRowAt(actor, ms)
    return row === null ? null : this.#stateName(this.#changes.columns.state, row)
  }

  /** The change by which it came into its state. */
  changeAt(actor: number, ms: number): CourseChange | null {
    const row = this.#changeRowAt(actor, ms)
    return row === null ? null : this.#change(row)
  }

  /** Actor number of the order that the actor is about; null for none. */
  orderAt(actor: number, ms: number): number | null {
    const row = this.#changeRowAt(actor, ms)
    return row === null ? null : noneBelowZero(this.#changes.columns.order[row] ?? -1)
  }

  /** WGS 84 degrees. Null for orders and robots: they are where their vehicle or their stall is. */
  placeAt(actor: number, ms: number): CoursePlace | null {
    const row = this.#legRowAt(actor, ms)
    return row === null ? null : this.#placeOn(row, Math.min(ms, this.#leftMs(actor, row)))
  }

  /** The way that it is on, until where it leads; null while it stands. */
  legAt(actor: number, ms: number): CourseLeg | null {
    const row = this.#legRowAt(actor, ms)
    if (row === null || this.#leftMs(actor, row) <= ms) return null
    return this.#leg(row)
  }

  /** Around an instant; null for an actor without a place. */
  stretchAt(actor: number, ms: number): CourseStretch | null {
    const row = this.#legRowAt(actor, ms)
    if (row === null) return null
    const leftMs = this.#leftMs(actor, row)
    const leg = this.#legsOf.get(actor)?.around(this.#legs.columns.fromMs, ms)
    const change = this.#changesOf.get(actor)?.around(this.#changes.columns.atMs, ms)
    const isOnWay = ms < leftMs
    const fromMs = Math.max(leg?.fromMs ?? ms, change?.fromMs ?? -Infinity, isOnWay ? -Infinity : leftMs)
    const untilMs = Math.min(
      leg?.untilMs ?? Infinity,
      change?.untilMs ?? Infinity,
      isOnWay ? leftMs : Infinity,
      Math.max(ms, this.untilMs),
    )
    return {
      fromMs,
      untilMs,
      change: this.changeAt(actor, ms),
      from: this.#placeOn(row, Math.min(fromMs, leftMs)),
      to: this.#placeOn(row, Math.min(untilMs, leftMs)),
      leg: isOnWay ? this.#leg(row) : null,
    }
  }

  /** From 0 at the beginning of the way that it is on to 1 at its end; null while it stands. */
  shareAt(actor: number, ms: number): number | null {
    const leg = this.legAt(actor, ms)
    return leg === null ? null : shareOf(leg.fromMs, leg.untilMs, ms)
  }

  /** Null when no further change is known. */
  nextChangeMs(actor: number, ms: number): number | null {
    const nextMs = this.#changesOf.get(actor)?.around(this.#changes.columns.atMs, ms).untilMs ?? Infinity
    return nextMs === Infinity ? null : nextMs
  }

  /** Earliest first. */
  changesOf(actor: number): readonly CourseChange[] {
    return (this.#changesOf.get(actor)?.rows ?? []).map((row) => this.#change(row))
  }

  /** The ways that it went, earliest first; each until where it was left. A way of no length says where the actor stands. */
  legsOf(actor: number): readonly CourseLeg[] {
    const rows = this.#legsOf.get(actor)?.rows ?? []
    return rows.map((row, at) => {
      const leg = this.#leg(row)
      const next = rows[at + 1]
      const nextMs = next === undefined ? Number.POSITIVE_INFINITY : this.#leg(next).fromMs
      const untilMs = Math.min(this.#leftMs(actor, row), nextMs)
      return untilMs === leg.untilMs ? leg : { ...leg, untilMs, to: this.#placeOn(row, untilMs) }
    })
  }

  /** 0 before the first value. */
  levelAt(level: number, ms: number): number {
    const { atMs, value } = this.#values.columns
    const row = this.#valuesOf.get(level)?.rowAt(atMs, ms) ?? null
    return row === null ? 0 : (value[row] ?? 0)
  }

  /** The number of a level; null for one that never changed. */
  levelNumber({ resource, what, site }: CourseLevelName): number | null {
    return noneBelowZero(
      this.levels.findIndex((one) => one.resource === resource && one.what === what && one.site === site),
    )
  }

  /** From one instant until before another, earliest first. */
  breaksIn(fromMs: number, untilMs: number): readonly CourseBreak[] {
    const { kind, atMs, actor, site } = this.#breaks.columns
    const first = this.#breaksInOrder.positionAt(atMs, fromMs - 1) + 1
    const end = this.#breaksInOrder.positionAt(atMs, untilMs - 1) + 1
    return this.#breaksInOrder.rows.slice(first, end).map((row) => ({
      kind: BREAK_KINDS[kind[row] ?? 0] as BreakKind,
      atMs: atMs[row] ?? 0,
      actor: noneBelowZero(actor[row] ?? -1),
      site: site[row] ?? 0,
    }))
  }

  #changeRowAt(actor: number, ms: number): number | null {
    return this.#changesOf.get(actor)?.rowAt(this.#changes.columns.atMs, ms) ?? null
  }

  #legRowAt(actor: number, ms: number): number | null {
    return this.#legsOf.get(actor)?.rowAt(this.#legs.columns.fromMs, ms) ?? null
  }

  /** When the actor left a leg: at its end, or at an earlier change. */
  #leftMs(actor: number, row: number): number {
    const known = this.#leftMsOf[row] ?? -1
    if (known >= 0) return known
    const { fromMs, untilMs } = this.#legs.columns
    const endMs = untilMs[row] ?? 0
    const changes = this.#changesOf.get(actor)
    if (changes === undefined) return endMs
    const { atMs } = this.#changes.columns
    const next = changes.rows[changes.positionAt(atMs, fromMs[row] ?? 0, { remembers: false }) + 1]
    if (next === undefined) return endMs
    return (this.#leftMsOf[row] = Math.min(endMs, atMs[next] ?? endMs))
  }

  #placeOn(row: number, ms: number): CoursePlace {
    const { fromMs, untilMs, fromLatitude, fromLongitude, toLatitude, toLongitude } = this.#legs.columns
    const share = shareOf(fromMs[row] ?? 0, untilMs[row] ?? 0, ms)
    return [
      between(fromLatitude[row] ?? 0, toLatitude[row] ?? 0, share),
      between(fromLongitude[row] ?? 0, toLongitude[row] ?? 0, share),
    ]
  }

  #change(row: number): CourseChange {
    const { state, atMs, order } = this.#changes.columns
    return {
      state: this.#stateName(state, row),
      atMs: atMs[row] ?? 0,
      order: noneBelowZero(order[row] ?? -1),
    }
  }

  #leg(row: number): CourseLeg {
    const legs = this.#legs.columns
    const degrees = (column: Int32Array): number => (column[row] ?? 0) / MICRODEGREES
    return {
      state: this.#stateName(legs.state, row),
      fromMs: legs.fromMs[row] ?? 0,
      untilMs: legs.untilMs[row] ?? 0,
      from: [degrees(legs.fromLatitude), degrees(legs.fromLongitude)],
      to: [degrees(legs.toLatitude), degrees(legs.toLongitude)],
    }
  }

  #stateName(column: Uint8Array, row: number): string {
    return this.states[column[row] ?? 0] ?? ""
  }
}

/** The rows of one actor or level, in the order of their instants. */
class Timeline {
  readonly rows: number[] = []
  /** Where the last question was answered: the next one is mostly about the same row, or the one after it. */
  #position = -1

  /** The last row at or before an instant; null when all are later. */
  rowAt(instants: Uint32Array, ms: number): number | null {
    return this.rows[this.positionAt(instants, ms)] ?? null
  }

  /** The instants of the last row at or before an instant and of the one after it, infinite where there is none. */
  around(instants: Uint32Array, ms: number): { readonly fromMs: number; readonly untilMs: number } {
    const position = this.positionAt(instants, ms)
    return { fromMs: this.#instant(position, instants), untilMs: this.#instant(position + 1, instants) }
  }

  /** Its position in `rows`; -1 when all are later. */
  positionAt(instants: Uint32Array, ms: number, { remembers = true } = {}): number {
    const known = this.#position
    if (this.#holds(known, instants, ms)) return known
    const found = this.#holds(known + 1, instants, ms) ? known + 1 : this.#search(instants, ms)
    if (remembers) this.#position = found
    return found
  }

  #search(instants: Uint32Array, ms: number): number {
    let low = -1
    let high = this.rows.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#instant(middle, instants) <= ms) low = middle
      else high = middle - 1
    }
    return low
  }

  #holds(position: number, instants: Uint32Array, ms: number): boolean {
    return this.#instant(position, instants) <= ms && ms < this.#instant(position + 1, instants)
  }

  #instant(position: number, instants: Uint32Array): number {
    if (position < 0) return Number.NEGATIVE_INFINITY
    const row = this.rows[position]
    return row === undefined ? Number.POSITIVE_INFINITY : (instants[row] ?? 0)
  }
}

/** By actor number or level number. */
type Timelines = Map<number, Timeline>

/** Adds rows to the timelines of their owners. `before`: how many rows there were. */
function index(timelines: Timelines, owners: Uint16Array | Uint32Array, before: number): void {
  for (const [row, owner] of owners.entries()) {
    const known = timelines.get(owner)
    const timeline = known ?? new Timeline()
    if (known === undefined) timelines.set(owner, timeline)
    timeline.rows.push(before + row)
  }
}

function noneBelowZero(number: number): number | null {
  return number < 0 ? null : number
}

function shareOf(fromMs: number, untilMs: number, ms: number): number {
  return untilMs <= fromMs ? 1 : Math.min(1, (ms - fromMs) / (untilMs - fromMs))
}

function between(from: number, to: number, share: number): number {
  return (from + (to - from) * share) / MICRODEGREES
}
