/** confirm_delivery: reports the placed store order, takes the fee and books the run. */

import { Effect } from "effect"
import type { ConfirmDeliveryArguments } from "../../model/requests/courier-requests.ts"
import { CHECKOUT_LINK_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext } from "./calls.ts"
import type { Step } from "./calls.ts"
import { hasPlace } from "../dispatch/assignment.ts"
import { capacityAhead, capacityFor, earliestFor } from "./capacity.ts"
import { changeDetails, orderTurn, paymentFailedStep, refused, runErrandCall } from "./commands.ts"
import { confirmEnvelope, declineEnvelope, withReleased } from "./envelopes.ts"
import { ErrandMemory } from "./errand-memory.ts"
import { currentErrand, errandGroup, seenIn } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { otherHolds, placesOf, release } from "./other-holds.ts"
import type { OtherHold } from "./other-holds.ts"
import { CourierRows } from "./rows.ts"
import type { CourierPhase, CourierRow } from "./rows.ts"
import { restrictedAmong } from "./screening/items.ts"
import { CourierSettings } from "./settings.ts"
import { isOfAnotherErrand, noteStoreOrder, orderRefusal, storeOrderOf } from "./store-orders.ts"
import { pickupTimeFor } from "./windows.ts"

export const confirm = Effect.fnUntraced(function* (userId: string, args: ConfirmDeliveryArguments) {
  const deliveryId = args.delivery_id
  const rows = yield* CourierRows
  const { locks: holdLocks, found } = yield* otherHolds({ userId, deliveryId })
  const { fleetId } = yield* CourierSettings
  const ahead = (place: Place | null, storeId: string | null) =>
    batch([
      capacityAhead(place, deliveryId),
      rows.payment(deliveryId),
      ...(storeId === null ? [] : [rows.storeOrder(storeOrderOf(storeId, args.order_number))]),
    ])
  const host = yield* ActorHost
  const reads = batch([holdLocks, rows.byId(deliveryId), host.read(errandGroup(deliveryId))])
  const locks = Routine.map(reads, ([wanted, row, group]) => {
    const storeId = group === null ? null : (seenIn(group)?.order.storeId ?? null)
    return { ...wanted, ahead: ahead(row?.details.storePlace ?? null, storeId) }
  })
  // A live hold needs no lock of other holds, so its store is all that is read before the locks.
  const store = (yield* ErrandMemory).takeStore(deliveryId)
  const known =
    store === null
      ? null
      : { pool: fleetId, groups: [errandGroup(deliveryId)], ahead: ahead(store.place, store.storeId) }
  // Screened before the locks: other calls of the fleet do not wait for it.
  const told = { args, restrictedItems: restrictedAmong(args.items) }
  const body = (row: CourierRow) =>
    Routine.gen(function* () {
      // With a live hold no further place is taken, and no other hold is released.
      const { nowMs } = yield* Transaction
      const isHeld = row.phase === "held" && (row.holdEndsAtMs ?? 0) > nowMs
      if (isHeld) return yield* report(row, told, [])
      const others = yield* found
      return others.type === "found" ? yield* report(row, told, others.holds) : others
    })
  const call = { userId, tool: "confirm_delivery", args, deliveryId } as const
  return yield* runErrandCall(call, body, { locks, known })
})

/** In other phases the state refuses the report. */
const CONFIRMABLE: ReadonlySet<CourierPhase> = new Set(["held", "lapsed", "overdue"])

interface Reported {
  readonly args: ConfirmDeliveryArguments
  readonly restrictedItems: readonly string[]
}

const report = Routine.fn(function* (
  row: CourierRow,
  { args, restrictedItems }: Reported,
  others: readonly OtherHold[],
) {
  const { policy } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const { deliveryId, details } = row
  const before = yield* currentErrand(deliveryId)
  if (CONFIRMABLE.has(row.phase) && (yield* isOfAnotherErrand(before, args.order_number))) {
    return { type: "answer", envelope: orderRefusal("confirm_delivery", before) } satisfies Step
  }
  const latestMs = nowMs + policy.horizonMs
  const places = yield* capacityFor(details.storePlace, deliveryId, yield* placesOf(others))
  const facts: Facts<"confirm-errand@2"> = {
    ...places,
    isTimely: (args.ready_at ?? nowMs) <= latestMs && (args.selected_slot?.start ?? nowMs) <= latestMs,
    isRestricted: restrictedItems.length > 0,
  }
  const event = { type: "confirm.requested" } as const
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "confirm-errand@2" })
  if (answer.type === "refused") {
    // The store order exists all the same: later answers must not send the agent to place another.
    if (KEEPS_REPORT.has(row.phase)) yield* changeDetails(row, { order: orderIn(row, args) })
    const isLate = (args.ready_at ?? nowMs) > latestMs
    const told = isLate
      ? ({ field: "ready_at", askedMs: args.ready_at } as const)
      : ({ field: "selected_slot", askedMs: args.selected_slot?.start } as const)
    const envelope = yield* refused(answer, deliveryId, { tool: "confirm_delivery", places, ...told })
    return { type: "answer", envelope } satisfies Step
  }
  yield* changeDetails(row, {
    order: orderIn(row, args),
    // A slot in this call replaces the time of an earlier call.
    readyAtMs: args.ready_at ?? (args.selected_slot === undefined ? details.readyAtMs : null),
    ...(args.ready_at === undefined && args.selected_slot === undefined ? {} : { vehicleAtMs: null }),
    restrictedItems,
    ...(args.selected_slot === undefined
      ? {}
      : {
          pickupTime: pickupTimeFor({
            kitchenStarts: details.kitchenStarts ?? "on_check_in",
            intendedSlot: args.selected_slot,
            best: null,
            isWindowRequested: false,
            earliestMs: nowMs,
          }),
        }),
  })
  const errand = yield* currentErrand(deliveryId)
  if (errand.state === "declined") {
    if (!hasPlace(places))
      yield* changeDetails(row, { earliestAtMs: yield* earliestFor(details.storePlace, places) })
    const declined = yield* currentErrand(deliveryId)
    return { type: "answer", envelope: declineEnvelope(declined, yield* envelopeContext) } satisfies Step
  }
  if (errand.phase === "capturing") yield* noteStoreOrder(errand, args.order_number)
  const released = yield* release(others)
  if (answer.value?.isPaymentFailed === true) {
    yield* changeDetails(row, yield* freshLinkFor(errand))
    return yield* paymentFailedStep(deliveryId, released)
  }
  const known = withReleased(confirmEnvelope(errand, yield* envelopeContext), released)
  return { type: "awaits", envelope: known } satisfies Step
})

/** Phases in which a refused report may be repeated, or followed by another quote. */
const KEEPS_REPORT: ReadonlySet<CourierPhase> = new Set(["quoted", "held", "lapsed", "overdue", "expired"])

function orderIn({ details }: CourierRow, args: ConfirmDeliveryArguments) {
  return {
    orderNumber: args.order_number,
    items: args.items,
    confirmationText: args.confirmation_text,
    pickupCode: args.pickup_code || (details.order?.pickupCode ?? null),
  }
}

/** Makes a new payment link if the hold now ends after the last link; the old one stays valid for its time. */
const freshLinkFor = Routine.fn(function* ({ row, order }: Errand) {
  const host = yield* ActorHost
  const { nowMs } = yield* Transaction
  const { checkout } = row.details
  const isLongEnough = checkout !== null && checkout.atMs + CHECKOUT_LINK_MS >= (order.holdEndsAtMs ?? nowMs)
  return isLongEnough ? {} : { checkout: { atMs: nowMs, nonce: yield* host.nonce } }
})
