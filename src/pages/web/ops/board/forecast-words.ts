/** What a forecast says in words. */

import { HOUR_MS, MINUTE_MS } from "../../../../model/values/time.ts"
import type { ForecastFigures, ForecastPromise, ForecastRecord } from "./records.ts"
import { clockTime, lengthOf } from "./times.ts"

/** What the forecast says of pickups, of deliveries or of errands. */
export interface ForecastLine {
  readonly about: "deliveries" | "errands" | "pickups"
  /** True when it is more likely than not that a promise breaks. */
  readonly isBad: boolean
  readonly headline: string
  /** How many there are, and how many of them are late. */
  readonly counts: string
  /** What one more runner or vehicle changes; empty when nothing would change. */
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

interface Said {
  readonly figures: ForecastFigures
  /** `the next 2 h`. */
  readonly ahead: string
  readonly zone: string | null
}

/** Those that break come first; a site without reservations has no line about pickups. */
export function forecastLines(
  forecast: Pick<ForecastRecord, "ahead">,
  figures: ForecastFigures,
  zone: string | null,
): readonly ForecastLine[] {
  const { deliveries, errands, promises } = figures
  const said = { figures, ahead: aheadWords(forecast), zone }
  const hasPickups = promises.some(({ metric }) => metric.startsWith("reservations."))
  const lines = [
    ...(hasPickups || (deliveries === null && errands === null) ? [pickupLine(said)] : []),
    ...(deliveries === null ? [] : [doorLine("deliveries", deliveries, said)]),
    ...(errands === null ? [] : [doorLine("errands", errands, said)]),
  ]
  return lines.toSorted((a, b) => Number(b.isBad) - Number(a.isBad))
}

function pickupLine({ figures, ahead, zone }: Said): ForecastLine {
  const { pickups, promises, late_from: from, late_until: until } = figures
  const about = "pickups"
  if (Math.round(pickups.all) === 0) return nothingExpected(about, ahead)
  const wait = promises.find(({ metric }) => metric === "reservations.wait_max")
  const broken = wait?.breaks.value ?? 0
  const limit = lengthOf(figures.late_after_ms)
  const isBad = broken >= LIKELY
  const at = isBad && typeof wait?.at === "string" ? ` at ${clockTime(wait.at, zone)}` : ""
  const counts = `In ${ahead}: ${countWords({ ...pickups, from, until }, { about, zone })}.`
  return {
    about,
    isBad,
    headline: isBad
      ? `Waits pass ${limit}${at}, ${likelyWords(broken)}`
      : `Waits stay below ${limit}, ${likelyWords(1 - broken)}`,
    counts: [counts, ...windowWords(figures, zone)].join(" "),
    change: changeWords("runner", pickups.late, figures.pickups_with_one_more?.late ?? null),
  }
}

type AtTheDoor = NonNullable<ForecastFigures["deliveries"]>

const GROUP_WORDS = { deliveries: "Deliveries", errands: "Errands" } as const

function doorLine(
  about: "deliveries" | "errands",
  door: AtTheDoor,
  { figures, ahead, zone }: Said,
): ForecastLine {
  const { all, late, late_from: from, late_until: until, late_with_one_more_vehicle: lateWithMore } = door
  if (Math.round(all) === 0) return nothingExpected(about, ahead)
  const promise = figures.promises.find(({ metric }) => metric === `${about}.late`)
  const broken = promise?.breaks.value ?? 0
  const isBad = broken >= LIKELY
  const at = isBad && typeof promise?.at === "string" ? ` from ${clockTime(promise.at, zone)} on` : ""
  return {
    about,
    isBad,
    headline: isBad
      ? `${GROUP_WORDS[about]} are late${at}, ${likelyWords(broken)}`
      : `${GROUP_WORDS[about]} are on time, ${likelyWords(1 - broken)}`,
    counts: `In ${ahead}: ${countWords({ all, late, from, until }, { about, zone })}.`,
    change: changeWords("vehicle", late, lateWithMore),
  }
}

const ONE: Readonly<Record<ForecastLine["about"], string>> = {
  deliveries: "delivery",
  errands: "errand",
  pickups: "pickup",
}

function nothingExpected(about: ForecastLine["about"], ahead: string): ForecastLine {
  return { about, isBad: false, headline: `No ${ONE[about]} is expected in ${ahead}`, counts: "", change: "" }
}

/** Runs are few, so that none of them proves that something is certain. */
function likelyWords(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 100 ? "almost certain" : `${percent}% likely`
}

interface Counted {
  readonly all: number
  readonly late: number
  readonly from: string | null
  readonly until: string | null
}

function countWords(
  { all: allOnAverage, late: lateOnAverage, from, until }: Counted,
  { about, zone }: { readonly about: ForecastLine["about"]; readonly zone: string | null },
): string {
  const [all, late] = [Math.round(allOnAverage), Math.round(lateOnAverage)]
  const of = `${all} ${all === 1 ? ONE[about] : about}`
  if (late === 0) return `none of about ${of} late`
  const due = about === "pickups" ? "most" : "most due"
  const when =
    from === null || until === null
      ? ""
      : `, ${due} from ${clockTime(from, zone)} to ${clockTime(until, zone)}`
  return `about ${late} of ${of} late${when}`
}

function windowWords({ promises }: ForecastFigures, zone: string | null): readonly string[] {
  const promise = promises.find(({ metric }) => metric === "reservations.late")
  const missed = promise?.breaks.value ?? 0
  if (missed < LIKELY) return []
  const at = typeof promise?.at === "string" ? ` that ends at about ${clockTime(promise.at, zone)}` : ""
  return [`An order is on board after its window${at}, ${likelyWords(missed)}.`]
}

function changeWords(what: "runner" | "vehicle", lateOnAverage: number, withMore: number | null): string {
  const late = Math.round(lateOnAverage)
  if (withMore === null || late === 0) return ""
  const lateThen = Math.round(withMore)
  if (lateThen >= late) return `One more ${what} changes little.`
  return lateThen === 0 ? `With one more ${what}: none late.` : `With one more ${what}: ${lateThen} late.`
}

/** After so long the hours ahead have other orders; the service keeps a forecast no longer either. */
const OLD_MS = 5 * MINUTE_MS

/** How old a forecast is, and whether that is too old: reads fail then. */
export function ageOf(
  figures: ForecastFigures,
  nowMs: number,
): { readonly text: string; readonly isOld: boolean } {
  const ageMs = nowMs - Date.parse(figures.made_at)
  const isOld = ageMs > OLD_MS
  const text = `From ${figures.runs} runs, ${lengthOf(ageMs)} ago`
  return { text: isOld ? `${text}: too old to rely on.` : `${text}.`, isOld }
}

/** `the last attempt took too long`. */
export function failureWords(reason: ForecastRecord["reason"]): string {
  return reason === "took_too_long" ? "it took too long" : "it failed"
}

/** What the forecast of a young site lacks. */
export function historyWords(forecast: Pick<ForecastRecord, "ahead" | "history">, nowMs: number): string {
  const none = `No forecast of ${aheadWords(forecast)} yet`
  if (forecast.history === null) return `${none}: there is too little history.`
  const { reservations, reservations_wanted: wanted, from, hours_wanted: hours } = forecast.history
  const leftMs = hours * HOUR_MS - (from === null ? 0 : nowMs - Date.parse(from))
  const lacks = [
    ...(reservations < wanted ? [`${reservations} of ${wanted} reservations have ended`] : []),
    ...(leftMs > 0 ? [`${lengthOf(leftMs)} of ${hours} h of history are missing`] : []),
  ]
  return `${none}: ${lacks.length === 0 ? "there is too little history" : lacks.join(", and ")}.`
}

export interface PromiseWords {
  readonly metric: string
  readonly promise: string
  readonly breaks: string
  readonly withOneMore: string
  readonly at: string
}

/** Each promise as a row of a table. */
export function promiseWords(figures: ForecastFigures, zone: string | null): readonly PromiseWords[] {
  const limit = lengthOf(figures.late_after_ms)
  return figures.promises.map((one) => ({
    metric: one.metric,
    promise: PROMISES[one.metric]?.(limit) ?? `${one.metric} ${one.bound}`,
    breaks: `${percentOf(one.breaks.value)} (${percentOf(one.breaks.low)} to ${percentOf(one.breaks.high)})`,
    withOneMore: oneMoreWords(one),
    at: one.at === null ? "–" : clockTime(one.at, zone),
  }))
}

const PROMISES: Readonly<Record<string, (limit: string) => string>> = {
  "reservations.wait_max": (limit) => `No bot waits longer than ${limit}`,
  "reservations.late": () => "No order is on board after its window",
  "deliveries.late": () => "No delivery is late",
  "errands.late": () => "No errand is late",
}

/** One more runner changes nothing for deliveries, and one more vehicle nothing for reservations. */
function oneMoreWords(one: ForecastPromise): string {
  const isPickup = one.metric.startsWith("reservations.")
  const share = isPickup ? one.breaks_with_one_more : one.breaks_with_one_more_vehicle
  return share === null ? "–" : `${percentOf(share.value)}, ${isPickup ? "runner" : "vehicle"}`
}

function percentOf(share: number): string {
  return `${Math.round(share * 100)}%`
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
  const { runs, runners, vehicles, left_out: leftOut } = figures
  const hasPickups = figures.open_reservations > 0 || figures.history_reservations > 0
  const countedIn = (counts: readonly (readonly [number, string, string])[]): string =>
    counts.map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(", ")
  const openCounts = countedIn([
    ...(hasPickups || vehicles === 0
      ? [[figures.open_reservations, "reservation", "reservations"] as const]
      : []),
    ...(figures.deliveries === null ? [] : [[figures.open_deliveries, "delivery", "deliveries"] as const]),
    ...(figures.errands === null ? [] : [[figures.open_errands, "errand", "errands"] as const]),
  ])
  const past = [
    ...(hasPickups ? [`${figures.history_reservations} reservations`] : []),
    ...(figures.history_runs === 0 ? [] : [`${figures.history_runs} deliveries and errands`]),
  ]
  return [
    ["Runs", `${runs} simulations of the hours ahead, from ${clockTime(figures.made_at, zone)} on`],
    ...(hasPickups || vehicles === 0
      ? [["Runners", `${runners}, ${FROM_WORDS[figures.runners_from]}`] as const]
      : []),
    ...(vehicles === 0 ? [] : [["Vehicles", `${vehicles} of the site's fleet`] as const]),
    ["Under way", openCounts],
    ["Learned from", `${past.join(" and ")} since ${day}`],
    ...(leftOut.length === 0
      ? []
      : [["Left out", leftOut.map(({ what, count }) => `${count} × ${what}`).join(", ")] as const]),
  ]
}
