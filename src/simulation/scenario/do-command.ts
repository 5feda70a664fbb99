/** The `do` and `refuse` steps: each word is an operation of an API, or calls the same method of the same service as an HTTP request. */

import { Effect } from "effect"
import type { Refused } from "../../model/values/errors.ts"
import type { Requester } from "../../model/requester.ts"
import { CurrentRequester } from "../../engine/services/requester.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { DO_KEY, admitted, requesterOf } from "./callers.ts"
import type { AdmissionRefused } from "./callers.ts"
import type { CommandStep, Doing as DoingOf } from "./command-step.ts"
import { DO_COMPARTMENT } from "./compartments/do-compartment.ts"
import { DO_COURIER } from "./courier/do-courier.ts"
import type { ErrandRefused } from "./courier/do-courier.ts"
import { DO_DELIVERY } from "./direct-delivery/do-delivery.ts"
import { DO_RUNNER_CALL } from "./do-runner-call.ts"
import type { CommandName } from "./language/language.ts"
import { doByPerson } from "./people.ts"
import { DO_OPERATION } from "./operations.ts"
import type { RunContext } from "./run-context.ts"

type Doing = DoingOf<ErrandRefused | Refused>

/** Runs a step's command as its caller: with a key as the API would, or as a person of the site. */
export function callCommand(
  run: RunContext,
  step: CommandStep,
  requester: Requester = requesterOf(run, step),
): Effect.Effect<unknown, AdmissionRefused | ErrandRefused | Refused, SimulatedServices> {
  const person = run.people.get(step.by ?? "")
  const doing =
    person === undefined
      ? Effect.flatMap(admitted(run, step), (caller) => doCommand(caller, step))
      : doByPerson(run, step, { person, doCommand })
  return Effect.locally(doing, CurrentRequester, requester)
}

/** Runs one command; the caller decides whether a refusal is expected. */
export function doCommand(run: RunContext, step: CommandStep): Doing {
  return DO[step.command](run, step)
}

const DO: Readonly<Record<CommandName, (run: RunContext, step: CommandStep) => Doing>> = {
  ...DO_OPERATION,
  ...DO_DELIVERY,
  ...DO_COURIER,
  ...DO_COMPARTMENT,
  ...DO_KEY,
  ...DO_RUNNER_CALL,
}
