/**
 * When a bad outcome became inevitable: the probability of it after each moment of the journal, the moment with the largest step, and the
 * last moment at which a decision would have kept it below half. Pure: time and chance come from its arguments.
 */

import type { EpochMs } from "../../../model/values/time.ts"
import type { Share } from "../fit/rates.ts"
import type { TermsById } from "../forecast/drawn-fleet.ts"
import { presentOf } from "../forecast/present.ts"
import type { Present } from "../forecast/present.ts"
import type { FleetModel } from "../language/model.ts"
import type { ReplayedTurn } from "../../replay.ts"
import type { Bad, Case, Verdict, Wanted } from "./case-watch.ts"
import { curveOf } from "./curve.ts"
import type { CurvePoint } from "./curve.ts"
import { decisionsFor } from "./decisions.ts"
import type { Decision } from "./decisions.ts"
import { CaseLeftOut, Futures } from "./futures.ts"
import { JournalMoments } from "./journal-moments.ts"
import type { Moment, StateAfter } from "./journal-moments.ts"
import { Sampled, sample } from "./odds.ts"

export interface MomentOptions {
  /** Of the whole journal of a site, in its order. */
  readonly turns: readonly ReplayedTurn[]
  readonly of: Case
  readonly model: FleetModel
  readonly terms: TermsById
  /** The first moment to look at is the last one before this instant. */
  readonly fromMs: EpochMs
  /** When the journal was read, if that is after its last entry. */
  readonly untilMs?: EpochMs
  /** At most so many futures for each moment and decision. */
  readonly futures: number
  /** Fewer are made where the 95 % interval of the probability is at most this wide, as a share. */
  readonly width: number
  readonly seed: number
  /** No further futures are begun after so many turns of machines. */
  readonly turnsMax: number
  /** Called when it is known that it went wrong, before the first future. */
  readonly onBad?: (verdict: Bad) => void
  /** Called after each future. */
  readonly onDone?: (turns: number) => void
  /** Asked between futures: what is known by then is the answer. */
  readonly isOver?: () => boolean
}

export interface MomentOdds {
  readonly moment: Moment
  readonly odds: Share
}

/** A decision, and what it would have changed. */
export interface Kept {
  readonly decision: Decision
  /** At the moment before the largest step, and at the one after it. */
  readonly before: Compared
  readonly after: Compared
  /** The last of the looked at moments at which it brings the probability from above a half to below it; null without one. */
  readonly last: Compared | null
}

/** Futures with a decision and without it, in pairs of the same chance. */
export interface Compared {
  readonly moment: Moment
  readonly odds: Share
  readonly asItWas: Share
  /** How many pairs it saves, and how many it costs. */
  readonly saved: number
  readonly costs: number
  /** True when chance hardly explains the difference. */
  readonly helps: boolean
}

export interface WhyLate {
  readonly of: Case
  readonly verdict: Bad
  /** In the order of the journal. The last one is of the last moment before the outcome was a fact. */
  readonly curve: readonly MomentOdds[]
  /** The largest steps first: each between two points of the curve. */
  readonly steps: readonly Step[]
  /** Null when the largest step is no step to the worse, or spans several moments. */
  readonly waited: Waited | null
  /** Those that were tried: those that work longest after the largest step first, then those that help before it. */
  readonly decisions: readonly Kept[]
  readonly futures: number
  readonly turns: number
  /** True when it was stopped before everything was known. */
  readonly isCut: boolean
  /** Groups that the model has no place for, by the reason. */
  readonly leftOut: Readonly<Record<string, number>>
}

/** A change of the probability between two points of the curve. */
export interface Step {
  readonly before: MomentOdds
  readonly after: MomentOdds
  /** Positive when it became worse. */
  readonly points: number
  /** True when no moment lies between them. */
  readonly isOne: boolean
}

/** The largest step as it would have been without its entry: what the time that passed before it did alone. */
export interface Waited {
  /** Shortly before the entry. */
  readonly odds: Share
  /** How long nothing happened at the site. */
  readonly ms: number
  /** What the case waited for; null when it is not known. */
  readonly wanted: Wanted | null
}

/** Smaller steps are noise of the futures that look for the moment. */
const SMALLEST = 0.1

const POINTS_MAX = 32

/** How likely a decision without effect seems to help, of all that are tried together. */
const MISS = 0.025

/** So many futures of a moment look for the largest step; its two ends are then known as well as was asked for. */
const FUTURES_AT_LEAST = 24
const FUTURES_OF_SEARCH = 48

export type NoMoment =
  | Exclude<Verdict, Bad>
  | { readonly is: "unknown" }
  /** The model has no place for the case; what was left out, by the reason. */
  | { readonly is: "left out"; readonly reasons: Readonly<Record<string, number>> }

