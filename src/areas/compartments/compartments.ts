/**
 * The compartment of a vehicle at the customer's door. Its fleet opens it on a call: for the customer after the last four
 * digits of the phone number, once; for operations at any time while the vehicle is there (src/DECISIONS.md §270). The
 * rules are in the machine `compartment`; the digits stay outside of it.
 */

import { Effect } from "effect"
import { idOf } from "../../model/address.ts"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import {
  CALL_RESENDS_MAX,
  COMPARTMENT_TRIES_MAX,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
} from "../../model/values/limits.ts"
import type { CompartmentState } from "../../model/compartment.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { ask, rootOf, start } from "../../engine/services/actors.ts"
import { DryRun, isTaken } from "../../engine/services/dry-run.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { refusedFor } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { CourierRows } from "../courier/rows.ts"
import { deliveryFor, deliveryGroup } from "../direct-delivery/commands.ts"
import { deliveryStatus } from "../direct-delivery/record.ts"
import { isForRetailer } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { FleetSettingsRows } from "../dispatch/fleet-settings.ts"

export interface CompartmentRecord {
  readonly state: CompartmentState
  readonly wrongTries: number
  readonly triesLeft: number
}

export class Compartments extends service<Compartments>()("Compartments", () => ({ open, grant })) {}

export function compartmentGroup(deliveryId: string): string {
  return `compartment/${deliveryId}`
}

/** The compartment in the open transaction or view; closed until the first request. */
export const currentCompartment = Routine.fn(function* (deliveryId: string) {
  const { group } = yield* Transaction
  const found = yield* group(compartmentGroup(deliveryId))
  const root = found === null ? null : rootOf("compartment", found)
  const { wrongTries = 0, triesMax = COMPARTMENT_TRIES_MAX } = root?.context ?? {}
  return {
    state: root?.outerState ?? "closed",
    wrongTries,
    triesLeft: Math.max(0, triesMax - wrongTries),
  } satisfies CompartmentRecord
})

/** Tells operations of a compartment that only they can open now. Boards show it, too. */
export const observeCompartment = Routine.fn(function* ({ group, emissions }: TurnResult) {
  const id = idOf(group.address)
  const remedy = `open it on the board, or with: curbline compartments open ${id}`
  for (const { event } of emissions) {
    if (event === "compartment.failed")
      yield* Routine.suspend(() => Effect.logError(`the compartment of ${id} did not open: ${remedy}`))
    if (event === "compartment.locked")
      yield* Routine.suspend(() =>
        Effect.logWarning(`wrong digits locked the compartment of ${id}: ${remedy}`),
      )
  }
})

/** What became of a request to open, by what its command returned: a code of a refusal, or `done`. */
export function outcomeOfOpening(result: unknown): string {
  const { type, code, value } = result as {
    readonly type: string
    readonly code?: string
    readonly value?: { readonly problem?: keyof typeof PROBLEMS } | null
  }
  if (type === "refused" && code !== undefined) return code
  return value?.problem === undefined ? "done" : PROBLEMS[value.problem]
}

/** The settings of a delivery's fleet; null when none were made. */
export const fleetOf = Routine.fn(function* ({ environment, fleetId }: DeliveryRow) {
  return yield* (yield* FleetSettingsRows).find(environment, fleetId)
})

const DIGITS_COUNT = 4

/** For the customer; fails with `WRONG_DIGITS`, `COMPARTMENT_LOCKED` or `INVALID_STATE`. A repeat changes nothing. */
const open = Routine.fn(function* (row: DeliveryRow, digits: string) {
  const known = yield* phoneOf(row)
  const digitsMatch = known !== null && known.slice(-DIGITS_COUNT) === digits
  return yield* command(row, { type: "opening.requested", digitsMatch })
})

/** The number of an errand's customer is stored with the errand alone. */
const phoneOf = Routine.fn(function* (row: DeliveryRow) {
  if (isForRetailer(row)) return row.customer.phone
  const errand = yield* (yield* CourierRows).byId(row.deliveryId)
  return errand?.details.contact?.phone ?? null
})

/** For operations: without digits, and also after it was locked or did not open. */
const grant = Routine.fn(function* (caller: Operator, deliveryId: string) {
  return yield* command(yield* deliveryFor(caller, deliveryId), { type: "opening.granted" })
})

