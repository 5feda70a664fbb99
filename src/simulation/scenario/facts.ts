/** The facts of `expect`: each is looked up in the run as it is now, and reports what it found. */

import { Effect } from "effect"

import type { Refused } from "../../model/errors.ts"
import { PAGE_SIZE_MAX } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Group } from "../../kernel/group.ts"
import { statePath } from "../../kernel/step.ts"
import type { Snapshot } from "../../kernel/step.ts"
import { extrasOf, rootOf } from "../../services/actors.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { runnerTaskOf } from "../../areas/reservations/record.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { verifyWebhook } from "../../areas/webhooks/signature.ts"
import { isAccepted } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { asPartnerNamed } from "./callers.ts"
import { counted } from "./counted.ts"
import { LOOK_UP_COMPARTMENT } from "../../areas/compartments/scenario/facts.ts"
import { LOOK_UP_COURIER } from "../../areas/courier/scenario/facts.ts"
import { LOOK_UP_DELIVERY, isPickup, isSignedPickup } from "../../areas/direct-delivery/scenario/facts.ts"
import { openLinkUrlOf } from "./do-command.ts"
import { numberIfGiven, textIfGiven, textOf, timeIfGiven } from "./field-values.ts"
import type { Finding } from "./finding.ts"
import type { ExpectationName, FieldValues, TimeRef } from "./language.ts"
import type { PublishedEvent, RunContext } from "./run-context.ts"
import { findOrder } from "./arrival-order.ts"
import { webhookBodies } from "../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../memory-tables.ts"

/** Looks one fact up. */
export function lookUp(
  run: RunContext,
  fact: ExpectationName,
  fields: FieldValues,
): Effect.Effect<Finding, never, SimulatedServices> {
  return LOOK_UP[fact](run, fields)
}

type LookUp = (run: RunContext, fields: FieldValues) => Effect.Effect<Finding, never, SimulatedServices>

const TOLERANCE_MS = 300_000

const LOOK_UP: Readonly<Record<ExpectationName, LookUp>> = {
  reservation: (run, fields) => findReservation(run, fields),
  exception: (run, fields) => Effect.sync(() => findException(run, fields)),
  milestone: (run, fields) => Effect.sync(() => findMilestone(run, fields)),
  webhook: (run, fields) => Effect.sync(() => findWebhook(run, fields)),
  order: (run, fields) => Effect.sync(() => findOrder(run, fields)),
  deliveries: (run, fields) => Effect.sync(() => findDeliveries(run, fields)),
  believes: (run, fields) => Effect.sync(() => findBelief(run, fields)),
  signature: (run, fields) => Effect.sync(() => findSignatures(run, fields)),
  open_link: (run, fields) => findOpenLink(run, fields),
  state: (run, fields) => Effect.sync(() => findState(run, fields)),
  listed: (run, fields) => findListed(run, fields),
  ...LOOK_UP_DELIVERY,
  ...LOOK_UP_COURIER,
  ...LOOK_UP_COMPARTMENT,
}

function findReservation(
  run: RunContext,
  fields: FieldValues,
): Effect.Effect<Finding, never, SimulatedServices> {
  return Effect.gen(function* () {
    const name = textOf(fields, "reservation")
    const id = run.reservationId(name)
    if (id === null) return missing(name)
    const address = `reservation/${id}`
    const record = yield* readRecord(run, id)
    return compare(run, { name, fields, record, address, group: run.service.host.groups.get(address) })
  }).pipe(orRefused({ expected: `${textOf(fields, "reservation")} can be read` }))
}

/** The reservation as operations see it: permissions of the scenario's key must not affect facts. */
function readRecord(
  run: RunContext,
  id: string,
): Effect.Effect<ReservationRecord, Refused, SimulatedServices> {
  return Effect.flatMap(Reservations, (service) => service.read(run.operations, id))
}

/** A refused look-up is a fact that does not hold, and waiting cannot change that. */
function orRefused({
  expected,
}: Pick<Finding, "expected">): <R>(
  found: Effect.Effect<Finding, Refused, R>,
) => Effect.Effect<Finding, never, R> {
  return Effect.catchAll(({ code }) => {
    const finding: Finding = {
      holds: false,
      expected,
      actual: `refused with ${code}`,
      group: null,
      isLost: true,
    }
    return Effect.succeed(finding)
  })
}

