/** Orders of a run: where each is at an instant, when it is late, and how many are open, late and on board over the day. */

import type { CourseChange } from "../../../../model/replay/course-reader.ts"
import type { CourseOrder } from "../../../../model/replay/course.ts"

/**
 * `booked`: in no kitchen, as far as is known. `done`: at its door, or its robot has left with it; `lost`: declined, canceled, failed or
 * left behind.
 */
type Stage = "booked" | "cooking" | "done" | "lost" | "on board" | "ready" | "to cook"

/** Stages of the states of orders; a state that is not here leaves the stage as it was. */
const STAGES: Readonly<Record<string, Stage>> = {
  booked: "booked",
  "not ready": "booked",
  "with a runner": "booked",
  "to cook": "to cook",
  "waiting for a cook": "to cook",
  cooking: "cooking",
  ready: "ready",
  "on board": "on board",
  delivered: "done",
  canceled: "lost",
  declined: "lost",
  failed: "lost",
  "left behind": "lost",
}

export interface SeenOrder {
  /** Its actor's number. */
  readonly actor: number
  readonly site: number
  readonly order: CourseOrder
  /** Its stages with their instants, ascending. */
  readonly atMs: readonly number[]
  readonly stages: readonly Stage[]
  /** On board of its robot, or at its door; null while it is not. */
  readonly metMs: number | null
  /** The end of its work; null while it is open. */
  readonly endMs: number | null
}

export function seenOrder(
  known: Pick<SeenOrder, "actor" | "order" | "site">,
  changes: readonly CourseChange[],
): SeenOrder {
  const atMs: number[] = []
  const stages: Stage[] = []
  for (const change of changes) {
    const stage = STAGES[change.state]
    if (stage === undefined || stage === stages.at(-1)) continue
    atMs.push(change.atMs)
    stages.push(stage)
  }
  const firstOf = (...wanted: readonly Stage[]): number | null =>
    atMs.find((_, step) => wanted.includes(stages[step] ?? "to cook")) ?? null
  return {
    ...known,
    atMs,
    stages,
    metMs: known.order.product === "reservation" ? firstOf("on board", "done") : firstOf("done"),
    endMs: firstOf("done", "lost"),
  }
}

/** Null before its request. */
export function stageAt({ atMs, stages }: SeenOrder, ms: number): Stage | null {
  return stages[atMs.findLastIndex((at) => at <= ms)] ?? null
}

/**
 * The instant from which it is open: an order for a door from its request, one that was booked ahead from its window or the beginning of
 * its preparation. Null before it is known.
 */
function opensMs({ order, atMs, stages }: SeenOrder): number | null {
  const [requestedMs] = atMs
  if (requestedMs === undefined || order.product !== "reservation") return requestedMs ?? null
  const begun = atMs.find((_, step) => stages[step] !== "to cook" && stages[step] !== "booked")
  return Math.max(requestedMs, Math.min(order.fromMs, begun ?? Infinity))
}

export function isOpenAt(seen: SeenOrder, ms: number): boolean {
  const from = opensMs(seen)
  return from !== null && from <= ms && ms < (seen.endMs ?? Infinity)
}

/** Past its promise, and not met yet; an order that was lost is late no more. */
export function isLateAt(seen: SeenOrder, ms: number): boolean {
  if (ms <= seen.order.promisedMs) return false
  return ms < Math.min(seen.metMs ?? Infinity, seen.endMs ?? Infinity) && isOpenAt(seen, ms)
}

export function wasLate({ order, metMs }: SeenOrder, untilMs: number): boolean {
  return (metMs ?? untilMs) > order.promisedMs
}

/** By parts of the time up to an instant: the orders that are known in a part, and were not over before the part before it. */
export function inParts(
  orders: Iterable<SeenOrder>,
  { untilMs, partMs }: { readonly untilMs: number; readonly partMs: number },
): readonly (readonly SeenOrder[])[] {
  const parts = Array.from({ length: Math.floor(untilMs / partMs) + 1 }, (): SeenOrder[] => [])
  for (const seen of orders) {
    const first = Math.floor((seen.atMs[0] ?? Infinity) / partMs)
    const last = Math.floor(Math.max(seen.endMs ?? Infinity, seen.metMs ?? 0) / partMs) + 1
    for (let part = first; part <= last && part < parts.length; part += 1) parts[part]?.push(seen)
  }
  return parts
}

/** How many at each instant of a grid; the last one stands for the end. */
export interface Totals {
  readonly stepMs: number
  readonly open: Int32Array
  readonly late: Int32Array
  readonly onBoard: Int32Array
}

export function totalsOf(
  orders: readonly SeenOrder[],
  { untilMs, stepMs }: { readonly untilMs: number; readonly stepMs: number },
): Totals {
  const length = Math.floor(untilMs / stepMs) + 2
  const add = (list: Int32Array, fromMs: number, toMs: number): void => {
    // At the end of a step of the grid, so that the step shows what holds at its start.
    const [from, to] = [Math.ceil(fromMs / stepMs), Math.ceil(Math.min(toMs, untilMs + 1) / stepMs)]
    if (from >= to || from >= length) return
    list[from] = (list[from] ?? 0) + 1
    if (to < length) list[to] = (list[to] ?? 0) - 1
  }
  const [open, late, onBoard] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)]
  for (const seen of orders) {
    const from = opensMs(seen)
    if (from === null) continue
    const end = seen.endMs ?? Infinity
    add(open, from, end)
    add(late, Math.max(from, seen.order.promisedMs + 1), Math.min(seen.metMs ?? Infinity, end))
    for (const [step, stage] of seen.stages.entries())
      if (stage === "on board") add(onBoard, seen.atMs[step] ?? 0, seen.atMs[step + 1] ?? Infinity)
  }
  for (const list of [open, late, onBoard])
    for (let at = 1; at < length; at += 1) list[at] = (list[at] ?? 0) + (list[at - 1] ?? 0)
  return { stepMs, open, late, onBoard }
}
