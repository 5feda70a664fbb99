/** update_delivery: a payment, or any change after the reserve. */

import { Effect } from "effect"
import type {
  ChosenWindow,
  RetailerSlot,
  UpdateDeliveryArguments,
} from "../../model/requests/courier-requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Facts, Turn } from "../../../machines/contracts.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext } from "./calls.ts"
import type { Step } from "./calls.ts"
import {
  changeDetails,
  orderTurn,
  paymentFailedStep,
  refused,
  runErrandCall,
  sendCredential,
  windowFactsNow,
} from "./commands.ts"
import type { RefusedCall } from "./commands.ts"
import { moveDropoff } from "./dropoff.ts"
import { declineEnvelope, reportedEnvelope } from "./envelopes.ts"
import { currentErrand, errandGroup, groupsOf, lettingGoIn } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { CourierRows } from "./rows.ts"
import type { CourierDetails, CourierRow } from "./rows.ts"
import { disqualifyingAmong } from "./directory/served-stores.ts"
import { restrictedAmong } from "./screening/items.ts"
import { CourierSettings } from "./settings.ts"
import { isOfAnotherErrand, noteStoreOrder, orderRefusal } from "./store-orders.ts"
import { moveTimes } from "./times.ts"
import { chosenWindow, isFeasibleSlot, pickupTimeFor } from "./windows.ts"
import { DELAYED_TEXT, DELAYED_UNTIL_TEXT, delayedStep, isOrderReported } from "./wording.ts"

export const update = Effect.fnUntraced(function* (userId: string, args: UpdateDeliveryArguments) {
  const call = { userId, tool: "update_delivery", args, deliveryId: args.delivery_id } as const
  if (args.update_type === "dropoff_address" && args.dropoff_address !== undefined) {
    const notes = (row: CourierRow) => notesWith(row, args).notes ?? row.details.notes
    return yield* moveDropoff(call, args.dropoff_address, notes)
  }
  if (args.update_type === "order") {
    const { fleetId } = yield* CourierSettings
    const locks = { pool: fleetId, groups: groupsOf(args.delivery_id) }
    // Screened before the locks: other calls of the fleet do not wait for it.
    const restrictedItems = restrictedAmong(args.order?.items ?? [])
    return yield* runErrandCall(call, (row) => renumber(row, args, restrictedItems), {
      locks: Routine.succeed(locks),
    })
  }
  if (args.update_type !== "payment") return yield* runErrandCall(call, (row) => changeBy(row, args))
  const rows = yield* CourierRows
  const { delivery_id: deliveryId } = args
  const locks = { groups: groupsOf(deliveryId), ahead: rows.payment(deliveryId) }
  return yield* runErrandCall(call, (row, earlier) => pay(row, args, earlier), {
    locks: Routine.succeed(locks),
  })
})

/**
 * A credential is tried once the processor has released the last one. If the release waits for a retry, a payment makes
 * the retry at once; if the processor still does not answer, the payment fails.
 */
const pay = Routine.fn(function* (row: CourierRow, args: UpdateDeliveryArguments, earlier: Step | null) {
  const { group } = yield* Transaction
  const { deliveryId } = row
  const hasAsked = earlier?.type === "busy" && earlier.hasAsked === true
  const asked = hasAsked ? ({ hasAsked } as const) : {}
  const found = yield* group(errandGroup(deliveryId))
  const lettingGo = found === null ? null : lettingGoIn(found)
  if (lettingGo === "calling") return { type: "busy", deliveryId, ...asked } satisfies Step
  if (lettingGo === "waiting" && hasAsked) return yield* paymentFailedStep(deliveryId)
  const answer = yield* sendCredential(deliveryId, args.payment?.shared_payment_token ?? "")
  if (answer.type === "refused") return yield* refusedStep(answer, deliveryId, { tool: "update_delivery" })
  if (answer.type === "unasked") {
    const after = yield* group(errandGroup(deliveryId))
    const isLettingGo = after !== null && lettingGoIn(after) !== null
    return isLettingGo
      ? ({ type: "busy", deliveryId, hasAsked: true } satisfies Step)
      : yield* paymentFailedStep(deliveryId)
  }
  yield* changeDetails(row, notesWith(row, args))
  return { type: "awaits", envelope: null } satisfies Step
})

/** A change of the order. The number of a booked order must be free. */
const renumber = Routine.fn(function* (
  row: CourierRow,
  args: UpdateDeliveryArguments,
  restrictedItems: readonly string[],
) {
  const number = args.order?.order_number
  const wanted = orderChange(row.details, args.order ?? {}, restrictedItems)
  if (row.phase !== "booked" || number === undefined) return yield* change(row, args, wanted)
  const errand = yield* currentErrand(row.deliveryId)
  if (yield* isOfAnotherErrand(errand, number)) {
    return { type: "answer", envelope: orderRefusal("update_delivery", errand) } satisfies Step
  }
  const step = yield* change(row, args, wanted)
  if (step.envelope.error === undefined) yield* noteStoreOrder(errand, number)
  return step
})