/** Answers why nothing can be said when the case is not in the journal, has not ended there, ended well, or is not in the model. */
export function whyLate(options: MomentOptions): WhyLate | NoMoment {
  const { of, turns } = options
  const journal = new JournalMoments(turns)
  const { moments } = journal
  const booked = of.kind === "promise" ? undefined : firstMoment(journal, of)
  if (of.kind !== "promise" && booked === undefined) return { is: "unknown" }
  const fact = journal.factOf(of, options.untilMs)
  if (fact === null) return { is: "open" }
  const { verdict, last } = fact
  if (verdict.is !== "bad") return verdict
  options.onBad?.(verdict)
  const first = booked ?? moments.findLast(({ atMs }) => atMs <= options.fromMs) ?? moments[0]
  if (first === undefined) return { is: "unknown" }
  try {
    return answer(journal, options, { first, last, verdict })
  } catch (cause) {
    if (cause instanceof CaseLeftOut) return { is: "left out", reasons: cause.reasons }
    throw cause
  }
}

interface Found {
  readonly first: Moment
  /** The last one before the outcome was a fact. */
  readonly last: Moment
  readonly verdict: Bad
}

function answer(journal: JournalMoments, options: MomentOptions, { first, last, verdict }: Found): WhyLate {
  const { of, model, terms, seed } = options
  const { moments } = journal
  const search = new Search(journal, options, new Futures({ model, terms, seed }))
  const to = Math.max(first.at, last.at)
  const points = curveOf({
    from: first.at,
    to,
    evaluate: (at) => search.roughly(at),
    smallest: SMALLEST,
    pointsMax: POINTS_MAX,
    isOver: search.isOver,
  })
  const rough = withMoments(points, moments)
  const [largest] = stepsOf(rough)
  const sharp = new Set([first.at, to, largest?.before.moment.at, largest?.after.moment.at])
  const curve = rough.map(({ moment, odds }) => ({
    moment,
    odds: sharp.has(moment.at) ? search.odds(moment.at, null) : odds,
  }))
  const steps = stepsOf(curve)
  const [step] = steps
  const present = presentOf(search.state(first.at).groups, model)
  const tried = step === undefined ? [] : decisionsFor(of, model, siteOf(of, present))
  const decisions = tried.flatMap((one) =>
    step === undefined || search.isOver() ? [] : [keptBy(one, { search, curve, step, tried: tried.length })],
  )
  return {
    of,
    verdict,
    curve,
    steps,
    waited: step === undefined || search.isOver() ? null : waitedBefore(step, search),
    decisions: decisions.toSorted(
      (a, b) =>
        (b.last?.moment.at ?? -1) - (a.last?.moment.at ?? -1) ||
        Number(b.before.helps) - Number(a.before.helps) ||
        a.before.odds.value - b.before.odds.value,
    ),
    futures: search.futures.made,
    turns: search.futures.turns,
    isCut: search.wasCut,
    leftOut: present.leftOut,
  }
}

/** The number of the case's site in the model; the first one for a promise. */
function siteOf(of: Case, { reservations, fleet }: Present): number {
  if (of.kind === "promise") return 0
  const placed = [
    ...reservations.map(({ visit, siteNumber }) => [visit.id, siteNumber] as const),
    ...[...fleet.trips, ...fleet.errands].map(({ id, siteNumber }) => [id, siteNumber] as const),
  ]
  return placed.find(([id]) => id === of.id)?.[1] ?? 0
}

function withMoments(points: readonly CurvePoint[], moments: readonly Moment[]): readonly MomentOdds[] {
  return points.flatMap(({ at, odds }) => {
    const moment = moments[at]
    return moment === undefined ? [] : [{ moment, odds }]
  })
}

function firstMoment(journal: JournalMoments, of: Exclude<Case, { kind: "promise" }>): Moment | undefined {
  const kinds = of.kind === "reservation" ? ["reservation"] : ["courier-order", "delivery"]
  const firsts = kinds.flatMap((kind) => journal.firstOf(`${kind}/${of.id}`) ?? [])
  return firsts.toSorted((a, b) => a.at - b.at)[0]
}

/** Odds by moment and decision, each made once. */
class Search {
  readonly futures: Futures
  readonly #journal: JournalMoments
  readonly #options: MomentOptions
  readonly #sampled = new Map<string, Sampled>()
  readonly #states = new Map<number, StateAfter>()
  wasCut = false

  constructor(journal: JournalMoments, options: MomentOptions, futures: Futures) {
    this.#journal = journal
    this.#options = options
    this.futures = futures
  }

  readonly isOver = (): boolean => {
    const { turnsMax, isOver } = this.#options
    this.wasCut ||= this.futures.turns >= turnsMax || isOver?.() === true
    return this.wasCut
  }

