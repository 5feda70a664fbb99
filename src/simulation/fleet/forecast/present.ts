/** The present state of a site, as groups of the service, and a fleet world that goes on from it. */

import { idOf, kindOf } from "../../../model/address.ts"
import { reviveGroup } from "../../../engine/kernel/group.ts"
import type { Group, PersistedGroup } from "../../../engine/kernel/group.ts"
import { program } from "../../../apps/composition/program.ts"
import { actorAt, rootOf } from "../../../engine/services/actors.ts"
import type { RunnerTaskContext } from "../../../../machines/runner-task.ts"
import { stagingAtMs } from "../../../areas/reservations/record.ts"
import { putOpenLinkBodies, putReservation } from "../../fork/invented-rows.ts"
import type { FleetModel } from "../language/model.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Product } from "../language/metrics.ts"
import type { FleetDemand } from "../language/model.ts"
import { always } from "../language/spread.ts"
import { FleetWorld, PARTNER, retailerIdOf, zoneIdOf } from "../world/fleet-world.ts"
import { BROKEN_LINK, LINK } from "../world/visits.ts"
import type { BotPresence, PresentVisit, RunnerStage, Visits } from "../world/visits.ts"
import { adoptedOrder, presentChance } from "../world/orders.ts"
import type { StartedFleet } from "../world/replication.ts"
import { keepAway, runnersNow } from "./away.ts"
import type { RunnersNow } from "./away.ts"
import { drawFleet } from "./drawn-fleet.ts"
import { demandOf } from "./order-demand.ts"
import type { TermsById } from "./drawn-fleet.ts"
import { fleetNow } from "./present-fleet.ts"
import type { FleetNow } from "./present-fleet.ts"

/** A reservation that has not ended, and where the model has it. */
interface PresentReservation {
  readonly group: Group
  readonly kept: PersistedGroup
  readonly siteNumber: number
  readonly storeNumber: number
  readonly visit: PresentVisit
}

export interface Present {
  readonly reservations: readonly PresentReservation[]
  readonly runners: readonly RunnersNow[]
  readonly fleet: FleetNow
  /** Groups that the model has no place for, by the reason. */
  readonly leftOut: Readonly<Record<string, number>>
}

/** Kinds of groups that a forecast goes on with. */
export const PRESENT_KINDS: ReadonlySet<string> = new Set([
  "reservation",
  "delivery",
  "vehicle",
  "courier-order",
])

/**
 * Reads persisted groups of any kind. Of reservations, deliveries and errands those go on that have not ended. Reservations are
 * matched with the model's sites by their zone, as `curbline fleet fit` names sites; a model of one site takes all.
 */
export function presentOf(groups: readonly PersistedGroup[], model: FleetModel): Present {
  const leftOut: Record<string, number> = {}
  const count = (reason: string): void => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
  }
  const leaveOut = (reason: string): readonly PresentReservation[] => {
    count(reason)
    return []
  }
  const places = new StallPlaces()
  const reservations = groups.flatMap((kept): readonly PresentReservation[] => {
    const kind = kindOf(kept.address)
    if (!PRESENT_KINDS.has(kind)) return isUnderWay(kept) ? leaveOut(`${kind} under way`) : []
    if (kind !== "reservation") return []
    const group = reviveGroup(program, kept)
    if (stageOf(group) === null) return []
    const { context } = rootOf("reservation", group)
    const siteNumber = siteOf(model, context.zoneId)
    const site = model.sites[siteNumber]
    if (site === undefined) return leaveOut("reservation in a zone that the model does not have")
    const place = places.of(context.zoneId, context.stallId)
    if (place > site.stalls) return leaveOut("reservation at a stall that the model does not have")
    const storeNumber = Math.max(
      0,
      site.stores.findIndex(
        ({ as }, number) =>
          as === context.retailerId || retailerIdOf(siteNumber, number) === context.retailerId,
      ),
    )
    const visit = visitOf(group, `stall_${siteNumber}_${place}`)
    return [{ group, kept, siteNumber, storeNumber, visit }]
  })
  const tasks = reservations.map(({ group, kept: { instantMs }, siteNumber, visit }) => {
    const task = actorAt("runner-task", group.actors, `${group.address}/runner-task`)
    return { visit, siteNumber, instantMs, runnerId: task?.context.runnerId ?? null }
  })
  const runners = runnersNow(tasks, model)
  return { reservations, runners, fleet: fleetNow(groups, model, count), leftOut }
}

/**
 * The model from now on: a site has the vehicles of the present, whatever its count says, and products that are under way have a
 * demand, without new orders.
 */
