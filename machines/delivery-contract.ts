/** Contract of the delivery. */

import { Schema } from "effect"
import { DELIVERY_STATUSES } from "../src/model/delivery.ts"
import { Id } from "../src/model/event-fields.ts"
import { Refusal, RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"
import { Pool, WholePool } from "../src/model/vehicle-pool.ts"

/** The fields of a quote that decide whether it can become a delivery. */
const QuoteTerm = Schema.Struct({ isAvailable: Schema.Boolean, expiresAtMs: Schema.Number })

export type QuoteTerm = typeof QuoteTerm.Type

const quote = Schema.NullOr(QuoteTerm)
const chosen = Schema.Union(Refusal, Schema.Struct({ vehicleId: Schema.String }))

export const deliveryContract = machineContract({
  input: Schema.Struct({
    /** The delivery's own id, because the vehicle's messages are sent to it. */
    deliveryId: Schema.String,
    siteId: Schema.String,
  }),
  events: {
    "vehicle.assigned": noFields,
    "store.approached": noFields,
    "store.reached": noFields,
    "load.awaited": noFields,
    "order.loaded": noFields,
    "store.left": noFields,
    "customer.reached": noFields,
    "order.unloaded": noFields,
    "cancel.requested": noFields,
    "step.advanced": noFields,
    "vehicle.changed": Schema.Struct({ vehicleId: Id }),
  },
  reply: RepeatReply,
  publishes: {
    "pickup_status.changed": Schema.Struct({ previous_status: Schema.Literal(...DELIVERY_STATUSES) }),
  },
  decisions: {
    "promote@1": {
      about: ["@start"],
      facts: Schema.Struct({ quote, candidates: WholePool.fields.candidates }),
      result: chosen,
    },
    "promote@2": { about: ["@start"], facts: Schema.Struct({ quote, ...WholePool.fields }), result: chosen },
    "promote@3": { about: ["@start"], facts: Schema.Struct({ quote, ...Pool.fields }), result: chosen },
  },
  notByHand: {
    "vehicle.changed": "the vehicle must be free, which the fleet's lock sees to; ask the area's API",
  },
})
