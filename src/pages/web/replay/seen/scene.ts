/** A course as the page sees it: it grows with each chunk, and answers who is where, what broke and how many wait. */

import { Course } from "../../../../model/replay/course-reader.ts"
import type { CourseBreak } from "../../../../model/replay/course-reader.ts"
import type {
  ActorKind,
  CourseActor,
  CourseChunk,
  CourseHead,
  CourseLevelName,
} from "../../../../model/replay/course.ts"
import { groundAround } from "./ground.ts"
import type { Ground, Spot } from "./ground.ts"
import { inParts, seenOrder, totalsOf } from "./orders.ts"
import type { SeenOrder, Totals } from "./orders.ts"
import { runClock } from "./times.ts"
import type { RunClock } from "./times.ts"

/** A time in one state about one order. */
interface Stretch {
  readonly fromMs: number
  readonly untilMs: number
  readonly state: string
  readonly order: number | null
}

type LevelOf = Pick<CourseLevelName, "resource" | "what">

/** Half a minute: the tint of the ribbon, and the counters' lines. */
export const GRID_MS = 30_000
/** Orders are looked up by parts of the day of so long. */
const PART_MS = 300_000

export class Scene {
  readonly head: CourseHead
  readonly ground: Ground
  readonly clock: RunClock
  readonly course = new Course()
  /** Earliest first. */
  readonly breaks: CourseBreak[] = []
  /** Ascending instants at which something changed. */
  readonly instants: number[] = []
  /** Grows with each chunk: what was computed from the scene is old then. */
  version = 0
  readonly #orders = new Map<number, SeenOrder>()
  readonly #ofKind: Readonly<Record<ActorKind, number[]>> = { order: [], robot: [], runner: [], vehicle: [] }
  readonly #atSites = new Map<string, number[]>()
  /** Actor numbers, by the number of the order. */
  readonly #numbered = new Map<string, number>()
  #parts: { readonly version: number; readonly of: ReturnType<typeof inParts> } | null = null
  /** Level numbers by name, of so many levels. */
  #levelsByName: { readonly count: number; readonly of: Map<string, readonly number[]> } | null = null
  #totals: { readonly version: number; readonly of: Totals } | null = null

  constructor(head: CourseHead) {
    this.head = head
    this.ground = groundAround(head.sites[0]?.at ?? [0, 0])
    this.clock = runClock(head.startMs, head.timeZone)
  }

  append(chunk: CourseChunk): void {
    for (const [at, { kind, site }] of chunk.actors.entries()) {
      const actor = this.actors.length + at
      this.#ofKind[kind].push(actor)
      const known = this.#atSites.get(`${kind} ${site}`)
      if (known === undefined) this.#atSites.set(`${kind} ${site}`, [actor])
      else known.push(actor)
    }
    this.course.append(chunk)
    for (const actor of new Set(chunk.changes.actor)) this.#see(actor)
    const known = this.instants.at(-1) ?? -1
    const fresh = new Set([...chunk.changes.atMs, ...chunk.breaks.atMs].filter((at) => at > known))
    this.instants.push(...[...fresh].toSorted((one, other) => one - other))
    if (chunk.breaks.kind.length > 0)
      this.breaks.splice(0, this.breaks.length, ...this.course.breaksIn(0, Infinity))
    this.version += 1
  }

  get untilMs(): number {
    return this.course.untilMs
  }

  /** The end of the run as far as it is known: orders may end after the horizon. */
  get endMs(): number {
    return Math.max(this.head.horizonMs, this.untilMs)
  }

  get actors(): readonly CourseActor[] {
    return this.course.actors
  }

  of(kind: ActorKind): readonly number[] {
    return this.#ofKind[kind]
  }

  ofSite(kind: ActorKind, site: number): readonly number[] {
    return this.#atSites.get(`${kind} ${site}`) ?? []
  }

  /** By an actor's name; null when there is none yet. */
  numberOf(name: string): number | null {
    const found = this.actors.findIndex((actor) => actor.name === name)
    return found < 0 ? null : found
  }

  /** Null before it has a place, and for orders and robots. */
  spotAt(actor: number, ms: number): Spot | null {
    const place = this.course.placeAt(actor, ms)
    return place === null ? null : this.ground.spotOf(place)
  }