export function modelWith(model: FleetModel, { fleet }: Present): FleetModel {
  const { vehicles, trips, errands } = fleet
  const sites = model.sites.map((site, number) => {
    const count = vehicles.filter(({ siteNumber }) => siteNumber === number).length
    return count === 0 ? site : { ...site, vehicles: count }
  })
  const under: readonly (readonly [Product, number])[] = [
    ...trips.map(({ isErrand, siteNumber }) => [isErrand ? "courier" : "delivery", siteNumber] as const),
    ...errands.map(({ siteNumber }) => ["courier", siteNumber] as const),
  ]
  const demand = [...model.demand]
  const [like] = model.demand
  for (const [product, number] of under) {
    const site = sites[number]?.as ?? ""
    if (like === undefined || demand.some((one) => one.product === product && one.site === site)) continue
    demand.push({ ...like, ...NO_ORDERS, product, site })
  }
  return { ...model, sites, demand }
}

const NO_ORDERS = {
  per_hour: always(0),
  every: null,
  population: null,
  replay: null,
  store: null,
  errand: null,
  cancel: 0,
} satisfies Partial<FleetDemand>

/** Ids of the present's vehicles by the number of their site. */
function vehicleIdsOf({ fleet }: Present): ReadonlyMap<number, readonly string[]> {
  const bySite = new Map<number, string[]>()
  for (const { id, siteNumber } of fleet.vehicles) {
    const ids = bySite.get(siteNumber) ?? []
    bySite.set(siteNumber, ids)
    ids.push(id)
  }
  return bySite
}

/** Priorities of a model are at most 9. */
const BEFORE_ALL = 10

export interface PresentOptions {
  readonly seed: number
  readonly atMs: EpochMs
  /** What the rows of the service say of deliveries, by their id. */
  readonly terms?: TermsById
  /** Reservations whose tasks go before all others. */
  readonly goFirst?: ReadonlySet<string>
  /** Reservations whose bots never lose patience. */
  readonly wait?: ReadonlySet<string>
  /** When the streams of the demand begin; orders before the present are left out. Default: the present. */
  readonly demandFromMs?: EpochMs
}

/** A world with the present's groups and rows. `begin` gives them to its people and things, before time begins. */
export function worldFrom(
  model: FleetModel,
  present: Present,
  { seed, atMs, terms = new Map(), demandFromMs, ...wishes }: PresentOptions,
): { readonly world: FleetWorld; readonly begin: (started: StartedFleet) => void } {
  const world = new FleetWorld(model, {
    seed,
    startMs: atMs,
    vehicleIds: vehicleIdsOf(present),
    ...(demandFromMs === undefined ? {} : { demandFromMs }),
  })
  loadGroups(world, present)
  for (const one of present.reservations) putRow(world, one)
  putOpenLinkBodies(world.service.host, world.startMs)
  const adoptFleet = drawFleet(world, present.fleet, terms)
  for (const { kept } of allOf(present)) world.service.host.project(kept.address)
  return {
    world,
    begin: (started) => {
      keepAway(world, started.visits, present.runners)
      adoptVisits(world, started.visits, present, wishes)
      adoptFleet(started)
    },
  }
}

function allOf({ reservations, fleet }: Present): readonly { readonly kept: PersistedGroup }[] {
  return [...reservations, ...fleet.vehicles, ...fleet.trips, ...fleet.errands]
}

/** Stalls of each zone in the order of their first reservation. */
class StallPlaces {
  readonly #byZone = new Map<string, Map<string, number>>()

  /** From 1. */
  of(zoneId: string, stallId: string): number {
    const stalls = this.#byZone.get(zoneId) ?? new Map<string, number>()
    this.#byZone.set(zoneId, stalls)
    const place = stalls.get(stallId) ?? stalls.size + 1
    stalls.set(stallId, place)
    return place
  }
}

function isUnderWay({ address, actors }: PersistedGroup): boolean {
  const root = actors.find((actor) => actor.address === address)
  const value = root?.value
  return typeof value === "object" && value !== null
}

function siteOf({ sites }: FleetModel, zoneId: string): number {
  const found = sites.findIndex(({ as }, number) => as === zoneId || zoneIdOf(number) === zoneId)
  return found === -1 && sites.length === 1 ? 0 : found
}

/** Null for a reservation that has ended. */
function stageOf(group: Group): PresentVisit["stage"] | null {
  const root = rootOf("reservation", group)
  if (root.state === "completed" || root.state === "canceled") return null
  const task = actorAt("runner-task", group.actors, `${group.address}/runner-task`)
  if (task === null) return null
  const { state, outerState, context } = task
  if (outerState === "loaded") return "loaded"
  if (outerState !== "open") return null
  const stage = STAGES[state] ?? "queued"
  return stage === "at_unit" && hasLeft(group, context) ? "missed" : stage
}

/**
 * True when the wait of the runner at the stall is over. Each report of the bot clears the flag, so that a bot that came late shows by the
 * time: its runner's wait is over, or was when it got ready.
 */
function hasLeft(
  { address, actors, timers }: Group,
  { flags, atUnitAtMs, policy }: RunnerTaskContext,
): boolean {
  if (flags.includes("bot_no_show")) return true
  const bot = actorAt("bot", actors, `${address}/bot`)?.context ?? null
  if (bot?.status === "READY_FOR_HANDOFF")
    return (bot.assertedAtMs ?? 0) > (atUnitAtMs ?? 0) + policy.botWaitMs
  const isWaiting = [...timers.values()].some(({ to }) => to === `${address}/runner-task`)
  return bot?.status !== "SECURED" && !isWaiting
}

