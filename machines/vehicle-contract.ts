/** Contract of the vehicle. */

import { Schema } from "effect"
import { Id, Moment, optional } from "../src/model/event-fields.ts"
import { RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"
import { VehiclePolicy } from "../src/model/vehicle.ts"

const crossed = Schema.Struct({ recordedAtMs: Moment })
/** Telemetry gives the time of each crossing; these events do not require one. */
const crossedAnyTime = Schema.Struct({ recordedAtMs: optional(Schema.Number) })
const run = Schema.Struct({ deliveryId: Id })

export const vehicleContract = machineContract({
  input: Schema.Struct({
    fleetId: Schema.String,
    /**
     * A vehicle of a sandbox. It takes runs but reports no status, because a developer advances its deliveries by hand.
     */
    isSynthetic: Schema.Boolean,
    isOnline: Schema.Boolean,
    policy: VehiclePolicy,
  }),
  events: {
    "customer.reached": crossedAnyTime,
    "load.reported": crossedAnyTime,
    "run.ended": run,
    "run.offered": run,
    "store.approached": crossedAnyTime,
    "store.left": crossed,
    "store.reached": crossed,
    "unload.reported": crossedAnyTime,
    "vehicle.went_offline": noFields,
    "vehicle.went_online": noFields,
  },
  reply: RepeatReply,
  notByHand: {
    "run.offered": "the vehicle must be free, which the fleet's lock sees to; ask the area's API",
  },
})
