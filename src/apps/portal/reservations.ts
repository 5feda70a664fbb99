/**
 * Reservations for people of an organization: list, detail, and in the sandbox a test reservation and the walk. Each command is the
 * API's own and has the same refusals; objects of another organization or environment are `NOT_FOUND`.
 */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { Refused } from "../../model/values/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { EXCEPTION_MESSAGES } from "../../model/handoff.ts"
import { PAGE_SIZE_MAX, TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { AdvanceRequest, ListReservationsRequest } from "../../model/requests/requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { Catalog } from "../../areas/catalog/catalog.ts"
import { groupFor, ownRow } from "../../areas/reservations/commands.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import type { ReservationPage } from "../../areas/reservations/reservations.ts"
import type { ReservationRow, ReservationRows } from "../../areas/reservations/rows.ts"
import { SandboxWalk, walkStepsAhead } from "../../areas/reservations/sandbox-walk.ts"
import type { WalkStep } from "../../areas/reservations/sandbox-walk.ts"
import { sentEvents } from "../../areas/webhooks/sent-events.ts"
import type { WebhookStore } from "../../areas/webhooks/store.ts"
import type { WebhookLogRows } from "../../areas/webhooks/webhook-log.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import type { JournalTurn } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { withEndpoints } from "./portal-events.ts"
import type { PortalEvent } from "./portal-events.ts"
import { timelineOf } from "./timeline.ts"
import type { TimelineLine } from "./timeline.ts"
import { inWords } from "./words.ts"

export interface RaisedException {
  readonly code: ExceptionCode
  readonly message: string
  readonly atMs: EpochMs
}

export interface ReservationDetail {
  /** The API's record. */
  readonly record: ReservationRecord
  readonly statusLabel: string
  /** Names from the discovery tree; null when the grant has ended. */
  readonly place: {
    readonly siteId: string
    readonly siteName: string
    readonly timezone: string | null
    readonly zoneName: string
    readonly retailerName: string | null
  } | null
  /** Every exception so far, oldest first. */
  readonly exceptions: readonly RaisedException[]
  /** What advancing would do, nearest first; empty in production. */
  readonly nextSteps: readonly { readonly step: WalkStep; readonly label: string }[]
}

export class PortalReservations extends Context.Tag("PortalReservations")<
  PortalReservations,
  {
    /** Newest first. */
    readonly list: (
      caller: Partner,
      request: ListReservationsRequest,
      search: string | undefined,
    ) => Routine<ReservationPage, Refused>
    readonly read: (caller: Partner, id: string) => Routine<ReservationDetail, Refused>
    /** One step of the walk, or an exception; only in the sandbox. */
    readonly advance: (
      caller: Partner,
      id: string,
      request: AdvanceRequest,
    ) => Routine<ReservationDetail, Refused>
    readonly cancel: (
      caller: Partner,
      id: string,
      reason: string | undefined,
    ) => Routine<ReservationDetail, Refused>
    /** Newest first. */
    readonly events: (caller: Partner, id: string) => Routine<readonly PortalEvent[], Refused>
    /** Oldest first. */
    readonly timeline: (caller: Partner, id: string) => Routine<readonly TimelineLine[], Refused>
  }
>() {}

type Needs =
  | ActorHost
  | Catalog
  | GroupJournals
  | ReservationRows
  | Reservations
  | SandboxWalk
  | WebhookLogRows
  | WebhookStore

export const layerPortalReservations: Layer.Layer<PortalReservations, never, Needs> = Layer.effect(
  PortalReservations,
  Effect.map(Effect.context<Needs>(), (context): PortalReservations["Type"] => ({
    list: (caller, request, search) =>
      provided(
        Routine.flatMap(Reservations, (reservations) => reservations.list(caller, request, search)),
        context,
      ),
    read: (caller, id) => provided(read(caller, id), context),
    advance: (caller, id, request) =>
      provided(
        Routine.zipRight(
          Routine.flatMap(SandboxWalk, (walk) => walk.advance(caller, id, request)),
          read(caller, id),
        ),
        context,
      ),
    cancel: (caller, id, reason) =>
      provided(
        Routine.zipRight(
          Routine.flatMap(Reservations, (reservations) => reservations.cancel(caller, id, reason)),
          read(caller, id),
        ),
        context,
      ),
    events: (caller, id) => provided(events(caller, id), context),
    timeline: (caller, id) => provided(timeline(caller, id), context),
  })),
)

const read = Routine.fn(function* (caller: Partner, id: string) {
  const record = yield* (yield* Reservations).read(caller, id)
  const row = yield* ownRow(caller, id)
  const host = yield* ActorHost
  const journals = yield* GroupJournals
  const turns = yield* journals.first(groupFor(id), TIMELINE_ENTRIES_MAX)
  const group = caller.environment === "sandbox" ? yield* host.read(groupFor(id)) : null
  const ahead = group === null ? [] : walkStepsAhead(group.actors, group.address)
  return {
    record,
    statusLabel: inWords(record.status),
    place: yield* placeOf(caller, row),
    exceptions: exceptionsIn(turns),
    nextSteps: ahead.map((step) => ({ step, label: inWords(step) })),
  } satisfies ReservationDetail
})

const placeOf = Routine.fn(function* (caller: Partner, { zoneId, retailerId }: ReservationRow) {
  for (const site of yield* (yield* Catalog).discover(caller)) {
    const zone = site.zones.find((one) => one.zone_id === zoneId)
    if (zone === undefined) continue
    const retailer = zone.retailers.find((one) => one.retailer_id === retailerId)
    return {
      siteId: site.site_id,
      siteName: site.name,
      timezone: site.timezone,
      zoneName: zone.name,
      retailerName: retailer?.name ?? null,
    }
  }
  return null
})

/** The exceptions that the reservation's actors have published. A message that was sent with one is in its event alone. */
function exceptionsIn(turns: readonly JournalTurn[]): readonly RaisedException[] {
  return turns
    .filter(({ body }) => body.refused === null)
    .flatMap(({ instantMs, body }) =>
      body.steps
        .flatMap(({ asked }) => asked)
        .flatMap((asked) => {
          if (asked.type !== "kernel.publish" || asked.event !== "reservation.exception") return []
          const code = asked.extras?.["reason_code"] as ExceptionCode
          return [{ code, message: EXCEPTION_MESSAGES[code], atMs: instantMs }]
        }),
    )
}

const events = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownRow(caller, id)
  const query = { of: { subjectId: id }, eventType: null, beforeNumber: null, limit: PAGE_SIZE_MAX }
  return yield* withEndpoints(yield* sentEvents(query))
})

const timeline = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownRow(caller, id)
  return yield* timelineOf(groupFor(id))
})
