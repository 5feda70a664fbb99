/**
 * Takes the checks of a scenario against a service, by the rules of `simulation/scenario/expecting.ts`: the clock stands, so a fact is looked
 * up at every instant at which a timer is due, and nothing happens in between.
 */

import { setTimeout as after } from "node:timers/promises"
import type { EpochMs } from "../../model/values/time.ts"
import {
  USUAL_PATIENCE_MS,
  isCounted,
  isPublishedOnce,
  takesTime,
} from "../../simulation/scenario/counting.ts"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import { durationIfGiven, timeIfGiven } from "../../simulation/scenario/language/field-values.ts"
import { failedText } from "../../simulation/scenario/finding.ts"
import type { Finding } from "../../simulation/scenario/finding.ts"
import { brokenTexts } from "../../simulation/scenario/standing.ts"
import type { FieldValues, StandingStep, Step } from "../../simulation/scenario/language/language.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import type { Seen } from "./facts.ts"
import type { RemoteRun } from "./remote-run.ts"
import { seenOf } from "./sendable.ts"

type ExpectStep = Extract<Step, { readonly verb: "expect" }>

/** A check that the service can be asked about. */
interface Check<Of extends Step> {
  readonly step: Of
  readonly seen: Seen
  readonly fields: FieldValues
}

/** Calls of the service that are in flight end within a move of this length. */
const SETTLING_MS = 1
/** Real time that a service has to catch up with its clock: messages between groups are taken as soon as it gets to them. */
const CATCHING_UP_MS = 3_000
const LOOK_AGAIN_MS = 50

export class Checks {
  readonly #run: RemoteRun
  readonly #hasOperator: boolean
  readonly #exact = new Map<Step, EpochMs>()
  readonly #heldBefore = new Set<Step>()
  readonly #standing = new Map<Check<StandingStep>, EpochMs>()

  constructor(run: RemoteRun) {
    this.#run = run
    this.#hasOperator = run.place.operate !== null
    for (const step of run.scenario.steps) {
      if (step.verb !== "expect" || isPublishedOnce(step.fact)) continue
      const at = timeIfGiven(step.fields, "at")
      if (at?.type === "clock") this.#exact.set(step, run.clock.resolve(at, run.nowMs))
    }
  }