interface Comparison {
  readonly name: string
  readonly fields: FieldValues
  readonly record: ReservationRecord
  readonly address: string
  /** State that only the actors have. */
  readonly group: Group | null
}

function compare(run: RunContext, comparison: Comparison): Finding {
  const { name, fields, address } = comparison
  const wrong: { field: string; expected: string; actual: string }[] = []
  for (const [field, wanted] of Object.entries(fields)) {
    if (field === "reservation" || field === "at" || field === "within") continue
    const expected = shownWanted(run, field, wanted)
    const actual = shownActual(run, field, comparison)
    if (expected !== actual) wrong.push({ field, expected, actual })
  }
  const say = (side: "expected" | "actual"): string =>
    wrong.map((one) => `${one.field} ${one[side]}`).join(", ")
  return {
    holds: wrong.length === 0,
    expected: `${name}: ${say("expected")}`,
    actual: `${name}: ${say("actual")}`,
    group: address,
  }
}

function shownWanted(run: RunContext, field: string, wanted: unknown): string {
  if (wanted === null) return "null"
  if (field === "window")
    return (wanted as readonly TimeRef[]).map((time) => shownTime(run, time)).join(" to ")
  if (field === "bot_eta" || field === "ready_estimate") return shownTime(run, wanted as TimeRef)
  if (field === "same_as") return run.reservationId(plain(wanted)) ?? "nothing"
  return plain(wanted)
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function shownActual(run: RunContext, field: string, { name, record, group }: Comparison): string {
  const clock = (iso: string | null | undefined): string =>
    iso === null || iso === undefined ? "null" : run.clock.show(Date.parse(iso))
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
      return String((group === null ? null : runnerTaskOf(group.actors, group.address)?.runnerId) ?? null)
    case "load_photo_skipped":
      return String(record.handoff?.load_photo_skipped ?? null)
    case "load_photo_url":
      return record.handoff?.load_photo_url === null || record.handoff === null ? "none" : "signed"
    case "runner_delay_seconds":
      return String(record.handoff?.runner_delay_seconds ?? null)
    case "takes_order_back":
      return String(group !== null && runnerTaskOf(group.actors, group.address)?.isReturning === true)
    case "same_as":
      return run.reservationId(name) ?? "nothing"
    default:
      return String(record[field as "status" | "canceled_by" | "cancel_reason"])
  }
}

function findException(run: RunContext, fields: FieldValues): Finding {
  const code = textOf(fields, "exception")
  const isIt = (event: PublishedEvent): boolean =>
    extrasOf("reservation.exception", event)?.reason_code === code
  const message = textIfGiven(fields, "message")
  const found = findPublished(run, fields, { isIt, what: `exception ${code}` })
  if (message === undefined || !found.holds) return found
  const told = publishedMessages(run, run.reservationId(textOf(fields, "for")), code)
  return {
    ...found,
    holds: told.includes(message),
    expected: `the message "${message}"`,
    actual: told.length === 0 ? "no endpoint that subscribes" : told.map((one) => `"${one}"`).join(", "),
  }
}

/** The published messages of exceptions with one code. */
function publishedMessages(run: RunContext, reservationId: string | null, code: string): readonly string[] {
  return memoryRowsOf(run.service.host.store, webhookBodies)
    .all()
    .filter((kept) => kept.subjectId === reservationId && kept.eventType === "reservation.exception")
    .map((kept) => (JSON.parse(kept.body) as EventBody).data)
    .filter((data) => data.reason_code === code)
    .map((data) => data.message ?? "")
}

function findMilestone(run: RunContext, fields: FieldValues): Finding {
  const milestone = textOf(fields, "milestone")
  const isIt = (event: PublishedEvent): boolean =>
    extrasOf("reservation.handoff_updated", event)?.milestone === milestone
  return findPublished(run, fields, { isIt, what: `milestone ${milestone}` })
}

