/**
 * Reservations: the operations of fleet partners, the runner application and operations on a reservation. Source:
 * reservations contract, endpoints.
 */

import { Either } from "effect"
import type { Caller, Operator, Partner } from "../../model/caller.ts"
import { BOT_EVENT_BY_STATUS } from "../../model/bot.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import { ETA_DISTANCE_MS_MAX, OCCURRED_AHEAD_MS_MAX, PAGE_SIZE } from "../../model/values/limits.ts"
import type { PayloadLimit } from "../../model/payload-limit.ts"
import { CancelRequest, IdempotencyKeyHeader } from "../../model/requests/requests.ts"
import type {
  BotReportRequest,
  CreateReservationRequest,
  ListReservationsRequest,
  MoveWindowRequest,
} from "../../model/requests/requests.ts"
import { decodeRequest } from "../../model/values/schema.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { currentRoot, start } from "../../engine/services/actors.ts"
import { Catalog } from "../catalog/catalog.ts"
import type { BookableZone } from "../catalog/catalog.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { Policies } from "../../engine/services/policies.ts"
import type { EnvironmentPolicy } from "../../engine/services/policies.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { service } from "../../engine/services/service.ts"
import { withBound } from "./booking-rules.ts"
import { comparisonOf, differingFields } from "./comparison.ts"
import { commandReservation, currentRecord, groupFor, ownRow, readForEvents, zoneLock } from "./commands.ts"
import { runnerTaskOf } from "./record.ts"
import type { ReservationRecord } from "./record.ts"
import { refusedBy } from "./refusals.ts"
import { signedPhoto } from "./announcements.ts"
import { ReservationRows } from "./rows.ts"
import type { ReservationRow, SentPayloadLimit } from "./rows.ts"
import { placeCursors, wrongCursor } from "../../engine/services/cursors.ts"
import { Routine } from "../../engine/services/routine.ts"

/** A reservation, and whether this request created it or an earlier one with the same key. */
export interface Created {
  readonly reservation: ReservationRecord
  readonly isReplay: boolean
}

interface ReservationPage {
  readonly reservations: readonly ReservationRecord[]
  readonly next_cursor: string | null
}

export class Reservations extends service<Reservations>()("Reservations", () => ({
  create,
  read,
  list,
  moveWindow,
  cancel,
  reportBot,
})) {}

const create = Routine.fn(function* (
  caller: Partner,
  request: CreateReservationRequest,
  idempotencyKey?: string,
) {
  yield* requirePermission(caller, "reservations:write")
  const host = yield* ActorHost
  const urls = yield* UrlPolicy
  const { key: digestKey } = yield* DigestKey
  const key = yield* checkedKey(idempotencyKey)
  const comparison = comparisonOf(request, digestKey)
  const earlierOf = (row: ReservationRow | null) =>
    checkedEarlier(row, (kept) => differingFields(kept, request, digestKey))
  const replay = yield* earlierOf(yield* rowWithKey(caller, key))
  if (replay !== null) {
    const { reservationId } = replay
    return {
      reservation: yield* host.view([groupFor(reservationId)], currentRecord(reservationId)),
      isReplay: true,
    }
  }
  const verdict = yield* Routine.suspend(() => urls.check(request.open_link_url, caller))
  const textProblem = urls.checkText(request.open_link_url)
  const openLink: Pick<Facts<"book@1">, "openLinkText" | "openLinkHost"> = {
    openLinkText: textProblem === null ? "fine" : "refused",
    openLinkHost: verdict.type,
  }
  const linkDetail = textProblem ?? (verdict.type === "refused" ? verdict.detail : null)
  return yield* host.run({
    name: "create a reservation",
    locks: {
      zone: zoneLock(caller, request.zone_id),
      ...(key === null ? {} : keyLock(caller, key)),
    },
    reads: batch([rowWithKey(caller, key), readForBooking(caller, request), readForEvents(caller)]),
    body: ([row, found]) =>
      Routine.gen(function* () {
        const earlier = yield* earlierOf(row)
        if (earlier !== null)
          return { reservation: yield* currentRecord(earlier.reservationId), isReplay: true }
        return yield* book({ caller, request, key, comparison, openLink, linkDetail, ...found })
      }),
  })
})

