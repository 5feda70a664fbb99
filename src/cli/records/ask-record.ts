/** Asks a record when an order was lost, or a promise broken: reads it, learns a model, and makes the answer. */

import { basename } from "node:path"
import { eventName } from "../../pages/inspection/event-name.ts"
import { program } from "../../apps/composition/program.ts"
import { idOf, kindOf } from "../../model/address.ts"
import type { MomentAnswer } from "../../model/requests/moment-answer.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { CURB_WAIT_MS, FORECAST_HISTORY_MIN } from "../../model/values/limits.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { fitModel } from "../../simulation/fleet/fit/fit-model.ts"
import { JournalObserver } from "../../simulation/fleet/fit/observations.ts"
import { promiseLine, promisedText, readPromised } from "../../simulation/fleet/forecast/promised-model.ts"
import type { FleetModel } from "../../simulation/fleet/language/model.ts"
import { promises } from "../../simulation/fleet/language/promises.ts"
import type { FleetPromise } from "../../simulation/fleet/language/promises.ts"
import type { Case } from "../../simulation/fleet/moment/case-watch.ts"
import { answerOf } from "../../simulation/fleet/moment/moment-answer.ts"
import { outcomeWords } from "../../simulation/fleet/moment/moment-words.ts"
import type { Wording } from "../../simulation/fleet/moment/moment-words.ts"
import { whyLate } from "../../simulation/fleet/moment/moment.ts"
import type { MomentOptions, NoMoment, WhyLate } from "../../simulation/fleet/moment/moment.ts"
import { WAIT_FIGURES } from "../../simulation/fleet/moment/wait-promise.ts"
import { replayRecord } from "../../simulation/replay.ts"
import type { ReplayedTurn } from "../../simulation/replay.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { parseDuration } from "../../simulation/scenario/language/shapes.ts"
import { parseSource, reporter } from "../../simulation/scenario/language/source.ts"
import { readFleetFile } from "../fleets/fleet-files.ts"
import { err, hasColor } from "../kit/terminal.ts"
import { readText } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"

/** Either a group or a promise. */
export interface RecordAsked {
  readonly file: string
  /** An address, an id, or the end of it. */
  readonly group?: string | undefined
  readonly promise?: string | undefined
  readonly limit?: string | undefined
  /** File of a fleet model. */
  readonly model?: string | undefined
  readonly futures: number
  readonly seed: number
}

interface Hooks extends Pick<MomentOptions, "isOver" | "onDone"> {
  /** Called with the outcome as a sentence, before the first future. */
  readonly onBad?: (outcome: string) => void
}

export interface RecordAnswered {
  readonly found: NoMoment | WhyLate
  readonly answer: MomentAnswer
  readonly wording: Wording
}

/** Some minutes of a processor. */
const TURNS_MAX = 3_000_000

/** Entries of a week of a busy site; all of them are kept in memory. */
const TURNS_READ_MAX = 300_000

/** Wide enough that most moments need few futures. */
const WIDTH = 0.2

/** Null when the model's file has problems, which were printed. Throws a usage error for what cannot be asked. */
export async function askRecord(asked: RecordAsked, hooks: Hooks): Promise<RecordAnswered | null> {
  const { file, group, promise = "", limit, seed, futures } = asked
  const record = recordIn(file)
  const of = group === undefined ? promiseCase(promise, record) : caseOf(group, record, limit)
  const model = await modelFor(of, record, asked.model)
  if (model === null) return null
  const wording = wordingOf(record)
  const { onBad, ...same } = hooks
  const found = whyLate({
    ...same,
    turns: record.turns,
    of,
    model,
    terms: new Map(),
    fromMs: of.kind === "promise" ? of.fromMs : 0,
    futures,
    width: WIDTH,
    seed,
    turnsMax: TURNS_MAX,
    ...(onBad === undefined ? {} : { onBad: (verdict) => onBad(outcomeWords({ of, verdict }, wording)) }),
  })
  const answer = answerOf(found, {
    of,
    asked: group ?? promise,
    turns: record.turns,
    wording,
    timeZone: record.timeZone,
    drawnFrom: asked.model === undefined ? "what the record shows before" : basename(asked.model),
    seed,
  })
  return { found, answer, wording }
}

interface Recorded {
  readonly file: string
  readonly text: string
  readonly turns: readonly ReplayedTurn[]
  readonly timeZone: string
}

function recordIn(file: string): Recorded {
  const text = readText(file)
  const turns: ReplayedTurn[] = []
  const { difference, runs } = replayRecord(text, program, null, (turn) => turns.push(turn))
  if (difference !== null) throw new UsageError(`${file}: line ${difference.line}: ${difference.message}`)
  if (turns.length > TURNS_READ_MAX)
    throw new UsageError(
      `${file} has ${turns.length} entries, and why-late reads ${TURNS_READ_MAX}; export a shorter time`,
    )
  if (runs !== 1) throw new UsageError(`${file} holds ${runs} runs; record one run alone`)
  const head = JSON.parse(text.split("\n", 1)[0] ?? "{}") as {
    readonly zone?: unknown
    readonly groups?: unknown
  }
  if (head.groups !== undefined)
    throw new UsageError(
      `${file} holds some groups of a run alone; the whole site is needed, from "curbline journal export"`,
    )
  return { file, text, turns, timeZone: typeof head.zone === "string" ? head.zone : "UTC" }
}

const KINDS = ["reservation", "delivery", "courier-order"]

function caseOf(text: string, { turns, file }: Recorded, limit: string | undefined): Case {
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

function promiseCase(text: string, { turns }: Recorded): Case {
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
async function modelFor(of: Case, record: Recorded, file: string | undefined): Promise<FleetModel | null> {
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

function clockOf({ turns, timeZone }: Recorded): (atMs: EpochMs) => string {
  const [first, last] = [turns[0], turns.at(-1)].map((turn) => turn?.result.instantMs ?? 0)
  const isLong = (last ?? 0) - (first ?? 0) >= DAY_MS
  return (atMs) =>
    new Date(wallClockAt(atMs, timeZone))
      .toISOString()
      .slice(isLong ? 5 : 11, 19)
      .replace("T", " ")
}

function wordingOf(record: Recorded): Wording {
  return { eventName, clock: clockOf(record), nameOf: (group) => `…${idOf(group).slice(-4)}` }
}
