/** `curbline why-late`: when a bad outcome of a record became inevitable, and what would have kept it. */

import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { encodeSync } from "effect/Schema"
import { pageBundle } from "../../pages/bundling/build.ts"
import { momentFile } from "../../pages/bundling/moment-document.ts"
import { MomentAnswerShown } from "../../model/requests/moment-answer.ts"
import type { MomentAnswer } from "../../model/requests/moment-answer.ts"
import { SEED_MAX } from "../../model/values/limits.ts"
import { interval, keptWords, momentWords, percent } from "../../simulation/fleet/moment/moment-words.ts"
import type { Wording } from "../../simulation/fleet/moment/moment-words.ts"
import type { WhyLate } from "../../simulation/fleet/moment/moment.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { startProgress } from "../kit/progress.ts"
import { err, faultMessage, out } from "../kit/terminal.ts"
import { UsageError } from "../kit/usage-error.ts"
import { wholeOf } from "../kit/whole-number.ts"
import { askRecord } from "./ask-record.ts"

export interface WhyLateFlags {
  readonly model?: string
  readonly promise?: string
  readonly limit?: string
  readonly futures: string
  readonly seed: string
  readonly json?: boolean
  readonly report?: string
}

/** `group`: an address or the end of an id; not with a promise. */
export async function whyLateCommand(
  file: string,
  group: string | undefined,
  flags: WhyLateFlags,
): Promise<ExitStatus> {
  if ((group === undefined) === (flags.promise === undefined))
    throw new UsageError("why-late takes either a reservation, a delivery or an errand, or a --promise")
  const futures = wholeOf("--futures", flags.futures, { min: 10, max: 10_000 })
  const seed = wholeOf("--seed", flags.seed, { min: 0, max: SEED_MAX })
  const progress = startProgress(1, { showsRemaining: false })
  let made = 0
  const onDone = (turns: number): void => {
    made += 1
    progress.done({ virtualMs: 0, events: turns }, made + 1)
  }
  const answered = await askRecord({ ...flags, file, group, futures, seed }, { onDone })
  if (answered === null) return EXIT.usage
  progress.clear()
  const { found, answer, wording } = answered
  if (answer.is === "left_out" || answer.is === "unknown") throw new UsageError(answer.outcome)
  if (flags.json === true) out(JSON.stringify(encodeSync(MomentAnswerShown)(answer), null, 2))
  else if ("is" in found) out(answer.outcome)
  else for (const line of linesOf(found, answer, wording)) out(line)
  if (flags.report !== undefined) await writeReport(flags.report, answer, file)
  return EXIT.passed
}

async function writeReport(path: string, answer: MomentAnswer, file: string): Promise<void> {
  const bundle = await pageBundle("moment")
  // The page may go to others, so it names no folder of this machine.
  const page = momentFile({ bundle, answer: encodeSync(MomentAnswerShown)(answer), record: basename(file) })
  try {
    writeFileSync(path, page.html)
  } catch (cause) {
    throw new UsageError(`the page ${path} cannot be written: ${faultMessage(cause)}`)
  }
  err(`wrote ${path}`)
}

function linesOf(found: WhyLate, answer: MomentAnswer, wording: Wording): readonly string[] {
  const { curve, decisions, steps, of } = found
  const [step] = steps
  const { outcome, headline, best, figures } = answer
  return [
    ...[outcome, headline, best].flatMap((words) => words ?? []),
    "",
    "how likely it was, after each of these entries",
    ...curve.map(({ moment, odds }, at) => {
      const was = curve[at - 1]?.odds.value ?? odds.value
      const change = Math.round((odds.value - was) * 100)
      const shown = Math.abs(change) < CHANGE_SHOWN_MIN ? "" : `${change > 0 ? "+" : ""}${change}`
      const words = momentWords(moment, of, wording)
      return `${String(moment.turn.s).padStart(7)}  ${wording.clock(moment.atMs)}  ${percent(odds.value).padStart(5)}  ${interval(odds).padEnd(12)}  ${shown.padStart(4)}  ${words}`
    }),
    "",
    ...(step === undefined || decisions.length === 0
      ? []
      : [`what people could have done at ${wording.clock(step.before.moment.atMs)}, and after it`]),
    ...decisions.map((one) => `  ${keptWords(one)}`),
    "",
    ...(figures === null ? [] : footOf(figures)),
  ]
}

const CHANGE_SHOWN_MIN = 5

function footOf(figures: NonNullable<MomentAnswer["figures"]>): readonly string[] {
  const { futures, curve, drawnFrom, isCut, leftOut, notKnown } = figures
  return [
    `${counted(futures, "future")} from ${counted(curve.length, "moment")}, of the same chance at each; people and things are drawn from ${drawnFrom}; not calibrated yet`,
    notKnown.join(" "),
    ...(isCut ? ["The search was stopped before its end: the curve is coarse."] : []),
    ...leftOut.map(({ what, count }) => `left out: ${count} × ${what}`),
  ]
}
