/** reserve_delivery: holds a vehicle, lets the user's other holds go, and says what to do at the store's checkout. */

import { Effect } from "effect"
import type { ReserveDeliveryArguments } from "../../model/courier-requests.ts"
import type { EpochMs } from "../../model/time.ts"
import { LinkedUsers } from "../linking/linked-users.ts"
import { ActorHost, Transaction } from "../host.ts"
import { newPen } from "./calls.ts"
import type { Step } from "./calls.ts"
import { capacityFor } from "./capacity.ts"
import { changeDetails, orderTurn, refusedEnvelope, runErrandCall } from "./commands.ts"
import { declineEnvelope, refusal, reserveEnvelope } from "./envelopes.ts"
import { currentErrand, errandGroup, groupsOf, isAsking, seenIn } from "./errand.ts"
import { CourierRows } from "./rows.ts"
import type { CourierDetails, CourierRow } from "./rows.ts"
import type { ReserveFacts } from "./rules.ts"
import { disqualifyingAmong } from "./screening.ts"
import { CourierSettings } from "./settings.ts"
import { isFeasibleSlot, pickupTimeFor } from "./windows.ts"

export const reserve = Effect.fnUntraced(function* (userId: string, args: ReserveDeliveryArguments) {
  const users = yield* LinkedUsers
  const rows = yield* CourierRows
  const { fleetId } = yield* CourierSettings
  const phone = yield* users.phoneOf(userId)
  const deliveryId = args.delivery_id
  const held = Effect.map(rows.heldBy(userId), (all) =>
    all.map((row) => row.deliveryId).filter((id) => id !== deliveryId),
  )
  let locked: readonly string[] = []
  const locks = Effect.map(held, (others) => {
    locked = others
    return { pool: fleetId, groups: [...groupsOf(deliveryId), ...others.map(errandGroup)] }
  })
  const body = (row: CourierRow) =>
    Effect.gen(function* () {
      if ((yield* held).some((id) => !locked.includes(id))) return { type: "again" } satisfies Step
      const wrong = args.contact.phone !== undefined && args.contact.phone !== phone
      if (phone === null || wrong) {
        const message = "must be the number that the user linked, or be left out"
        const envelope = refusal({ code: "invalid_request", message, field: "contact.phone", deliveryId })
        return { type: "answer", envelope } satisfies Step
      }
      return yield* hold(row, args, { phone, others: locked })
    })
  return yield* runErrandCall({ userId, tool: "reserve_delivery", args, deliveryId }, body, locks)
})

interface Holding {
  readonly phone: string
  /** Errands of the user that were held when the locks were taken. */
  readonly others: readonly string[]
}

const hold = Effect.fnUntraced(function* (row: CourierRow, args: ReserveDeliveryArguments, holding: Holding) {
  const { deliveryId } = row
  const disqualifying = disqualifyingAmong(args.pickup_requirements_seen, args.check_in_method)
  if (disqualifying.length > 0) {
    const event = { type: "reserve.declined", reason: "disqualifying_requirement" }
    const answer = yield* orderTurn(deliveryId, { event })
    if (answer.type !== "refused") yield* changeDetails(row, { disqualifying })
    const errand = yield* currentErrand(deliveryId)
    const envelope = answer.type === "refused" ? refusedEnvelope(answer, errand) : declineEnvelope(errand)
    return { type: "answer", envelope } satisfies Step
  }
  yield* keepCredential(deliveryId, args.payment?.shared_payment_token)
  const toRelease = yield* releasable(holding.others)
  const facts = yield* factsOf(row, args, toRelease)
  const event = { type: "reserve.requested", pays: args.payment !== undefined }
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "reserve-errand@1" })
  if (answer.type === "refused") {
    const envelope = refusedEnvelope(answer, yield* currentErrand(deliveryId), "intended_slot")
    return { type: "answer", envelope } satisfies Step
  }
  yield* changeDetails(row, yield* saidAt(row, args, holding.phone))
  const released = toRelease.map(({ deliveryId: other }) => other)
  for (const other of released) yield* orderTurn(other, { event: { type: "hold.released" } })
  const errand = yield* currentErrand(deliveryId)
  const envelope = reserveEnvelope(errand, released, yield* newPen)
  return { type: errand.phase === "authorizing" ? "awaits" : "answer", envelope } satisfies Step
})

/** Read by the call after the commit; whoever asks without a credential leaves the last one alone. */
export const keepCredential = Effect.fnUntraced(function* (
  deliveryId: string,
  credential: string | undefined,
) {
  if (credential === undefined) return
  const rows = yield* CourierRows
  const payment = yield* rows.payment(deliveryId)
  yield* rows.putPayment({ deliveryId, authorizationId: payment?.authorizationId ?? null, credential })
})

const factsOf = Effect.fnUntraced(function* (
  row: CourierRow,
  { intended_slot: slot }: ReserveDeliveryArguments,
  toRelease: readonly Releasable[],
) {
  const { policy, timeZone } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const { storePlace, hours } = row.details
  const facts = { nowMs, horizonMs: policy.horizonMs, hours: hours ?? [], timeZone }
  const counted = toRelease.filter(({ holdEndsAtMs }) => holdEndsAtMs > nowMs).length
  return {
    ...(yield* capacityFor(storePlace, row.deliveryId, counted)),
    isSlotFeasible: slot === undefined || isFeasibleSlot(slot, facts),
  } satisfies ReserveFacts
})

const saidAt = Effect.fnUntraced(function* (row: CourierRow, args: ReserveDeliveryArguments, phone: string) {
  const host = yield* ActorHost
  const { nowMs } = yield* Transaction
  const { details } = row
  const best = details.windows.find(({ startMs }) => startMs >= nowMs) ?? details.windows[0] ?? null
  const pickupTime = pickupTimeFor({
    kitchenStarts: details.kitchenStarts ?? "on_check_in",
    intendedSlot: args.intended_slot ?? null,
    best,
    earliestMs: nowMs + details.leadTimeMs,
  })
  return {
    customer: { firstName: args.customer.first_name, lastName: args.customer.last_name },
    contact: { phone, email: args.contact.email ?? null },
    requirementsSeen: args.pickup_requirements_seen,
    requirementsNotes: args.pickup_requirements_notes ?? null,
    checkInMethod: args.check_in_method ?? null,
    pickupTime,
    checkout: { atMs: nowMs, nonce: yield* host.nonce },
  } satisfies Partial<CourierDetails>
})

interface Releasable {
  readonly deliveryId: string
  readonly holdEndsAtMs: EpochMs
}

/** Holds that this one replaces. One whose payment is being asked for stays: it neither lapses nor is released. */
const releasable = Effect.fnUntraced(function* (others: readonly string[]) {
  const { group } = yield* Transaction
  const found: Releasable[] = []
  for (const deliveryId of others) {
    const other = yield* group(errandGroup(deliveryId))
    const seen = other === null ? null : seenIn(other)
    if (other === null || seen?.phase !== "held" || isAsking(other)) continue
    found.push({ deliveryId, holdEndsAtMs: seen.order.holdEndsAtMs ?? 0 })
  }
  return found
})
