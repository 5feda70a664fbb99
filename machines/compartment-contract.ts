/** Contract of the compartment. */

import { Schema } from "effect"
import { callLost, callResults } from "../src/model/call-result.ts"
import { DELIVERY_STATUSES } from "../src/model/delivery.ts"
import { Flag, Id, choice } from "../src/model/event-fields.ts"
import { machineContract, noFields } from "../src/model/machine-contract.ts"

const asked = {
  /** Of the delivery at this instant: a compartment opens at the door alone. */
  status: choice(DELIVERY_STATUSES),
  /** The vehicle that is there. */
  vehicleId: Id,
}

export const compartmentContract = machineContract({
  input: Schema.Struct({
    deliveryId: Schema.String,
    fleetId: Schema.String,
    triesMax: Schema.Number,
    attemptsMax: Schema.Number,
    backoffMs: Schema.Array(Schema.Number),
    leaseMs: Schema.Number,
    resendsMax: Schema.Number,
  }),
  events: {
    ...callResults,
    ...callLost,
    /** By the customer. The digits themselves stay outside of the journal. */
    "opening.requested": Schema.Struct({ ...asked, digitsMatch: Flag }),
    /** By operations. */
    "opening.granted": Schema.Struct(asked),
  },
  reply: Schema.Struct({
    isRepeat: Schema.optionalWith(Schema.Literal(true), { exact: true }),
    /** Why it does not open; the try counts, so the command is not refused. */
    problem: Schema.optionalWith(Schema.Literal("locked", "wrong_digits"), { exact: true }),
  }),
  publishes: { "compartment.failed": noFields, "compartment.locked": noFields },
  notByHand: {
    "opening.requested":
      "the customer's digits are compared outside of the machine; grant the opening instead",
    "opening.granted": "it needs the delivery's status under its lock; ask the area's API",
  },
})
