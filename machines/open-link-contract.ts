/** Contracts of the open link. */

import { Schema } from "effect"
import { callLost, callResults } from "../src/model/call-result.ts"
import { machineContract, noFields } from "../src/model/machine-contract.ts"

const attempts = {
  attemptsMax: Schema.Number,
  backoffMs: Schema.Array(Schema.Number),
  leaseMs: Schema.Number,
}

export const openLink1Contract = machineContract({
  input: Schema.Struct(attempts),
  events: { ...callResults, "open_link.dropped": noFields },
})

export const openLinkContract = machineContract({
  input: Schema.Struct({ ...attempts, resendsMax: Schema.Number }),
  events: { ...callResults, ...callLost, "open_link.dropped": noFields },
})
