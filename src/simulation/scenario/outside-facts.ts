/**
 * Facts that can be seen from outside of the service: records that it answers, events that it publishes, and what receivers got. A
 * simulated run and a run against a service look them up in the same way.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { listed } from "../../model/values/listed.ts"
import { extrasOf } from "../../engine/services/actors.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { verifyWebhook } from "../../areas/webhooks/signature.ts"
import { isPickup, isSignedPickup } from "./direct-delivery/facts.ts"
import { isAccepted } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import { counted } from "./language/counted.ts"
import { numberIfGiven, textIfGiven, textOf, timeIfGiven } from "./language/field-values.ts"
import { comparedFields } from "./finding.ts"
import type { Difference, Finding } from "./finding.ts"
import type { FieldValues, TimeRef } from "./language/language.ts"
import { compareTimes, countRequests } from "./requests.ts"
import type { PublishedEvent, RunContext } from "./run-context.ts"

/** The part of a run that these facts are about. */
export type Observed = Pick<
  RunContext,
  "clock" | "published" | "receivedBy" | "reservationId" | "stepMs" | "webhooks"
> & {
  /** The messages of an exception in the events that were published for a reservation. */
  readonly messagesOf: (reservationId: string | null, code: string) => readonly string[]
}

const TOLERANCE_MS = 300_000

export interface Comparison {
  readonly name: string
  readonly fields: FieldValues
  readonly record: ReservationRecord
  readonly address: string
  /** Whether the runner takes the order back; undefined: it cannot be seen. */
  readonly isReturning: boolean | undefined
  /** Who has the task; undefined: it cannot be seen. */
  readonly runner: string | null | undefined
}

/** Compares the fields of a reservation that the step names. */
export function compareReservation(run: Observed, comparison: Comparison): Finding {
  const { name, fields, address } = comparison
  const wrong: Difference[] = []
  for (const [field, wanted] of Object.entries(fields)) {
    if (field === "reservation" || field === "at" || field === "within") continue
    const expected = shownWanted(run, field, wanted)
    const found = shownActual(run, field, comparison)
    if (expected !== found) wrong.push({ field, expected, found })
  }
  return { ...comparedFields(name, wrong), group: address }
}

function shownWanted(run: Observed, field: string, wanted: unknown): string {
  if (wanted === null) return "null"
  if (field === "window")
    return (wanted as readonly TimeRef[]).map((time) => shownTime(run, time)).join(" to ")
  if (field === "bot_eta" || field === "ready_estimate") return shownTime(run, wanted as TimeRef)
  if (isNoted(field)) return run.clock.showToSecond(run.clock.resolve(wanted as TimeRef, run.stepMs))
  if (field === "same_as") return run.reservationId(plain(wanted)) ?? "nothing"
  return plain(wanted)
}

/** The times that the service notes of a handoff, by name of the field in its block. */
const HANDOFF_TIMES = [
  "task_started_at",
  "order_in_hand_at",
  "runner_at_unit_at",
  "handoff_completed_at",
] as const

type HandoffTime = (typeof HANDOFF_TIMES)[number]

function isHandoffTime(field: string): field is HandoffTime {
  return HANDOFF_TIMES.some((one) => one === field)
}