type Asked =
  { readonly type: "opening.granted" } | { readonly type: "opening.requested"; readonly digitsMatch: boolean }

/** One command, one transaction. Wrong digits and refusals are committed too; then the command fails with its code. */
const command = Routine.fn(function* (row: DeliveryRow, asked: Asked) {
  const host = yield* ActorHost
  const { deliveryId } = row
  const to = compartmentGroup(deliveryId)
  const outcome = yield* host.run({
    name: "open a compartment",
    locks: { groups: [to, deliveryGroup(deliveryId)] },
    body: Routine.fn(function* () {
      const event = yield* eventOf(row, asked)
      yield* startOnce(row)
      const answer = yield* ask("compartment", { to, event, nonce: yield* host.nonce })
      return answer.type === "refused" ? answer : { ...answer, record: yield* currentCompartment(deliveryId) }
    }),
  })
  if (outcome.type === "refused") return yield* refusedFor(outcome)
  const problem = outcome.value?.problem
  return problem === undefined ? outcome.record : yield* new Refused({ code: PROBLEMS[problem] })
})

/** Answers that are committed and refuse the request. */
const PROBLEMS = { locked: "COMPARTMENT_LOCKED", wrong_digits: "WRONG_DIGITS" } as const

/** The event with the delivery's status and vehicle under its lock. */
const eventOf = Routine.fn(function* ({ deliveryId }: DeliveryRow, asked: Asked) {
  const { group } = yield* Transaction
  const address = deliveryGroup(deliveryId)
  const found = yield* group(address)
  if (found === null) return yield* new Refused({ code: "DELIVERY_NOT_FOUND" })
  return { ...asked, ...placeOf(found) } satisfies Turn<"compartment">["event"]
})

/** Made with the first request, so that a delivery without a request to open has none. */
const startOnce = Routine.fn(function* (row: DeliveryRow) {
  const { group } = yield* Transaction
  const { deliveryId, environment, organizationId } = row
  const to = compartmentGroup(deliveryId)
  if ((yield* group(to)) !== null) return
  const settings = yield* fleetOf(row)
  if (settings === null || settings.openUrl === null)
    return yield* new Refused({
      code: "INVALID_STATE",
      detail: "the fleet of the vehicle cannot be asked to open it",
    })
  const host = yield* ActorHost
  yield* start(MACHINE, {
    to,
    input: inputOf(row),
    environment,
    // An errand is on real time; its organization has no clock.
    organizationId: isForRetailer(row) ? organizationId : null,
    nonce: yield* host.nonce,
  })
})

const MACHINE = "compartment@1"

function inputOf({ deliveryId, fleetId }: DeliveryRow) {
  return {
    deliveryId,
    fleetId,
    triesMax: COMPARTMENT_TRIES_MAX,
    attemptsMax: OPEN_LINK_ATTEMPTS_MAX,
    backoffMs: OPEN_LINK_BACKOFF_MS,
    leaseMs: OPEN_LINK_LEASE_MS,
    resendsMax: CALL_RESENDS_MAX,
  }
}

interface Standing {
  readonly row: DeliveryRow
  readonly delivery: Group
  /** Null before the first request to open it. */
  readonly compartment: Group | null
  readonly nowMs: EpochMs
}

/** Whether the machine would open it for operations now; false for a fleet that cannot be asked. */
export const wouldGrant = Routine.fn(function* ({ row, delivery, compartment, nowMs: atMs }: Standing) {
  const settings = yield* fleetOf(row)
  if (settings === null || settings.openUrl === null) return false
  const dry = yield* DryRun
  const to = compartmentGroup(row.deliveryId)
  const group = compartment ?? dry.start({ to, machine: MACHINE, input: inputOf(row), atMs })
  const event = { type: "opening.granted", ...placeOf(delivery) } satisfies Turn<"compartment">["event"]
  return isTaken(dry.take(group, { to, event, atMs }))
})

function placeOf({ actors, address }: Group) {
  return {
    status: deliveryStatus(actors, address),
    vehicleId: rootOf("delivery", { actors, address }).context.vehicleId,
  }
}
