/**
 * Makes a failing plan smaller while it still breaks the same sentence: fewer faults, fewer actors, fewer moves, a smaller
 * world, shorter pauses. Every attempt is a run of its own, so their number is bounded.
 */

import { Struct } from "effect"
import { COURIER_COMMANDS } from "../scenario/language/courier-words.ts"
import { DELIVERY_COMMANDS } from "../scenario/language/delivery-words.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { GivenCaller, GivenDelivery } from "../scenario/language/language.ts"
import { NO_FAULTS } from "../scenario/machine-faults.ts"
import type { Faults } from "../scenario/machine-faults.ts"
import { callerKindOf } from "./callers.ts"
import { movesKept } from "./known-names.ts"
import type { Crash } from "./machine-faults.ts"
import type { Move, Plan } from "./plan.ts"

export interface Shrunk {
  readonly plan: Plan
  /** Plans that were run. */
  readonly runs: number
}

const SHRINK_RUNS_MAX = 600

export interface ShrinkOptions {
  readonly runsMax?: number
  /** Runs a plan and returns its crashes, which then become moves; without it they stay a rate. */
  readonly crashesOf?: (plan: Plan) => readonly Crash[]
}

/** `breaks` runs a plan and returns whether it still shows the failure. */
export function shrink(plan: Plan, breaks: (plan: Plan) => boolean, options: ShrinkOptions = {}): Shrunk {
  const search = searching(plan, options)
  let step = search.next()
  while (step.done !== true) step = search.next(breaks(step.value))
  return step.value
}

/** The same for a host that answers later. */
export async function shrinkLater(
  plan: Plan,
  breaks: (plan: Plan) => Promise<boolean>,
  options: ShrinkOptions = {},
): Promise<Shrunk> {
  const search = searching(plan, options)
  let step = search.next()
  while (step.done !== true) step = search.next(await breaks(step.value))
  return step.value
}

/** Yields plans to run, and takes whether each still shows the failure. */
type Searching<Result = void> = Generator<Plan, Result, boolean>

function* searching(plan: Plan, options: ShrinkOptions): Searching<Shrunk> {
  const { runsMax = SHRINK_RUNS_MAX, crashesOf = () => [] } = options
  const search = new Search(plan, runsMax)
  yield* withoutFaults(search)
  yield* withCrashesAsMoves(search, crashesOf)
  let before: Plan
  do {
    before = search.plan
    for (const smaller of [withoutFaults, withoutSubjects, withoutMoves, withoutWorld, shorter])
      yield* smaller(search)
  } while (search.plan !== before && !search.isUsedUp)
  return { plan: search.plan, runs: search.runs }
}

class Search {
  plan: Plan
  runs = 0
  readonly #runsMax: number

  constructor(plan: Plan, runsMax: number) {
    this.plan = plan
    this.#runsMax = runsMax
  }

  get isUsedUp(): boolean {
    return this.runs >= this.#runsMax
  }

  /** Goes on with the change if the failure is still there. */
  *tries(change: Partial<Plan>): Searching<boolean> {
    if (this.isUsedUp) return false
    this.runs += 1
    const smaller = withoutLostMoves({ ...this.plan, ...change }, this.plan)
    if (!(yield smaller)) return false
    this.plan = smaller
    return true
  }
}

/** A move about a name goes with the move, or the part of the world, that gave the name: no scenario file could say it. */
function withoutLostMoves(smaller: Plan, before: Plan): Plan {
  const had = new Set(movesKept(before))
  const has = new Set(movesKept(smaller))
  return { ...smaller, moves: smaller.moves.filter((move) => has.has(move) || !had.has(move)) }
}

function* withoutFaults(search: Search): Searching {
  const { faults } = search.plan
  if (JSON.stringify(faults) !== JSON.stringify(NO_FAULTS) && (yield* search.tries({ faults: NO_FAULTS })))
    return
  for (const kind of Object.keys(faults) as (keyof Faults)[]) {
    if (faults[kind] === NO_FAULTS[kind]) continue
    yield* search.tries({ faults: { ...search.plan.faults, [kind]: NO_FAULTS[kind] } })
  }
}

