/**
 * reserve_delivery: holds a vehicle, releases the user's other holds, and returns instructions for the store's
 * checkout.
 */

import { Effect } from "effect"
import type { CourierState } from "../../model/courier.ts"
import type { ReserveDeliveryArguments, RetailerSlot } from "../../model/requests/courier-requests.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { LinkedUsers } from "../linking/linked-users.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext } from "./calls.ts"
import type { Step } from "./calls.ts"
import { placesFor } from "./capacity.ts"
import { changeDetails, keepIfAsked, orderTurn, refused, runErrandCall, windowFactsNow } from "./commands.ts"
import type { TimingField } from "./commands.ts"
import { declineEnvelope, refusal, reserveEnvelope } from "./envelopes.ts"
import { ErrandMemory } from "./errand-memory.ts"
import { currentErrand } from "./errand.ts"
import { otherHolds, placesOf, release } from "./other-holds.ts"
import type { OtherHold } from "./other-holds.ts"
import type { CourierDetails, CourierRow, OfferedWindow, PickupTime } from "./rows.ts"
import { disqualifyingAmong } from "./directory/served-stores.ts"
import {
  chosenWindow,
  firstPickupIn,
  isFeasibleSlot,
  pickupTimeFor,
  slotInstead,
  windowsFor,
} from "./windows.ts"
import type { WindowFacts } from "./windows.ts"
import { isOrderReported } from "./wording.ts"

export const reserve = Effect.fnUntraced(function* (userId: string, args: ReserveDeliveryArguments) {
  const users = yield* LinkedUsers
  const phone = yield* users.phoneOf(userId)
  const deliveryId = args.delivery_id
  const { locks, found } = yield* otherHolds({ userId, deliveryId })
  const body = (row: CourierRow) =>
    Routine.gen(function* () {
      const others = yield* found
      if (others.type !== "found") return others
      if (phone === null || (args.contact.phone !== undefined && args.contact.phone !== phone)) {
        const { state } = yield* currentErrand(deliveryId)
        return { type: "answer", envelope: phoneRefusal(phone, { deliveryId, state }) } satisfies Step
      }
      return yield* hold(row, args, { phone, others: others.holds })
    })
  return yield* runErrandCall({ userId, tool: "reserve_delivery", args, deliveryId }, body, { locks })
})

function phoneRefusal(
  linked: string | null,
  of: { readonly deliveryId: string; readonly state: CourierState },
) {
  return linked === null
    ? refusal({ code: "invalid_state", message: "the user has no linked number any more", ...of })
    : refusal({
        code: "invalid_request",
        message: "must be the number that the user linked, or be left out",
        field: "contact.phone",
        ...of,
      })
}

interface Holding {
  readonly phone: string
  readonly others: readonly OtherHold[]
}

const hold = Routine.fn(function* (row: CourierRow, args: ReserveDeliveryArguments, holding: Holding) {
  const { deliveryId } = row
  const disqualifying = disqualifyingAmong(args.pickup_requirements_seen, args.check_in_method)
  if (disqualifying.length > 0) {
    const event = { type: "reserve.declined", reason: "disqualifying_requirement" } as const
    const answer = yield* orderTurn(deliveryId, { event })
    if (answer.type !== "refused") yield* changeDetails(row, { disqualifying })
    const envelope =
      answer.type === "refused"
        ? yield* refused(answer, deliveryId, { tool: "reserve_delivery" })
        : declineEnvelope(yield* currentErrand(deliveryId), yield* envelopeContext)
    return { type: "answer", envelope } satisfies Step
  }
  const asked = yield* windowFactsNow(row)
  const choice = choiceOf(args, asked)
  const facts: Facts<"reserve-errand@2"> = {
    ...(yield* placesFor(row.details.storePlace, deliveryId, yield* placesOf(holding.others))),
    isTimely: choice.isTimely,
  }
  const event = { type: "reserve.requested", pays: args.payment !== undefined } as const
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "reserve-errand@2" })
  if (answer.type === "refused") {
    const { field } = choice
    const askedMs = args.intended_slot?.start ?? args.pickup_window?.start
    const envelope = yield* refused(answer, deliveryId, {
      tool: "reserve_delivery",
      field,
      askedMs,
      places: facts,
    })
    return { type: "answer", envelope } satisfies Step
  }
  if (args.payment !== undefined) yield* keepIfAsked(deliveryId, args.payment.shared_payment_token)
  yield* changeDetails(row, yield* saidAt(row, args, { phone: holding.phone, choice, asked }))
  const released = yield* release(holding.others)
  const { storePlace: place } = row.details
  const memory = yield* ErrandMemory
  const { afterCommit } = yield* Transaction
  const errand = yield* currentErrand(deliveryId)
  const { storeId } = errand.order
  if (place !== null && storeId !== null)
    yield* afterCommit(() => memory.putStore(deliveryId, { storeId, place }))
  const envelope = reserveEnvelope(errand, released, yield* envelopeContext)
  return { type: errand.phase === "authorizing" ? "awaits" : "answer", envelope } satisfies Step
})