  state(at: number): StateAfter {
    const known = this.#states.get(at)
    if (known !== undefined) return known
    const moment = this.#journal.moments[at]
    if (moment === undefined) throw new RangeError(`there is no moment ${at}`)
    const state = this.#journal.after(moment, this.#options.of)
    this.#states.set(at, state)
    return state
  }

  /** As it was, from few futures. */
  roughly(at: number): Share {
    const { futures, width } = this.#options
    const atMost = Math.min(futures, FUTURES_OF_SEARCH)
    return sample(this.sampled(at, null), { width, atLeast: FUTURES_AT_LEAST, atMost }, this.isOver)
  }

  odds(at: number, decision: Decision | null): Share {
    const { futures: atMost, width } = this.#options
    return sample(this.sampled(at, decision), { width, atLeast: FUTURES_AT_LEAST, atMost }, this.isOver)
  }

  /** Of a state between two moments. */
  oddsOf(state: StateAfter): Share {
    const { futures: atMost, width } = this.#options
    const sampled = new Sampled(this.futures.from(state, null))
    return sample(sampled, { width, atLeast: FUTURES_AT_LEAST, atMost }, this.isOver)
  }

  /** `tried`: how many decisions are compared in all. */
  compare(moment: Moment, decision: Decision, tried: number): Compared {
    const { at } = moment
    const odds = this.odds(at, decision)
    const asItWas = this.odds(at, null)
    const [withIt, without] = [decision, null].map((one) => this.sampled(at, one).outcomes)
    const pairs = (was: boolean): number =>
      (without ?? []).filter((isBad, number) => isBad === was && withIt?.[number] === !was).length
    const [saved, costs] = [pairs(true), pairs(false)]
    return { moment, odds, asItWas, saved, costs, helps: chanceOf(saved, costs) < MISS / tried }
  }

  sampled(at: number, decision: Decision | null): Sampled {
    const key = `${at} ${decision?.id ?? ""}`
    const known = this.#sampled.get(key)
    if (known !== undefined) return known
    const make = this.futures.from(this.state(at), decision)
    const sampled = new Sampled((number) => {
      const isBad = make(number)
      this.#options.onDone?.(this.futures.turns)
      return isBad
    })
    this.#sampled.set(key, sampled)
    return sampled
  }
}

function stepsOf(curve: readonly MomentOdds[]): readonly Step[] {
  return curve
    .flatMap((after, index): readonly Step[] => {
      const before = curve[index - 1]
      if (before === undefined) return []
      const points = after.odds.value - before.odds.value
      return [{ before, after, points, isOne: after.moment.at - before.moment.at === 1 }]
    })
    .toSorted((a, b) => b.points - a.points)
}

/** The same groups as before the entry, at its time. */
function waitedBefore({ before, after, points, isOne }: Step, search: Search): Waited | null {
  const ms = after.moment.atMs - before.moment.atMs - 1
  if (!isOne || points < SMALLEST || ms <= 0) return null
  const state = { ...search.state(before.moment.at), atMs: after.moment.atMs - 1 }
  return { odds: search.oddsOf(state), ms, wanted: state.watch.wanted() }
}

interface Keeping {
  readonly search: Search
  readonly curve: readonly MomentOdds[]
  /** The largest step. */
  readonly step: Step
  /** How many decisions are tried. */
  readonly tried: number
}

/**
 * A decision that keeps the outcome below half at one moment keeps it at the moments before, so the last one is found by halving, among the
 * moments at which it was above half.
 */
function keptBy(decision: Decision, { search, curve, step, tried }: Keeping): Kept {
  const compare = (moment: Moment): Compared => search.compare(moment, decision, tried)
  const [before, after] = [compare(step.before.moment), compare(step.after.moment)]
  const lost = curve.filter(({ odds, moment }) => odds.value > HALF && moment.at >= step.after.moment.at)
  let [low, high] = [-1, lost.length]
  while (high - low > 1 && !search.isOver()) {
    const middle = Math.floor((low + high) / 2)
    if (search.odds(lost[middle]?.moment.at ?? 0, decision).value < HALF) low = middle
    else high = middle
  }
  const found = lost[low]
  const last = found === undefined ? null : compare(found.moment)
  return { decision, before, after, last: last?.helps === true ? last : null }
}

const HALF = 0.5

/** How likely at least so many of the pairs that differ are saved ones, if both were as likely. */
export function chanceOf(saved: number, costs: number): number {
  const count = saved + costs
  let [term, sum] = [0.5 ** count, 0]
  for (let one = count; one >= saved; one -= 1) {
    sum += term
    term *= one / (count - one + 1)
  }
  return sum
}