const changeBy = Routine.fn(function* (row: CourierRow, args: UpdateDeliveryArguments) {
  return yield* change(row, args, yield* changeFor(row, args))
})

/** The effect of an update on the errand's machine, and on its row. */
interface Change {
  readonly event: Extract<Turn<"courier-order">, { readonly decision: "stage-errand@1" }>["event"]
  readonly isTimely?: boolean
  readonly details: Partial<CourierDetails>
  /** The latest known ready time of the order. */
  readonly readyAtMs?: number
}

const change = Routine.fn(function* (row: CourierRow, args: UpdateDeliveryArguments, wanted: Change) {
  const deliveries = yield* DeliveryRows
  const { deliveryId } = row
  const delivery = yield* deliveries.byId(deliveryId)
  const facts: Facts<"stage-errand@1"> = {
    status: delivery?.status ?? null,
    isTimely: wanted.isTimely ?? true,
  }
  const answer = yield* orderTurn(deliveryId, { event: wanted.event, facts, decision: "stage-errand@1" })
  if (answer.type === "refused") return yield* refusedStep(answer, deliveryId, timingOf(args))
  yield* changeDetails(row, { ...notesWith(row, args), ...wanted.details })
  if (wanted.readyAtMs !== undefined) {
    const { storePlace, dropoffPlace: place } = row.details
    yield* moveTimes({ deliveryId, storePlace, place, readyByMs: wanted.readyAtMs })
  }
  const errand = yield* currentErrand(deliveryId)
  const context = yield* envelopeContext
  const envelope =
    errand.state === "declined"
      ? declineEnvelope(errand, context)
      : reportedEnvelope(errand, context, {
          ...saidOf(errand, args, context.nowMs),
          update_result: resultOf(args),
        })
  return { type: "answer", envelope } satisfies Step
})

/** An order that is late without a time moves nothing, and the answer says so. */
function saidOf(errand: Errand, { issue, ready_at: readyAt }: UpdateDeliveryArguments, nowMs: EpochMs) {
  if (issue?.code !== "order_delayed" || errand.state === "cancelled") return {}
  return readyAt === undefined
    ? { next_step: delayedStep(errand, nowMs), user_message: DELAYED_TEXT }
    : { user_message: DELAYED_UNTIL_TEXT }
}

/** Updates of every type may contain a note. */
function notesWith({ details }: CourierRow, { note }: UpdateDeliveryArguments): Partial<CourierDetails> {
  return note === undefined ? {} : { notes: [...details.notes, note] }
}

const refusedStep = Routine.fn(function* (...refusal: Parameters<typeof refused>) {
  return { type: "answer", envelope: yield* refused(...refusal) } satisfies Step
})

function timingOf(args: UpdateDeliveryArguments): RefusedCall {
  const tool = "update_delivery"
  const { update_type: type, pickup_window: window, selected_slot: slot } = args
  if (type !== "slot") return { tool, field: "ready_at", askedMs: args.ready_at }
  return window === undefined
    ? { tool, field: "selected_slot", askedMs: slot?.start }
    : { tool, field: "pickup_window", askedMs: window.start }
}

const TAKEN = { type: "update.requested", isDropoff: false } as const
const DECLINED = { type: "update.declined", reason: "disqualifying_requirement" } as const

const changeFor = Routine.fn(function* (row: CourierRow, args: UpdateDeliveryArguments) {
  const { details } = row
  switch (args.update_type) {
    case "payment":
    case "order":
    case "dropoff_address":
      return yield* Routine.dieMessage(`${args.update_type} has a command of its own`)
    case "ready_time":
      return yield* readyChange(args.ready_at, { event: TAKEN, details: {} })
    case "slot":
      if (args.pickup_window !== undefined) return yield* windowChange(row, args.pickup_window)
      return args.selected_slot === undefined
        ? yield* Routine.dieMessage("an update of the slot has none")
        : yield* slotChange(row, args.selected_slot)
    case "check_in": {
      const { url = null, phone = null, instructions = null } = args.check_in ?? {}
      return { event: TAKEN, details: { checkIn: { url, phone, instructions } } } satisfies Change
    }
    case "pickup_requirements": {
      const requirementsSeen = args.pickup_requirements_seen ?? []
      const disqualifying = disqualifyingAmong(requirementsSeen)
      const event = disqualifying.length > 0 ? DECLINED : TAKEN
      return { event, details: { requirementsSeen, disqualifying } } satisfies Change
    }
    case "dropoff_notes":
      return {
        event: { type: "update.requested", isDropoff: true },
        details: { dropoffNotes: args.dropoff_notes ?? null },
      } satisfies Change
    case "contact": {
      const { contact } = details
      const changed = contact === null ? null : { ...contact, email: args.contact?.email ?? contact.email }
      return { event: TAKEN, details: { contact: changed } } satisfies Change
    }
    case "issue": {
      const { code, note } = args.issue ?? { code: "other", note: undefined }
      const notes = [...details.notes, ...[args.note, note].filter((one) => one !== undefined)]
      const event = code === "order_cancelled_by_store" ? ({ type: "store.cancelled" } as const) : TAKEN
      const noted = { event, details: { notes: [...notes, code] } }
      const readyAtMs = code === "order_delayed" ? args.ready_at : undefined
      return readyAtMs === undefined ? noted : yield* readyChange(readyAtMs, noted)
    }
  }
})