function findPublished(
  run: RunContext,
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
  const tellings =
    told.length === 0 ? "never" : `at ${told.map((event) => run.clock.show(atOf(event))).join(", ")}`
  return {
    holds: times === undefined ? matching.length > 0 : matching.length === times,
    expected: `${what} of ${name}${when}${times === undefined ? "" : `, ${counted(times, "time")}`}`,
    actual: `told ${tellings}`,
    group: id === null ? null : `reservation/${id}`,
    ...(times !== undefined && matching.length > times ? { isLost: true } : {}),
  }
}

/** The time of an exception may be earlier than the time of its event. */
function atOf(event: PublishedEvent): EpochMs {
  const exception = extrasOf("reservation.exception", event)
  return exception?.occurred_at_ms ?? Math.floor(event.occurredUs / 1000)
}

function findWebhook(run: RunContext, fields: FieldValues): Finding {
  const to = textOf(fields, "to")
  const requests = run.receivedBy(to).filter((request) => !isPickup(request) && isAbout(run, request, fields))
  const accepted = new Set(
    requests.filter(isAccepted).map((request) => request.headers["X-Service-Event-Id"]),
  )
  const times = numberIfGiven(fields, "times")
  const attempts = numberIfGiven(fields, "attempts")
  const holds =
    (times === undefined ? attempts !== undefined || accepted.size > 0 : accepted.size === times) &&
    (attempts === undefined || requests.length === attempts)
  const wanted = [
    ...(times === undefined ? [] : [`accepted ${counted(times, "time")}`]),
    ...(attempts === undefined ? [] : [`requested ${counted(attempts, "time")}`]),
  ]
  const isLost =
    (times !== undefined && accepted.size > times) || (attempts !== undefined && requests.length > attempts)
  return {
    holds,
    expected: `${textOf(fields, "webhook")} to ${to}, ${wanted.length === 0 ? "accepted" : wanted.join(", ")}`,
    actual: `accepted ${counted(accepted.size, "time")}, requested ${counted(requests.length, "time")}`,
    group: null,
    isLost,
  }
}

interface EventBody {
  readonly event_id: string
  readonly event_type: string
  readonly occurred_at: string
  readonly data: {
    readonly reservation: ReservationRecord
    readonly milestone?: string
    readonly reason_code?: string
    readonly message?: string
  }
}

function isAbout(run: RunContext, request: ReceivedRequest, fields: FieldValues): boolean {
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

function findDeliveries(run: RunContext, fields: FieldValues): Finding {
  const to = textOf(fields, "deliveries")
  const state = textOf(fields, "state")
  const id = run.webhooks.get(to)?.webhookId
  const states = run.service.host.groups
    .all()
    .filter((group) => group.address.startsWith("webhook-delivery/"))
    .map((group) => rootOf("webhook-delivery", group))
    .filter(({ context }) => context.endpointId === id)
    .map((delivery): string => delivery.state)
  const count = states.filter((one) => one === state).length
  return {
    holds: count === fields["times"],
    expected: `${counted(numberIfGiven(fields, "times") ?? 0, "delivery", "deliveries")} to ${to} ${state}`,
    actual: `${count}; of ${states.length} in all: ${tally(states)}`,
    group: null,
  }
}

/**
 * The receiver keeps the greatest pair of occurred_at and event_id for each reservation, whatever the order of arrival.
 */
function findBelief(run: RunContext, fields: FieldValues): Finding {
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
    expected: `${to} believes ${textOf(fields, "status")}`,
    actual: `${to} believes ${last?.status ?? "nothing"}`,
    group: null,
  }
}

