/** A run against a service as the studio's page shows it: what its events and receivers say, without journal and machines. */

import { placeIn } from "../../simulation/scenario/language/language.ts"
import type { Place, Scenario } from "../../simulation/scenario/language/language.ts"
import type { FileRun, LeftOut, NotRun } from "../../pages/web/studio/contract.ts"
import type { AgainstResult } from "../against/run-against.ts"
import { shownRemote } from "../against/shown-remote.ts"
import { faultMessage } from "../kit/terminal.ts"
import { emptyResult, shownResult } from "./run-result.ts"

interface Made {
  /** As `host:port`. */
  readonly host: string
  readonly wallMs: number
  readonly notRun: NotRun | null
}

export function serviceResultOf(result: AgainstResult, { host, wallMs, notRun }: Made): FileRun {
  if (result.is === "not run") {
    const { scenario, reason } = result
    const service = { host, leftOut: [leftOutOf(scenario, reason)] }
    return { ...emptyResult({ scenario, seed: scenario.seed, wallMs }), verdict: "not run", service }
  }
  const { run, state, unchecked } = result
  const leftOut = unchecked.map((one) => leftOutOf(run.scenario, one))
  return { ...shownResult(run, shownRemote(state), wallMs), notRun, service: { host, leftOut } }
}

/** A call of the run itself, such as one about the clock, was refused. */
export function brokenResultOf(scenario: Scenario, cause: unknown, { host, wallMs, notRun }: Made): FileRun {
  const message = `the run could not be made: ${faultMessage(cause)}`
  const failure = { message, expected: "the service takes the run", actual: message, why: [], line: null }
  const empty = emptyResult({ scenario, seed: scenario.seed, wallMs })
  return { ...empty, failures: [failure], notRun, service: { host, leftOut: [] } }
}

function leftOutOf(
  { file }: Scenario,
  { what, why, place }: { readonly what: string; readonly why: string; readonly place: Place | null },
): LeftOut {
  return { line: place === null ? null : (placeIn(file, place)?.line ?? null), what, why }
}