  /** Between two instants; the last one lasts as long as is computed. */
  stretchesOf(actor: number, fromMs = 0, untilMs = this.untilMs): readonly Stretch[] {
    const changes = this.course.changesOf(actor)
    return changes.flatMap(({ atMs, state, order }, at) => {
      const from = Math.max(fromMs, atMs)
      const until = Math.min(untilMs, changes[at + 1]?.atMs ?? this.untilMs)
      return until <= from ? [] : [{ fromMs: from, untilMs: until, state, order }]
    })
  }

  /** By actor number. */
  orders(): ReadonlyMap<number, SeenOrder> {
    return this.#orders
  }

  /** Null for an actor that is no order, and for none. */
  order(actor: number | null): SeenOrder | null {
    return actor === null ? null : (this.#orders.get(actor) ?? null)
  }

  /** The actor number of the order with a number, as a robot knows it; null when there is none. */
  orderNumbered(number: string | undefined): number | null {
    return number === undefined ? null : (this.#numbered.get(number) ?? null)
  }

  /** Those that may matter at an instant: known by then, and over for less than five minutes; others may be among them. */
  ordersAround(ms: number): readonly SeenOrder[] {
    if (this.#parts?.version !== this.version)
      this.#parts = {
        version: this.version,
        of: inParts(this.#orders.values(), { untilMs: this.untilMs, partMs: PART_MS }),
      }
    return this.#parts.of[Math.floor(Math.min(ms, this.untilMs) / PART_MS)] ?? []
  }

  totals(): Totals {
    if (this.#totals?.version !== this.version)
      this.#totals = {
        version: this.version,
        of: totalsOf([...this.orders().values()], { untilMs: this.untilMs, stepMs: GRID_MS }),
      }
    return this.#totals.of
  }

  /** The sum over the sites, or of one; null when the run has no such count. */
  levelAt(of: LevelOf, ms: number, site: number | null = null): number | null {
    const numbers = this.#levelsOf(of, site)
    return numbers.length === 0
      ? null
      : numbers.reduce((sum, number) => sum + this.course.levelAt(number, ms), 0)
  }

  /** What does nothing now, of what is on duty; null when the run has none. */
  freeAt(
    resource: CourseLevelName["resource"],
    ms: number,
    site: number | null = null,
  ): { readonly free: number; readonly duty: number } | null {
    const duty = this.levelAt({ resource, what: "duty" }, ms, site)
    if (duty === null) return null
    const busy = this.levelAt({ resource, what: "busy" }, ms, site) ?? 0
    return { free: Math.max(0, duty - busy), duty }
  }

  /** A count at each step of a grid up to what is computed. */
  line(of: (ms: number) => number, stepMs = GRID_MS): readonly number[] {
    return Array.from({ length: Math.floor(this.untilMs / stepMs) + 1 }, (_, step) => of(step * stepMs))
  }

  /** The instant with the most late orders at once, the earliest of equals; null when none is late. */
  worstMs(): number | null {
    const { late, stepMs } = this.totals()
    const most = late.reduce((one, other) => Math.max(one, other), 0)
    return most === 0 ? null : Math.min(this.untilMs, late.indexOf(most) * stepMs)
  }

  /** An order whose state has changed. */
  #see(actor: number): void {
    const { order = null, site = 0, kind } = this.actors[actor] ?? {}
    if (kind !== "order" || order === null) return
    this.#orders.set(actor, seenOrder({ actor, site, order }, this.course.changesOf(actor)))
    if (!this.#numbered.has(order.number)) this.#numbered.set(order.number, actor)
  }

  #levelsOf({ resource, what }: LevelOf, site: number | null): readonly number[] {
    const { levels } = this.course
    if (this.#levelsByName?.count !== levels.length)
      this.#levelsByName = { count: levels.length, of: new Map() }
    const key = `${resource} ${what} ${site}`
    const known = this.#levelsByName.of.get(key)
    if (known !== undefined) return known
    const found = levels.flatMap((name, number) =>
      name.resource === resource && name.what === what && (site === null || name.site === site)
        ? [number]
        : [],
    )
    this.#levelsByName.of.set(key, found)
    return found
  }
}
