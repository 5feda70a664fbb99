/**
 * The steps `never` and `at_most`: conditions that hold from their step on, for a duration or to the end of the run.
 * They are checked when they begin and after every event, so that nothing that lasts is missed.
 */

import { Effect, Runtime } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { explainGroup } from "./causes.ts"
import { factWords, stepWords } from "./words/explain.ts"
import { lookUp } from "./facts.ts"
import { durationIfGiven } from "./language/field-values.ts"
import type { Finding } from "./finding.ts"
import type { StandingStep } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"

interface Condition {
  readonly step: StandingStep
  readonly untilMs: EpochMs
}

export class StandingConditions {
  readonly #run: RunContext
  readonly #open = new Set<Condition>()

  constructor(run: RunContext) {
    this.#run = run
  }

  /** From now on. */
  begin(step: StandingStep): Effect.Effect<void, never, SimulatedServices> {
    const within = durationIfGiven(step.fields, "within") ?? Number.POSITIVE_INFINITY
    const condition = { step, untilMs: this.#run.nowMs + within }
    this.#open.add(condition)
    return this.#check(condition)
  }

  /** What still holds when everything is over has held. */
  end(): void {
    for (const condition of this.#open) this.#held(condition)
  }

  /** After every entry of the agenda. */
  afterEntry(): void {
    for (const condition of this.#open) {
      if (this.#run.nowMs > condition.untilMs) this.#held(condition)
      else Runtime.runFork(this.#run.service.runtime)(this.#check(condition))
    }
  }

  #held(condition: Condition): void {
    this.#open.delete(condition)
    const { verb, fact, place } = condition.step
    this.#run.mark("pass", `${verb} ${fact}`, place)
  }

  #check(condition: Condition): Effect.Effect<void, never, SimulatedServices> {
    const { fact, fields } = condition.step
    return Effect.map(lookUp(this.#run, fact, fields), (finding) => {
      if (isBroken(condition.step, finding) && this.#open.delete(condition))
        this.#fail(condition.step, finding)
    })
  }

  #fail(step: StandingStep, finding: Finding): void {
    const run = this.#run
    const broken = brokenTexts(step, finding, run.clock.show(run.nowMs))
    const why = explainGroup(run, finding.group)
    run.fail({ ...broken, why, place: step.place }, `${step.verb} ${step.fact}`)
  }
}

/** What a broken condition says; `at` is the time at which it broke. */
export function brokenTexts(
  step: StandingStep,
  { actual: found }: Finding,
  at: string,
): { readonly message: string; readonly expected: string; readonly actual: string } {
  const expected = stepWords(step)
  // A fact that holds has no difference to show, so the fact itself is what was found.
  const actual = `at ${at} ${step.verb === "never" ? factWords(step) : found}`
  return { message: `expected "${expected}", found that ${actual}`, expected, actual }
}

function isBroken({ verb }: StandingStep, { holds, isLost }: Finding): boolean {
  return verb === "never" ? holds : !holds && isLost === true
}
