/**
 * Stays: what turns say about a vehicle at a stall, written as sessions in the same transaction. A stay has the instants
 * of the turns and not the times that reports claim, so that what was once measured stays as it was.
 */

import { Effect } from "effect"
import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { EpochMs } from "../../model/time.ts"
import type { TurnResult } from "../../kernel/turn.ts"
import { botStatus, reservationStatus } from "../reservations/record.ts"
import { ReservationRows } from "../reservations/rows.ts"
import { SessionRows } from "./rows.ts"
import type { SessionSource } from "./rows.ts"
import { MeasuredSites } from "./sites.ts"

/** A vehicle that is at the site from now on. */
export interface StayBegun {
  /** The group that it is a stay of; a group has one stay at most. */
  readonly group: GroupAddress
  readonly environment: Environment
  readonly siteId: string
  /** Null where the vehicle stands at no stall in particular. */
  readonly stallId: string | null
  readonly source: SessionSource
  readonly atMs: EpochMs
}

/** Begins the group's stay; a later begin of the same changes nothing. */
export const beginStay = Effect.fnUntraced(function* ({ group, atMs, ...stay }: StayBegun) {
  const rows = yield* SessionRows
  yield* rows.begin({ ...stay, sessionId: group, startsAtMs: atMs })
})

/** Ends the group's stay, if there is one. */
export const endStay = Effect.fnUntraced(function* (
  { group, environment }: Pick<StayBegun, "environment" | "group">,
  atMs: EpochMs,
) {
  const rows = yield* SessionRows
  yield* rows.end({ sessionId: group, environment }, atMs)
})

/** Drops the stay of a group that a host without recording folds away. */
export const forgetStay = Effect.fnUntraced(function* (group: GroupAddress) {
  const rows = yield* SessionRows
  yield* rows.forget(group)
})

/**
 * A reservation's stay: from the first report that puts the bot at the stall to DEPARTED, or to the reservation's end.
 * A bot that only ever said DEPARTED came and went at that instant: it is told as arrived, so it counts as a visit.
 */
export const observeStay = Effect.fnUntraced(function* (result: TurnResult) {
  if (result.outcome.type === "refused") return
  const { begins, ends } = changesIn(result)
  if (!begins && !ends) return
  const rows = yield* ReservationRows
  const row = yield* rows.byId(idOf(result.group.address))
  if (row === null) return
  const { environment, stallId, zoneId } = row
  const group = result.group.address
  const atMs = result.instantMs
  if (begins) {
    const sites = yield* MeasuredSites
    const siteId = yield* sites.siteOfZone(environment, zoneId)
    if (siteId === null) return
    yield* beginStay({ group, environment, siteId, stallId, source: "reservation", atMs })
  }
  if (ends) yield* endStay({ group, environment }, atMs)
})

/** READY_FOR_HANDOFF and SECURED do not make a reservation arrived, but the bot that reports them stands at the stall. */
function changesIn({ group, emissions, hasMoved }: TurnResult): {
  readonly begins: boolean
  readonly ends: boolean
} {
  const { address, actors } = group
  const told = emissions
    .filter(({ event }) => event === "reservation.status_changed")
    .map((emission) => reservationStatus(emission.actors, address))
  const bot = botStatus(actors, address)
  const isReadyUnarrived =
    hasMoved &&
    (bot === "READY_FOR_HANDOFF" || bot === "SECURED") &&
    reservationStatus(actors, address) === "confirmed"
  return {
    begins: told.includes("arrived") || isReadyUnarrived,
    // A bot that never came has no stay to end.
    ends: told.some(isOver) && bot !== null && bot !== "INBOUND",
  }
}

function isOver(status: ReservationStatus): boolean {
  return status === "completed" || status === "canceled"
}
