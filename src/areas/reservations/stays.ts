/** A reservation's stay at its stall, for analytics. Source: direct delivery contract, analytics. */

import { idOf } from "../../model/address.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { beginStay, endStay } from "../analytics/stays.ts"
import { botStatus, reservationStatus } from "./record.ts"
import { ReservationRows } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

/**
 * From the first report with the bot at the stall to DEPARTED, or to the reservation's end. A bot that reported only
 * DEPARTED arrived and left at that instant: its arrival is announced too, so it counts as a visit.
 */
export const observeReservationStay = Routine.fn(function* (result: TurnResult) {
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
    yield* beginStay({ group, environment, at: { zoneId }, stallId, source: "reservation", atMs })
  }
  if (ends) yield* endStay({ group, environment }, atMs)
})

/**
 * READY_FOR_HANDOFF and SECURED do not change the reservation to arrived, but the bot that reports them stands at the
 * stall.
 */
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
