/** One site from above at an instant: its stalls with robots, its runners between counters and stalls, and tickets of its kitchens. */

import type { CourseSite } from "../../../../model/replay/course.ts"
import { shortName } from "../seen/actor-words.ts"
import { isLateAt, isOpenAt, stageAt } from "../seen/orders.ts"
import type { SeenOrder } from "../seen/orders.ts"
import type { Scene } from "../seen/scene.ts"

interface Ticket {
  readonly actor: number
  readonly number: string
  readonly stage: "cooking" | "ready" | "to cook"
  /** How far it is cooked, 0 to 1. */
  readonly share: number
  readonly isLate: boolean
}

export interface CurbStore {
  readonly name: string
  readonly ready: number
  /** Null: not known. */
  readonly cooking: number | null
  readonly tickets: readonly Ticket[]
}

export interface CurbStall {
  readonly label: string
  readonly robot: CurbRobot | null
  /** Number of the order whose robot is expected now; null without one. */
  readonly due: string | null
}

export interface CurbRobot {
  readonly actor: number
  readonly order: string
  readonly look: "closed" | "failed" | "on board" | "open"
  readonly sinceMs: number
  readonly isLate: boolean
}

export interface CurbRunner {
  readonly actor: number
  readonly name: string
  /** Where it goes and comes from: a store's counter, a stall, or where runners wait. */
  readonly from: RunnerPlace
  readonly to: RunnerPlace
  /** Of the way, 0 to 1. */
  readonly share: number
  readonly order: string | null
  readonly isFree: boolean
  readonly hasBag: boolean
  readonly isLate: boolean
}

export type RunnerPlace =
  | { readonly is: "counter"; readonly store: number }
  | { readonly is: "rest" }
  | { readonly is: "stall"; readonly stall: number }

export interface CurbScene {
  readonly site: CourseSite
  readonly stalls: readonly CurbStall[]
  readonly runners: readonly CurbRunner[]
  /** Robots in the street, because their stall is taken. */
  readonly inLine: readonly (CurbRobot & { readonly stall: number })[]
  readonly offDuty: number
  /** Vehicles of the site that stand at its store, with what they do. */
  readonly vehicles: readonly CurbVehicle[]
}

export interface CurbVehicle {
  readonly actor: number
  readonly name: string
  readonly order: string | null
  readonly isLoading: boolean
  readonly isLate: boolean
}

/** An order that is cooked later is no ticket yet. */
const TICKET_AHEAD_MS = 20 * 60_000
/** A robot is due from its window on, for half an hour at most. */
const DUE_MS = 30 * 60_000

export function curbAt(scene: Scene, number: number, ms: number): CurbScene | null {
  const site = scene.head.sites[number]
  if (site === undefined) return null
  const orders = scene.ordersAround(ms).filter((seen) => seen.site === number)
  const robots = robotsAt(scene, number, ms)
  const runners = scene.ofSite("runner", number).map((actor) => runnerAt(scene, actor, ms))
  return {
    site,
    stalls: site.stalls.map((label, stall) => ({
      label: label.replace(/^([A-Z]+)0+(?=\d)/, "$1"),
      robot: robots.find((robot) => robot.stall === stall && !robot.isInLine) ?? null,
      due: dueAt(orders, stall, ms),
    })),
    runners: runners.filter((runner) => runner !== null),
    inLine: robots.filter(({ isInLine }) => isInLine),
    offDuty: runners.filter((runner) => runner === null).length,
    vehicles: vehiclesAt(scene, number, ms),
  }
}

/** The kitchens of a site with their tickets. */
export function storesAt(scene: Scene, number: number, ms: number): readonly CurbStore[] {
  const stores = scene.head.sites[number]?.stores ?? []
  const tickets = stores.map((): Ticket[] => [])
  for (const seen of scene.ordersAround(ms)) {
    if (seen.site !== number) continue
    const stage = stageAt(seen, ms)
    if (stage !== "cooking" && stage !== "ready" && stage !== "to cook") continue
    if (stage === "to cook" && !isOpenAt(seen, ms) && seen.order.fromMs - ms > TICKET_AHEAD_MS) continue
    tickets[seen.order.store]?.push({
      actor: seen.actor,
      number: seen.order.number,
      stage,
      share: stage === "ready" ? 1 : stage === "cooking" ? cookedShare(seen, ms) : 0,
      isLate: isLateAt(seen, ms),
    })
  }
  return stores.map(({ name }, store) => {
    const own = tickets[store] ?? []
    const count = (stage: Ticket["stage"]): number => own.filter((ticket) => ticket.stage === stage).length
    return {
      name,
      ready: count("ready"),
      cooking: scene.head.isRecord === true ? null : count("cooking"),
      tickets: own.toSorted((one, other) => RANKS[one.stage] - RANKS[other.stage] || other.share - one.share),
    }
  })
}

