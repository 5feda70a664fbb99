/** Contract of the courier payment. */

import { Schema } from "effect"
import { callResults } from "../src/model/call-result.ts"
import { CourierPaymentPolicy } from "../src/model/courier.ts"
import { machineContract, noFields } from "../src/model/machine-contract.ts"

export const courierPaymentContract = machineContract({
  input: Schema.Struct({ policy: CourierPaymentPolicy }),
  events: {
    ...callResults,
    "authorize.requested": noFields,
    "capture.requested": noFields,
    "release.requested": noFields,
  },
  notByHand: "errands exist only in production, where no events are sent by hand",
})
