/** The figures of an answer as the page shows them: entries with their changes, what is said of a decision, words for odds. Pure. */

import type { MomentAnswerJson } from "../../../model/requests/moment-answer.ts"
import type { Tone } from "../design/pill.tsx"
import { runClock } from "../replay/seen/times.ts"

export type Answer = MomentAnswerJson
export type Figures = NonNullable<Answer["figures"]>
export type Odds = Figures["curve"][number]["odds"]
export type Decision = Figures["decisions"][number]
export type Compared = Decision["before"]

/** Smaller changes are within chance and have no number. */
const CHANGE_SHOWN_MIN = 5

export interface Entry {
  readonly number: number
  readonly ms: number
  /** `12:41:08` */
  readonly time: string
  readonly what: string
  readonly machine: string
  readonly odds: Odds
  /** Whole points since the entry before it; null for less than five. */
  readonly change: number | null
  /** True for the entry with the largest step, where that is the moment. */
  readonly isMoment: boolean
  /** Of the moment: what the step came from, the entry itself or a wait that it ended. Null for others. */
  readonly cause: string | null
  /** True after it. */
  readonly isLater: boolean
}

export function entriesOf({ curve, step }: Figures, timeZone: string): readonly Entry[] {
  const clock = clockOf(timeZone)
  const moment = step?.is_the_moment === true ? step.entry : null
  return curve.map(({ entry, at, what, machine, odds }, index) => {
    const change = Math.round((odds.value - (curve[index - 1]?.odds.value ?? odds.value)) * 100)
    return {
      number: entry,
      ms: Date.parse(at),
      time: clock(at),
      what,
      machine,
      odds,
      change: Math.abs(change) < CHANGE_SHOWN_MIN ? null : change,
      isMoment: entry === moment,
      cause: entry === moment ? (step?.cause ?? null) : null,
      isLater: moment !== null && entry > moment,
    }
  })
}

/** The entry that the page opens at: the one with the largest step, else the last. */
export function opensAt(entries: readonly Entry[], { step }: Figures): number {
  const found = entries.findIndex(({ number }) => number === step?.entry)
  return found === -1 ? entries.length - 1 : found
}

export function clockOf(timeZone: string): (at: string) => string {
  const { second } = runClock(0, timeZone)
  return (at) => second(Date.parse(at))
}

/** `+57`, `−8`. */
export function changeText(points: number): string {
  return points > 0 ? `+${points}` : `−${-points}`
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** `83 to 92 %` */
export function interval({ low, high }: Odds): string {
  return `${Math.round(low * 100)} to ${Math.round(high * 100)} %`
}

export interface ShownDecision {
  readonly id: string
  readonly words: string
  /** At the latest moment at which it makes a difference, else after the largest step. */
  readonly shown: Compared
  /** `by 12:38:20` */
  readonly when: string
  readonly said: string
  readonly tone: Tone
}

export function decisionsOf({ decisions }: Figures, timeZone: string): readonly ShownDecision[] {
  const clock = clockOf(timeZone)
  return decisions.map(({ id, words, before, after, last }) => {
    const shown = last ?? (before.helps ? before : after)
    return {
      id,
      words,
      shown,
      when: shown.helps ? `by ${clock(shown.at)}` : `at ${clock(shown.at)}`,
      said: saidOf(shown),
      tone: toneOf(shown),
    }
  })
}

const HALF = 0.5

function toneOf({ helps, odds }: Compared): Tone {
  if (!helps) return "idle"
  if (odds.value >= HALF) return "bad"
  return odds.high >= HALF ? "wait" : "ok"
}

function saidOf({ helps, odds, saved, costs }: Compared): string {
  if (!helps) return "No difference beyond chance"
  const kept = `Saves ${saved} of ${odds.futures} futures${costs === 0 ? "" : `, loses ${costs}`}`
  if (odds.value >= HALF) return `${kept}: not enough alone`
  return odds.high >= HALF ? `${kept}; from a half it cannot be told` : kept
}

/** The decision under the headline, if one keeps it or helps. */
export function bestOf(decisions: readonly ShownDecision[]): ShownDecision | null {
  const [first] = decisions
  return first?.shown.helps === true ? first : (decisions.find(({ shown }) => shown.helps) ?? null)
}

/** `runner task`; the machine's name in words. */
export function machineWords(machine: string): string {
  return machine.replaceAll("-", " ")
}

/** The answer as plain text, for a report of the incident. */
export function reportText({ outcome, headline, best, figures }: Answer): string {
  const foot = figures === null ? [] : [footWords(figures)]
  return [outcome, headline, best, ...foot].filter((line) => line !== null).join("\n")
}

/** How it was counted, in a sentence. */
export function footWords({ futures, curve, seed, drawn_from: from, calibration }: Figures): string {
  const counted = `${futures.toLocaleString("en")} futures from ${curve.length} moments, the same chance at each, seed ${seed}`
  return `${counted}; people and things are drawn from ${from}; ${calibrationWords(calibration)}.`
}

function calibrationWords(calibration: Figures["calibration"]): string {
  if (calibration === null) return "not calibrated yet"
  const { moments, expected, happened } = calibration
  return `of ${moments.toLocaleString("en")} moments with ${percent(expected)} on average, ${percent(happened)} happened`
}