const STAGES: Readonly<Partial<Record<string, RunnerStage>>> = {
  queued: "queued",
  assigned: "assigned",
  at_store: "at_store",
  held: "held",
  retrieved: "retrieved",
  at_unit: "at_unit",
  handoff_ready: "at_unit",
}

function visitOf(group: Group, stallId: string): PresentVisit {
  const { context } = rootOf("reservation", group)
  const task = actorAt("runner-task", group.actors, `${group.address}/runner-task`)
  const bot = actorAt("bot", group.actors, `${group.address}/bot`)?.context ?? null
  const stage = stageOf(group) ?? "queued"
  return {
    id: idOf(group.address),
    bookedMs: context.createdAtMs,
    startsAtMs: context.startsAtMs,
    endsAtMs: context.endsAtMs,
    stallId,
    stagingAtMs: task === null ? context.startsAtMs : stagingAtMs(task.context),
    bot: presenceOf(bot?.status ?? null),
    etaMs: bot?.etaMs ?? null,
    stage,
    isMissed: stage === "missed",
    openLink: openLinkOf(group),
  }
}

/** Of all calls of the group's open links. */
function openLinkOf({ actors }: Group): PresentVisit["openLink"] {
  const links = [...actors.values()].filter(({ machine }) => machine.startsWith("open-link@"))
  if (links.some(({ snapshot: { value } }) => value === "opened")) return "opened"
  const hasFailed = links.some(({ snapshot: { value, context } }) => {
    const { attempt } = context as { readonly attempt: number }
    return attempt > 1 || value === "failed" || (typeof value === "object" && value["trying"] === "waiting")
  })
  return hasFailed ? "failed" : null
}

function presenceOf(status: string | null): BotPresence {
  if (status === null || status === "INBOUND") return "coming"
  return status === "ARRIVED" ? "arrived" : "ready"
}

/** Before people and things are in the world. */
function loadGroups(world: FleetWorld, present: Present): void {
  const { host } = world.service
  const content = host.content()
  const groups = allOf(present).map(({ kept }) => kept)
  const sequences = new Map(
    groups
      .flatMap(({ timers }) => timers)
      .toSorted((a, b) => a.dueMs - b.dueMs)
      .map((timer, at) => [timer, content.sequence + at + 1] as const),
  )
  host.restore({
    ...content,
    sequence: content.sequence + sequences.size,
    groups: {
      ...content.groups,
      groups: groups.map((kept) => ({
        ...kept,
        sequences: kept.timers.map((timer) => sequences.get(timer) ?? 0),
      })),
    },
  })
}

function putRow(world: FleetWorld, { kept, siteNumber, storeNumber, visit }: PresentReservation): void {
  putReservation(world.service.host, {
    reservationId: visit.id,
    organizationId: PARTNER.organizationId,
    environment: PARTNER.environment,
    zoneId: zoneIdOf(siteNumber),
    retailerId: retailerIdOf(siteNumber, storeNumber),
    stallId: visit.stallId,
    stallLabel: null,
    openLinkUrl: isBroken(world, visit) ? BROKEN_LINK : LINK,
    payloadLimit: null,
    createdAtMs: visit.bookedMs,
    startsAtMs: visit.startsAtMs,
    endsAtMs: visit.endsAtMs,
    updatedAtMs: kept.instantMs,
  })
}

/** In the world a link that fails once never opens. */
function isBroken(world: FleetWorld, { id, openLink }: PresentVisit): boolean {
  const isDrawn = presentChance(world, id).happens(world.model.faults.open_link_fails, "open-link")
  return openLink === null ? isDrawn : openLink === "failed"
}

/** Gives the visits to the people and things of the world: those of runners in the order of their windows. */
function adoptVisits(
  world: FleetWorld,
  visits: Visits,
  { reservations }: Present,
  { goFirst, wait }: Pick<PresentOptions, "goFirst" | "wait">,
): void {
  const inOrder = reservations.toSorted(
    (a, b) => a.visit.startsAtMs - b.visit.startsAtMs || (a.visit.id < b.visit.id ? -1 : 1),
  )
  for (const { siteNumber, storeNumber, visit } of inOrder) {
    const { id, bookedMs: atMs } = visit
    const demand = demandOf(world, { id, product: "reservation", siteNumber, storeNumber, atMs })
    if (demand === null) continue
    const order = adoptedOrder(world, demand, visit.id)
    const facts = {
      ...order.facts,
      ...(goFirst?.has(visit.id) === true ? { priority: BEFORE_ALL } : {}),
      ...(wait?.has(visit.id) === true ? { patienceMs: 7 * DAY_MS } : {}),
    }
    visits.adopt({ ...order, facts }, visit)
  }
}
