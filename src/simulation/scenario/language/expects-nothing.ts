/** Scenarios that nearly nothing can fail. */

import type { Scenario, Step } from "./language.ts"

/** Steps that something must become of. `do` is none of them: it is refused, or it is not. */
const EXPECTING: ReadonlySet<Step["verb"]> = new Set(["at_most", "expect", "never", "refuse"])

/** What to say about such a scenario after its title. */
export const EXPECTS_NOTHING =
  "expects nothing: only a refused command or a broken invariant can fail it; add a step with expect, a promise, or always"

/** True for a scenario without an expectation, a promise, `always` or faults of machines, of which invariants decide. */
export function expectsNothing({ steps, always, promises, machineFaults }: Scenario): boolean {
  const isJudged = always.length > 0 || promises.length > 0 || (machineFaults ?? null) !== null
  return !isJudged && steps.every(({ verb }) => !EXPECTING.has(verb))
}
