/** The present state of a site, as groups of the service, and how a fleet world goes on from it. */

import { idOf, kindOf } from "../../model/address.ts"
import { reviveGroup } from "../../kernel/group.ts"
import type { Group, PersistedGroup } from "../../kernel/group.ts"
import { program } from "../../composition/program.ts"
import { actorAt, rootOf } from "../../services/actors.ts"
import { stagingAtMs } from "../../areas/reservations/record.ts"
import { putOpenLinkBodies, putReservation } from "../../simulation/fork/invented-rows.ts"
import type { FleetModel } from "../language/model.ts"
import { PARTNER, zoneIdOf } from "../world/fleet-world.ts"
import type { FleetWorld } from "../world/fleet-world.ts"
import { LINK } from "../world/visits.ts"
import type { BotPresence, PresentVisit, RunnerStage, Visits } from "../world/visits.ts"
import { adoptedOrder } from "../world/orders.ts"

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
  /** Groups that the model has no place for, by the reason. */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * Reads persisted groups of any kind. Only reservations that have not ended go on: they are matched with the model's sites by
 * their zone, as `curbline fleet fit` names sites; a model of one site takes all.
 */
export function presentOf(groups: readonly PersistedGroup[], model: FleetModel): Present {
  const leftOut: Record<string, number> = {}
  const leaveOut = (reason: string): readonly PresentReservation[] => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
    return []
  }
  const places = new StallPlaces()
  const reservations = groups.flatMap((kept): readonly PresentReservation[] => {
    const kind = kindOf(kept.address)
    if (kind !== "reservation") return isUnderWay(kept) ? leaveOut(`${kind} under way`) : []
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
      site.stores.findIndex(({ as }) => as === context.retailerId),
    )
    const visit = visitOf(group, `stall_${siteNumber}_${place}`)
    return [{ group, kept, siteNumber, storeNumber, visit }]
  })
  return { reservations, leftOut }
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
  const found = sites.findIndex(({ as }) => as === zoneId)
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
  if (context.flags.includes("bot_no_show")) return "missed"
  return STAGES[state] ?? "queued"
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
  }
}

function presenceOf(status: string | null): BotPresence {
  if (status === null || status === "INBOUND") return "coming"
  return status === "ARRIVED" ? "arrived" : "ready"
}

/** Loads the groups with rows of their own. Before people and things are in the world. */
export function loadPresent(world: FleetWorld, { reservations }: Present): void {
  const { host } = world.service
  const content = host.content()
  const groups = reservations.map(({ kept }) => kept)
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
  for (const one of reservations) putRow(world, one)
  putOpenLinkBodies(host, world.startMs)
  for (const { kept } of reservations) host.project(kept.address)
}

function putRow(world: FleetWorld, { kept, siteNumber, storeNumber, visit }: PresentReservation): void {
  putReservation(world.service.host, {
    reservationId: visit.id,
    organizationId: PARTNER.organizationId,
    environment: PARTNER.environment,
    zoneId: zoneIdOf(siteNumber),
    retailerId: `retailer_${siteNumber}_${storeNumber}`,
    stallId: visit.stallId,
    stallLabel: null,
    openLinkUrl: LINK,
    payloadLimit: null,
    createdAtMs: visit.bookedMs,
    startsAtMs: visit.startsAtMs,
    endsAtMs: visit.endsAtMs,
    updatedAtMs: kept.instantMs,
  })
}

/** Gives the visits to the people and things of the world: those of runners in the order of their windows. */
export function adoptPresent(world: FleetWorld, visits: Visits, { reservations }: Present): void {
  const inOrder = reservations.toSorted(
    (a, b) => a.visit.startsAtMs - b.visit.startsAtMs || (a.visit.id < b.visit.id ? -1 : 1),
  )
  for (const { siteNumber, storeNumber, visit } of inOrder) {
    const site = world.model.sites[siteNumber]
    const store = site?.stores[storeNumber]
    const usual = world.model.demand.find(({ product }) => product === "reservation")
    const demand =
      world.model.demand.find(
        (one) =>
          one.product === "reservation" &&
          one.site === site?.as &&
          (one.store === null || one.store === store?.as),
      ) ?? usual
    if (demand === undefined) continue
    visits.adopt(adoptedOrder(world, demand, `present/${visit.id}`), visit)
  }
}
