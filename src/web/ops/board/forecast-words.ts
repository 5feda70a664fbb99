/** What a forecast says in words. */

import type { ForecastFigures, ForecastRecord } from "./records.ts"
import { clockTime, lengthOf } from "./times.ts"

export interface ForecastWords {
  /** True when a wait beyond the limit is more likely than not. */
  readonly isBad: boolean
  readonly headline: string
  /** How many pickups, and how many are late. */
  readonly counts: string
  /** What one more runner changes; empty when nothing would change. */
  readonly change: string
}

const AHEAD_WORDS: Readonly<Record<ForecastRecord["ahead"], string>> = {
  "30m": "30 min",
  "1h": "hour",
  "2h": "2 h",
  "4h": "4 h",
}

/** `the next 2 h`. */
export function aheadWords({ ahead }: Pick<ForecastRecord, "ahead">): string {
  return `the next ${AHEAD_WORDS[ahead]}`
}

/** From this share on it is said that a promise breaks. */
const LIKELY = 0.5

export function forecastWords(
  forecast: Pick<ForecastRecord, "ahead">,
  figures: ForecastFigures,
  zone: string | null,
): ForecastWords {
  const { pickups, promises } = figures
  const ahead = aheadWords(forecast)
  if (Math.round(pickups.all) === 0)
    return { isBad: false, headline: `No pickup is expected in ${ahead}`, counts: "", change: "" }
  const wait = promises.find(({ metric }) => metric === "reservations.wait_max")
  const broken = wait?.breaks.value ?? 0
  const limit = lengthOf(figures.late_after_ms)
  const isBad = broken >= LIKELY
  const at = isBad && typeof wait?.at === "string" ? ` at ${clockTime(wait.at, zone)}` : ""
  return {
    isBad,
    headline: isBad
      ? `Waits pass ${limit}${at}, ${likelyWords(broken)}`
      : `Waits stay below ${limit}, ${likelyWords(1 - broken)}`,
    counts: [`In ${ahead}: ${countWords(figures, zone)}.`, ...windowWords(figures)].join(" "),
    change: changeWords(figures),
  }
}

/** Runs are few, so that none of them proves that something is certain. */
function likelyWords(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 100 ? "almost certain" : `${percent}% likely`
}

function countWords({ pickups, late_from, late_until }: ForecastFigures, zone: string | null): string {
  const [all, late] = [Math.round(pickups.all), Math.round(pickups.late)]
  const of = `${all} ${all === 1 ? "pickup" : "pickups"}`
  if (late === 0) return `none of about ${of} late`
  const when =
    late_from === null || late_until === null
      ? ""
      : `, most from ${clockTime(late_from, zone)} to ${clockTime(late_until, zone)}`
  return `about ${late} of ${of} late${when}`
}

function windowWords({ promises }: ForecastFigures): readonly string[] {
  const missed = promises.find(({ metric }) => metric === "reservations.late")?.breaks.value ?? 0
  return missed < LIKELY ? [] : [`An order is on board after its window, ${likelyWords(missed)}.`]
}

function changeWords({ pickups, pickups_with_one_more: more }: ForecastFigures): string {
  const late = Math.round(pickups.late)
  if (more === null || late === 0) return ""
  const lateThen = Math.round(more.late)
  if (lateThen >= late) return "One more runner changes little."
  return lateThen === 0 ? "With one more runner: none late." : `With one more runner: ${lateThen} late.`
}

/** `the last attempt took too long`. */
export function failureWords(reason: ForecastRecord["reason"]): string {
  return reason === "took_too_long" ? "it took too long" : "it failed"
}

const FROM_WORDS: Readonly<Record<ForecastFigures["runners_from"], string>> = {
  phones: "by the phones that are paired",
  tasks: "who had a task in the last 12 hours",
  history: "who ever had a task here",
}

/** How the figures came about, as facts with a name. */
export function factsOf(
  figures: ForecastFigures,
  zone: string | null,
): readonly (readonly [string, string])[] {
  const day = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(figures.history_from))
  const { runs, runners, open_reservations: open, history_reservations: past, left_out: leftOut } = figures
  return [
    ["Runs", `${runs} simulations of the hours ahead, from ${clockTime(figures.made_at, zone)} on`],
    ["Runners", `${runners}, ${FROM_WORDS[figures.runners_from]}`],
    ["Under way", `${open} ${open === 1 ? "reservation" : "reservations"}`],
    ["Learned from", `${past} reservations since ${day}`],
    ...(leftOut.length === 0
      ? []
      : [["Left out", leftOut.map(({ what, count }) => `${count} × ${what}`).join(", ")] as const]),
  ]
}
