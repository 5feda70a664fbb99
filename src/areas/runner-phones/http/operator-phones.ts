/** `/internal/v1`: pairs runners' phones with a site, lists them, ends them, and shows what they did. */

import { Schema } from "effect"
import { PairRunnerRequest } from "../../../model/requests/operations-requests.ts"
import { RUNNER_MOVES } from "../../../model/requests/runner-moves.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { RunnerPhones } from "../runner-phones.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Pairing = Schema.Struct({
  path: Schema.String.annotations({
    description:
      "The pairing link on this host, for a QR code. It works once, for two minutes. The code is in the fragment, which browsers do not send.",
  }),
  site_id: Schema.String,
  runner_id: Schema.String,
  runner_name: Schema.String,
  expires_at: DateTime,
}).annotations({ identifier: "RunnerPairing" })

const Phone = Schema.Struct({
  phone_id: Schema.String,
  site_id: Schema.String,
  runner_id: Schema.String,
  runner_name: Schema.String,
  paired_at: DateTime,
  ends_at: DateTime,
}).annotations({ identifier: "RunnerPhone" })

const Move = Schema.Struct({
  phone_id: Schema.String,
  runner_id: Schema.String,
  move: Schema.Literal(...RUNNER_MOVES),
  outcome: Schema.String.annotations({ description: "`done`, or the code of its refusal." }),
  at: DateTime,
  phone_at: Schema.NullOr(DateTime).annotations({
    description: "When the runner pressed the button, by the phone's clock.",
  }),
}).annotations({ identifier: "RunnerMove" })

const PHONES: CommandNoun = {
  word: "runner-phones",
  description: "phones of runners, paired with a site for a shift",
}

/** Names the streams of a phone for `ChangeStreams.recheck`. */
export function phoneScope(phoneId: string): string {
  return `runner's phone ${phoneId}`
}

const pair = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/sites/{id}/pairings",
  operationId: "pairRunnerPhone",
  summary: "Make a link that pairs a runner's phone with the site for a shift of 12 hours",
  body: PairRunnerRequest,
  answers: { 201: Schema.Struct({ pairing: Pairing }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: PHONES,
      verb: "pair",
      description: "make a link that pairs one phone; it works once, for two minutes",
      inputs: [
        ["id", "--site <id>", "as sites list shows it"],
        ["runner_name", "--name <name>", "the runner's name; the same name keeps its tasks in a shift"],
        ["runner_id", "--runner <id>", "an id of your own for the runner; without it, one is made"],
      ],
      did: "open this link on the phone within two minutes:",
      prints: "path",
      isLink: true,
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const { pairing, code } = yield* (yield* RunnerPhones).makePairing(caller, id, request)
    const { siteId, runnerId, runnerName, endsAtMs } = pairing
    return {
      pairing: {
        path: `/runner#pair=${code}`,
        site_id: siteId,
        runner_id: runnerId,
        runner_name: runnerName,
        expires_at: isoMs(endsAtMs),
      },
    }
  },
})

const list = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/runner-phones",
  operationId: "listRunnerPhones",
  summary: "The site's paired phones, newest first",
  answers: { 200: Schema.Struct({ runner_phones: Schema.Array(Phone) }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: PHONES,
      verb: "list",
      description: "phones whose shift has not ended, newest first",
      inputs: [["id", "--site <id>", "of one site; without it, of all"]],
      columns: ["site_id", "phone_id", "runner_name", "runner_id", "paired_at", "ends_at"],
    },
  ],
  *handle({ caller, id }) {
    const phones = yield* (yield* RunnerPhones).list(caller, id)
    return { runner_phones: phones.map(phoneRecord) }
  },
})

const end = operatorEndpoint({
  method: "DELETE",
  path: "/internal/v1/runner-phones/{id}",
  operationId: "endRunnerPhone",
  summary: "Sign a phone out; a repeat changes nothing",
  answers: { 200: Schema.Struct({ runner_phone: Phone }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: PHONES,
      verb: "end",
      description: "sign a phone out",
      inputs: [["id", "<phone-id>", "as runner-phones list shows it"]],
      did: "signed out the phone",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    const phone = yield* (yield* RunnerPhones).end(caller, id)
    return { runner_phone: phoneRecord(phone) }
  },
})

const moves = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/reservations/{id}/phone-moves",
  operationId: "listPhoneMoves",
  summary: "What runners' phones did with a reservation, oldest first, for a year; also what was refused",
  answers: { 200: Schema.Struct({ phone_moves: Schema.Array(Move) }) },
  *handle({ caller, id }) {
    const made = yield* (yield* RunnerPhones).moves(caller, id)
    return { phone_moves: made.map(moveRecord) }
  },
})

const phoneRecord = recordsOf(Phone)

const moveRecord = recordsOf(Move)

export const runnerPhones = [pair, list, end, moves]
