/**
 * The errands of an organization's test users, as its developers move them: each advance is the next status, and each failure one of
 * the ways in which an errand goes wrong.
 */

import { Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import { ERRAND_FAILURES } from "../../model/requests/agents.ts"
import type { ErrandFailure } from "../../model/requests/agents.ts"
import type { CourierState, FailureReason, PaymentStatus } from "../../model/courier.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import { TEST_ERRANDS_SHOWN_MAX } from "../../model/values/limits.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ask, currentRoot } from "../../engine/services/actors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { refusedFor } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { uncaptured } from "../courier/built-in-payments.ts"
import { changeDetails, sendCredential } from "../courier/commands.ts"
import { commanded, fail as failErrand } from "../courier/courier-operations.ts"
import { currentErrand, groupsOf } from "../courier/errand.ts"
import type { Errand } from "../courier/errand.ts"
import { CourierRows } from "../courier/rows.ts"
import { moveTimes } from "../courier/times.ts"
import { deliveryGroup } from "../direct-delivery/commands.ts"
import { walkedFix } from "../direct-delivery/direct-delivery.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { inSandboxOf } from "./sandbox-courier.ts"
import { permitted } from "./test-numbers.ts"
import { isTestVehicleOnline, setTestVehicle } from "./test-vehicle.ts"

/** An errand as its organization reads it, without what agents told of people. */
export interface TestErrand {
  readonly deliveryId: string
  readonly userId: string
  readonly storeName: string
  readonly state: CourierState
  readonly paymentStatus: PaymentStatus
  readonly failureReason: FailureReason | null
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
  readonly canAdvance: boolean
  /** The ways in which it can fail now. */
  readonly failures: readonly ErrandFailure[]
}

export class TestErrands extends service<TestErrands>()("TestErrands", () => ({
  list: (caller: Partner) => permitted(caller, inSandboxOf(caller.organizationId, list(caller))),
  advance: (caller: Partner, deliveryId: string) =>
    permitted(caller, moved(caller, deliveryId, advance(deliveryId))),
  fail: (caller: Partner, deliveryId: string, way: ErrandFailure) =>
    permitted(caller, fail(caller, deliveryId, way)),
  isVehicleOnline: ({ organizationId }: Partner) => isTestVehicleOnline(organizationId),
  setVehicle: (caller: Partner, isOnline: boolean) =>
    permitted(caller, setTestVehicle(caller.organizationId, isOnline)),
})) {}

/** The newest first. */
const list = Routine.fn(function* ({ organizationId }: Partner) {
  const rows = yield* (yield* CourierRows).newestOf(organizationId, TEST_ERRANDS_SHOWN_MAX)
  return yield* Routine.forEach(rows, ({ deliveryId }) => look(deliveryId))
})

const look = Routine.fn(function* (deliveryId: string) {
  const host = yield* ActorHost
  return recordOf(yield* host.view(groupsOf(deliveryId), currentErrand(deliveryId)))
})

/** One command on an errand of the caller's sandbox; any other is not found. */
function moved<R>(
  { organizationId }: Partner,
  deliveryId: string,
  body: Routine<void, Refused, R | Transaction>,
) {
  return inSandboxOf(organizationId, Effect.zipRight(commanded(deliveryId, body), look(deliveryId)))
}

const advance = Routine.fn(function* (deliveryId: string) {
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const { nowMs } = yield* Transaction
  const errand = yield* currentErrand(deliveryId)
  const { delivery } = errand
  if (delivery === null || delivery.storePlace === null) return yield* inState(errand)
  const to = deliveryGroup(deliveryId)
  const answer = yield* ask("delivery", { to, event: { type: "step.advanced" }, nonce: yield* host.nonce })
  if (answer.type === "refused") return yield* refusedFor(answer)
  const status = (yield* currentRoot("delivery", to)).context.announced
  yield* vehicles.insertFix(walkedFix(delivery, { store: delivery.storePlace, status, nowMs }))
})

const fail = Effect.fnUntraced(function* (caller: Partner, deliveryId: string, way: ErrandFailure) {
  const failed = yield* moved(caller, deliveryId, failBy(deliveryId, way))
  if (way === "no_capacity") yield* setTestVehicle(caller.organizationId, false)
  return failed
})

