/** How odds like these came true: those of earlier orders of the same journal, at drawn moments, beside what happened to them. */

import { groupOf, idOf, kindOf } from "../../../model/address.ts"
import { Chance } from "../chance.ts"
import type { ReplayedTurn } from "../../replay.ts"
import type { Case } from "./case-watch.ts"
import { CaseLeftOut, Futures } from "./futures.ts"
import type { FuturesOptions } from "./futures.ts"
import { JournalMoments } from "./journal-moments.ts"
import type { Moment } from "./journal-moments.ts"

export interface Calibration {
  readonly moments: number
  /** The mean of their odds, from 0 to 1. */
  readonly expected: number
  /** The share of them that ended badly. */
  readonly happened: number
}

export interface CalibrationOptions extends FuturesOptions {
  readonly of: Case
  /** Of the whole journal, in its order. */
  readonly turns: readonly ReplayedTurn[]
  /** The first moment of the case: orders that had ended by then are compared. */
  readonly first: Moment
  /** Asked before each moment. */
  readonly isOver: () => boolean
}

/** One moment each of so many orders, the latest ones. */
const MOMENTS_MAX = 20
const FUTURES_EACH = 6

/** The shares of fewer say nothing. */
const MOMENTS_MIN = 10

type Order = Exclude<Case, { kind: "promise" }>

/** Null when too few orders had ended, when it was stopped, and for a promise of a day. */
export function calibrationOf({
  of,
  turns,
  first,
  isOver,
  ...options
}: CalibrationOptions): Calibration | null {
  if (of.kind === "promise") return null
  const journal = new JournalMoments(turns.slice(0, first.turns))
  const futures = new Futures(options)
  const chance = new Chance(options.seed, "calibration/")
  let [moments, bad, ended] = [0, 0, 0]
  for (const other of ordersLike(of, first, journal, turns)) {
    if (moments === MOMENTS_MAX) break
    if (isOver()) return null
    const begun = journal.firstOf(`${other.kind}/${other.id}`)
    const fact = journal.factOf(other)
    const isKnown = fact?.verdict.is === "bad" || fact?.verdict.is === "good"
    if (begun === undefined || !isKnown || fact.last.at < begun.at) continue
    const at = begun.at + Math.floor(chance.fraction("moment") * (fact.last.at - begun.at + 1))
    const moment = journal.moments[at]
    const share = moment === undefined ? null : badShare(futures, { journal, moment, other, from: moments })
    if (share === null) continue
    moments += 1
    bad += share
    ended += fact.verdict.is === "bad" ? 1 : 0
  }
  return moments < MOMENTS_MIN ? null : { moments, expected: bad / moments, happened: ended / moments }
}

/** Orders of the same kind that began before, the latest first, with the same limit. */
function ordersLike(
  of: Order,
  first: Moment,
  { moments }: JournalMoments,
  turns: readonly ReplayedTurn[],
): readonly Order[] {
  const begun = new Map<string, number>()
  for (const { input, result } of turns.slice(0, moments.at(-1)?.turns ?? 0)) {
    const group = groupOf(input.to)
    if (kindOf(group) === of.kind && idOf(group) !== of.id && result.hasGroup && !begun.has(idOf(group)))
      begun.set(idOf(group), result.instantMs)
  }
  return [...begun].toReversed().map(([id, atMs]) => {
    if (of.kind === "reservation") return { ...of, id }
    return { ...of, id, dueMs: atMs + of.dueMs - first.atMs }
  })
}

interface Asked {
  readonly journal: JournalMoments
  readonly moment: Moment
  readonly other: Order
  /** How many were asked before: each has futures of its own. */
  readonly from: number
}

/** Null when the model has no place for the order. */
function badShare(futures: Futures, { journal, moment, other, from }: Asked): number | null {
  try {
    const make = futures.from(journal.after(moment, other), null)
    const outcomes = Array.from({ length: FUTURES_EACH }, (_, at) => make(from * FUTURES_EACH + at))
    return outcomes.filter(Boolean).length / FUTURES_EACH
  } catch (cause) {
    if (cause instanceof CaseLeftOut) return null
    throw cause
  }
}
