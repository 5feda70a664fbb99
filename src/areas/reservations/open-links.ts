/**
 * Open links: one attempt to make the partner open the compartment. The attempt id is derived from the actor's address,
 * and the time is that of its first attempt, so that every retry sends the same bytes.
 */

import { groupOf, idOf } from "../../model/address.ts"
import type { Address } from "../../model/address.ts"
import { newUuid } from "../../model/ids.ts"
import { isoUs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { actorAt } from "../../engine/services/actors.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Receiver } from "../../engine/services/host.ts"
import { originOf } from "../../engine/services/outbound/url-policy.ts"
import { discarded } from "../../engine/services/outbound/call-results.ts"
import { Routine } from "../../engine/services/routine.ts"
import { postOpening } from "../webhooks/opening-call.ts"
import { OpenLinkSecretRows } from "./open-link-secrets.ts"
import { ReservationRows } from "./rows.ts"
import type { ReservationRow } from "./rows.ts"

/** Calls the open link unless its actor has moved on since the attempt was requested. */
export const callOpenLink = Routine.fn(function* (call: Call) {
  const host = yield* ActorHost
  const rows = yield* ReservationRows
  const { attempt, actor } = call
  const id = idOf(actor)
  const group = yield* host.read(groupOf(actor))
  const link = group === null ? null : actorAt("open-link", group.actors, actor)
  const row = yield* rows.byId(id)
  const body = yield* rows.openLinkBody(actor)
  if (row === null || body === null || link === null) return discarded(attempt, "forgotten")
  if (!link.isActive || link.context.attempt !== attempt) return discarded(attempt, "moved_on")
  const secrets = yield* OpenLinkSecretRows
  const found = yield* secrets.find({ organizationId: row.organizationId, environment: row.environment })
  const secret = found?.secret ?? null
  return yield* postOpening({
    actor,
    attempt,
    url: row.openLinkUrl,
    owner: row,
    attemptId: attemptIdOf(actor),
    body,
    secret,
  })
})

/** The attempt and its receiver, null when its row is gone. */
export const prepareOpenLink = Routine.fn(function* (call: Call) {
  const rows = yield* ReservationRows
  const row = yield* rows.byId(idOf(call.actor))
  return { receiver: row === null ? null : receiverOf(row), perform: callOpenLink(call) }
})

/** No breaker: a runner waits at the door. */
function receiverOf({ environment, organizationId, openLinkUrl }: ReservationRow): Receiver | null {
  const origin = originOf(openLinkUrl)
  if (origin === null) return null
  const endpoint = `${environment} open links of ${organizationId} at ${origin}`
  return { environment, organizationId, origin, endpoint, hasBreaker: false }
}

/** The body of every attempt of one open link, byte for byte. */
export function openLinkBody({
  row,
  actor,
  atMs,
}: {
  row: ReservationRow
  actor: Address
  atMs: EpochMs
}): string {
  return JSON.stringify({
    attempt_id: attemptIdOf(actor),
    reservation_id: row.reservationId,
    order_number: row.orderNumber,
    zone_id: row.zoneId,
    stall_id: row.stallId,
    stall_label: row.stallLabel,
    bot_label: row.botLabel,
    occurred_at: isoUs(atMs * 1000),
  })
}

function attemptIdOf(actor: Address): string {
  return newUuid(actor, "open link")
}