/** What an update has done, for the agent. */
function resultOf({ update_type: type, dropoff_notes: notes, issue }: UpdateDeliveryArguments): string {
  switch (type) {
    case "dropoff_notes":
      return notes === "" ? "The notes for the door are removed." : NOTES_TAKEN
    case "issue":
      return ISSUE_TAKEN[issue?.code ?? "other"]
    case "ready_time":
    case "slot":
      return "The planned times follow the new pickup time."
    case "check_in":
      return "The vehicle checks in with the store in this way."
    case "order":
      return "The changed parts of the order are kept; the others stay."
    case "pickup_requirements":
      return "The vehicle can meet these requirements."
    case "contact":
      return "The contact is changed."
    case "dropoff_address":
    case "payment":
      return "The update is taken."
  }
}

const NOTES_TAKEN =
  "The notes for the door are kept, in place of earlier ones, for people who bring the order to the door."

const ISSUE_TAKEN = {
  order_cancelled_by_store: "The delivery is cancelled.",
  order_delayed:
    "The delay is kept with the delivery. The planned pickup stays until an update of type ready_time gives a new time.",
  other:
    "The report is kept with the delivery, for the operations team to read. Nothing else is changed: the delivery goes on as planned.",
} as const

/** The order is ready then, and the times of its delivery follow. */
const readyChange = Routine.fn(function* (toldMs: EpochMs | undefined, { event, details }: Change) {
  const { policy } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const readyAtMs = toldMs ?? nowMs
  const isTimely = readyAtMs <= nowMs + policy.horizonMs
  return {
    event,
    isTimely,
    details: { ...details, readyAtMs, vehicleAtMs: null },
    readyAtMs,
  } satisfies Change
})

const slotChange = Routine.fn(function* ({ details }: CourierRow, slot: RetailerSlot) {
  const { policy, timeZone } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const facts = { nowMs, horizonMs: policy.horizonMs, hours: details.hours ?? [], timeZone }
  const pickupTime = pickupTimeFor({
    kitchenStarts: details.kitchenStarts ?? "on_check_in",
    intendedSlot: slot,
    best: null,
    isWindowRequested: false,
    earliestMs: nowMs,
  })
  return {
    event: TAKEN,
    isTimely: isFeasibleSlot(slot, facts),
    details: { pickupTime, readyAtMs: null, vehicleAtMs: null },
    readyAtMs: pickupTime.atMs,
  } satisfies Change
})

/** An order that is placed keeps its slot and its ready time: the window only moves the vehicle. */
const windowChange = Routine.fn(function* (row: CourierRow, chosen: ChosenWindow) {
  const { details } = row
  const asked = yield* windowFactsNow(row)
  const found = chosenWindow(chosen, asked)
  if (found === null) return { event: TAKEN, isTimely: false, details: {} } satisfies Change
  const { nowMs, leadTimeMs, horizonMs } = asked
  if (isOrderReported(row) && details.pickupTime !== null) {
    const { startMs } = found
    return { event: TAKEN, details: { vehicleAtMs: startMs }, readyAtMs: startMs } satisfies Change
  }
  const pickupTime = pickupTimeFor({
    kitchenStarts: details.kitchenStarts ?? "on_check_in",
    intendedSlot: null,
    best: found,
    isWindowRequested: true,
    earliestMs: nowMs + leadTimeMs,
    latestMs: nowMs + horizonMs,
  })
  const { atMs } = pickupTime
  return { event: TAKEN, details: { pickupTime, readyAtMs: null }, readyAtMs: atMs } satisfies Change
})

/** New items are screened as in the confirm. */
function orderChange(
  { order }: CourierDetails,
  told: NonNullable<UpdateDeliveryArguments["order"]>,
  restrictedItems: readonly string[],
): Change {
  const merged = {
    orderNumber: told.order_number ?? order?.orderNumber ?? null,
    items: told.items ?? order?.items ?? [],
    confirmationText: told.confirmation_text ?? order?.confirmationText ?? null,
    pickupCode: told.pickup_code || (order?.pickupCode ?? null),
  }
  const event = restrictedItems.length > 0 ? DECLINED : TAKEN
  return { event, details: { restrictedItems, order: merged } }
}
