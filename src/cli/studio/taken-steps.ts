/** The steps of a run on its line of time: commands when they were done, expectations from the begin of their wait on. */

import { isCounted, takesTime, USUAL_PATIENCE_MS } from "../../simulation/scenario/counting.ts"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import { durationIfGiven, textOf, timeIfGiven } from "../../simulation/scenario/language/field-values.ts"
import type { Step } from "../../simulation/scenario/language/language.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import type { Mark } from "../../simulation/run-record.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import type { ShownRun } from "../run-report/shown-run.ts"
import type { RunCommand, RunExpectation } from "../../pages/web/studio/contract.ts"

type Context = Pick<ShownRun, "clock" | "published" | "reservationId">

export interface TakenSteps {
  readonly commands: readonly RunCommand[]
  readonly expectations: readonly RunExpectation[]
}

export function takenSteps(run: ScenarioRun, context: Context): TakenSteps {
  const marksByPlace = Map.groupBy(run.marks, ({ place }) => place)
  const commands: RunCommand[] = []
  const expectations: RunExpectation[] = []
  // Steps follow each other: one begins when the one before it has ended.
  let nowMs = run.startMs
  for (const step of run.scenario.steps) {
    const mark = marksByPlace.get(step.place)?.shift()
    if (mark === undefined) continue
    const beginMs = step.at === null ? nowMs : Math.max(nowMs, context.clock.resolve(step.at, nowMs))
    const { line } = step.place
    const words = stepWords(step)
    const isHeld = mark.level === "pass"
    if (step.verb === "do" || step.verb === "inject" || step.verb === "wait") {
      commands.push({ t: mark.atMs - run.startMs, line, words, isFailed: mark.level === "fail" })
    } else {
      const untilMs = allowanceEnd(step, { run, context, mark, beginMs })
      const [from, until, t] = [beginMs, untilMs, mark.atMs].map((ms) => ms - run.startMs)
      const lateMs = isHeld ? null : cameLater(step, context, mark)
      const cameAt = lateMs === null ? null : lateMs - run.startMs
      const allowed = allowedWords(step, context)
      expectations.push({
        line,
        words,
        from: from ?? 0,
        until: until ?? 0,
        allowed,
        t: t ?? 0,
        isHeld,
        cameAt,
      })
    }
    if (step.verb !== "never" && step.verb !== "at_most") nowMs = Math.max(nowMs, mark.atMs)
  }
  return { commands, expectations }
}

/** What each fact about a published event is recognized by. */
const PUBLISHED: Readonly<Record<string, readonly [event: string, field: string] | undefined>> = {
  exception: ["reservation.exception", "reason_code"],
  milestone: ["reservation.handoff_updated", "milestone"],
}

/** The first such event after the expectation had failed; null for none, and for facts about states. */
function cameLater(step: Step, context: Context, { atMs }: Mark): number | null {
  const [event, field] = (step.verb === "expect" ? PUBLISHED[step.fact] : undefined) ?? []
  if (step.verb !== "expect" || event === undefined || field === undefined) return null
  const id = context.reservationId(textOf(step.fields, "for"))
  const wanted = textOf(step.fields, step.fact)
  const found = context.published.find((one) => {
    const isIt = one.event === event && one.reservationId === id && one.extras[field] === wanted
    return isIt && one.occurredUs / 1000 > atMs
  })
  return found === undefined ? null : Math.floor(found.occurredUs / 1000)
}

/** `within 20s` or `at 12:06`, as the file says; null when it says neither. */
function allowedWords(step: Step, { clock }: Context): string | null {
  if (step.verb !== "expect" && step.verb !== "never" && step.verb !== "at_most") return null
  const within = durationIfGiven(step.fields, "within")
  if (within !== undefined) return `within ${showDuration(within)}`
  const at = step.verb === "expect" ? timeIfGiven(step.fields, "at") : undefined
  return at === undefined || at.type === "offset"
    ? null
    : `at ${clock.show(clock.resolve(at, clock.startMs))}`
}

interface Taken {
  readonly run: ScenarioRun
  readonly context: Context
  readonly mark: Mark
  readonly beginMs: number
}

/** The last moment at which the step could be decided. */
function allowanceEnd(step: Step, { run, context, mark, beginMs }: Taken): number {
  switch (step.verb) {
    case "expect": {
      const at = timeIfGiven(step.fields, "at")
      if (at !== undefined) return context.clock.resolve(at, beginMs)
      const usualMs = takesTime(step.fact) || isCounted(step.fact, step.fields) ? USUAL_PATIENCE_MS : 0
      return beginMs + (durationIfGiven(step.fields, "within") ?? usualMs)
    }
    case "never":
    case "at_most": {
      const within = durationIfGiven(step.fields, "within")
      return within === undefined ? run.endMs : beginMs + within
    }
    default:
      return mark.atMs
  }
}