/** The rows that every booking needs. */
const readForBooking = Routine.fn(function* (
  { environment, organizationId }: Partner,
  request: CreateReservationRequest,
) {
  const policies = yield* Policies
  const catalog = yield* Catalog
  const rows = yield* ReservationRows
  const { zone_id: zoneId, arrival_window_start: startsAtMs, arrival_window_end: endsAtMs } = request
  const [policy, zone, loads] = yield* batch([
    policies.of(environment),
    catalog.zone({ environment, organizationId }, zoneId),
    rows.loads({ environment, zoneId, startsAtMs, endsAtMs }),
  ])
  return { policy, zone, loads }
})

function keyLock(caller: Partner, key: string) {
  return {
    key: scopedKey(caller, key),
    whenKeyIsBusy: new Refused({ code: "IDEMPOTENCY_IN_PROGRESS" }),
  }
}

interface Booking {
  readonly caller: Partner
  readonly request: CreateReservationRequest
  readonly key: string | null
  readonly comparison: string
  readonly openLink: Pick<Facts<"book@1">, "openLinkText" | "openLinkHost">
  /** Why the open link is refused; null when it is accepted. */
  readonly linkDetail: string | null
  readonly policy: EnvironmentPolicy
  readonly zone: BookableZone | null
  /** Reservations that overlap the window, by stall. */
  readonly loads: ReadonlyMap<string, number>
}

const book = Routine.fn(function* (booking: Booking) {
  const { caller, request, key, comparison, linkDetail, policy, zone } = booking
  const host = yield* ActorHost
  const rows = yield* ReservationRows
  const transaction = yield* Transaction
  const facts = bookingFacts(booking)
  const nonce = yield* host.nonce
  const reservationId = newId("reservation", nonce)
  const answer = yield* start("reservation@1", {
    to: groupFor(reservationId),
    input: {
      zoneId: request.zone_id,
      retailerId: request.retailer_id,
      startsAtMs: request.arrival_window_start,
      endsAtMs: request.arrival_window_end,
      payloadLimit: limitOf(request.payload_limit),
      hasRunner: zone?.hasRunner ?? false,
      policy: policy.reservation,
    },
    environment: caller.environment,
    organizationId: caller.organizationId,
    facts,
    decision: "book@1",
    nonce,
  })
  if (answer.type === "refused") {
    const window = { startsAtMs: request.arrival_window_start, endsAtMs: request.arrival_window_end }
    if (answer.code === "INVALID_OPEN_LINK" && linkDetail !== null) {
      return yield* new Refused({ code: answer.code, detail: linkDetail })
    }
    return yield* withBound(refusedBy(answer), window, policy.window)
  }
  const { stallId } = (yield* currentRoot("reservation", groupFor(reservationId))).context
  yield* rows.insert({
    reservationId,
    organizationId: caller.organizationId,
    environment: caller.environment,
    zoneId: request.zone_id,
    retailerId: request.retailer_id,
    stallId,
    stallLabel: zone?.stalls.find((stall) => stall.stallId === stallId)?.label ?? null,
    orderNumber: request.order_number,
    endUserName: request.end_user_name,
    endUserPhone: request.end_user_phone,
    openLinkUrl: request.open_link_url,
    retailerPickupRef: request.retailer_pickup_ref ?? null,
    payloadLimit: request.payload_limit ?? null,
    cancelReason: null,
    botLabel: null,
    exceptionMessages: {},
    idempotencyKey: key,
    comparison,
    createdAtMs: transaction.nowMs,
    status: "confirmed",
    startsAtMs: request.arrival_window_start,
    endsAtMs: request.arrival_window_end,
    updatedAtMs: transaction.nowMs,
    taskStagingAtMs: null,
  })
  return { reservation: yield* currentRecord(reservationId), isReplay: false }
})

function bookingFacts({ request, zone, openLink, policy, loads }: Booking): Facts<"book@1"> {
  return {
    zone: zone === null ? "unknown" : "known",
    retailer: zone?.retailerIds.includes(request.retailer_id) === true ? "supported" : "unsupported",
    limits: { ...policy.window },
    ...openLink,
    stalls: (zone?.stalls ?? [])
      .filter((stall) => stall.isActive)
      .map(({ stallId, label }) => ({ stallId, label, overlapping: loads.get(stallId) ?? 0 })),
  }
}

