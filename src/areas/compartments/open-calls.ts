/**
 * The call to a fleet that opens a compartment. The attempt id is derived from the opening, and the body from the
 * machine's context, so that every retry sends the same bytes.
 */

import { groupOf, idOf } from "../../model/address.ts"
import { newUuid } from "../../model/ids.ts"
import { isoUs } from "../../model/values/time.ts"
import type { Context } from "../../../machines/contracts.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { actorAt } from "../../engine/services/actors.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Receiver } from "../../engine/services/host.ts"
import { discarded, failed } from "../../engine/services/outbound/call-results.ts"
import { originOf } from "../../engine/services/outbound/url-policy.ts"
import { Routine } from "../../engine/services/routine.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { postOpening } from "../webhooks/opening-call.ts"
import { fleetOf } from "./compartments.ts"

/** Asks the fleet unless the vehicle has left the door or the compartment has moved on since the attempt was requested. */
export const callOpenCompartment = Routine.fn(function* (call: Call) {
  const host = yield* ActorHost
  const { attempt, actor } = call
  const group = yield* host.read(groupOf(actor))
  const compartment = group === null ? null : actorAt("compartment", group.actors, actor)
  const row = yield* (yield* DeliveryRows).byId(idOf(actor))
  if (row === null || compartment === null) return discarded(attempt, "forgotten")
  const { context, state } = compartment
  if (state !== "calling" || context.attempt !== attempt) return discarded(attempt, "moved_on")
  if (row.status !== "ARRIVED_AT_CUSTOMER") return discarded(attempt, "left_the_door")
  const settings = yield* fleetOf(row)
  const url = settings?.openUrl ?? null
  // Operations have taken the URL away: the attempts go on, and fail like those without an answer.
  if (url === null) return failed(attempt, "no_open_url")
  const secret = settings?.openSecret ?? null
  return yield* postOpening({
    actor: call.actor,
    attempt,
    url,
    owner: row,
    attemptId: attemptIdOf(actor, context),
    body: bodyOf(actor, context),
    secret,
  })
})

/** The attempt and its receiver, null when there is none. */
export const prepareOpenCompartment = Routine.fn(function* (call: Call) {
  const row = yield* (yield* DeliveryRows).byId(idOf(call.actor))
  const receiver = row === null ? null : receiverOf(row, (yield* fleetOf(row))?.openUrl ?? null)
  return { receiver, perform: callOpenCompartment(call) }
})

/** No breaker: a customer waits at the door. */
function receiverOf({ environment, organizationId }: DeliveryRow, url: string | null): Receiver | null {
  const origin = url === null ? null : originOf(url)
  if (origin === null) return null
  const endpoint = `${environment} compartments of ${organizationId} at ${origin}`
  return { environment, organizationId, origin, endpoint, hasBreaker: false }
}

function bodyOf(actor: string, context: Context<"compartment">): string {
  const { deliveryId, vehicleId, occurredAtMs } = context
  return JSON.stringify({
    attempt_id: attemptIdOf(actor, context),
    delivery_id: deliveryId,
    vehicle_id: vehicleId,
    occurred_at: isoUs((occurredAtMs ?? 0) * 1000),
  })
}

function attemptIdOf(actor: string, { openings }: Context<"compartment">): string {
  return newUuid(actor, `opening ${openings}`)
}
