/**
 * Common parts of the tools for one errand: the check of its owner, one turn, and the envelope of a machine's refusal.
 */

import type { CourierErrorCode, CourierTool } from "../../model/courier.ts"
import type { RefusalCode } from "../../model/values/errors.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { timesIn } from "../../model/values/zoned-times.ts"
import type { Turn } from "../../../machines/contracts.ts"
import { ask } from "../../engine/services/actors.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { DeliverySites } from "../direct-delivery/rows.ts"
import type { VehicleRows } from "../dispatch/rows.ts"
import type { Runs } from "../dispatch/runs.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import type { Answer } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext, runCall } from "./calls.ts"
import type { Attempt, AttemptLocks, Step, ToolCall } from "./calls.ts"
import type { Places } from "../../model/vehicle-pool.ts"
import { earliestFor, placesFor } from "./capacity.ts"
import { dollarsOf, orderedRefusal, paymentFailedEnvelope, refusal, withReleased } from "./envelopes.ts"
import { currentErrand, errandGroup, groupsOf, isAsking } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { CourierRows, isBlanked } from "./rows.ts"
import type { CourierDetails, CourierRow } from "./rows.ts"
import { CourierSettings, environmentOf } from "./settings.ts"
import type { CourierChoices } from "./settings.ts"
import { stageOf } from "./rules.ts"
import { leadTimeOf } from "./times.ts"
import { NEW_QUOTE_STEP, NO_VEHICLE_STEP, anotherTimeStep, laterStep, uncollectedText } from "./ways-out.ts"
import type { RefusedPickup } from "./ways-out.ts"
import { firstWindowAfter } from "./windows.ts"
import type { Span, WindowFacts } from "./windows.ts"
import { checkFromStep, checkLaterStep, freeText, isOrderReported, stepOf } from "./wording.ts"
import type { CourierRefusal } from "./wording.ts"

/** The user's own errand; null for an errand of another user. */
export const ownRow = Routine.fn(function* (userId: string, deliveryId: string) {
  const rows = yield* CourierRows
  const row = yield* rows.byId(deliveryId)
  return row?.userId === userId ? row : null
})

export function notFound(deliveryId: string, tool?: CourierTool) {
  // A report has a store order, which a new delivery would not collect by itself.
  const nextStep = `Call confirm_delivery with the delivery_id of the delivery that was reserved for this store order. If there is none: ${NEW_QUOTE_STEP}`
  const message = "there is no such delivery"
  return refusal({
    code: "not_found",
    message,
    deliveryId,
    ...(tool === "confirm_delivery" ? { nextStep } : {}),
  })
}

/** The services that a read of an errand needs. */
export type ErrandNeeds =
  ActorHost | CourierRows | CourierSettings | DeliveryRows | DeliverySites | Runs | VehicleRows

/** A call about one errand: its groups are locked, and it exists and belongs to the user. */
export function runErrandCall<R>(
  call: ToolCall & { readonly deliveryId: string },
  body: (row: CourierRow, earlier: Step | null) => ReturnType<Attempt<R>["body"]>,
  locking: { readonly locks?: Attempt<R>["locks"]; readonly known?: AttemptLocks<R> | null } = {},
) {
  const { userId, deliveryId } = call
  const groups = groupsOf(deliveryId)
  const withRows = ({ ahead = Routine.void, ...wanted }: AttemptLocks<R>) => ({
    ...wanted,
    ahead: batch([errandRows(deliveryId), ahead]),
  })
  const { locks = Routine.succeed<AttemptLocks<R>>({ groups }), known = null } = locking
  return runCall<ErrandNeeds | R>(call, {
    locks: Routine.map(locks, withRows),
    ...(known === null ? {} : { knownLocks: withRows(known) }),
    body: Routine.fn(function* (earlier: Step | null) {
      const row = yield* ownRow(userId, deliveryId)
      return row === null
        ? ({ type: "answer", envelope: notFound(deliveryId, call.tool) } as const)
        : yield* body(row, earlier)
    }),
    declined: paymentFailed(deliveryId),
  })
}

/** Reads the rows of an errand, which the transaction caches. */
export const errandRows = Routine.fn(function* (deliveryId: string) {
  const rows = yield* CourierRows
  const deliveries = yield* DeliveryRows
  return yield* batch([rows.byId(deliveryId), deliveries.byId(deliveryId)])
})

/** The answer after the processor has declined. */
const paymentFailed = Routine.fn(function* (deliveryId: string) {
  const host = yield* ActorHost
  const errand = yield* host.view(groupsOf(deliveryId), currentErrand(deliveryId))
  return paymentFailedEnvelope(errand, yield* paymentFailureOf(deliveryId), yield* envelopeContext)
})

const paymentFailureOf = Routine.fn(function* (deliveryId: string) {
  const rows = yield* CourierRows
  return (yield* rows.payment(deliveryId))?.failure ?? null
})

