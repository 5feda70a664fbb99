/**
 * How two courses of one model differ: where they part, whom the change saves, whom it loses, and what broke in each. Orders are the same
 * when their product, site, store and window are, and the instant of their request: their numbers follow from how many came before. An order
 * of one course alone is counted and not compared.
 */

import { BREAK_KINDS } from "./course.ts"
import type { ActorKind, BreakKind } from "./course.ts"
import type { Course } from "./course-reader.ts"

export interface CourseDifference {
  /** The first instant at which an actor of both does something else; null while they are the same. */
  readonly partsAtMs: number | null
  /** Orders that break their promise, are declined or missed in the first course alone, by name. */
  readonly saved: readonly string[]
  /** The same of the second course alone. */
  readonly lost: readonly string[]
  /** Orders that only one course has. */
  readonly onlyFirst: number
  readonly onlySecond: number
  /** Where they part, and each order saved or lost, at the instant at which the other course breaks it. Earliest first. */
  readonly points: readonly DifferencePoint[]
  /** How often each kind occurred up to `untilMs`. */
  readonly breaks: Readonly<Record<BreakKind, readonly [first: number, second: number]>>
  /** What was compared: up to where both are known. */
  readonly untilMs: number
}

export interface DifferencePoint {
  readonly is: "lost" | "parts" | "saved"
  readonly atMs: number
  /** Of the order, or of the actor with which they part. */
  readonly kind: ActorKind
  readonly name: string
}

/** Breaks that an order suffers; a fault is of a thing. */
const OF_ORDERS: readonly BreakKind[] = ["broken promise", "declined", "no-show"]

export function courseDifference(first: Course, second: Course): CourseDifference {
  const untilMs = Math.min(first.untilMs, second.untilMs)
  const pairs = coursePairs(first, second)
  const parting = partingOf({ first, second, untilMs }, pairs)
  const [brokenFirst, brokenSecond] = [first, second].map((course) => brokenIn(course, untilMs))
  const orders = pairs.filter(([one]) => first.actors[one]?.kind === "order")
  const of = (one: number): Pick<DifferencePoint, "kind" | "name"> => {
    const { kind = "order", name = "" } = first.actors[one] ?? {}
    return { kind, name }
  }
  const points: DifferencePoint[] =
    parting === null ? [] : [{ is: "parts", atMs: parting.atMs, ...of(parting.actor) }]
  for (const [one, other] of orders) {
    const [firstMs, secondMs] = [brokenFirst?.get(one), brokenSecond?.get(other)]
    if (firstMs !== undefined && secondMs === undefined)
      points.push({ is: "saved", atMs: firstMs, ...of(one) })
    if (firstMs === undefined && secondMs !== undefined)
      points.push({ is: "lost", atMs: secondMs, ...of(one) })
  }
  const named = (wanted: DifferencePoint["is"]): readonly string[] =>
    points.filter(({ is }) => is === wanted).map(({ name }) => name)
  return {
    partsAtMs: parting?.atMs ?? null,
    saved: named("saved"),
    lost: named("lost"),
    points: points.toSorted((one, other) => one.atMs - other.atMs),
    onlyFirst: ordersOf(first, untilMs) - orders.length,
    onlySecond: ordersOf(second, untilMs) - orders.length,
    breaks: breakCounts([first, second], untilMs),
    untilMs,
  }
}

/** Numbers of the same actor in both. */
type Pair = readonly [first: number, second: number]

/** The actors that both have. */
export function coursePairs(first: Course, second: Course): readonly Pair[] {
  const known = new Map(identitiesOf(second).map((identity, number) => [identity, number]))
  return identitiesOf(first).flatMap((identity, number) => {
    const other = known.get(identity)
    return other === undefined ? [] : [[number, other] as const]
  })
}

/** By actor: the same in every course that has it. */
function identitiesOf(course: Course): readonly string[] {
  const ofOrders = new Map<string, string>()
  for (const [number, { kind, site, order }] of course.actors.entries()) {
    if (kind !== "order" || order === null) continue
    const askedMs = course.changesOf(number)[0]?.atMs ?? ""
    ofOrders.set(order.number, [site, order.product, order.store, order.fromMs, askedMs].join("\n"))
  }
  return course.actors.map(({ kind, name, site, order }) => {
    // A robot is the same when its order is.
    const known = order === null ? undefined : ofOrders.get(order.number)
    return [kind, known ?? `${site}\n${name}`].join("\n")
  })
}

function partingOf(
  { first, second, untilMs }: { readonly first: Course; readonly second: Course; readonly untilMs: number },
  pairs: readonly Pair[],
): { readonly atMs: number; readonly actor: number } | null {
  let found: { readonly atMs: number; readonly actor: number } | null = null
  for (const [one, other] of pairs) {
    const atMs = differsAt(first.changesOf(one), second.changesOf(other))
    if (atMs === null || atMs > untilMs || (found !== null && found.atMs <= atMs)) continue
    found = { atMs, actor: one }
  }
  return found
}

type Changes = ReturnType<Course["changesOf"]>

function differsAt(first: Changes, second: Changes): number | null {
  const row = first.findIndex(
    ({ state, atMs }, place) => second[place]?.state !== state || second[place]?.atMs !== atMs,
  )
  const place = row === -1 ? first.length : row
  const instants = [first[place]?.atMs, second[place]?.atMs].filter((atMs) => atMs !== undefined)
  return instants.length === 0 ? null : Math.min(...instants)
}

/** By order: the instant of its first break. */
function brokenIn(course: Course, untilMs: number): ReadonlyMap<number, number> {
  const broken = course.breaksIn(0, untilMs).filter(({ kind }) => OF_ORDERS.includes(kind))
  // The earliest is written last.
  return new Map(
    broken
      .toReversed()
      .flatMap(({ actor, atMs }) => (actor === null ? [] : [[orderOf(course, actor), atMs] as const])),
  )
}

/** A robot's breaks are its order's. */
function orderOf(course: Course, actor: number): number {
  const found = course.actors[actor]
  if (found?.kind !== "robot") return actor
  const own = course.actors.findIndex(
    ({ kind, order }) => kind === "order" && order !== null && order.number === found.order?.number,
  )
  return own === -1 ? actor : own
}

/** Orders whose request came by an instant. */
function ordersOf(course: Course, untilMs: number): number {
  return course.actors.filter(
    ({ kind }, number) => kind === "order" && (course.changesOf(number)[0]?.atMs ?? Infinity) <= untilMs,
  ).length
}

function breakCounts(courses: readonly Course[], untilMs: number): CourseDifference["breaks"] {
  const [first, second] = courses.map((course) => {
    const counts = new Map<BreakKind, number>()
    for (const { kind } of course.breaksIn(0, untilMs)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return counts
  })
  return Object.fromEntries(
    BREAK_KINDS.map((kind) => [kind, [first?.get(kind) ?? 0, second?.get(kind) ?? 0]]),
  ) as unknown as CourseDifference["breaks"]
}
