/** Calls to the runners of a site: operations call them, and a runner answers by the phone. Steps are about the last call of the site. */

import { Effect } from "effect"
import { runnerCalls } from "../../areas/runner-phones/rows.ts"
import { RunnerCalls } from "../../areas/runner-phones/runner-calls.ts"
import { Refused } from "../../model/values/errors.ts"
import type { PairedPhone } from "../../areas/runner-phones/runner-phones.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { CommandStep, Doing } from "./command-step.ts"
import { textIfGiven } from "./language/field-values.ts"
import type { RunContext } from "./run-context.ts"
import type { RUNNER_CALL_COMMANDS } from "./language/runner-call-words.ts"
import { siteIdOf } from "./language/worlds.ts"

export const DO_RUNNER_CALL: Readonly<
  Record<keyof typeof RUNNER_CALL_COMMANDS, (run: RunContext, step: CommandStep) => Doing>
> = {
  "runners.call": (run, step) =>
    Effect.flatMap(RunnerCalls, (calls) =>
      calls.call(run.operations, siteOf(run, step), {
        message: textIfGiven(step.with, "message") ?? null,
        callerName: step.by ?? "operations",
      }),
    ),
  "runners.answer": () =>
    Effect.fail(new Refused({ code: "INVALID_STATE", detail: "a runner answers: by says which one" })),
  "runners.withdraw": (run, step) =>
    Effect.flatMap(RunnerCalls, (calls) => calls.withdraw(run.operations, lastCallIdOf(run, step))),
}

/** The same step by a runner's phone. */
export function answerByPhone(run: RunContext, step: CommandStep, phone: PairedPhone): Doing {
  return Effect.flatMap(RunnerCalls, (calls) => calls.answer(phone, lastCallIdOf(run, step)))
}

/** What a call of operations to runners is about, for the rights of operators: the site, or the last call. */
export function calledIdOf(run: RunContext, step: CommandStep): string {
  return step.command === "runners.call" ? siteOf(run, step) : lastCallIdOf(run, step)
}

function siteOf(run: RunContext, step: CommandStep): string {
  return siteIdOf(run, textIfGiven(step.with, "site"))
}

/** Empty before the first call. */
function lastCallIdOf(run: RunContext, step: CommandStep): string {
  const siteId = siteOf(run, step)
  const calls = memoryRowsOf(run.service.host.store, runnerCalls)
    .all()
    .filter((call) => call.siteId === siteId && call.environment === run.scenario.environment)
    .toSorted((one, other) => one.number - other.number)
  return calls.at(-1)?.callId ?? ""
}
