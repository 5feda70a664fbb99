/** What operations look at when one reservation needs help: what happened to it, and whom to call. */

import type { Operator } from "../../model/caller.ts"
import { groupFor, ownRow } from "../../areas/reservations/commands.ts"
import { timelineOf } from "../portal/timeline.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class ReservationCase extends service<ReservationCase>()("ReservationCase", () => ({
  timeline,
  contact,
})) {}

/** In order of time. */
const timeline = Routine.fn(function* (caller: Operator, reservationId: string) {
  yield* ownRow(caller, reservationId)
  return yield* timelineOf(groupFor(reservationId))
})

/** The end user. The caller records that the operator looked. */
const contact = Routine.fn(function* (caller: Operator, reservationId: string) {
  const { endUserName, endUserPhone } = yield* ownRow(caller, reservationId)
  return { name: endUserName, phone: endUserPhone }
})
