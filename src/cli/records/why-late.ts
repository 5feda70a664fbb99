/** `curbline why-late`: when a bad outcome of a record became inevitable, and what would have kept it. */

import { basename } from "node:path"
import { eventName } from "../../pages/inspection/event-name.ts"
import { idOf, kindOf } from "../../model/address.ts"
import { CURB_WAIT_MS, FORECAST_HISTORY_MIN, SEED_MAX } from "../../model/values/limits.ts"
import { fitModel } from "../../simulation/fleet/fit/fit-model.ts"
import { JournalObserver } from "../../simulation/fleet/fit/observations.ts"
import { promiseLine, promisedText, readPromised } from "../../simulation/fleet/forecast/promised-model.ts"
import type { FleetModel } from "../../simulation/fleet/language/model.ts"
import { promises } from "../../simulation/fleet/language/promises.ts"
import type { FleetPromise } from "../../simulation/fleet/language/promises.ts"
import type { Case } from "../../simulation/fleet/moment/case-watch.ts"
import {
  bestWords,
  headline,
  interval,
  keptWords,
  momentWords,
  outcomeWords,
  percent,
} from "../../simulation/fleet/moment/moment-words.ts"
import type { Wording } from "../../simulation/fleet/moment/moment-words.ts"
import { whyLate } from "../../simulation/fleet/moment/moment.ts"
import type { Compared, WhyLate } from "../../simulation/fleet/moment/moment.ts"
import { WAIT_FIGURES } from "../../simulation/fleet/moment/wait-promise.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { parseDuration } from "../../simulation/scenario/language/shapes.ts"
import { parseSource, reporter } from "../../simulation/scenario/language/source.ts"
import { readFleetFile } from "../fleets/fleet-files.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { startProgress } from "../kit/progress.ts"
import { err, hasColor, out } from "../kit/terminal.ts"
import { UsageError } from "../kit/usage-error.ts"
import { wholeOf } from "../kit/whole-number.ts"
import { clockOf, wholeRecord } from "./whole-record.ts"
import type { WholeRecord } from "./whole-record.ts"

export interface WhyLateFlags {
  readonly model?: string
  readonly promise?: string
  readonly limit?: string
  readonly futures: string
  readonly seed: string
  readonly json?: boolean
}

/** Some minutes of a processor. */
const TURNS_MAX = 3_000_000

/** Wide enough that most moments need few futures. */
const WIDTH = 0.2

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
  const record = wholeRecord(file, "why-late")
  const of =
    group === undefined ? promiseCase(flags.promise ?? "", record) : caseOf(group, record, flags.limit)
  const model = await modelFor(of, record, flags.model)
  if (model === null) return EXIT.usage
  const progress = startProgress(1, { showsRemaining: false })
  let made = 0
  const found = whyLate({
    turns: record.turns,
    of,
    model,
    terms: new Map(),
    fromMs: of.kind === "promise" ? of.fromMs : 0,
    futures,
    width: WIDTH,
    seed,
    turnsMax: TURNS_MAX,
    onDone: (turns) => {
      made += 1
      progress.done({ virtualMs: 0, events: turns }, made + 1)
    },
  })
  progress.clear()
  if ("is" in found) {
    const said = nothingSaid(found, group ?? flags.promise ?? "", record)
    if (found.is === "left out" || found.is === "unknown") throw new UsageError(said)
    out(flags.json === true ? JSON.stringify({ of, verdict: found, says: [said] }, null, 2) : said)
    return EXIT.passed
  }
  if (flags.json === true) out(JSON.stringify(plain(found, record), null, 2))
  else for (const line of linesOf(found, record, flags.model)) out(line)
  return EXIT.passed
}

const KINDS = ["reservation", "delivery", "courier-order"]

function caseOf(text: string, { turns, file }: WholeRecord, limit: string | undefined): Case {
  const limitMs = limit === undefined ? null : parseDuration(limit)
  if (limit !== undefined && (limitMs === null || limitMs <= 0))
    throw new UsageError(`--limit takes a duration such as 8m, not "${limit}"`)
  const groups = [...new Set(turns.map(({ result }) => result.group.address))]
  const ours = groups.filter((group) => KINDS.includes(kindOf(group)))
  const fits = ours.filter(
    (group) => group === text || idOf(group) === text || (text.length >= 4 && idOf(group).endsWith(text)),
  )
  const ids = new Set(fits.map((group) => idOf(group)))
  const [id] = ids
  if (id === undefined)
    throw new UsageError(
      `${file} has no reservation, delivery or errand "${text}"; it has such as ${ours.slice(0, 3).join(", ") || "none"}`,
    )
  if (ids.size > 1)
    throw new UsageError(`${ids.size} groups of ${file} end with "${text}": ${fits.slice(0, 4).join(", ")}`)
  if (kindOf(fits[0] ?? "") === "reservation")
    return { kind: "reservation", id, limitMs: limitMs ?? CURB_WAIT_MS }
  if (limitMs === null)
    throw new UsageError(
      `a record does not say when ${fits[0]} was promised; say how long after its request it may come, such as --limit 45m`,
    )
  const first = turns.find(({ result }) => idOf(result.group.address) === id)
  return { kind: "delivery", id, dueMs: (first?.result.instantMs ?? 0) + limitMs }
}