/** One event for the errand's order. */
export const orderTurn = Routine.fn(function* (deliveryId: string, turn: Turn<"courier-order">) {
  const host = yield* ActorHost
  return yield* ask("courier-order", { to: errandGroup(deliveryId), ...turn, nonce: yield* host.nonce })
})

/**
 * Tries a credential. `unasked`: a request about an earlier one is in flight, or that one must be released first, so
 * this one is not stored.
 */
export const sendCredential = Routine.fn(function* (deliveryId: string, credential: string) {
  const { group } = yield* Transaction
  if (isAsking(yield* group(errandGroup(deliveryId)))) return { type: "unasked" } as const
  const answer = yield* orderTurn(deliveryId, { event: { type: "payment.requested" } })
  if (answer.type === "refused") return answer
  return { type: (yield* keepIfAsked(deliveryId, credential)) ? "asked" : "unasked" } as const
})

/**
 * Stores a credential if a request is in flight, so that the call can read it after the commit. Returns false when none
 * is in flight.
 */
export const keepIfAsked = Routine.fn(function* (deliveryId: string, credential: string) {
  const rows = yield* CourierRows
  const { group } = yield* Transaction
  if (!isAsking(yield* group(errandGroup(deliveryId)))) return false
  const credentialNo = ((yield* rows.payment(deliveryId))?.credentialNo ?? 0) + 1
  const errand = yield* rows.byId(deliveryId)
  const isTest = errand !== null && environmentOf(errand) === "sandbox"
  const asked = { deliveryId, credential, credentialNo, authorizationId: null, failure: null, isTest }
  yield* rows.putPayment(asked)
  return true
})

/** Changes the details of an errand, until its personal data is removed. */
export const changeDetails = Routine.fn(function* (
  row: Pick<CourierRow, "deliveryId">,
  change: Partial<CourierDetails>,
) {
  const rows = yield* CourierRows
  const { nowMs } = yield* Transaction
  const current = yield* rows.byId(row.deliveryId)
  if (current === null || isBlanked(current)) return
  yield* rows.change(row.deliveryId, { details: { ...current.details, ...change }, updatedAtMs: nowMs })
})

const CODES: Partial<Record<RefusalCode, CourierErrorCode>> = {
  HOLD_EXPIRED: "hold_expired",
  INVALID_STATE: "invalid_state",
  NO_CAPACITY: "no_capacity",
  QUOTE_EXPIRED: "quote_expired",
  TIMING_NOT_FEASIBLE: "timing_not_feasible",
}

const WORDS: Partial<Record<CourierErrorCode, string>> = {
  hold_expired: "the hold has run out",
  invalid_state: "the delivery's state does not allow this",
  no_capacity: "no vehicle is free",
  quote_expired: "the quote has run out",
  timing_not_feasible:
    "no pickup is possible at that time: it must be within 90 minutes and inside the hours",
}

/** What windows depend on, now. */
export const windowFactsNow = Routine.fn(function* (row: CourierRow) {
  const { policy, timeZone } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const { hours, timing, slots } = row.details
  const leadTimeMs = leadTimeOf(row, nowMs)
  const { horizonMs } = policy
  return { nowMs, horizonMs, leadTimeMs, hours: hours ?? [], timeZone, timing, slots } satisfies WindowFacts
})

/** The field with the time; null when the errand's own windows are over. */
export type TimingField = "intended_slot" | "pickup_window" | "ready_at" | "selected_slot" | null

type RefusedAnswer = Extract<Answer, { readonly type: "refused" }>

/** The refused call: the field and the time that it gave, if it gave one. */
export interface RefusedCall {
  readonly tool: CourierTool
  readonly field?: TimingField
  readonly askedMs?: EpochMs | undefined
  /** What its decision knew of the fleet, if it did. */
  readonly places?: Places
}

/** The machine's refusal as an envelope. A refusal because of the time contains the next possible pickup. */
export const refused = Routine.fn(function* (answer: RefusedAnswer, deliveryId: string, call: RefusedCall) {
  const errand = yield* currentErrand(deliveryId)
  const settings = yield* CourierSettings
  const asked = yield* windowFactsNow(errand.row)
  const code = CODES[answer.code] ?? "internal_error"
  const isUntimely = code === "timing_not_feasible"
  const nextWindow = isUntimely ? firstWindowAfter({ ...asked, timing: { type: "asap" } }) : null
  const isFull = code === "no_capacity"
  const { storePlace } = errand.row.details
  const places = call.places ?? (isFull ? yield* placesFor(storePlace, deliveryId) : null)
  const earliestAtMs = isFull && places !== null ? yield* earliestFor(storePlace, places) : null
  const isPlaced = call.tool === "confirm_delivery" || isOrderReported(errand.row)
  const isCollected = code === "invalid_state" && hasOrder(errand)
  const problem = isCollected ? COLLECTED : (WORDS[code] ?? "something failed")
  const about: CourierRefusal = {
    code,
    message: `${problem}; it is ${errand.state}`,
    isCollected,
    deliveryId,
    state: errand.state,
    nextWindow,
    earliestAtMs,
    ...(earliestAtMs === null ? {} : { userMessage: fullText(earliestAtMs, settings) }),
    ...(isUntimely && call.field !== undefined && call.field !== null ? { field: call.field } : {}),
  }
  const { nowMs } = asked
  const fee = dollarsOf(settings)
  const pickup = { tool: call.tool, askedMs: call.askedMs ?? null, nowMs, fee, nextWindow, earliestAtMs }
  if (!isPlaced)
    return refusal({ ...about, ...unplacedStep(code, errand, { ...pickup, field: call.field ?? null }) })
  const nextStep = placedStep(code, errand, { ...pickup, field: call.field ?? null })
  const userMessage = isUntimely ? { userMessage: uncollectedText(errand, fee) } : {}
  return orderedRefusal({ ...about, ...userMessage, nextStep }, errand, { settings, nowMs })
})

