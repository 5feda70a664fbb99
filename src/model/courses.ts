/** Requests about courses of the sandbox. */

import { Schema } from "effect"
import { text } from "./values/schema.ts"

export const StartScenarioRequest = Schema.Struct({
  scenario: text({ max: 64 }).annotations({ description: "The name of one from the list." }),
  reservation_id: Schema.optional(text({ max: 64 })).annotations({
    description:
      "A reservation of the organization. Without it the course makes a test reservation, and cancels it at its end.",
  }),
  delivery_id: Schema.optional(text({ max: 255 })).annotations({
    description:
      "A delivery of the organization, by its own id or its external id. Without it the course makes a test delivery, and cancels it at its end.",
  }),
}).annotations({ identifier: "StartScenarioRequest" })

export type StartScenarioRequest = typeof StartScenarioRequest.Type
