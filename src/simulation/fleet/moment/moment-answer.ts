/** The answer as plain data, for the command line, its page and the live service: figures and sentences, without groups and turns. */

import { groupOf } from "../../../model/address.ts"
import type { MomentAnswer } from "../../../model/requests/moment-answer.ts"
import { actorAt, rootOf } from "../../../engine/services/actors.ts"
import type { Share } from "../fit/rates.ts"
import { showFigure, unitOf } from "../language/metrics.ts"
import type { ReplayedTurn } from "../../replay.ts"
import type { Case } from "./case-watch.ts"
import type { Moment } from "./journal-moments.ts"
import {
  bestWords,
  causeWords,
  headline,
  isTheMoment,
  momentWords,
  nothingWords,
  outcomeWords,
} from "./moment-words.ts"
import type { Wording } from "./moment-words.ts"
import type { Compared, MomentOdds, NoMoment, WhyLate } from "./moment.ts"

export interface AnswerOptions {
  readonly of: Case
  /** The case as people named it, for the sentence of an answer without a moment. */
  readonly asked: string
  /** The journal that was read. */
  readonly turns: readonly ReplayedTurn[]
  readonly wording: Wording
  readonly timeZone: string
  /** Where the chances come from, such as `what the record shows before`. */
  readonly drawnFrom: string
  readonly seed: number
}

type Figures = NonNullable<MomentAnswer["figures"]>

export function answerOf(found: WhyLate | NoMoment, options: AnswerOptions): MomentAnswer {
  const { of, asked, wording, timeZone } = options
  const base = { asked: askedOf(of), timeZone }
  if ("is" in found)
    return {
      ...base,
      is: found.is === "called off" ? "called_off" : found.is === "left out" ? "left_out" : found.is,
      atMs: "atMs" in found ? found.atMs : null,
      outcome: nothingWords(found, asked, wording),
      headline: null,
      best: null,
      figures: null,
    }
  return {
    ...base,
    is: "bad",
    atMs: found.verdict.atMs,
    outcome: outcomeWords(found, wording),
    headline: headline(found, wording),
    best: bestWords(found, wording),
    figures: figuresOf(found, options),
  }
}

function askedOf(of: Case): MomentAnswer["asked"] {
  const promise = of.kind === "promise" ? of.promise : null
  return {
    kind: of.kind,
    id: of.kind === "promise" ? null : of.id,
    limitMs: of.kind === "reservation" ? of.limitMs : null,
    dueAtMs: of.kind === "delivery" ? of.dueMs : null,
    metric: promise?.metric ?? null,
    bound: promise === null ? null : `${promise.sign} ${showFigure(promise.limit, unitOf(promise.metric))}`,
  }
}

function figuresOf(found: WhyLate, { turns, wording, seed, drawnFrom }: AnswerOptions): Figures {
  const { of, verdict, curve, decisions } = found
  const [step] = found.steps
  const cause = step === undefined ? null : causeWords(found, step, wording)
  const before = (step?.before ?? curve.at(-1))?.moment
  return {
    how: verdict.how,
    curve: curve.map((point) => entryOf(point, of, wording)),
    step:
      step === undefined || cause === null
        ? null
        : {
            fromEntry: step.before.moment.turn.s,
            entry: step.after.moment.turn.s,
            points: step.points,
            isOne: step.isOne,
            isTheMoment: isTheMoment(step),
            cause: cause.words,
            waitedMs: cause.waitedMs,
          },
    waiting: before === undefined ? null : waitingAt(before, turns, of),
    decisions: decisions.map(({ decision, last, ...tried }) => ({
      id: decision.id,
      words: decision.words,
      before: comparedOf(tried.before),
      after: comparedOf(tried.after),
      last: last === null ? null : comparedOf(last),
    })),
    futures: found.futures,
    seed,
    turns: found.turns,
    isCut: found.isCut,
    drawnFrom,
    calibration: null,
    leftOut: Object.entries(found.leftOut).map(([what, count]) => ({ what, count })),
    notKnown: NOT_KNOWN,
  }
}

const NOT_KNOWN: readonly string[] = [
  "Where vehicles and customers are is not in a journal, so it is drawn.",
  "Who was on a break or between two tasks is not known either.",
]

function entryOf({ moment, odds }: MomentOdds, of: Case, wording: Wording): Figures["curve"][number] {
  const { input, result, s } = moment.turn
  const machine = result.group.actors.get(input.to)?.machine ?? input.start?.machine ?? ""
  return {
    entry: s,
    atMs: moment.atMs,
    group: groupOf(input.to),
    machine: machine.replace(/@.*$/, ""),
    what: momentWords(moment, of, wording),
    odds: oddsOf(odds),
  }
}

function comparedOf({ moment, odds, asItWas, ...pairs }: Compared): Figures["decisions"][number]["before"] {
  return {
    ...pairs,
    entry: moment.turn.s,
    atMs: moment.atMs,
    odds: oddsOf(odds),
    asItWas: oddsOf(asItWas),
  }
}

function oddsOf({ value, interval, of }: Share): Figures["curve"][number]["odds"] {
  return { value, low: interval.low, high: interval.high, futures: of }
}

/** The runner task of a reservation, or the delivery itself, and since when it was in its state. Null when it was not there yet. */
function waitingAt(moment: Moment, turns: readonly ReplayedTurn[], of: Case): Figures["waiting"] {
  if (of.kind === "promise") return null
  const { kind, id } = of
  const states = turns.slice(0, moment.turns).flatMap(({ result: { group, hasGroup, instantMs } }) => {
    if (!hasGroup || group.address !== `${kind}/${id}`) return []
    const actor =
      kind === "reservation"
        ? actorAt("runner-task", group.actors, `${group.address}/runner-task`)
        : rootOf("delivery", group)
    return actor === null ? [] : [{ state: actor.state, sinceMs: instantMs }]
  })
  const last = states.at(-1)
  if (last === undefined) return null
  const before = states.findLastIndex(({ state }) => state !== last.state)
  const machine = kind === "reservation" ? "runner-task" : "delivery"
  return { machine, state: last.state, sinceMs: states[before + 1]?.sinceMs ?? last.sinceMs }
}