  /** Moves the clock to an instant, and looks at what must be seen on the way. */
  async advance(untilMs: EpochMs): Promise<void> {
    const run = this.#run
    for (;;) {
      const stops = [untilMs, ...[...this.#exact.values()].map((atMs) => atMs - 1)]
      if (this.#standing.size > 0) stops.push((await run.sandbox.nextDue()) ?? untilMs)
      const next = Math.min(...stops.filter((ms) => ms > run.nowMs && ms <= untilMs))
      if (!Number.isFinite(next)) break
      await run.sandbox.advance(next)
      await this.#lookBefore()
      await this.look()
    }
  }

  /** Checks the conditions that hold all along. */
  async look(): Promise<void> {
    for (const [check, untilMs] of this.#standing) {
      if (this.#run.nowMs > untilMs) this.#held(check)
      else await this.#lookAtStanding(check)
    }
  }

  /** What still holds when everything is over has held. */
  end(): void {
    for (const check of this.#standing.keys()) this.#held(check)
  }

  async begin(step: StandingStep): Promise<void> {
    const check = this.#checkOf(step)
    if (check === null) return
    const within = durationIfGiven(step.fields, "within") ?? Number.POSITIVE_INFINITY
    this.#standing.set(check, this.#run.nowMs + within)
    await this.#lookAtStanding(check)
  }

  async expect(step: ExpectStep): Promise<void> {
    const check = this.#checkOf(step)
    const at = timeIfGiven(step.fields, "at")
    if (check === null) return
    if (at !== undefined) return this.#expectAt(check, this.#run.clock.resolve(at, this.#run.nowMs))
    const { fact, fields } = step
    const startMs = this.#run.nowMs
    const usualMs = takesTime(fact) || isCounted(fact, fields) ? USUAL_PATIENCE_MS : 0
    const untilMs = startMs + (durationIfGiven(fields, "within") ?? usualMs)
    const finding = await this.#lookUntil(check, untilMs)
    const waitedMs = this.#run.nowMs - startMs
    this.#conclude(step, finding, waitedMs > SETTLING_MS ? ` within ${showDuration(waitedMs)}` : "")
  }

  /** Until it holds; a count is decided when nothing more is due. */
  async #lookUntil({ step, seen, fields }: Check<ExpectStep>, untilMs: EpochMs): Promise<Finding> {
    const run = this.#run
    const counts = isCounted(step.fact, step.fields)
    const isOver = (found: Finding): boolean => found.isLost === true || (found.holds && !counts)
    let finding = await seen.look(run, fields)
    if (untilMs > run.nowMs && !isOver(finding)) {
      await this.advance(run.nowMs + SETTLING_MS)
      finding = await seen.look(run, fields)
    }
    while (!isOver(finding) && run.nowMs < untilMs) {
      const due = await run.sandbox.nextDue()
      const isQuiet = due === null || due > untilMs
      if (isQuiet && finding.holds) break
      await this.advance(isQuiet ? untilMs : Math.max(due, run.nowMs + SETTLING_MS))
      finding = await seen.look(run, fields)
    }
    const giveUpAt = performance.now() + CATCHING_UP_MS
    while (!finding.holds && finding.isLost !== true && performance.now() < giveUpAt) {
      await after(LOOK_AGAIN_MS)
      finding = await seen.look(run, fields)
    }
    return finding
  }

  /** It holds at that instant, and did not hold before it. */
  async #expectAt({ step, seen, fields }: Check<ExpectStep>, atMs: EpochMs): Promise<void> {
    const run = this.#run
    const shown = run.clock.show(atMs)
    if (atMs < run.nowMs) {
      const actual = `it is ${run.clock.show(run.nowMs)} already`
      return this.#fail(step, { holds: false, expected: `this is so at ${shown}`, actual, group: null }, "")
    }
    if (!isPublishedOnce(step.fact) && atMs > run.nowMs) this.#exact.set(step, atMs)
    await this.advance(atMs)
    this.#exact.delete(step)
    const finding = await seen.look(run, fields)
    if (finding.holds && this.#heldBefore.has(step)) {
      const expected = `this becomes so at ${shown}`
      return this.#fail(step, { ...finding, expected, actual: "it was so before" }, "")
    }
    this.#conclude(step, finding, isPublishedOnce(step.fact) ? "" : ` at ${shown}`)
  }

  /** Looks facts up one instant before they must become so. */
  async #lookBefore(): Promise<void> {
    for (const [step, atMs] of this.#exact) {
      if (this.#run.nowMs < atMs - 1) continue
      this.#exact.delete(step)
      if (step.verb !== "expect" || this.#run.nowMs >= atMs) continue
      const seen = seenOf(step, { hasOperator: this.#hasOperator })
      if (typeof seen === "string") continue
      if ((await seen.seen.look(this.#run, seen.fields)).holds) this.#heldBefore.add(step)
    }
  }

  #checkOf<Of extends ExpectStep | StandingStep>(step: Of): Check<Of> | null {
    const what = stepWords(step)
    const seen = seenOf(step, { hasOperator: this.#hasOperator })
    if (typeof seen === "string") {
      this.#run.leaveUnchecked(what, seen, step.place)
      return null
    }
    for (const [field, why] of Object.entries(seen.left))
      this.#run.leaveUnchecked(`${field} of: ${what}`, why, step.place)
    return { step, seen: seen.seen, fields: seen.fields }
  }

  async #lookAtStanding(check: Check<StandingStep>): Promise<void> {
    const { step, seen, fields } = check
    const finding = await seen.look(this.#run, fields)
    const isBroken = step.verb === "never" ? finding.holds : !finding.holds && finding.isLost === true
    if (!isBroken || !this.#standing.delete(check)) return
    const broken = brokenTexts(step, finding, this.#run.clock.show(this.#run.nowMs))
    this.#run.fail({ ...broken, why: [], place: step.place })
  }

  #held(check: Check<StandingStep>): void {
    this.#standing.delete(check)
    const { verb, fact, place } = check.step
    this.#run.mark("pass", `${verb} ${fact}`, place)
  }

  #conclude(step: ExpectStep, finding: Finding, when: string): void {
    if (finding.holds) this.#run.mark("pass", `expect ${step.fact}`, step.place)
    else this.#fail(step, finding, when)
  }

  #fail({ place }: ExpectStep, { expected, actual }: Finding, when: string): void {
    const message = failedText({ expected, actual }, when)
    this.#run.fail({ message, expected, actual, why: [], place })
  }
}