/** The row of an earlier request with the same key, or null. */
const rowWithKey = Routine.fn(function* ({ organizationId, environment }: Partner, key: string | null) {
  if (key === null) return null
  const rows = yield* ReservationRows
  return yield* rows.byKey({ organizationId, environment, key })
})

/** The earlier row if its request was the same; its replay checks neither URL nor zone nor window. */
const checkedEarlier = Routine.fn(function* (
  row: ReservationRow | null,
  differing: (kept: string) => readonly string[] | null,
) {
  if (row === null) return null
  const fields = differing(row.comparison)
  if (fields?.length === 0) return row
  const problems = (fields ?? []).map((field) => ({ field, message: "differs from the first request" }))
  return yield* new Refused({ code: "IDEMPOTENCY_KEY_REUSED", problems })
})

const read = Routine.fn(function* (caller: Caller, reservationId: string) {
  yield* requirePermission(caller, "reservations:read")
  const host = yield* ActorHost
  const address = groupFor(reservationId)
  const seen = yield* host.view(
    [address],
    Routine.gen(function* () {
      const row = yield* ownRow(caller, reservationId)
      const { group } = yield* Transaction
      const found = yield* group(address)
      const photoId = found === null ? null : (runnerTaskOf(found.actors, address)?.photoId ?? null)
      return { row, photoId, record: yield* currentRecord(reservationId) }
    }),
  )
  if (seen.photoId === null) return seen.record
  return withPhoto(seen.record, yield* signedPhoto(seen.row, seen.photoId))
})

/** `search`: a part of the order number. */
const list = Routine.fn(function* (
  caller: Partner,
  request: ListReservationsRequest,
  search: string | null = null,
) {
  yield* requirePermission(caller, "reservations:read")
  const host = yield* ActorHost
  const limit = request.limit ?? PAGE_SIZE
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const rows = yield* ReservationRows
      const beforeNumber = request.cursor === undefined ? null : yield* placeOf(caller, request.cursor)
      const found = yield* rows.list({
        organizationId: caller.organizationId,
        environment: caller.environment,
        statuses: request.status ?? null,
        zoneId: request.zone_id ?? null,
        retailerId: request.retailer_id ?? null,
        orderNumber: request.order_number ?? null,
        search,
        arrivalFromMs: request.arrival_from ?? null,
        arrivalToMs: request.arrival_to ?? null,
        beforeNumber,
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const next_cursor = found.length > limit && last !== undefined ? cursorOf(last.reservationId) : null
      const reservations = yield* Routine.forEach(page, (row) => currentRecord(row.reservationId))
      return { reservations, next_cursor } satisfies ReservationPage
    }),
  )
})

const moveWindow = Routine.fn(function* (caller: Partner, reservationId: string, request: MoveWindowRequest) {
  yield* requirePermission(caller, "reservations:write")
  const policies = yield* Policies
  const { window } = yield* policies.of(caller.environment)
  // A reservation never changes its zone, so the value read before the lock is still right.
  const own = yield* ownRow(caller, reservationId)
  const moved = (row: Pick<typeof own, "endsAtMs" | "startsAtMs">) => ({
    startsAtMs: request.arrival_window_start ?? row.startsAtMs,
    endsAtMs: request.arrival_window_end ?? row.endsAtMs,
  })
  const moving = commandReservation({
    name: "move an arrival window",
    caller,
    reservationId,
    zone: own.zoneId,
    request: (row) => ({
      part: "",
      turn: {
        event: { type: "window.moved", ...moved(row) },
        facts: { limits: { ...window } },
        decision: "move-window@1",
      },
    }),
  })
  return yield* Routine.mapError(moving, (error) =>
    error instanceof Refused ? withBound(error, moved(own), window) : error,
  )
})

