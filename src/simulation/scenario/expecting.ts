/**
 * Takes an `expect` step. A fact is looked up at every change until it holds or its patience ends; a count is decided
 * only when nothing more can come; a fact with `at` must become so at that instant.
 */

import { Effect, Runtime } from "effect"
import type { AgendaWatcher } from "../../engine/kernel/simulated-time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { explainGroup } from "./causes.ts"
import { USUAL_PATIENCE_MS, isCounted, isPublishedOnce, takesTime } from "./counting.ts"
import { lookUp } from "./facts.ts"
import { durationIfGiven, timeIfGiven } from "./language/field-values.ts"
import { failedText } from "./finding.ts"
import type { Finding } from "./finding.ts"
import type { Step, TimeRef } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"
import { StandingConditions } from "./standing.ts"
import { showDuration } from "./language/shown-duration.ts"

export type ExpectStep = Extract<Step, { readonly verb: "expect" }>

/** The values of the facts with `at` just before their time. */
export class MomentsBefore {
  /** The conditions that hold from their step on, which the same watcher checks. */
  readonly standing: StandingConditions
  readonly #run: RunContext
  readonly #atMsByStep = new Map<Step, EpochMs>()
  readonly #findingByStep = new Map<Step, Finding>()

  /** Clock times are known from the start, an offset only when its step begins. */
  constructor(run: RunContext) {
    this.#run = run
    this.standing = new StandingConditions(run)
    for (const step of run.scenario.steps) {
      if (step.verb !== "expect") continue
      const time = timeIfGiven(step.fields, "at")
      if (time?.type === "clock") this.watch(step, run.clock.resolve(time, run.nowMs))
    }
  }

  watch(step: ExpectStep, atMs: EpochMs): void {
    if (!isPublishedOnce(step.fact)) this.#atMsByStep.set(step, atMs)
  }

  /** True when the fact held before its time. */
  heldBefore(step: ExpectStep): boolean {
    return this.#findingByStep.get(step)?.holds === true
  }

