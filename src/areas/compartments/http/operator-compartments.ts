/** Operations open a compartment at a customer's door, also after it was locked or did not open. */

import { Schema } from "effect"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { COMPARTMENT_STATES } from "../../../model/compartment.ts"
import { Compartments } from "../compartments.ts"
import type { CompartmentRecord } from "../compartments.ts"

const Compartment = Schema.Struct({
  delivery_id: Schema.String,
  state: Schema.Literal(...COMPARTMENT_STATES),
  wrong_tries: Schema.Number,
  tries_left: Schema.Number,
}).annotations({ identifier: "Compartment" })

const open = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/deliveries/{id}/compartment",
  operationId: "openCompartment",
  summary:
    "Ask the fleet to open the compartment of the vehicle at the customer's door, without the customer's digits",
  answers: { 200: Schema.Struct({ compartment: Compartment }) },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: { word: "compartments", description: "compartments of vehicles; the service must be running" },
      verb: "open",
      description: "ask the fleet to open it for the customer at the door, as after wrong digits",
      inputs: [["id", "<delivery-id>", "as the board shows it"]],
      did: "asked the fleet to open the compartment of",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    const compartment = yield* (yield* Compartments).grant(caller, id)
    return { compartment: recordOf(id, compartment) }
  },
})

function recordOf(deliveryId: string, { state, wrongTries, triesLeft }: CompartmentRecord) {
  return { delivery_id: deliveryId, state, wrong_tries: wrongTries, tries_left: triesLeft }
}

export const compartments = [open]