/** A command of a scenario has no part of a second, but a step without a time may follow one that took a moment. */
function isNoted(field: string): boolean {
  return field === "asserted_at" || isHandoffTime(field)
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function shownActual(run: Observed, field: string, comparison: Comparison): string {
  const { name, record, isReturning, runner } = comparison
  const clock = (iso: string | null | undefined): string =>
    iso === null || iso === undefined ? "null" : run.clock.show(Date.parse(iso))
  if (isNoted(field)) {
    const iso = isHandoffTime(field) ? record.handoff?.[field] : record.bot?.asserted_at
    return iso === null || iso === undefined ? "null" : run.clock.showToSecond(Date.parse(iso))
  }
  switch (field) {
    case "stall":
      return String(record.stall_label)
    case "window":
      return `${clock(record.arrival_window_start)} to ${clock(record.arrival_window_end)}`
    case "bot":
      return String(record.bot?.status ?? null)
    case "bot_label":
      return String(record.bot?.label ?? null)
    case "bot_eta":
      return clock(record.bot?.eta)
    case "handoff":
      return String(record.handoff?.status ?? null)
    case "ready_estimate":
      return clock(record.handoff?.ready_estimate)
    case "runner":
      return String(runner)
    case "load_photo_skipped":
      return String(record.handoff?.load_photo_skipped ?? null)
    case "load_photo_url":
      return record.handoff?.load_photo_url === null || record.handoff === null ? "none" : "signed"
    case "runner_delay_seconds":
      return String(record.handoff?.runner_delay_seconds ?? null)
    case "takes_order_back":
      return String(isReturning)
    case "same_as":
      return run.reservationId(name) ?? "nothing"
    default:
      return String(record[field as "status" | "canceled_by" | "cancel_reason"])
  }
}

function shownTime(run: Observed, time: TimeRef): string {
  return run.clock.show(run.clock.resolve(time, run.stepMs))
}

export function findException(run: Observed, fields: FieldValues): Finding {
  const code = textOf(fields, "exception")
  const isIt = (event: PublishedEvent): boolean =>
    extrasOf("reservation.exception", event)?.reason_code === code
  const message = textIfGiven(fields, "message")
  const found = findPublished(run, fields, { isIt, what: `the exception ${code}` })
  if (message === undefined || !found.holds) return found
  const told = run.messagesOf(run.reservationId(textOf(fields, "for")), code)
  return {
    ...found,
    holds: told.includes(message),
    expected: `its message is "${message}"`,
    actual:
      told.length === 0
        ? "no endpoint subscribes to it"
        : `its message is ${listed(
            told.map((one) => `"${one}"`),
            "or",
          )}`,
  }
}

export function findMilestone(run: Observed, fields: FieldValues): Finding {
  const milestone = textOf(fields, "milestone")
  const isIt = (event: PublishedEvent): boolean =>
    extrasOf("reservation.handoff_updated", event)?.milestone === milestone
  return findPublished(run, fields, { isIt, what: `the milestone ${milestone}` })
}

function findPublished(
  run: Observed,
  fields: FieldValues,
  { isIt, what }: { isIt: (event: PublishedEvent) => boolean; what: string },
): Finding {
  const name = textOf(fields, "for")
  const id = run.reservationId(name)
  const time = timeIfGiven(fields, "at")
  const at = time === undefined ? null : run.clock.resolve(time, run.stepMs)
  const told = run.published.filter((event) => event.reservationId === id && isIt(event))
  const matching = at === null ? told : told.filter((event) => atOf(event) === at)
  const times = numberIfGiven(fields, "times")
  const when = at === null ? "" : ` at ${run.clock.show(at)}`
  const published =
    told.length === 0
      ? "it was not published"
      : `it was published at ${listed(told.map((event) => run.clock.show(atOf(event))))}`
  return {
    holds: times === undefined ? matching.length > 0 : matching.length === times,
    expected: `${what} of ${name} is published${times === undefined ? "" : ` ${counted(times, "time")}`}${when}`,
    actual: published,
    group: id === null ? null : `reservation/${id}`,
    ...(times !== undefined && matching.length > times ? { isLost: true } : {}),
  }
}

/** The time of an exception may be earlier than the time of its event. */
function atOf(event: PublishedEvent): EpochMs {
  const exception = extrasOf("reservation.exception", event)
  return exception?.occurred_at_ms ?? Math.floor(event.occurredUs / 1000)
}

export function findWebhook(run: Observed, fields: FieldValues): Finding {
  const to = textOf(fields, "to")
  return countRequests(run, fields, {
    what: `${textOf(fields, "webhook")} to ${to}`,
    requests: run.receivedBy(to).filter((request) => !isPickup(request) && isAbout(run, request, fields)),
    idOf: ({ headers }) => headers["X-Service-Event-Id"],
    previousOf: ({ body }) => (JSON.parse(body) as EventBody).data.previous_status,
  })
}

/** The body of a reservation's event. */
export interface EventBody {
  readonly event_id: string
  readonly event_type: string
  readonly occurred_at: string
  readonly data: {
    readonly reservation: ReservationRecord
    readonly previous_status?: string | null
    readonly milestone?: string
    readonly reason_code?: string
    readonly message?: string
  }
}

function isAbout(run: Observed, request: ReceivedRequest, fields: FieldValues): boolean {
  const event = JSON.parse(request.body) as EventBody
  const { reservation } = event.data
  const about = textIfGiven(fields, "for")
  const skipped = fields["load_photo_skipped"]
  const url = fields["load_photo_url"]
  const link = (reservation.handoff?.load_photo_url ?? null) === null ? "none" : "signed"
  return (
    event.event_type === fields["webhook"] &&
    equalsIfGiven(about === undefined ? undefined : run.reservationId(about), reservation.reservation_id) &&
    equalsIfGiven(fields["status"], reservation.status) &&
    equalsIfGiven(fields["milestone"], event.data.milestone) &&
    equalsIfGiven(fields["reason_code"], event.data.reason_code) &&
    equalsIfGiven(fields["url"], request.url) &&
    equalsIfGiven(url, link) &&
    equalsIfGiven(skipped, reservation.handoff?.load_photo_skipped ?? null)
  )
}

function equalsIfGiven(wanted: unknown, actual: unknown): boolean {
  return wanted === undefined || wanted === actual
}

/**
 * The receiver keeps the greatest pair of occurred_at and event_id for each reservation, whatever the order of arrival.
 */
export function findBelief(run: Observed, fields: FieldValues): Finding {
  const to = textOf(fields, "believes")
  const id = run.reservationId(textOf(fields, "for"))
  let last: { readonly pair: string; readonly status: string } | null = null
  for (const request of run.receivedBy(to).filter((one) => isAccepted(one) && !isPickup(one))) {
    const event = JSON.parse(request.body) as EventBody
    if (event.data.reservation.reservation_id !== id) continue
    const pair = `${event.occurred_at} ${event.event_id}`
    if (last === null || pair > last.pair) last = { pair, status: event.data.reservation.status }
  }
  return {
    holds: last?.status === fields["status"],
    expected: `${to} believes the status ${textOf(fields, "status")}`,
    actual: last === null ? `${to} believes nothing` : `${to} believes the status ${last.status}`,
    group: null,
  }
}

export function findSignatures(run: Observed, fields: FieldValues): Finding {
  const to = textOf(fields, "signature")
  const requests = run.receivedBy(to)
  const secrets = run.webhooks.get(to)?.secrets ?? []
  const bad = requests.filter((request) =>
    isPickup(request) ? !isSignedPickup(request, secrets) : !isSigned(request, secrets),
  )
  return {
    holds: requests.length > 0 && bad.length === 0,
    expected: `every request to ${to} is signed`,
    actual:
      requests.length === 0
        ? "no request came"
        : `${bad.length} of ${counted(requests.length, "request")} ${bad.length === 1 ? "has" : "have"} a signature that does not fit`,
    group: null,
  }
}

function isSigned({ headers, body, atMs }: ReceivedRequest, secrets: readonly string[]): boolean {
  return verifyWebhook({
    header: headers["X-Service-Signature"] ?? "",
    body,
    secrets,
    nowMs: atMs,
    toleranceMs: TOLERANCE_MS,
  })
}

/** `all`: every request to the URL of the open link. */
export function countOpenLinkCalls(
  run: Observed,
  fields: FieldValues,
  all: readonly ReceivedRequest[],
): Finding {
  const name = textOf(fields, "open_link")
  const id = run.reservationId(name)
  const calls = all.filter((request) => bodyOf(request).reservation_id === id)
  const ids = new Set(calls.map((request) => bodyOf(request).attempt_id)).size
  const wantedCalls = numberIfGiven(fields, "calls")
  const wantedIds = numberIfGiven(fields, "attempt_ids")
  const attempted = compareTimes(run, fields, calls)
  const wanted = [
    ...(wantedCalls === undefined ? [] : [counted(wantedCalls, "time")]),
    ...(wantedIds === undefined ? [] : [`with ${counted(wantedIds, "attempt id")}`]),
    ...(attempted === null ? [] : [attempted.expected]),
  ]
  const isCounted = wantedIds === 0 || attempted !== null
  return {
    holds:
      (wantedCalls === undefined ? calls.length > 0 || isCounted : calls.length === wantedCalls) &&
      (wantedIds === undefined || ids === wantedIds) &&
      attempted?.holds !== false,
    expected: ["the open link of", name, "is called", ...wanted].join(" "),
    actual:
      calls.length === 0
        ? "it was called at no time"
        : `it was called ${counted(calls.length, "time")} with ${counted(ids, "attempt id")}${attempted === null ? "" : ` ${attempted.actual}`}`,
    group: id === null ? null : `reservation/${id}`,
    isLost: (wantedCalls !== undefined && calls.length > wantedCalls) || attempted?.isLost === true,
  }
}

function bodyOf({ body }: ReceivedRequest): { readonly reservation_id: string; readonly attempt_id: string } {
  return JSON.parse(body) as { readonly reservation_id: string; readonly attempt_id: string }
}
