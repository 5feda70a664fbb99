/** Requests about the connector of the sandbox: test numbers of an organization, and how their errands go wrong. */

import { Schema } from "effect"
import { TYPED_PHONE_LENGTH_MAX } from "../values/limits.ts"
import { text } from "../values/schema.ts"

/** In the order in which they may happen. */
export const ERRAND_FAILURES = [
  "no_capacity",
  "address_wrong",
  "payment_fails",
  "vehicle_late",
  "order_delayed",
  "store_no_handover",
  "vehicle_lost",
  "customer_absent",
] as const

export type ErrandFailure = (typeof ERRAND_FAILURES)[number]

export const AddTestNumberRequest = Schema.Struct({
  phone: text({ max: TYPED_PHONE_LENGTH_MAX }).annotations({
    description: "A number for fiction: +1, an area code, and 555-0100 to 555-0199.",
  }),
}).annotations({ identifier: "AddTestNumberRequest" })

export const SetTestVehicleRequest = Schema.Struct({
  is_online: Schema.Boolean.annotations({ description: "While it is offline, there is no capacity." }),
}).annotations({ identifier: "SetTestVehicleRequest" })

export const FailErrandRequest = Schema.Struct({
  failure: Schema.Literal(...ERRAND_FAILURES).annotations({
    description:
      "`no_capacity` takes the test vehicle offline; `address_wrong` makes the drop-off approximate; `payment_fails` declines the fee, " +
      "now or when it is taken; `vehicle_late` and `order_delayed` move the pickup by 20 minutes; the others end the errand.",
  }),
}).annotations({ identifier: "FailErrandRequest" })
