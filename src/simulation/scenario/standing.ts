/**
 * The steps `never` and `at_most`: conditions that hold from their step on, for a duration or to the end of the run.
 * They are checked when they begin and after every event, so that nothing that lasts is missed.
 */

import { Effect, Runtime } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { explainGroup } from "./causes.ts"
import { stepWords } from "./words/explain.ts"
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

  #fail(step: StandingStep, { actual, group }: Finding): void {
    const run = this.#run
    const expected = stepWords(step)
    // A fact that holds has no difference to show.
    const found = `${step.verb === "never" ? "it so" : actual} at ${run.clock.show(run.nowMs)}`
    const message = `expected that ${expected}, found ${found}`
    const why = explainGroup(run, group)
    run.fail({ message, expected, actual: found, why, place: step.place }, `${step.verb} ${step.fact}`)
  }
}

function isBroken({ verb }: StandingStep, { holds, isLost }: Finding): boolean {
  return verb === "never" ? holds : !holds && isLost === true
}