/** Crashes as moves of the plan: a scenario has a word for them, and each can be left out. */
function* withCrashesAsMoves(search: Search, crashesOf: (plan: Plan) => readonly Crash[]): Searching {
  const { faults, moves } = search.plan
  if (faults.crashes === 0 && faults.nodesLost === 0) return
  const crashes = crashesOf(search.plan).map((crash, number) => asMove(crash, number))
  const all = [...moves, ...crashes].toSorted((one, other) => one.atMs - other.atMs)
  yield* search.tries({ moves: all, faults: { ...faults, crashes: 0, nodesLost: 0 } })
}

/** A crash after turns of its instant is counted from just before that instant. */
function asMove({ fault, atMs, turns }: Crash, number: number): Move {
  const isCounted = fault === "service.crashes" && turns > 0
  return {
    atMs: isCounted ? Math.max(0, atMs - 1) : atMs,
    actor: `crash-${number}`,
    act: { verb: "inject", fault, for: null, with: isCounted ? { turns } : {} },
  }
}

/** Without one visit, order, errand or vehicle at a time, and then without one of its actors. */
function* withoutSubjects(search: Search): Searching {
  for (const nameOf of [(actor: string) => actor.split("/")[0] ?? "", (actor: string) => actor]) {
    const names = new Set(search.plan.moves.map(({ actor }) => nameOf(actor)))
    for (const name of names) {
      const moves = search.plan.moves.filter(({ actor }) => nameOf(actor) !== name)
      if (moves.length < search.plan.moves.length) yield* search.tries({ moves })
    }
  }
}

/** Without halves of the moves, then quarters, and at last without each of them. */
function* withoutMoves(search: Search): Searching {
  yield* withoutParts(
    () => search.plan.moves,
    (moves) => search.tries({ moves }),
    () => search.isUsedUp,
  )
}

/**
 * Leaves halves of a list out, then quarters, and at last each part of one. `tries` returns whether it keeps the rest, which is then what
 * `now` returns.
 */
export function* withoutParts<Part, Tried>(
  now: () => readonly Part[],
  tries: (rest: readonly Part[]) => Generator<Tried, boolean, boolean>,
  isOver: () => boolean = () => false,
): Generator<Tried, void, boolean> {
  for (let size = Math.ceil(now().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < now().length;) {
      const list = now()
      if (!(yield* tries([...list.slice(0, from), ...list.slice(from + size)]))) from += size
      if (isOver()) return
    }
  }
}

function* withoutWorld(search: Search): Searching {
  const { world } = search.plan
  if (world.runners !== undefined || world.operators !== undefined)
    yield* search.tries(withoutPeople(search.plan))
  for (const { as } of world.sites ?? []) yield* search.tries(withoutSite(search.plan, as))
  if (world.webhooks.length > 0) yield* search.tries({ world: { ...search.plan.world, webhooks: [] } })
  if (world.pickupWebhooks.length > 0)
    yield* search.tries({ world: { ...search.plan.world, pickupWebhooks: [] } })
  if (Object.keys(world.policy).length > 0)
    yield* search.tries({ world: { ...search.plan.world, policy: {} } })
  yield* withoutCallers(search)
  const { delivery } = search.plan.world
  if (delivery === null) return
  if (!search.plan.moves.some(isAboutDelivery))
    if (yield* search.tries({ world: { ...search.plan.world, delivery: null, pickupWebhooks: [] } })) return
  for (const { as } of delivery.vehicles) {
    const now = search.plan.world.delivery ?? delivery
    const vehicles = now.vehicles.filter((one) => one.as !== as)
    if (vehicles.length > 0)
      yield* search.tries({ world: { ...search.plan.world, delivery: { ...now, vehicles } } })
  }
}