function findSignatures(run: RunContext, fields: FieldValues): Finding {
  const to = textOf(fields, "signature")
  const requests = run.receivedBy(to)
  const secrets = run.webhooks.get(to)?.secrets ?? []
  const bad = requests.filter((request) =>
    isPickup(request) ? !isSignedPickup(request, secrets) : !isSigned(request, secrets),
  )
  return {
    holds: requests.length > 0 && bad.length === 0,
    expected: `every request to ${to} signed`,
    actual: `${counted(requests.length, "request")}, ${bad.length} with a signature that does not fit`,
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

function findOpenLink(
  run: RunContext,
  fields: FieldValues,
): Effect.Effect<Finding, never, SimulatedServices> {
  const name = textOf(fields, "open_link")
  const id = run.reservationId(name)
  const url =
    id === null
      ? Effect.succeed(openLinkUrlOf(name))
      : Effect.map(readRecord(run, id), (record) => record.open_link_url)
  return Effect.map(url, (known) => countCalls(run, fields, known)).pipe(
    orRefused({ expected: `the open link of ${name} can be read` }),
  )
}

function countCalls(run: RunContext, fields: FieldValues, url: string): Finding {
  const name = textOf(fields, "open_link")
  const id = run.reservationId(name)
  const calls = run.service.world
    .receivedAt(url)
    .map(
      (request) =>
        JSON.parse(request.body) as { readonly reservation_id: string; readonly attempt_id: string },
    )
    .filter((body) => body.reservation_id === id)
  const ids = new Set(calls.map((body) => body.attempt_id)).size
  const wantedCalls = numberIfGiven(fields, "calls")
  const wantedIds = numberIfGiven(fields, "attempt_ids")
  const wanted = [
    ...(wantedCalls === undefined ? [] : [counted(wantedCalls, "call")]),
    ...(wantedIds === undefined ? [] : [counted(wantedIds, "attempt id")]),
  ]
  return {
    holds:
      (wantedCalls === undefined ? calls.length > 0 || wantedIds === 0 : calls.length === wantedCalls) &&
      (wantedIds === undefined || ids === wantedIds),
    expected: `the open link of ${name}: ${wanted.length === 0 ? "called" : wanted.join(", ")}`,
    actual: `${counted(calls.length, "call")}, ${counted(ids, "attempt id")}`,
    group: id === null ? null : `reservation/${id}`,
    isLost: wantedCalls !== undefined && calls.length > wantedCalls,
  }
}

function findState(run: RunContext, fields: FieldValues): Finding {
  const name = textOf(fields, "for")
  const id = run.reservationId(name)
  const group = id === null ? null : run.service.host.groups.get(`reservation/${id}`)
  if (group === null) return missing(name)
  const actor = textOf(fields, "actor")
  const found = actorOf(group, actor)
  const path = found === null ? "not started" : statePath(found)
  return {
    holds: path === fields["state"],
    expected: `the ${actor} of ${name} in ${textOf(fields, "state")}`,
    actual: `it is ${path}`,
    group: group.address,
  }
}

/** The named actor; of several open links, the last one. */
function actorOf(group: Group, actor: string): Snapshot | null {
  if (actor === "reservation") return group.actors.get(group.address)?.snapshot ?? null
  const address = actor === "open-link" ? lastOpenLink(group) : `${group.address}/${actor}`
  return group.actors.get(address)?.snapshot ?? null
}

function lastOpenLink(group: Group): string {
  const number = runnerTaskOf(group.actors, group.address)?.openLinks ?? 0
  return `${group.address}/open-link-${number}`
}

function findListed(run: RunContext, fields: FieldValues): Effect.Effect<Finding, never, SimulatedServices> {
  const expected = `${counted(numberIfGiven(fields, "listed") ?? 0, "reservation")} listed`
  return Effect.gen(function* () {
    const reservations = yield* Reservations
    const status = fields["status"] as readonly ReservationRecord["status"][] | undefined
    const order = textIfGiven(fields, "order_number")
    const caller = asPartnerNamed(run, textIfGiven(fields, "by"), run.partner.permissions).partner
    const page = yield* reservations.list(caller, {
      ...(status === undefined ? {} : { status }),
      ...(order === undefined ? {} : { order_number: order }),
      limit: PAGE_SIZE_MAX,
    })
    const count = page.reservations.length
    return {
      holds: count === fields["listed"],
      expected,
      actual: `${count} listed: ${tally(page.reservations.map((one) => one.status))}`,
      group: null,
    }
  }).pipe(orRefused({ expected }))
}

function shownTime(run: RunContext, time: TimeRef): string {
  return run.clock.show(run.clock.resolve(time, run.stepMs))
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ") || "none"
}

function missing(name: string): Finding {
  return {
    holds: false,
    expected: `${name} exists`,
    actual: `${name} was never booked`,
    group: null,
    isLost: true,
  }
}