/** By the partner, or by an operator in the name of the runner or of operations. */
const cancel = Routine.fn(function* (caller: Caller, reservationId: string, reason?: string) {
  yield* requirePermission(caller, "reservations:write")
  const rows = yield* ReservationRows
  const sent = yield* decodeRequest(CancelRequest, { reason })
  const cancelReason = sent.reason === undefined || sent.reason === "" ? null : sent.reason
  return yield* commandReservation({
    name: "cancel a reservation",
    caller,
    reservationId,
    request: () => ({ part: "", turn: { event: { type: "cancel.requested", by: cancelerOf(caller) } } }),
    // A repeat keeps the first reason.
    onAnswered: ({ isRepeat }) => (isRepeat ? Routine.void : rows.change(reservationId, { cancelReason })),
  })
})

function cancelerOf(caller: Caller): "partner" | Operator["by"] {
  return caller.type === "partner" ? "partner" : caller.by
}

const reportBot = Routine.fn(function* (caller: Partner, reservationId: string, report: BotReportRequest) {
  yield* requirePermission(caller, "reservations:write")
  const rows = yield* ReservationRows
  const nowMs = yield* Routine.nowMs
  yield* checkTimes(report, nowMs)
  const occurredAtMs = report.occurred_at ?? nowMs
  const received = {
    reservationId,
    status: report.status,
    label: report.label ?? null,
    reason: report.status === "ABORTED" ? (report.reason ?? null) : null,
    occurredAtMs,
    receivedAtMs: nowMs,
  }
  return yield* commandReservation({
    name: "report a bot's status",
    caller,
    reservationId,
    request: () => ({
      part: "/bot",
      turn: {
        event: {
          type: BOT_EVENT_BY_STATUS[report.status],
          occurredAtMs,
          ...(report.eta === undefined ? {} : { etaMs: report.eta }),
        },
      },
    }),
    onAnswered: ({ row, instantMs }) =>
      Routine.zipRight(
        report.label === undefined || report.label === row.botLabel
          ? Routine.void
          : rows.change(reservationId, { botLabel: report.label, updatedAtMs: instantMs }),
        rows.addReport({ ...received, isApplied: true }),
      ),
    onRefused: () => rows.addReport({ ...received, isApplied: false }),
  })
})

function checkTimes(report: BotReportRequest, nowMs: number): Routine<void, Refused> {
  const problems: { field: string; message: string }[] = []
  if (typeof report.eta === "number" && Math.abs(report.eta - nowMs) > ETA_DISTANCE_MS_MAX) {
    problems.push({ field: "eta", message: "must be within 24 hours of now" })
  }
  if (typeof report.occurred_at === "number" && report.occurred_at > nowMs + OCCURRED_AHEAD_MS_MAX) {
    problems.push({ field: "occurred_at", message: "must not be more than 5 minutes in the future" })
  }
  return problems.length === 0
    ? Routine.void
    : Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems }))
}

function withPhoto(record: ReservationRecord, load_photo_url: string | null): ReservationRecord {
  return record.handoff === null ? record : { ...record, handoff: { ...record.handoff, load_photo_url } }
}

function checkedKey(key: string | undefined): Routine<string | null, Refused> {
  if (key === undefined) return Routine.succeed(null)
  return Routine.map(decodeRequest(IdempotencyKeyHeader, { "Idempotency-Key": key }), () => key)
}

function scopedKey(caller: Partner, key: string): string {
  return `reservations/${caller.environment}/${caller.organizationId}/${key}`
}

function limitOf(sent: SentPayloadLimit | null | undefined): PayloadLimit | null {
  if (sent === null || sent === undefined) return null
  return { maxWeightKg: sent.max_weight_kg ?? null, maxDimensionsCm: sent.max_dimensions_cm ?? null }
}

/** A cursor contains only the id of the last reservation of its page: no counts. The database takes no text with a NUL. */
const { cursorOf, placeOf: idIn } = placeCursors<string>(
  (reservationId) => reservationId,
  (text) => (text.includes("\0") ? null : text),
)

/** The place in the list after which a page begins. Only a cursor of an earlier page of the caller is accepted. */
const placeOf = Routine.fn(function* (caller: Partner, cursor: string) {
  const found = yield* Routine.either(ownRow(caller, yield* idIn(cursor)))
  return Either.isRight(found) ? found.right.number : yield* wrongCursor
})