function promiseCase(text: string, { turns }: WholeRecord): Case {
  const problems: Problem[] = []
  const report = reporter(problems)
  const root = parseSource({ file: "--promise", text: promiseLine(text) }, report)
  const [promise] = (root === null ? undefined : promises.read(root, report)) ?? []
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (promise === undefined) throw new UsageError("the promise cannot be read; nothing was run")
  assertWait(promise)
  const fromMs = turns[0]?.result.instantMs ?? 0
  return { kind: "promise", promise, fromMs, untilMs: (turns.at(-1)?.result.instantMs ?? fromMs) + 1 }
}

function assertWait({ metric }: FleetPromise): void {
  if (WAIT_FIGURES.includes(metric)) return
  throw new UsageError(`why-late knows promises of ${WAIT_FIGURES.join(", ")}, not of ${metric}`)
}

/** Of a file, or fitted from what the journal shows before the case began. Null when the file has problems. */
async function modelFor(of: Case, record: WholeRecord, file: string | undefined): Promise<FleetModel | null> {
  if (file !== undefined) {
    const { model, problems } = await readFleetFile(file)
    for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
    return model
  }
  const { turns, timeZone } = record
  const first =
    of.kind === "promise" ? 0 : turns.findIndex(({ result }) => idOf(result.group.address) === of.id)
  const beganMs = turns[first]?.result.instantMs ?? 0
  const observer = new JournalObserver()
  for (const { result } of turns.slice(0, first)) if (result.entry !== null) observer.take(result.entry.text)
  const seen = observer.seen()
  const ended = seen.visits.filter(({ ended: at }) => at !== null).length
  const fitted = fitModel(seen, { fromMs: null, toMs: beganMs, timeZone })
  if (fitted === null || Math.max(ended, seen.deliveries.length, seen.errands.length) < FORECAST_HISTORY_MIN)
    throw new UsageError(
      `before it began the record has ${counted(ended, "reservation")} that ended, and ${FORECAST_HISTORY_MIN} are needed to learn from; name a fleet model with --model`,
    )
  const { model, problems } = readPromised(
    promisedText(fitted, { source: record.file, place: null }, []),
    record.file,
  )
  if (model === null) throw new Error(`the learned model has problems: ${JSON.stringify(problems)}`)
  return model
}

function nothingSaid(
  found: Exclude<ReturnType<typeof whyLate>, WhyLate>,
  asked: string,
  record: WholeRecord,
): string {
  switch (found.is) {
    case "good":
      return `${asked} ended well, at ${clockOf(record)(found.atMs)}: nothing was late.`
    case "called off":
      return `${asked} was called off, at ${clockOf(record)(found.atMs)}: nothing was late.`
    case "open":
      return `${asked} had not ended when the record ends.`
    case "left out":
      return `the model has no place for ${asked}, so nothing can be said: ${reasonsText(found.reasons)}`
    case "unknown":
      return `${record.file} has no entry of ${asked}`
  }
}

function reasonsText(reasons: Readonly<Record<string, number>>): string {
  const all = Object.entries(reasons).map(([reason, count]) => `${count} × ${reason}`)
  return all.length === 0 ? "it has no runner or vehicle for it" : all.join(", ")
}

function wordingOf(record: WholeRecord): Wording {
  return { eventName, clock: clockOf(record), nameOf: (group) => `…${idOf(group).slice(-4)}` }
}

function linesOf(found: WhyLate, record: WholeRecord, model: string | undefined): readonly string[] {
  const wording = wordingOf(record)
  const { curve, decisions, futures, steps, of, isCut, leftOut } = found
  const [step] = steps
  return [
    outcomeWords(found, wording),
    headline(found, wording),
    bestWords(found, wording),
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
    `${counted(futures, "future")} from ${counted(curve.length, "moment")}, of the same chance at each; people and things are drawn from ${model === undefined ? "what the record shows before" : basename(model)}; not calibrated yet`,
    "Where vehicles and customers are is not in a journal, so it is drawn. Who was on a break or between two tasks is not known either.",
    ...(isCut ? ["The search was stopped before its end: the curve is coarse."] : []),
    ...Object.entries(leftOut).map(([reason, count]) => `left out: ${count} × ${reason}`),
  ]
}

const CHANGE_SHOWN_MIN = 5

/** For programs: moments by their entry's number in the record. */
function plain(found: WhyLate, record: WholeRecord): object {
  const wording = wordingOf(record)
  const { of, verdict, curve, decisions, futures, turns, isCut, leftOut } = found
  return {
    of,
    verdict,
    says: [outcomeWords(found, wording), headline(found, wording), bestWords(found, wording)],
    curve: curve.map(({ moment, odds }) => ({
      entry: moment.turn.s,
      atMs: moment.atMs,
      what: momentWords(moment, of, wording),
      odds,
    })),
    decisions: decisions.map(({ decision, before, after, last }) => ({
      id: decision.id,
      words: decision.words,
      before: plainOf(before),
      after: plainOf(after),
      last: last === null ? null : plainOf(last),
    })),
    futures,
    turns,
    isCut,
    leftOut,
  }
}

function plainOf({ moment, ...figures }: Compared): object {
  return { entry: moment.turn.s, atMs: moment.atMs, ...figures }
}