interface RefusedTiming extends RefusedPickup {
  readonly field: TimingField
}

/** What to do when no store order is known, where the default would mislead. */
function unplacedStep(
  code: CourierErrorCode,
  errand: Errand,
  pickup: RefusedTiming,
): Pick<CourierRefusal, "nextStep"> {
  const { field, nextWindow, nowMs, tool, earliestAtMs } = pickup
  const { horizonMs } = errand.order.policy
  if (code === "invalid_state") return { nextStep: stepOf(errand, { nowMs }) }
  if (code === "quote_expired" && errand.phase === "overdue") return { nextStep: stepOf(errand, { nowMs }) }
  if (code === "no_capacity" && earliestAtMs !== null)
    return { nextStep: reserveFromStep(errand, earliestAtMs) }
  if (code !== "timing_not_feasible") return {}
  if (field === null) return { nextStep: tooLate(nextWindow, nowMs) }
  // The store has said when its order is ready, so the order may be placed although it was not reported.
  if (tool === "update_delivery") {
    return {
      nextStep: `Do not place the store order for that time. If it is placed already: ${anotherTimeStep(errand, pickup)}`,
    }
  }
  const isLater = nextWindow !== null && nextWindow.startMs > nowMs + horizonMs
  return isLater ? { nextStep: checkLaterStep(nextWindow, nowMs) } : {}
}

/** A quote that ends before a vehicle is free is of no use then. */
function reserveFromStep({ row, order }: Errand, earliestAtMs: EpochMs): string {
  return earliestAtMs < order.quoteEndsAtMs
    ? `Call reserve_delivery with delivery_id ${row.deliveryId} again from ${isoMs(earliestAtMs)} on; pay, and then place the store order, only once it answers held.`
    : `Do not place the store order: the quote ends before a vehicle is free. ${checkFromStep(earliestAtMs)}`
}

function fullText(earliestAtMs: EpochMs, { timeZone }: CourierChoices): string {
  return `No vehicle is free right now.${freeText(`about ${timesIn(timeZone).time(earliestAtMs)} Austin time`)}`
}

/** What to do about a store order that is placed. */
function placedStep(code: CourierErrorCode, errand: Errand, pickup: RefusedTiming): string {
  switch (code) {
    case "timing_not_feasible":
      // Without a time of its own the call was refused because no window is left, and a report needs none.
      return pickup.field === null ? stepOf(errand, pickup) : anotherTimeStep(errand, pickup)
    case "no_capacity":
      return laterStep(errand, pickup)
    case "quote_expired":
      return errand.phase === "overdue" ? stepOf(errand, pickup) : NEW_QUOTE_STEP
    default:
      return isEndedUnserved(errand) && pickup.tool === "confirm_delivery"
        ? NO_VEHICLE_STEP
        : stepOf(errand, pickup)
  }
}

function isEndedUnserved({ state }: Errand): boolean {
  return state === "declined" || state === "cancelled" || state === "failed"
}

function tooLate(nextWindow: Span | null, nowMs: EpochMs): string {
  const next =
    nextWindow === null
      ? "Call check_delivery with a new idempotency_key when the store takes orders again."
      : checkLaterStep(nextWindow, nowMs)
  return `Do not place the store order: no pickup time is left for it. ${next}`
}

const COLLECTED = "the vehicle has collected the order, so the delivery can no longer be changed or cancelled"

/** From the loading until the handover at the door. */
function hasOrder({ delivery }: Errand): boolean {
  if (delivery === null) return false
  const { isCollected, isOver } = stageOf(delivery.status)
  return isCollected && !isOver
}

/** The same inside the transaction that found the failure. */
export const paymentFailedStep = Routine.fn(function* (deliveryId: string, released: readonly string[] = []) {
  const errand = yield* currentErrand(deliveryId)
  const envelope = paymentFailedEnvelope(errand, yield* paymentFailureOf(deliveryId), yield* envelopeContext)
  return { type: "answer", envelope: withReleased(envelope, released) } satisfies Step
})
