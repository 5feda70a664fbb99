/** Requests that change a fleet, as schemas. */

import { Schema } from "effect"
import { FLEET_INSTRUCTION_LENGTH_MAX, URL_LENGTH_MAX } from "../values/limits.ts"
import { text } from "../values/schema.ts"

/** Fields that are left out stay; null takes the URL or the text away. */
export const FleetSettingsRequest = Schema.Struct({
  open_url: Schema.optional(Schema.NullOr(text({ max: URL_LENGTH_MAX }))).annotations({
    description: "Is called to open the compartment of a vehicle at a customer's door.",
  }),
  instruction: Schema.optional(
    Schema.NullOr(text({ min: 0, max: FLEET_INSTRUCTION_LENGTH_MAX })),
  ).annotations({
    description: "How a customer opens a vehicle of the fleet, in one or two sentences.",
  }),
}).annotations({ identifier: "FleetSettingsRequest" })

export type FleetSettingsRequest = typeof FleetSettingsRequest.Type
