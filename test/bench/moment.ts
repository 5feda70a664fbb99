/**
 * Is the moment at which an order became inevitably late the right one, and are its probabilities true?
 * `npm run bench -- moment`, or with `--quick` some of the days; `--each` prints each planted day. Every figure is of drawn days with named seeds, so it is the same again.
 */

import { Chance } from "../../src/simulation/fleet/chance.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import type { Case } from "../../src/simulation/fleet/moment/case-watch.ts"
import { Futures } from "../../src/simulation/fleet/moment/futures.ts"
import { JournalMoments } from "../../src/simulation/fleet/moment/journal-moments.ts"
import { Sampled, sample } from "../../src/simulation/fleet/moment/odds.ts"
import {
  CAUSES,
  busyCurb,
  busyRoad,
  drawnCasesOf,
  findCause,
  plantedDay,
  turnsOf,
  verdictOf,
} from "./moment-days.ts"
import type { Found, Planted } from "./moment-days.ts"
import { printMachine } from "./machine-line.ts"

const isQuick = process.argv.includes("--quick")
const isTold = process.argv.includes("--each")

const DAYS = isQuick ? 8 : 100
const MOMENTS = isQuick ? 150 : 2_000
const MOMENTS_A_DAY = 25
/** Of each moment of a planted day. */
const FUTURES = 16
/** Of each moment whose probability is compared: few when they all end the same. */
const CALIBRATED = { width: 0.35, atLeast: 8, atMost: 24 }

const clock = (atMs: number): string => new Date(atMs - 6 * HOUR_MS).toISOString().slice(11, 19)

function benchCauses(): void {
  const found: { readonly day: Planted; readonly found: Found }[] = []
  let number = 0
  let without = 0
  for (; found.length < DAYS; number += 1) {
    const day = plantedDay(number)
    const one = findCause(day, FUTURES)
    if (one === null) without += 1
    else found.push({ day, found: one })
    if (one !== null && isTold) printDay(day, one)
  }
  console.log(
    `planted causes: ${DAYS} days whose cause made an order late or lost; ${without} others are left out, as no order was`,
  )
  for (const cause of [...CAUSES, null]) {
    const of = found.filter(({ day }) => cause === null || day.cause === cause)
    const count = (near: Found["near"]): number => of.filter((one) => one.found.near === near).length
    const near = count("cause") + count("one decision away") + count("wait")
    const alone = of.filter((one) => one.found.isTheMoment).length
    console.log(
      `  ${cause ?? "all"}: ${near} of ${of.length} named (${count("cause")} the cause, ${count("one decision away")} one decision away, ${count("wait")} the wait for it), ${count("far")} far from it; ${alone} as a single moment`,
    )
  }
}

function printDay({ cause, seed, atMs }: Planted, { near, fromMs, toMs, answer, isTheMoment }: Found): void {
  const odds = answer.curve.map(({ moment, odds: { value } }) => `${clock(moment.atMs)} ${value.toFixed(2)}`)
  console.log(
    `${cause} ${seed}, from ${clock(atMs)}: ${near}${isTheMoment ? "" : " (of several)"}, ${clock(fromMs)} to ${clock(toMs)}, ${answer.verdict.how} at ${clock(answer.verdict.atMs)}; ${odds.join(", ")}`,
  )
}

interface Bin {
  moments: number
  said: number
  happened: number
}

/** Moments of days of a busy site, drawn evenly from those between an order's booking and its end. */
function benchCalibration(): void {
  const bins = Array.from({ length: 10 }, (): Bin => ({ moments: 0, said: 0, happened: 0 }))
  const middle: Bin = { moments: 0, said: 0, happened: 0 }
  let moments = 0
  for (let number = 0; moments < MOMENTS; number += 1)
    for (const { said, isBad } of saidOfDay(number)) {
      moments += 1
      const bin = bins[Math.min(9, Math.floor(said * 10))]
      for (const one of [bin, said >= 0.65 && said <= 0.75 ? middle : undefined])
        if (one !== undefined) {
          one.moments += 1
          one.said += said
          one.happened += isBad ? 1 : 0
        }
    }
  console.log(`calibration: ${moments} moments`)
  for (const [at, bin] of bins.entries()) console.log(`  ${at * 10} to ${at * 10 + 10} %: ${binText(bin)}`)
  console.log(`  65 to 75 %: ${binText(middle)}`)
}

