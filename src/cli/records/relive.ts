/** `curbline relive`: a record runs again with the same outside under another rule; which visits would that have changed? */

import { Schema } from "effect"
import { program } from "../../apps/composition/program.ts"
import { eventName } from "../../pages/inspection/event-name.ts"
import { RelivedAnswer } from "../../model/requests/relive.ts"
import type { RelivedVisit } from "../../model/requests/relive.ts"
import { relive } from "../../simulation/relive/relive.ts"
import type { Unlike } from "../../simulation/relive/control.ts"
import { readRule } from "../../simulation/relive/rule.ts"
import type { Rule } from "../../simulation/relive/rule.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { err, hasColor, out, styled } from "../kit/terminal.ts"
import { readWritten } from "../kit/text-files.ts"
import { failOn } from "./fail-on.ts"
import { clockOf, wholeRecord } from "./whole-record.ts"

export interface ReliveFlags {
  readonly rule: string
  readonly failOn?: readonly string[]
  /** Also the visits beyond the first ones. */
  readonly full?: boolean
  readonly json?: boolean
}

/** A bound that holds is exit status 1, and so is a record that does not come again under its own rules. */
export async function reliveCommand(file: string, flags: ReliveFlags): Promise<ExitStatus> {
  const bounds = (flags.failOn ?? []).map(failOn)
  const rule = ruleIn(flags.rule)
  if (rule === null) return EXIT.usage
  const record = wholeRecord(file, "relive")
  const clock = clockOf(record)
  const found = relive({ turns: record.turns, rule, program, wording: { clock, eventName } })
  if (found.unlike !== null) {
    err(`error: ${file} cannot be re-lived: ${unlikeWords(found.unlike)}`)
    return EXIT.failed
  }
  const { answer } = found
  if (flags.json === true) out(JSON.stringify(Schema.encodeSync(RelivedAnswer)(answer), null, 2))
  else for (const line of linesOf(answer, clock, flags.full === true)) out(line)
  const holding = bounds.filter(({ holds }) => holds(answer))
  for (const { text } of holding) err(`failed: ${text}`)
  return holding.length === 0 ? EXIT.passed : EXIT.failed
}

function ruleIn(file: string): Rule | null {
  const text = readWritten(file)
  const { rule, problems } =
    typeof text === "string" ? readRule({ file, text }) : { rule: null, problems: [text] }
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (problems.length > 0) err(`${counted(problems.length, "problem")}; nothing was run`)
  return rule
}

function unlikeWords({ s, group, because }: Unlike): string {
  const entry = s === null ? `an entry of ${group}` : `entry ${s} of ${group}`
  switch (because) {
    case "another":
      return `under its own rules ${entry} comes out otherwise`
    case "missing":
      return `under its own rules ${entry} does not come`
    case "more":
      return `under its own rules ${entry} comes that the record does not have`
  }
}

/** Visits beyond these are counted instead; `--full` shows all. */
const VISITS_SHOWN_MAX = 40

function linesOf(answer: RelivedAnswer, clock: (atMs: number) => string, isFull: boolean): readonly string[] {
  const { rule, differing, visits, differ, met, late } = answer
  const shown = isFull ? differing : differing.slice(0, VISITS_SHOWN_MAX)
  return [
    styled("bold", rule.title),
    ...rule.changes.map(({ word, before, after }) =>
      before.length === 0
        ? `  ${word}: ${after}, but nothing in the record has this limit`
        : `  ${word}: ${before.join(", ")} → ${after}`,
    ),
    "",
    `${differ} of ${counted(visits, "visit")} ${differ === 1 ? "differs" : "differ"}: ${answer.saved} saved, ${answer.lost} lost, ${answer.sooner} sooner, ${answer.later} later`,
    `on board or at the door: ${met.before} → ${met.after}; late: ${late.before} → ${late.after}`,
    "0 differ with the rule unchanged",
    ...(differing.length === 0 ? [] : ["", ...shown.map((visit) => visitLine(visit, clock))]),
    ...(differing.length > shown.length
      ? [`  … ${differing.length - shown.length} more; --full shows all`]
      : []),
    "",
    ...doubts(answer),
  ]
}

function visitLine(
  { id, kind, change, before, after, first, ...marks }: RelivedVisit,
  clock: (atMs: number) => string,
): string {
  const end = ({ is, at_ms: atMs, is_late: isLate }: RelivedVisit["after"]): string =>
    `${ENDS[is]}${atMs === null ? "" : ` ${clock(atMs)}`}${isLate ? " late" : ""}`
  const notes = [...(marks.is_drawn ? ["drawn"] : []), ...(marks.has_old_facts ? ["old facts"] : [])]
  const noted = notes.length === 0 ? "" : ` [${notes.join(", ")}]`
  const where = first.entry === null ? "" : ` (entry ${first.entry})`
  return `  ${SIGNS[change]} ${kind} ${id}: ${end(before)} → ${end(after)}${noted}\n      ${clock(first.at_ms)} ${first.says}${where}`
}

const SIGNS = { saved: "+", lost: "-", sooner: "<", later: ">", other: "~" } as const

const ENDS = { met: "met", lost: "lost", called_off: "called off", open: "open", none: "–" } as const

/** What the answer rests on, said whenever it is so. */
function doubts({ drawn, old_facts: oldFacts, dropped, unanswered }: RelivedAnswer): readonly string[] {
  const inputs = dropped.missing + dropped.refused + dropped.there
  return [
    `${counted(drawn, "visit")} drawn: where the record does not say what came, what the nearest visit or call met comes`,
    `${counted(oldFacts, "visit")} decided over facts of the record about what stands otherwise by then`,
    `${counted(inputs, "recorded input")} dropped: ${dropped.missing} for what never came to be, ${dropped.refused} refused now, ${dropped.there} for what is there already`,
    ...(unanswered === 0
      ? []
      : [`${counted(unanswered, "call")} of a kind that the record never answered, left without an answer`]),
  ]
}
