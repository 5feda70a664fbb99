/** Contract of the courier order. */

import { Schema } from "effect"
import { CourierPolicy, DECLINE_REASONS, FAILURE_REASONS } from "../src/model/courier.ts"
import { DELIVERY_STATUSES } from "../src/model/delivery.ts"
import { Flag, choice, optional } from "../src/model/event-fields.ts"
import { Refusal, RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"
import { Places, Pool, WholePool } from "../src/model/vehicle-pool.ts"

/** What a check reads outside the fleet. */
const ScreenedFacts = Schema.Struct({
  /** True when the vehicles do not carry some item of the cart; false when no items were given. */
  isRestricted: Schema.Boolean,
  offersCurbside: Schema.Boolean,
  isServedStore: Schema.Boolean,
  isInZone: Schema.Boolean,
  /** The requested window or every slot of the store is over, too soon for its kitchen, or beyond the booking horizon. */
  isOutOfReach: Schema.Boolean,
  /** How many windows lie inside the opening hours of both the store and the service. */
  windows: Schema.Number,
})

export type ScreenedFacts = typeof ScreenedFacts.Type

const { isRestricted } = ScreenedFacts.fields
/** The vehicle can keep the intended slot or, if no slot was given, at least one window. */
const isTimely = Schema.Boolean

const checked = Schema.Struct({ declineReason: Schema.NullOr(Schema.Literal(...DECLINE_REASONS)) })
const reserved = Schema.Struct({ refusal: optional(Refusal.fields.refusal) })
/** The machine uses `hasPlace` only after the hold has ended, because a live hold has its place. */
const confirmed = Schema.Union(
  Refusal,
  Schema.Struct({
    isRestricted: Schema.Boolean,
    hasPlace: Schema.Boolean,
    vehicleId: Schema.NullOr(Schema.String),
  }),
)

export const courierOrderContract = machineContract({
  input: Schema.Struct({
    deliveryId: Schema.String,
    /** Null for an unknown store, which leads to a decline. */
    storeId: Schema.NullOr(Schema.String),
    policy: CourierPolicy,
  }),
  events: {
    "cancel.requested": noFields,
    "confirm.requested": noFields,
    "failure.reported": Schema.Struct({ reason: choice(FAILURE_REASONS) }),
    "hold.released": noFields,
    "payment.authorized": noFields,
    "payment.captured": noFields,
    "payment.declined": noFields,
    "payment.requested": noFields,
    "refund.requested": noFields,
    "reserve.declined": Schema.Struct({ reason: choice(DECLINE_REASONS) }),
    "reserve.requested": Schema.Struct({ pays: Flag }),
    "store.cancelled": noFields,
    "update.declined": Schema.Struct({ reason: choice(DECLINE_REASONS) }),
    "update.requested": Schema.Struct({ isDropoff: Flag }),
  },
  reply: Schema.Struct({ ...RepeatReply.fields, isPaymentFailed: optional(Schema.Literal(true)) }),
  decisions: {
    "check-errand@1": {
      about: ["@start"],
      facts: Schema.Struct({ ...ScreenedFacts.omit("isRestricted").fields, ...WholePool.fields }),
      result: checked,
    },
    "check-errand@2": {
      about: ["@start"],
      facts: Schema.Struct({ ...ScreenedFacts.fields, ...WholePool.fields }),
      result: checked,
    },
    /** Only counts of the fleet, because a check chooses no vehicle. */
    "check-errand@3": {
      about: ["@start"],
      facts: Schema.Struct({ ...ScreenedFacts.fields, ...Places.fields }),
      result: checked,
    },
    "reserve-errand@1": {
      about: ["reserve.requested"],
      facts: Schema.Struct({ isTimely, ...WholePool.fields }),
      result: reserved,
    },
    "reserve-errand@2": {
      about: ["reserve.requested"],
      facts: Schema.Struct({ isTimely, ...Places.fields }),
      result: reserved,
    },
    "confirm-errand@1": {
      about: ["confirm.requested"],
      facts: Schema.Struct({ isTimely, isRestricted, ...WholePool.fields }),
      result: confirmed,
    },
    "confirm-errand@2": {
      about: ["confirm.requested"],
      facts: Schema.Struct({ isTimely, isRestricted, ...Pool.fields }),
      result: confirmed,
    },
    "stage-errand@1": {
      about: [
        "cancel.requested",
        "failure.reported",
        "store.cancelled",
        "update.declined",
        "update.requested",
      ],
      facts: Schema.Struct({ status: Schema.NullOr(Schema.Literal(...DELIVERY_STATUSES)), isTimely }),
      /** The delivery status of the booked errand, and the refusal when a timing rule forbids the report. */
      result: Schema.Struct({
        isCollected: Schema.Boolean,
        isOver: Schema.Boolean,
        refusal: optional(Refusal.fields.refusal),
      }),
    },
  },
  notByHand: "errands exist only in production, where no events are sent by hand",
})
