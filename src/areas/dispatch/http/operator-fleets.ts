/** Settings of fleets: how the compartments of their vehicles are opened. */

import { Schema } from "effect"
import { FleetSettingsRequest } from "../../../model/requests/fleet-requests.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { FleetSettings } from "../fleet-settings.ts"
import type { FleetSettingsRecord } from "../fleet-settings.ts"

const TextOrNull = Schema.NullOr(Schema.String)

const Fleet = Schema.Struct({
  fleet_id: Schema.String,
  open_url: TextOrNull.annotations({
    description: "Opens the compartment of a vehicle; null: the fleet cannot be asked.",
  }),
  open_secret: TextOrNull.annotations({
    description:
      "Signs the calls to `open_url`, as webhooks are signed. Whole in the answer that makes it; otherwise its last four characters.",
  }),
  instruction: TextOrNull.annotations({ description: "How to open a vehicle, for customers." }),
  updated_at: Schema.NullOr(DateTime),
}).annotations({ identifier: "Fleet" })

const FLEETS: CommandNoun = {
  word: "fleet-settings",
  description: "how the compartments of a fleet's vehicles are opened; the service must be running",
}
const FLEET: CommandInput = ["id", "<fleet-id>", "as vehicles add names it"]

const answers = { 200: Schema.Struct({ fleet: Fleet }) }

const show = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/fleets/{id}",
  operationId: "readFleet",
  summary: "How the compartments of a fleet's vehicles are opened",
  answers,
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: FLEETS,
      verb: "show",
      description: "the URL, the last characters of its secret, and the instruction",
      inputs: [FLEET],
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    return { fleet: recordOf(yield* (yield* FleetSettings).show(caller, id)) }
  },
})

const change = operatorEndpoint({
  method: "PATCH",
  path: "/internal/v1/fleets/{id}",
  operationId: "changeFleet",
  summary: "Set the URL that opens compartments, or the instruction; the first URL makes a signing secret",
  body: FleetSettingsRequest,
  answers,
  errors: ["NOT_FOUND", "URL_VALIDATION_UNAVAILABLE"],
  commands: [
    {
      noun: FLEETS,
      verb: "set",
      description: "set the URL or the instruction; prints the secret when the first URL makes one",
      inputs: [
        FLEET,
        ["open_url", "--open-url <url>", "opens a compartment; an empty text for none", "text or none"],
        [
          "instruction",
          "--instruction <text>",
          "how customers open a vehicle; an empty text for the usual words",
          "text or none",
        ],
      ],
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const fleets = yield* FleetSettings
    return { fleet: recordOf(yield* fleets.change(caller, id, request)) }
  },
})

const rotate = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/fleets/{id}/open-secret",
  operationId: "rotateFleetSecret",
  summary: "Make a new signing secret of the fleet; calls are signed with it from now on",
  answers,
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: FLEETS,
      verb: "rotate-secret",
      description: "make a new signing secret, and print it",
      inputs: [FLEET],
      did: "made a new secret of the fleet",
      prints: "open_secret",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    return { fleet: recordOf(yield* (yield* FleetSettings).rotate(caller, id)) }
  },
})

function recordOf({ fleetId, openUrl, openSecret, instruction, updatedAtMs }: FleetSettingsRecord) {
  return {
    fleet_id: fleetId,
    open_url: openUrl,
    open_secret: openSecret,
    instruction,
    updated_at: isoMs(updatedAtMs),
  }
}

export const fleets = [show, change, rotate]