const RANKS = { ready: 0, cooking: 1, "to cook": 2 } as const

/** Of the time until it is ready; a half while that is not computed yet. */
function cookedShare({ atMs, stages }: SeenOrder, ms: number): number {
  const step = stages.indexOf("cooking")
  const [from, until] = [atMs[step] ?? ms, atMs[step + 1]]
  return until === undefined ? 0.5 : Math.min(1, (ms - from) / Math.max(1, until - from))
}

const ROBOT_LOOKS: Readonly<Record<string, CurbRobot["look"]>> = {
  "in line": "closed",
  settling: "closed",
  "at its stall": "closed",
  secured: "closed",
  ready: "open",
  leaving: "on board",
}

interface PlacedRobot extends CurbRobot {
  readonly stall: number
  readonly isInLine: boolean
}

function robotsAt(scene: Scene, site: number, ms: number): readonly PlacedRobot[] {
  return scene.ofSite("robot", site).flatMap((actor): readonly PlacedRobot[] => {
    const { order } = scene.actors[actor] ?? {}
    if (order === undefined || order === null || order.stall === null) return []
    const state = scene.course.stateAt(actor, ms) ?? ""
    const look = ROBOT_LOOKS[state]
    if (look === undefined) return []
    const came = scene.course.changesOf(actor).find((change) => ROBOT_LOOKS[change.state] !== undefined)
    const seen = scene.order(scene.course.orderAt(actor, ms) ?? scene.orderNumbered(order.number))
    return [
      {
        actor,
        order: order.number,
        look,
        sinceMs: came?.atMs ?? ms,
        isLate: seen !== null && isLateAt(seen, ms),
        stall: order.stall,
        isInLine: state === "in line",
      },
    ]
  })
}

function dueAt(orders: readonly SeenOrder[], stall: number, ms: number): string | null {
  for (const { order, endMs } of orders) {
    if (order.stall !== stall || order.product !== "reservation") continue
    if (order.fromMs <= ms && ms < order.fromMs + DUE_MS && ms < (endMs ?? Infinity)) return order.number
  }
  return null
}

const AT_STORE = new Set(["at the store", "loading", "loaded", "waits for a second order"])

function vehiclesAt(scene: Scene, site: number, ms: number): readonly CurbVehicle[] {
  return scene.ofSite("vehicle", site).flatMap((actor) => {
    const state = scene.course.stateAt(actor, ms) ?? ""
    if (!AT_STORE.has(state)) return []
    const seen = scene.order(scene.course.orderAt(actor, ms))
    return [
      {
        actor,
        name: shortName(scene.actors[actor]?.name ?? ""),
        order: seen?.order.number ?? null,
        isLoading: state === "loading",
        isLate: seen !== null && isLateAt(seen, ms),
      },
    ]
  })
}

const REST: RunnerPlace = { is: "rest" }

/** Null for a runner who is not on duty, or not here yet. */
function runnerAt(scene: Scene, actor: number, ms: number): CurbRunner | null {
  const change = scene.course.changeAt(actor, ms)
  if (change === null || change.state === "off duty" || change.state === "on break") return null
  const seen = scene.order(change.order)
  const order = seen?.order ?? null
  const counter: RunnerPlace = order === null ? REST : { is: "counter", store: order.store }
  const stall: RunnerPlace =
    order === null ? REST : order.stall === null ? counter : { is: "stall", stall: order.stall }
  const [from, to] = waysOf(change.state, { counter, stall })
  const untilMs = scene.course.nextChangeMs(actor, ms)
  const span = (untilMs ?? ms) - change.atMs
  return {
    actor,
    name: shortName(scene.actors[actor]?.name ?? ""),
    from,
    to,
    // Half way while its end is not known.
    share: untilMs === null ? 0.5 : span <= 0 ? 1 : Math.min(1, (ms - change.atMs) / span),
    order: order?.number ?? null,
    isFree: change.state === "idle" || change.state === "walking back",
    hasBag: HAS_BAG.has(change.state),
    isLate: seen !== null && isLateAt(seen, ms),
  }
}

const HAS_BAG = new Set(["carrying", "at stall", "loading"])

function waysOf(
  state: string,
  { counter, stall }: { readonly counter: RunnerPlace; readonly stall: RunnerPlace },
): readonly [RunnerPlace, RunnerPlace] {
  switch (state) {
    case "to store":
      return [REST, counter]
    case "waiting for order":
    case "at counter":
      return [counter, counter]
    case "carrying":
      return [counter, stall]
    case "to bot":
      return [REST, stall]
    case "at stall":
    case "loading":
      return [stall, stall]
    case "walking back":
      return [stall, REST]
    default:
      return [REST, REST]
  }
}