const failBy = Routine.fn(function* (deliveryId: string, way: ErrandFailure) {
  const errand = yield* currentErrand(deliveryId)
  if (!WAYS[way](errand)) return yield* inState(errand)
  switch (way) {
    case "no_capacity":
      return
    case "payment_fails":
      return yield* failPayment(errand)
    case "vehicle_late":
    case "order_delayed":
      return yield* delay(errand, way)
    case "address_wrong":
      return yield* changeDetails(errand.row, { isDropoffApproximate: true })
    case "store_no_handover":
    case "vehicle_lost":
    case "customer_absent":
      return yield* failErrand(deliveryId, { reason: REASONS[way], refunds: false })
  }
})

const REASONS = {
  store_no_handover: "store_no_handover",
  vehicle_lost: "vehicle_fault",
  customer_absent: "customer_unavailable",
} as const satisfies Partial<Record<ErrandFailure, FailureReason>>

/** When an errand may fail in each way. */
const WAYS: Readonly<Record<ErrandFailure, (errand: Errand) => boolean>> = {
  no_capacity: isUnbooked,
  payment_fails: ({ phase, paymentStatus }) =>
    (phase === "held" || phase === "lapsed") &&
    (paymentStatus === "pending" || paymentStatus === "authorized"),
  vehicle_late: (errand) => isBetween(errand, "SCHEDULED", "EN_ROUTE_TO_STORE"),
  order_delayed: (errand) => isBetween(errand, "SCHEDULED", "WAITING_FOR_LOAD"),
  store_no_handover: (errand) => isBetween(errand, "SCHEDULED", "WAITING_FOR_LOAD"),
  vehicle_lost: (errand) => isBetween(errand, "SCHEDULED", "ARRIVED_AT_CUSTOMER"),
  customer_absent: (errand) => isBetween(errand, "LOADED", "ARRIVED_AT_CUSTOMER"),
  address_wrong: (errand) => isUnbooked(errand) || isBetween(errand, "SCHEDULED", "WAITING_FOR_LOAD"),
}

function isUnbooked({ state }: Errand): boolean {
  return state === "quoted" || state === "held"
}

function isBetween({ phase, delivery }: Errand, first: DeliveryStatus, last: DeliveryStatus): boolean {
  if (phase !== "booked" || delivery === null) return false
  const rank = rankOf(delivery.status)
  return delivery.status !== "CANCELLED" && rank >= rankOf(first) && rank <= rankOf(last)
}

/** An authorized fee is not taken at the confirm; otherwise a card is declined now. */
const failPayment = Routine.fn(function* (errand: Errand) {
  const { row, paymentStatus } = errand
  const rows = yield* CourierRows
  if (paymentStatus === "authorized") {
    const payment = yield* rows.payment(row.deliveryId)
    if (payment === null || payment.authorizationId === null) return yield* inState(errand)
    const authorizationId = uncaptured(payment.authorizationId)
    return yield* rows.putPayment({ ...payment, authorizationId })
  }
  const sent = yield* sendCredential(row.deliveryId, "spt_declined")
  if (sent.type !== "asked") return yield* inState(errand)
})

const DELAY_MS = 20 * MINUTE_MS

/** The order or the vehicle comes later than planned; the times of the run follow. */
const delay = Routine.fn(function* ({ row, delivery }: Errand, way: "order_delayed" | "vehicle_late") {
  const { nowMs } = yield* Transaction
  const { deliveryId, details } = row
  const readyByMs = Math.max(delivery?.readyByMs ?? nowMs, nowMs) + DELAY_MS
  yield* changeDetails(
    row,
    way === "order_delayed" ? { readyAtMs: readyByMs, vehicleAtMs: null } : { vehicleAtMs: readyByMs },
  )
  yield* moveTimes({ deliveryId, storePlace: details.storePlace, place: details.dropoffPlace, readyByMs })
})

function inState({ state }: Errand): Refused {
  return new Refused({ code: "INVALID_STATE", detail: `it is ${state}` })
}

function recordOf(errand: Errand): TestErrand {
  const { row, state, order, paymentStatus } = errand
  return {
    deliveryId: row.deliveryId,
    userId: row.userId,
    storeName: row.details.retailerName,
    state,
    paymentStatus,
    failureReason: order.failureReason,
    createdAtMs: row.createdAtMs,
    updatedAtMs: row.updatedAtMs,
    canAdvance: isBetween(errand, "SCHEDULED", "ARRIVED_AT_CUSTOMER"),
    failures: ERRAND_FAILURES.filter((way) => WAYS[way](errand)),
  }
}
