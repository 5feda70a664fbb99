/**
 * What follows a turn of a reservation, in the same transaction: its projected columns, and its events to webhooks.
 */

import { Either } from "effect"
import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { EXCEPTION_MESSAGES } from "../../model/handoff.ts"
import { newEventId } from "../../model/ids.ts"
import type { JsonObject } from "../../model/values/json.ts"
import { isoUs } from "../../model/values/time.ts"
import { isEventType } from "../../model/webhook.ts"
import type { Emission, TurnResult } from "../../engine/kernel/turn.ts"
import { actorAt, extrasOf, rootOf } from "../../engine/services/actors.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Policies } from "../../engine/services/policies.ts"
import { PhotoLinks } from "../../engine/services/photos/photo-links.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { fanOut } from "../webhooks/fan-out.ts"
import { openLinkBody } from "./open-links.ts"
import { composeReservation, openTaskStagingAtMs, runnerTaskOf } from "./record.ts"
import { ReservationRows } from "./rows.ts"
import type { ReservationRow } from "./rows.ts"

/** Projects the snapshot to the row, then passes every emission to the subscribed endpoints. */
export const observeReservation = Routine.fn(function* (result: TurnResult) {
  if (result.outcome.type === "refused") return
  const rows = yield* ReservationRows
  const id = idOf(result.group.address)
  const projected = projection(result)
  yield* rows.change(id, projected)
  const hasEnded = projected.status === "completed" || projected.status === "canceled"
  const isTold = result.emissions.some(({ event }) => event === "reservation.status_changed")
  // Retention counts in real time, also in the sandbox of an organization that has moved its clock.
  if (hasEnded && isTold) yield* rows.noteEnd(id, yield* realNowMs)
  if (result.emissions.length === 0 && result.calls.length === 0) return
  const row = yield* rows.byId(id)
  if (row === null) return
  for (const { actor, call, attempt } of result.calls) {
    if (call !== "open_link" || attempt !== 1) continue
    const link = actorAt("open-link", result.group.actors, actor)
    // A resend of a lost attempt uses the bytes that were frozen then.
    if (link === null || !("resends" in link.context) || link.context.resends === 0) {
      yield* rows.freezeOpenLink(actor, openLinkBody({ row, actor, atMs: result.instantMs }))
    }
  }
  for (const emission of result.emissions) yield* announce({ row, emission, nonce: result.nonce })
  yield* dropPublishedMessages(row, result)
})

/** A message belongs to one exception: the next exception of its code, for example by a timer, has its own text. */
const dropPublishedMessages = Routine.fn(function* (row: ReservationRow, { emissions }: TurnResult) {
  const exceptions = emissions.map((emission) => extrasOf("reservation.exception", emission))
  const kept = Object.entries(row.exceptionMessages).filter(
    ([code]) => !exceptions.some((exception) => exception?.reason_code === code),
  )
  if (kept.length === Object.keys(row.exceptionMessages).length) return
  const rows = yield* ReservationRows
  yield* rows.change(row.reservationId, { exceptionMessages: Object.fromEntries(kept) })
})

/** The columns that are projected from the machines. */
function projection(result: TurnResult): Partial<ReservationRow> {
  const { address, actors, instantMs } = result.group
  const { context, state: status } = rootOf("reservation", result.group)
  return {
    status,
    startsAtMs: context.startsAtMs,
    endsAtMs: context.endsAtMs,
    taskStagingAtMs: openTaskStagingAtMs(actors, address),
    ...(result.hasMoved ? { updatedAtMs: instantMs } : {}),
  }
}

interface Announcement {
  readonly row: ReservationRow
  readonly emission: Emission
  readonly nonce: string
}

const announce = Routine.fn(function* ({ row, emission, nonce }: Announcement) {
  const policies = yield* Policies
  const eventType = emission.event
  if (!isEventType(eventType)) return
  if (eventType !== "reservation.status_changed") {
    const { announcesHandoffs } = yield* policies.of(row.environment)
    if (!announcesHandoffs) return
  }
  const context = yield* Routine.context<PhotoLinks | Policies>()
  const { organizationId, environment, reservationId } = row
  yield* fanOut(
    {
      eventId: () => newEventId(emission.occurredUs, nonce, emission.ordinal),
      eventType,
      organizationId,
      environment,
      area: "reservations",
      siteId: null,
      subjectId: reservationId,
      cause: emission.cause,
      body: (eventId) => provided(bodyOf(eventId, row, emission), context),
    },
    nonce,
  )
})

/** The envelope: event_id, event_type, occurred_at and data, with additional fields beside the reservation. */
const bodyOf = Routine.fn(function* (eventId: string, row: ReservationRow, emission: Emission) {
  const nowMs = Math.floor(emission.occurredUs / 1000)
  const photoUrl = yield* photoUrlOf(row, emission)
  const reservation = composeReservation({ row, actors: emission.actors, nowMs, photoUrl })
  return JSON.stringify({
    event_id: eventId,
    event_type: emission.event,
    occurred_at: isoUs(emission.occurredUs),
    data: { reservation, ...dataOf(row, emission) },
  })
})

function dataOf(row: ReservationRow, emission: Emission): JsonObject {
  const exception = extrasOf("reservation.exception", emission)
  if (exception === null) return emission.extras
  const { reason_code, occurred_at_ms } = exception
  return {
    reason_code,
    message: row.exceptionMessages[reason_code] ?? EXCEPTION_MESSAGES[reason_code],
    occurred_at: isoUs(occurred_at_ms * 1000),
  }
}

/** Only the event that records the photo has a link. If signing fails, the event has none. */
const photoUrlOf = Routine.fn(function* (row: ReservationRow, emission: Emission) {
  if (extrasOf("reservation.handoff_updated", emission)?.milestone !== "handoff_complete") return null
  const photoId = runnerTaskOf(emission.actors, `reservation/${row.reservationId}`)?.photoId ?? null
  if (photoId === null) return null
  return yield* signedPhoto(row, photoId)
})

/** The signed link of a photo, which ends at a real instant, or null when signing fails. */
export const signedPhoto = Routine.fn(function* (row: ReservationRow, photoId: string) {
  const photos = yield* PhotoLinks
  const policies = yield* Policies
  const { photoLinkLifetimeMs } = yield* policies.of(row.environment)
  const expiresAtMs = (yield* realNowMs) + photoLinkLifetimeMs
  const signed = yield* Routine.either(photos.sign({ photoId, environment: row.environment, expiresAtMs }))
  return Either.getOrNull(signed)
})

/** Deletes the rows of a reservation whose group an unrecorded run folds. */
export const forgetReservation = Routine.fn(function* (group: GroupAddress) {
  const rows = yield* ReservationRows
  const photos = yield* PhotoStore
  yield* rows.forget(idOf(group))
  yield* photos.forget(idOf(group))
})
