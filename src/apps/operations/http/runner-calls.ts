/** `/internal/v1`: calls the runners of a site by their phones, lists the calls, and takes one back. */

import { Schema } from "effect"
import { RunnerCalls } from "../../../areas/runner-phones/runner-calls.ts"
import type { RunnerCall } from "../../../areas/runner-phones/runner-calls.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { CallRunnersRequest } from "../../../model/requests/operations-requests.ts"
import { RUNNER_CALL_STATES } from "../../../model/requests/runner-calls.ts"
import { OperatorActions } from "../../operators/actions.ts"
import { recordsOf } from "../../../http/records/records.ts"

const TextOrNull = Schema.NullOr(Schema.String)

/** As operations, boards and phones read it. */
export const RunnerCallShown = Schema.Struct({
  call_id: Schema.String,
  site_id: Schema.String,
  reservation_id: TextOrNull.annotations({ description: "The task that it is about; null: none." }),
  order_number: TextOrNull,
  stall_label: TextOrNull,
  message: TextOrNull,
  called_by: Schema.String.annotations({ description: "The operator's name, or the label of a token." }),
  called_at: DateTime,
  ends_at: DateTime.annotations({ description: "When it rings no more." }),
  state: Schema.Literal(...RUNNER_CALL_STATES),
  runner_id: TextOrNull.annotations({ description: "Who answered." }),
  runner_name: TextOrNull,
  ended_at: Schema.NullOr(DateTime).annotations({
    description: "When it was answered, missed or withdrawn.",
  }),
}).annotations({ identifier: "RunnerCall", description: "A call of operations to the runners of a site." })

const recordOf = recordsOf(RunnerCallShown)

/** What a record of a call is written from. */
export function runnerCallFields({ callerName, answeredBy, ...call }: RunnerCall) {
  const { runnerId = null, runnerName = null } = answeredBy ?? {}
  return { ...call, calledBy: callerName, runnerId, runnerName }
}

export function runnerCallRecord(call: RunnerCall) {
  return recordOf(runnerCallFields(call))
}

const CALLS: CommandNoun = {
  word: "runner-calls",
  description: "calls to the runners of a site; the service must be running",
}
const SITE: CommandInput = ["id", "--site <id>", "as sites list shows it"]

const call = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/sites/{id}/runner-calls",
  operationId: "callRunners",
  summary: "Ring every phone that is paired with the site, until a runner answers",
  body: CallRunnersRequest,
  answers: { 201: Schema.Struct({ runner_call: RunnerCallShown }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: CALLS,
      verb: "make",
      description: "ring the phones of a site for three minutes",
      inputs: [
        SITE,
        ["reservation_id", "--reservation <id>", "the task that it is about"],
        ["message", "--message <text>", "what runners read"],
      ],
      did: "called the runners of the site:",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const callerName = yield* (yield* OperatorActions).nameOf(caller)
    const made = yield* (yield* RunnerCalls).call(caller, id, { ...request, callerName })
    return { runner_call: runnerCallRecord(made) }
  },
})

const list = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/runner-calls",
  operationId: "listRunnerCalls",
  summary: "Calls to the runners of a site that ring, or rang in the last quarter of an hour, newest first",
  answers: { 200: Schema.Struct({ runner_calls: Schema.Array(RunnerCallShown) }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: CALLS,
      verb: "list",
      description: "calls that ring, or rang lately",
      inputs: [SITE],
      columns: ["call_id", "called_at", "called_by", "order_number", "message", "state", "runner_name"],
    },
  ],
  *handle({ caller, id }) {
    const calls = yield* (yield* RunnerCalls).list(caller, id)
    return { runner_calls: calls.map(runnerCallRecord) }
  },
})

const withdraw = operatorEndpoint({
  method: "DELETE",
  path: "/internal/v1/runner-calls/{id}",
  operationId: "withdrawRunnerCall",
  summary: "Take a call back: it rings no more; a repeat changes nothing",
  answers: { 200: Schema.Struct({ runner_call: RunnerCallShown }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: CALLS,
      verb: "withdraw",
      description: "take a call back",
      inputs: [["id", "<call-id>", "as runner-calls list shows it"]],
      did: "took back the call",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    const taken = yield* (yield* RunnerCalls).withdraw(caller, id)
    return { runner_call: runnerCallRecord(taken) }
  },
})

export const runnerCalls: readonly OperatorEndpoint<OperatorActions | RunnerCalls>[] = [call, list, withdraw]