/** Without the partners and keys with which nothing is called. */
function* withoutCallers(search: Search): Searching {
  for (const kind of ["keys", "partners"] as const) {
    for (const { as } of search.plan.world[kind] ?? []) {
      const { moves, world } = search.plan
      const rest = (world[kind] ?? []).filter((one) => one.as !== as)
      const smaller = { ...Struct.omit(world, kind), ...(rest.length === 0 ? {} : { [kind]: rest }) }
      const isNamed = JSON.stringify([moves, smaller]).includes(JSON.stringify(as))
      if (!isNamed) yield* search.tries({ world: smaller })
    }
  }
}

/** A scenario with such a move has a store. */
function isAboutDelivery({ act }: Move): boolean {
  if (act.verb !== "do") return act.fault.startsWith("vehicle.")
  return Object.hasOwn(DELIVERY_COMMANDS, act.command) || Object.hasOwn(COURIER_COMMANDS, act.command)
}

/** What people do is done without a session. */
function withoutPeople(plan: Plan): Partial<Plan> {
  const isPerson = ({ act }: Move): boolean => callerKindOf(plan, act) === "person"
  return {
    world: Struct.omit(plan.world, "operators", "runners"),
    moves: plan.moves.map((move): Move => {
      const { act } = move
      return act.verb === "do" && isPerson(move) ? { ...move, act: Struct.omit(act, "by") } : move
    }),
  }
}

/** What is booked or ordered there is at the world's own site, and its people and vehicles work there. */
function withoutSite({ world, moves }: Plan, name: string): Partial<Plan> {
  const sites = (world.sites ?? []).filter(({ as }) => as !== name)
  const moved = (people: readonly GivenCaller[]) =>
    people.map((one) =>
      one.fields["site"] === name ? { ...one, fields: { ...one.fields, site: "here" } } : one,
    )
  const { runners, operators } = world
  return {
    world: {
      ...Struct.omit(world, "sites"),
      ...(sites.length === 0 ? {} : { sites }),
      ...(runners === undefined ? {} : { runners: moved(runners) }),
      ...(operators === undefined ? {} : { operators: moved(operators) }),
      delivery: world.delivery === null ? null : withoutStore(world.delivery, name),
    },
    moves: moves.map((move): Move => {
      const { act } = move
      if (act.verb !== "do" || act.with["site"] !== name) return move
      return { ...move, act: { ...act, with: Struct.omit(act.with, "site") } }
    }),
  }
}

/** Vehicles of that site are of the world's own store. */
function withoutStore({ fields, vehicles }: GivenDelivery, name: string): GivenDelivery {
  return {
    fields,
    vehicles: vehicles.map((one) =>
      one.fields["site"] === name ? { ...one, fields: Struct.omit(one.fields, "site") } : one,
    ),
  }
}

/** The first move at the start, every pause as short as it may be, and faults that end with the last move. */
function* shorter(search: Search): Searching {
  const endMs = (search.plan.moves.at(-1)?.atMs ?? 0) + SECOND_MS
  if (endMs < search.plan.faultsEndMs) yield* search.tries({ faultsEndMs: endMs })
  for (let at = 0; at < search.plan.moves.length; at += 1) {
    const { moves } = search.plan
    const before = moves[at - 1]?.atMs ?? 0
    const pauseMs = (moves[at]?.atMs ?? 0) - before
    for (const wantedMs of [0, SECOND_MS, Math.floor(pauseMs / 2000) * 1000]) {
      if (wantedMs >= pauseMs) continue
      const earlierMs = pauseMs - wantedMs
      const moved = moves.map((move, number): Move =>
        number < at ? move : { ...move, atMs: move.atMs - earlierMs },
      )
      if (yield* search.tries({ moves: moved, faultsEndMs: search.plan.faultsEndMs - earlierMs })) break
    }
    if (search.isUsedUp) return
  }
}
