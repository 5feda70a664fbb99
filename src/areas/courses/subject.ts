/** What a course is about: one delivery or reservation of an organization in the sandbox, as it is now. */

import { Effect } from "effect"
import { BOT_STATUSES } from "../../model/bot.ts"
import { isFinal, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import { HANDOFF_STATUSES } from "../../model/handoff.ts"
import type { HandoffStatus } from "../../model/handoff.ts"
import { TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { currentDelivery, deliveryGroup } from "../direct-delivery/commands.ts"
import { DeliveryRows, DeliverySites, isForRetailer } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { currentRecord, groupFor } from "../reservations/commands.ts"
import { ReservationRows } from "../reservations/rows.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { Course, CourseAct, CourseFact, CourseKind } from "./course.ts"
import { notFound } from "../../engine/services/refusals.ts"

/** The fields that steps and facts look at, by the names of facts. */
export interface Subject {
  readonly id: string
  readonly kind: CourseKind
  readonly fields: Readonly<Record<string, boolean | string | null>>
}

export interface SubjectRef {
  readonly organizationId: string
  readonly kind: CourseKind
  readonly id: string
}

/** `NOT_FOUND` for another organization's, and for one that does not exist. */
export const subjectOf = Effect.fnUntraced(function* (ref: SubjectRef) {
  return ref.kind === "delivery" ? yield* deliverySubject(ref) : yield* reservationSubject(ref)
})

const reservationSubject = Routine.fn(function* ({ organizationId, id }: SubjectRef) {
  const row = yield* (yield* ReservationRows).byId(id)
  if (row?.organizationId !== organizationId || row.environment !== "sandbox")
    return yield* notFound("reservation", id)
  const { status, canceled_by, cancel_reason, bot, handoff } = yield* (yield* ActorHost).view(
    [groupFor(id)],
    currentRecord(id),
  )
  const fields = {
    status,
    canceled_by,
    cancel_reason,
    bot: bot?.status ?? null,
    handoff: handoff?.status ?? null,
  }
  return { id, kind: "reservation", fields } satisfies Subject
})

const deliverySubject = Effect.fnUntraced(function* (ref: SubjectRef) {
  const { deliveryId: id } = yield* deliveryOf(ref)
  const { status, cancellation_reason } = yield* Effect.mapError(
    (yield* ActorHost).view([deliveryGroup(id)], currentDelivery(id)),
    () => notFound("delivery", id),
  )
  return { id, kind: "delivery", fields: { status, cancellation_reason } } satisfies Subject
})

/** A retailer's delivery, by its own id or its external id. */
export const deliveryOf = Routine.fn(function* ({
  organizationId,
  id,
}: Pick<SubjectRef, "id" | "organizationId">) {
  const rows = yield* DeliveryRows
  const isOwn = (row: DeliveryRow | null): row is DeliveryRow =>
    row !== null &&
    row.organizationId === organizationId &&
    row.environment === "sandbox" &&
    isForRetailer(row)
  const known = yield* rows.byId(id)
  if (isOwn(known)) return known
  const sites = yield* (yield* DeliverySites).ofOrganization({ organizationId, environment: "sandbox" })
  const found = (yield* Routine.forEach(sites, ({ siteId }) => rows.byExternalId(siteId, id))).filter(isOwn)
  const [first, second] = found
  if (second !== undefined) {
    const message = "several sites have a delivery with this external id; send the delivery's own id"
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "delivery_id", message }] })
  }
  return first ?? (yield* notFound("delivery", id))
})

/** Refuses a subject in which the course cannot start, and says what it needs. */
export function requireStart({ name, kind, from, handoff }: Course, { fields }: Subject) {
  const { status, handoff: current } = fields
  const isPast =
    handoff !== null &&
    typeof current === "string" &&
    HANDOFF_STATUSES.indexOf(current as HandoffStatus) > HANDOFF_STATUSES.indexOf(handoff)
  // A zone without runner service has no handoff.
  const hasNone = handoff !== null && current === null
  if (from.includes(String(status)) && !isPast && !hasNone) return Routine.void
  const needed = `${from.join(", ")}${handoff === null ? "" : `, with a handoff that is not past ${handoff}`}`
  const found = `${String(status)}${kind === "delivery" ? "" : `, its handoff ${String(current ?? "does not exist")}`}`
  const detail = `${name} needs a ${kind} in ${needed}; this one is ${found}`
  return Routine.fail(new Refused({ code: "INVALID_STATE", detail }))
}

/** True when the effect of the command is there already, so that the course goes past it. */
export function isDone(act: CourseAct, { fields }: Subject): boolean {
  switch (act.do) {
    case "runner.assign":
    case "runner.at_store":
    case "runner.order_in_hand":
    case "runner.at_unit": {
      const current = HANDOFF_STATUSES.indexOf(fields["handoff"] as HandoffStatus)
      const isOver = current > HANDOFF_STATUSES.indexOf("LOADED")
      return !isOver && current >= HANDOFF_STATUSES.indexOf(HANDOFF_BY_COMMAND[act.do])
    }
    case "bot.report": {
      const current = BOT_STATUSES.findIndex((status) => status === fields["bot"])
      return fields["bot"] !== "ABORTED" && current >= BOT_STATUSES.indexOf(act.status)
    }
    case "delivery.advance": {
      const status = fields["status"] as DeliveryStatus
      return act.to !== null && status !== "CANCELLED" && rankOf(status) >= rankOf(act.to)
    }
    case "delivery.cancel":
      return fields["status"] === "CANCELLED"
    case "reservation.cancel":
      return fields["status"] === "canceled"
    default:
      return false
  }
}

const HANDOFF_BY_COMMAND = {
  "runner.assign": "ASSIGNED",
  "runner.at_store": "AT_STORE",
  "runner.order_in_hand": "RETRIEVED",
  "runner.at_unit": "AT_UNIT",
} as const satisfies Record<string, HandoffStatus>

/** True when the command is the last one of its step. */
export function isLastOf(act: CourseAct, status: DeliveryStatus | null): boolean {
  if (act.do !== "delivery.advance" || act.to === null || status === null) return true
  return isFinal(status) || rankOf(status) >= rankOf(act.to)
}

/** Whether it is so now. An exception counts from the organization's instant `sinceMs` on. */
export const isSo = Routine.fn(function* (fact: CourseFact, { id, fields }: Subject, sinceMs: EpochMs) {
  if (fact.of !== "exception")
    return Object.entries(fact.fields).every(([name, value]) => fields[name] === value)
  const turns = yield* (yield* GroupJournals).first(groupFor(id), TIMELINE_ENTRIES_MAX)
  return turns.some(
    ({ instantMs, body }) =>
      instantMs >= sinceMs &&
      body.refused === null &&
      body.steps
        .flatMap(({ asked }) => asked)
        .some(
          (asked) =>
            asked.type === "kernel.publish" &&
            asked.event === "reservation.exception" &&
            asked.extras?.["reason_code"] === fact.code,
        ),
  )
})