  /** Looks facts up when the next agenda entry would reach their time, because nothing can happen in between. */
  readonly watcher: AgendaWatcher = {
    beforeEntry: () => {
      const { host, runtime } = this.#run.service
      const next = host.time.agenda.peek()
      if (next === undefined) return
      for (const [step, atMs] of this.#atMsByStep) {
        if (next.dueMs < atMs) continue
        this.#atMsByStep.delete(step)
        if (this.#run.nowMs >= atMs || step.verb !== "expect") continue
        const found = Effect.map(lookUp(this.#run, step.fact, step.fields), (finding) => {
          this.#findingByStep.set(step, finding)
        })
        Runtime.runFork(runtime)(found)
      }
    },
    afterEntry: () => this.standing.afterEntry(),
  }
}

/** Runs the step. A fact that does not hold is a failure of the run, which continues. */
export function takeExpect(
  run: RunContext,
  moments: MomentsBefore,
  step: ExpectStep,
): Effect.Effect<void, never, SimulatedServices> {
  const at = timeIfGiven(step.fields, "at")
  return at === undefined ? expectSoon(run, step) : expectAt(run, moments, { step, at })
}

/** Holds now, or at the latest when its patience ends. */
const expectSoon = Effect.fnUntraced(function* (run: RunContext, step: ExpectStep) {
  const { fact, fields } = step
  const startMs = run.nowMs
  const usualMs = takesTime(fact) || isCounted(fact, fields) ? USUAL_PATIENCE_MS : 0
  const untilMs = startMs + (durationIfGiven(fields, "within") ?? usualMs)
  const finding = isCounted(fact, fields)
    ? yield* lookWhenQuiet(run, step, untilMs)
    : yield* lookUntil(run, step, untilMs)
  const waitedMs = run.nowMs - startMs
  conclude(run, step, { finding, when: waitedMs > 0 ? ` within ${showDuration(waitedMs)}` : "" })
})

/** Looks at every change until the fact holds. */
const lookUntil = Effect.fnUntraced(function* (run: RunContext, step: ExpectStep, untilMs: EpochMs) {
  let finding: Finding = yield* lookUp(run, step.fact, step.fields)
  while (!finding.holds && finding.isLost !== true && run.nowMs < untilMs) {
    yield* nextChange(run, untilMs)
    finding = yield* lookUp(run, step.fact, step.fields)
  }
  return finding
})

/** Looks when nothing more is due up to `untilMs`; earlier when there are already too many. */
const lookWhenQuiet = Effect.fnUntraced(function* (run: RunContext, step: ExpectStep, untilMs: EpochMs) {
  let dueMs: EpochMs | null = run.nowMs
  let finding: Finding
  do {
    // After everything else of that instant: a call that has just started is on the agenda then.
    yield* Effect.sleep(dueMs - run.nowMs)
    finding = yield* lookUp(run, step.fact, step.fields)
    dueMs = nextDue(run, untilMs)
    // A fact that does not hold is waited for until the end, like any other.
    if (dueMs === null && !finding.holds && run.nowMs < untilMs) dueMs = untilMs
  } while (dueMs !== null && finding.isLost !== true)
  return finding
})

interface Exactly {
  readonly step: ExpectStep
  readonly at: TimeRef
}

/** The fact becomes true exactly then: it holds at that instant and did not hold before it. */
const expectAt = Effect.fnUntraced(function* (
  run: RunContext,
  moments: MomentsBefore,
  { step, at }: Exactly,
) {
  const { fact, fields } = step
  const atMs = run.clock.resolve(at, run.nowMs)
  const shown = run.clock.show(atMs)
  if (atMs < run.nowMs) {
    const actual = `it is ${run.clock.show(run.nowMs)} already`
    return failed(run, step, { expected: `this is so at ${shown}`, actual, group: null })
  }
  if (at.type === "offset") moments.watch(step, atMs)
  yield* Effect.sleep(atMs - run.nowMs)
  let finding: Finding = yield* lookUp(run, fact, fields)
  const isDecided = (): boolean => finding.isLost === true || (finding.holds && !isCounted(fact, fields))
  while (!isDecided() && nextDue(run, atMs) !== null) {
    yield* Effect.sleep(0)
    finding = yield* lookUp(run, fact, fields)
  }
  if (finding.holds && moments.heldBefore(step)) {
    const expected = `this becomes so at ${shown}`
    return failed(run, step, { expected, actual: "it was so before", group: finding.group })
  }
  return conclude(run, step, { finding, when: isPublishedOnce(fact) ? "" : ` at ${shown}` })
})

/** When the next entry is due, if that is not after `untilMs`. */
function nextDue(run: RunContext, untilMs: EpochMs): EpochMs | null {
  const next = run.service.host.time.agenda.peek()
  return next === undefined || next.dueMs > untilMs ? null : next.dueMs
}

function nextChange(run: RunContext, deadlineMs: EpochMs): Effect.Effect<void> {
  const changed = Effect.async<void>((resume) => {
    const stop = run.onNextChange(() => resume(Effect.void))
    return Effect.sync(stop)
  })
  return Effect.raceFirst(changed, Effect.sleep(deadlineMs - run.nowMs))
}

function conclude(
  run: RunContext,
  step: ExpectStep,
  { finding, when }: { readonly finding: Finding; readonly when: string },
): void {
  if (finding.holds) run.mark("pass", `expect ${step.fact}`, step.place)
  else failed(run, step, finding, when)
}

function failed(
  run: RunContext,
  step: ExpectStep,
  { expected, actual, group }: Pick<Finding, "expected" | "actual" | "group">,
  when = "",
): void {
  const message = failedText({ expected, actual }, when)
  const why = explainGroup(run, group)
  run.fail({ message, expected, actual, why, place: step.place }, `expect ${step.fact}`)
}
