/** The facts of `expect`: each is looked up in the run as it is now, and reports what it found. */

import { Effect } from "effect"

import type { Refused } from "../../model/values/errors.ts"
import { PAGE_SIZE_MAX } from "../../model/values/limits.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { statePath } from "../../engine/kernel/step.ts"
import type { Snapshot } from "../../engine/kernel/step.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { runnerTaskOf } from "../../areas/reservations/record.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { asPartnerNamed } from "./callers.ts"
import { counted } from "./language/counted.ts"
import { LOOK_UP_COMPARTMENT } from "./compartments/facts.ts"
import { LOOK_UP_COURIER } from "./courier/facts.ts"
import { LOOK_UP_DELIVERY } from "./direct-delivery/facts.ts"
import { openLinkUrlOf } from "./request-bodies.ts"
import { numberIfGiven, textIfGiven, textOf } from "./language/field-values.ts"
import { listedText, missing, tally } from "./finding.ts"
import type { Finding } from "./finding.ts"
import type { ExpectationName, FieldValues } from "./language/language.ts"
import {
  compareReservation,
  countOpenLinkCalls,
  findBelief,
  findException,
  findMilestone,
  findSignatures,
  findWebhook,
} from "./outside-facts.ts"
import type { RunContext } from "./run-context.ts"
import { findOrder } from "./arrival-order.ts"

/** Looks one fact up. */
export function lookUp(
  run: RunContext,
  fact: ExpectationName,
  fields: FieldValues,
): Effect.Effect<Finding, never, SimulatedServices> {
  return LOOK_UP[fact](run, fields)
}

type LookUp = (run: RunContext, fields: FieldValues) => Effect.Effect<Finding, never, SimulatedServices>

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
    if (id === null) return missing(name, NEVER_BOOKED)
    const address = `reservation/${id}`
    const record = yield* readRecord(run, id)
    const group = run.service.host.groups.get(address)
    const task = group === null ? null : runnerTaskOf(group.actors, address)
    const handled = { isReturning: task?.isReturning === true, runner: task?.runnerId ?? null }
    return compareReservation(run, { name, fields, record, address, ...handled })
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
      actual: `it was refused with ${code}`,
      group: null,
      isLost: true,
    }
    return Effect.succeed(finding)
  })
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
  const wanted = numberIfGiven(fields, "times") ?? 0
  return {
    holds: count === fields["times"],
    expected: `${counted(wanted, "delivery", "deliveries")} to ${to} ${wanted === 1 ? "is" : "are"} in the state ${state}`,
    actual:
      states.length === 0
        ? "there is no delivery to it"
        : `there ${states.length === 1 ? "is" : "are"} ${counted(states.length, "delivery", "deliveries")}: ${tally(states)}`,
    group: null,
  }
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
  return Effect.map(url, (known) =>
    countOpenLinkCalls(run, fields, run.service.world.receivedAt(known)),
  ).pipe(orRefused({ expected: `the open link of ${name} can be read` }))
}

function findState(run: RunContext, fields: FieldValues): Finding {
  const name = textOf(fields, "for")
  const id = run.reservationId(name)
  const group = id === null ? null : run.service.host.groups.get(`reservation/${id}`)
  if (group === null) return missing(name, NEVER_BOOKED)
  const actor = textOf(fields, "actor")
  const found = actorOf(group, actor)
  const path = found === null ? null : statePath(found)
  return {
    holds: path === fields["state"],
    expected: `the ${actor} of ${name} is in the state ${textOf(fields, "state")}`,
    actual: path === null ? "it has not started" : `it is in the state ${path}`,
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
  const wanted = numberIfGiven(fields, "listed") ?? 0
  const expected = `${counted(wanted, "reservation")} ${wanted === 1 ? "is" : "are"} listed`
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
      actual: listedText(page.reservations.map((one) => one.status)),
      group: null,
    }
  }).pipe(orRefused({ expected }))
}

const NEVER_BOOKED = "was never booked"
