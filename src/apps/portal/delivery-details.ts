/**
 * One delivery with all that a person of its organization may see: its course, the next steps of the sandbox, messages to the
 * customer, events sent for it, and its timeline. Objects of another organization or environment are `NOT_FOUND`.
 */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import { DELIVERY_STATUSES, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Refused } from "../../model/values/errors.ts"
import { PAGE_SIZE_MAX, TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { currentDelivery, deliveryGroup } from "../../areas/direct-delivery/commands.ts"
import { nextSteps, reachedStatuses } from "../../areas/direct-delivery/course.ts"
import type { NextStep, ReachedStatus } from "../../areas/direct-delivery/course.ts"
import type { DeliveryRecord, LocationRecord } from "../../areas/direct-delivery/record.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import type { DeliveryRow, DeliveryRows, DeliverySite } from "../../areas/direct-delivery/rows.ts"
import type { VehicleRows } from "../../areas/dispatch/rows.ts"
import type { Runs } from "../../areas/dispatch/runs.ts"
import { MessageRows } from "../../areas/messages/rows.ts"
import type { Message } from "../../areas/messages/rows.ts"
import { sentEvents } from "../../areas/webhooks/sent-events.ts"
import type { WebhookStore } from "../../areas/webhooks/store.ts"
import type { WebhookLogRows } from "../../areas/webhooks/webhook-log.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { ownDelivery } from "./deliveries.ts"
import type { PortalDelivery } from "./deliveries.ts"
import { withEndpoints } from "./portal-events.ts"
import type { PortalEvent } from "./portal-events.ts"
import { timelineOf } from "./timeline.ts"
import type { TimelineLine } from "./timeline.ts"
import { inWords } from "./words.ts"
import type { TrackingLinks } from "../../areas/direct-delivery/tracking-links.ts"

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

export class DeliveryDetails extends Context.Tag("DeliveryDetails")<
  DeliveryDetails,
  {
    readonly read: (caller: Partner, id: string) => Routine<DeliveryDetail, Refused>
    /** SMS to the customer, oldest first. */
    readonly messages: (caller: Partner, id: string) => Routine<readonly Message[], Refused>
    /** Newest first. */
    readonly events: (caller: Partner, id: string) => Routine<readonly PortalEvent[], Refused>
    /** Oldest first. */
    readonly timeline: (caller: Partner, id: string) => Routine<readonly TimelineLine[], Refused>
  }
>() {}

type Needs =
  | ActorHost
  | DeliveryRows
  | DeliverySites
  | GroupJournals
  | MessageRows
  | Runs
  | TrackingLinks
  | VehicleRows
  | WebhookLogRows
  | WebhookStore

export const layerDeliveryDetails: Layer.Layer<DeliveryDetails, never, Needs> = Layer.effect(
  DeliveryDetails,
  Effect.map(Effect.context<Needs>(), (context): DeliveryDetails["Type"] => ({
    read: (caller, id) => provided(read(caller, id), context),
    messages: (caller, id) => provided(messages(caller, id), context),
    events: (caller, id) => provided(events(caller, id), context),
    timeline: (caller, id) => provided(timeline(caller, id), context),
  })),
)

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

const messages = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  return yield* (yield* MessageRows).about(id)
})

const events = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  const query = { of: { subjectId: id }, eventType: null, beforeNumber: null, limit: PAGE_SIZE_MAX }
  return yield* withEndpoints(yield* sentEvents(query))
})

const timeline = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownDelivery(caller, id)
  return yield* timelineOf(deliveryGroup(id))
})