function binText({ moments, said, happened }: Bin): string {
  if (moments === 0) return "none"
  const share = (sum: number): string => `${((sum / moments) * 100).toFixed(1)} %`
  return `${moments} moments, said ${share(said)}, happened ${share(happened)}`
}

interface Said {
  readonly said: number
  readonly isBad: boolean
}

function saidOfDay(number: number): readonly Said[] {
  const model = number % 2 === 0 ? busyCurb : busyRoad
  const turns = turnsOf(model, 5_000 + number)
  const journal = new JournalMoments(turns)
  const chance = new Chance(number, "calibration/")
  const futures = new Futures({ model, terms: new Map(), seed: 1_000 * number })
  const spans = drawnCasesOf(turns, chance).flatMap((of) => spanOf(of, journal) ?? [])
  return Array.from({ length: MOMENTS_A_DAY }, (_, drawn): readonly Said[] => {
    const span = spans[Math.floor(chance.fraction("case") * spans.length)]
    const place = chance.fraction("moment")
    if (span === undefined) return []
    const { of, first, last } = span
    const moment = journal.moments[first + Math.floor(place * (last - first + 1))]
    if (moment === undefined) return []
    const make = futures.from(journal.after(moment, of), null)
    const sampled = new Sampled((future) => make(drawn * 100 + future))
    const said = sample(sampled, CALIBRATED, () => false).value
    return [{ said, isBad: verdictOf(turns, of).is === "bad" }]
  }).flat()
}

interface Span {
  readonly of: Case
  readonly first: number
  readonly last: number
}

/** Moments of an order at which its end was open. */
function spanOf(of: Case, journal: JournalMoments): Span | null {
  const first = of.kind === "promise" ? undefined : journal.firstOf(`${of.kind}/${of.id}`)
  const fact = journal.factOf(of)
  if (first === undefined || fact === null || fact.last.at < first.at) return null
  return { of, first: first.at, last: fact.last.at }
}

/** A promise of a whole site, so that a future has all orders of the hour. */
function benchHour(): void {
  const count = isQuick ? 40 : 200
  const turns = turnsOf(busyCurb, 1)
  const journal = new JournalMoments(turns)
  const moment = journal.moments[Math.floor(journal.moments.length / 3)]
  if (moment === undefined) throw new Error("the day has moments")
  const untilMs = moment.atMs + HOUR_MS
  const promise = { metric: "reservations.wait_p90", sign: "<", limit: 8 * MINUTE_MS } as const
  const state = journal.after(moment, { kind: "promise", promise, fromMs: 0, untilMs })
  const futures = new Futures({ model: busyCurb, terms: new Map(), seed: 1 })
  const make = futures.from(state, null)
  for (let future = 0; future < 20; future += 1) make(future)
  const [before, turnsBefore] = [process.cpuUsage(), futures.turns]
  for (let future = 0; future < count; future += 1) make(future)
  const { user, system } = process.cpuUsage(before)
  const ms = (user + system) / 1_000 / count
  console.log(
    `an hour of a site with 14 reservations an hour: ${ms.toFixed(1)} ms a future and ${Math.round((futures.turns - turnsBefore) / count)} turns, so 200 futures take ${((ms * 200) / 1_000).toFixed(1)} s of a processor`,
  )
}

export function benchMoment(): void {
  printMachine()
  const parts = [benchCauses, benchCalibration, benchHour]
  for (const part of parts) {
    const before = process.cpuUsage()
    part()
    const { user, system } = process.cpuUsage(before)
    console.log(`  ${((user + system) / 1e6).toFixed(0)} s of processor time`)
  }
}
