/**
 * One delivery with all that a person of its organization may see: its course, the next steps of the sandbox, messages to the
 * customer, events sent for it, and its timeline. Objects of another organization or environment are `NOT_FOUND`.
 */

import type { Partner } from "../../model/caller.ts"
import { DELIVERY_STATUSES, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { currentDelivery, deliveryGroup } from "../../areas/direct-delivery/commands.ts"
import { nextSteps, reachedStatuses } from "../../areas/direct-delivery/course.ts"
import type { NextStep, ReachedStatus } from "../../areas/direct-delivery/course.ts"
import type { DeliveryRecord, LocationRecord } from "../../areas/direct-delivery/record.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import type { DeliveryRow, DeliverySite } from "../../areas/direct-delivery/rows.ts"
import { MessageRows } from "../../areas/messages/rows.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { ownDelivery } from "./deliveries.ts"
import type { PortalDelivery } from "./deliveries.ts"
import { eventsAbout } from "./portal-events.ts"
import { timelineOf } from "./timeline.ts"
import { inWords } from "./words.ts"

/** A status that the delivery has reached, or one that lies ahead. */
export interface CourseStep {
  readonly status: DeliveryStatus
  readonly label: string
  /** Null: not reached yet. */
  readonly reachedAtMs: EpochMs | null
  /** The current estimate of an arrival ahead; else null. RFC 3339. */
  readonly estimatedAt: string | null
}

export interface DeliveryDetail extends PortalDelivery {
  readonly statusLabel: string
  readonly site: {
    readonly name: string
    readonly timezone: string | null
    readonly place: Place | null
  } | null
  readonly course: readonly CourseStep[]
  readonly nextSteps: readonly (NextStep & { readonly label: string })[]
  /** The position of the vehicle in the last event about it; null before the first. */
  readonly vehicleLocation: LocationRecord | null
}

export class DeliveryDetails extends service<DeliveryDetails>()("DeliveryDetails", () => ({
  read,
  messages,
  events,
  timeline,
})) {}

const read = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  const host = yield* ActorHost
  const journals = yield* GroupJournals
  const sites = yield* DeliverySites
  const group = deliveryGroup(id)
  return yield* host.view(
    [group],
    Routine.gen(function* () {
      // Read again: the view has taken the group's due entries.
      const row = yield* ownDelivery(caller, id)
      const record = yield* currentDelivery(id)
      const site = yield* sites.byId(row.siteId)
      const turns = yield* journals.first(group, TIMELINE_ENTRIES_MAX)
      return detailOf({
        row,
        record,
        site,
        reached: reachedStatuses(turns, group),
        next: yield* nextSteps({ ...row, status: record.status }, site),
      })
    }),
  )
})

interface Parts {
  readonly row: DeliveryRow
  readonly record: DeliveryRecord
  readonly site: DeliverySite | null
  readonly reached: readonly ReachedStatus[]
  readonly next: readonly NextStep[]
}

function detailOf({ row, record, site, reached, next }: Parts): DeliveryDetail {
  const { toldFix } = row
  return {
    id: row.deliveryId,
    siteId: row.siteId,
    record,
    statusLabel: inWords(record.status),
    site: site === null ? null : { name: site.name, timezone: site.timezone, place: site.place },
    course: courseOf(record, reached),
    nextSteps: next.map((step) => ({ ...step, label: inWords(step.status) })),
    vehicleLocation:
      toldFix === null
        ? null
        : {
            latitude: toldFix.latitude,
            longitude: toldFix.longitude,
            recorded_at: isoMs(toldFix.atMs),
          },
  }
}

/** Every status on the way; of a cancelled delivery those that it reached. */
function courseOf(record: DeliveryRecord, reached: readonly ReachedStatus[]): readonly CourseStep[] {
  const atMs = new Map(reached.map((one) => [one.status, one.atMs]))
  const isCancelled = record.status === "CANCELLED"
  return DELIVERY_STATUSES.filter((status) => (isCancelled ? atMs.has(status) : status !== "CANCELLED")).map(
    (status) => ({
      status,
      label: inWords(status),
      reachedAtMs: atMs.get(status) ?? null,
      estimatedAt: rankOf(status) > rankOf(record.status) ? estimateOf(record, status) : null,
    }),
  )
}

function estimateOf(record: DeliveryRecord, status: DeliveryStatus): string | null {
  if (status === "ARRIVED_AT_STORE") return record.estimated_pickup_at
  return status === "ARRIVED_AT_CUSTOMER" ? record.estimated_delivery_at : null
}

/** SMS to the customer, oldest first. */
const messages = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  return yield* (yield* MessageRows).about(id)
})

/** Newest first. */
const events = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  return yield* eventsAbout(id)
})

/** Oldest first. */
const timeline = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  return yield* timelineOf(deliveryGroup(id))
})
