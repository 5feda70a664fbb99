/**
 * Reservations for people of an organization: list, detail, and in the sandbox a test reservation and the walk. Each command is the
 * API's own and has the same refusals; objects of another organization or environment are `NOT_FOUND`.
 */

import type { Partner } from "../../model/caller.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { EXCEPTION_MESSAGES } from "../../model/handoff.ts"
import { TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { AdvanceRequest, ListReservationsRequest } from "../../model/requests/requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { Catalog } from "../../areas/catalog/catalog.ts"
import { groupFor, ownRow } from "../../areas/reservations/commands.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import type { ReservationRow } from "../../areas/reservations/rows.ts"
import { SandboxWalk, walkStepsAhead } from "../../areas/reservations/sandbox-walk.ts"
import type { WalkStep } from "../../areas/reservations/sandbox-walk.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import type { JournalTurn } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { eventsAbout } from "./portal-events.ts"
import { timelineOf } from "./timeline.ts"
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

export class PortalReservations extends service<PortalReservations>()("PortalReservations", () => ({
  list,
  read,
  advance,
  cancel,
  events,
  timeline,
})) {}

/** Newest first. */
const list = Routine.fn(function* (
  caller: Partner,
  request: ListReservationsRequest,
  search: string | undefined,
) {
  return yield* (yield* Reservations).list(caller, request, search)
})

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

/** One step of the walk, or an exception; only in the sandbox. */
const advance = Routine.fn(function* (caller: Partner, id: string, request: AdvanceRequest) {
  yield* (yield* SandboxWalk).advance(caller, id, request)
  return yield* read(caller, id)
})

const cancel = Routine.fn(function* (caller: Partner, id: string, reason: string | undefined) {
  yield* (yield* Reservations).cancel(caller, id, reason)
  return yield* read(caller, id)
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

/** Newest first. */
const events = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownRow(caller, id)
  return yield* eventsAbout(id)
})

/** Oldest first. */
const timeline = Routine.fn(function* (caller: Partner, id: string) {
  yield* ownRow(caller, id)
  return yield* timelineOf(groupFor(id))
})