/** When the vehicle comes: by the slot or the window of the call, else in the best window. */
interface Choice {
  readonly field: TimingField
  readonly isTimely: boolean
  readonly intendedSlot: RetailerSlot | null
  readonly best: OfferedWindow | null
  /** The offered windows as of now: those of the check may be over, or too soon for the kitchen. */
  readonly windows: readonly OfferedWindow[]
}

function choiceOf(
  { intended_slot: intendedSlot, pickup_window: chosen }: ReserveDeliveryArguments,
  asked: WindowFacts,
): Choice {
  const windows = windowsFor(asked)
  if (intendedSlot !== undefined) {
    const isTimely = isFeasibleSlot(intendedSlot, asked)
    return { field: "intended_slot", isTimely, intendedSlot, best: null, windows }
  }
  if (chosen !== undefined) {
    const best = chosenWindow(chosen, asked)
    return { field: "pickup_window", isTimely: best !== null, intendedSlot: null, best, windows }
  }
  const [first = null] = windows
  const best = first === null ? null : { ...first, slot: first.slot ?? slotInstead(first, asked) }
  return { field: null, isTimely: best !== null, intendedSlot: null, best, windows }
}

interface Saying {
  readonly phone: string
  readonly choice: Choice
  readonly asked: WindowFacts
}

const saidAt = Routine.fn(function* (
  row: CourierRow,
  args: ReserveDeliveryArguments,
  { phone, choice, asked }: Saying,
) {
  const host = yield* ActorHost
  const { details } = row
  const { nowMs, leadTimeMs, horizonMs } = asked
  // The slot of a window may begin before the store opens.
  const slot = details.kitchenStarts === "scheduled" ? (choice.best?.slot ?? null) : null
  const pickupTime = pickupTimeFor({
    kitchenStarts: details.kitchenStarts ?? "on_check_in",
    intendedSlot: choice.intendedSlot,
    best: choice.best,
    isWindowRequested: details.timing.type === "window" || args.pickup_window !== undefined,
    earliestMs: (slot === null ? null : firstPickupIn(slot, asked)) ?? nowMs + leadTimeMs,
    latestMs: nowMs + horizonMs,
  })
  return {
    customer: { firstName: args.customer.first_name, lastName: args.customer.last_name },
    contact: { phone, email: args.contact.email ?? null },
    requirementsSeen: args.pickup_requirements_seen,
    requirementsNotes: args.pickup_requirements_notes ?? null,
    checkInMethod: args.check_in_method ?? null,
    windows: choice.windows,
    ...timesOf(row, choice, pickupTime),
    checkout: { atMs: nowMs, nonce: yield* host.nonce },
  } satisfies Partial<CourierDetails>
})

/** A placed order keeps its times: a window only says when the vehicle comes, and a slot is that of the order. */
function timesOf(row: CourierRow, { field, best, intendedSlot }: Choice, told: PickupTime) {
  const { pickupTime, readyAtMs, vehicleAtMs = null } = row.details
  if (!isOrderReported(row)) return { pickupTime: told, readyAtMs: null, vehicleAtMs: null }
  if (pickupTime === null) return { pickupTime: told, readyAtMs, vehicleAtMs }
  if (intendedSlot !== null) {
    return { pickupTime: told, readyAtMs, vehicleAtMs: Math.max(told.atMs, readyAtMs ?? told.atMs) }
  }
  const chosenMs = field === "pickup_window" ? best?.startMs : vehicleAtMs
  return { pickupTime, readyAtMs, vehicleAtMs: chosenMs ?? null }
}
