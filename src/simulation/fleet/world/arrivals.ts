/**
 * When orders of one demand come: a Poisson process by the hour, a renewal process, instants of a file, or orders of a table.
 *
 * The time of a demand is cut into stretches, at every hour by the wall clock and at every step of its rate. A stretch has streams of
 * its own, so another rate from an instant on leaves all that came before it as it was, and the stretches after it that keep their rate.
 * A change of the demand begins a stretch too.
 */

import { DAY_MS, HOUR_MS, isoMs } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Chance } from "../chance.ts"
import { factorAt } from "../language/changes.ts"
import type { Batch } from "../language/batch.ts"
import type { DemandFactor } from "../language/changes.ts"
import { atTimeOfDay } from "../language/spread.ts"
import type { FleetDemand } from "../language/model.ts"
import { WEEKDAYS } from "../language/weekday.ts"
import type { Weekday } from "../language/weekday.ts"
import type { OrderFacts, OrderLog } from "../language/order-log.ts"
import type { LocalClock } from "./local-clock.ts"
import { loggedArrivals } from "./logged-arrivals.ts"

export interface Arrival {
  /** Whole milliseconds from the start of the run. */
  readonly atMs: number
  /** Of its stretch: what is drawn at the request of an order depends on its number in the stretch alone. */
  readonly chance: Chance
  /** What a table says of it; null of a demand without a table. */
  readonly facts: OrderFacts | null
}

export interface ArrivalProcess {
  readonly demand: FleetDemand
  /** The instants of the file, if the demand is replayed. */
  readonly instants: readonly number[] | undefined
  /** The orders of its table, if it has one. */
  readonly log: OrderLog | undefined
  /** Of the log's file. */
  readonly logChance: Chance
  /** Of the model's changes, earliest first. */
  readonly factors: readonly DemandFactor[]
  /** The demand's own. */
  readonly chance: Chance
  readonly clock: LocalClock
  readonly startMs: EpochMs
  readonly horizonMs: number
}

/** Earliest first, all before the horizon. */
export function* arrivalsOf(process: ArrivalProcess): Generator<Arrival, void> {
  for (const arrival of arrivalsOfEveryDay(process)) {
    if (!comesOn(process, arrival.atMs)) continue
    for (let left = drawnCount(process.demand.batch, arrival.chance, "batch"); left > 0; left -= 1)
      yield arrival
  }
}

/** How many orders or items there are. */
export function drawnCount(batch: Batch, chance: Chance, source: string): number {
  switch (batch.is) {
    case "count":
      return batch.count
    case "drawn":
      return batch.counts[Math.floor(chance.fraction(source) * batch.counts.length)] ?? 1
    case "geometric":
      return batch.mean === 1
        ? 1
        : 1 + Math.floor(Math.log1p(-chance.fraction(source)) / Math.log1p(-1 / batch.mean))
  }
}

function arrivalsOfEveryDay(process: ArrivalProcess): Generator<Arrival, void> {
  const { demand, instants, log } = process
  if (log !== undefined) return logged(log, process)
  if (instants !== undefined) return inStretches(replayed(instants, process), process)
  return demand.per_hour === null ? inStretches(renewal(process), process) : poisson(process)
}

/** Whether a demand has orders on the weekday of an instant. */
export function comesOn(
  { demand: { on }, clock, startMs }: Pick<ArrivalProcess, "clock" | "demand" | "startMs">,
  atMs: number,
): boolean {
  if (on === null) return true
  return on.includes(WEEKDAYS[clock.weekday(startMs + atMs)] as Weekday)
}

interface Stretch {
  readonly fromMs: number
  readonly untilMs: number
  readonly chance: Chance
}

function* stretchesOf(process: ArrivalProcess): Generator<Stretch, void> {
  const { demand, chance, clock, startMs, horizonMs, factors } = process
  const hours = Array.from({ length: DAY_MS / HOUR_MS }, (_, hour) => hour * HOUR_MS)
  const steps = demand.per_hour?.steps.map(({ fromMsOfDay }) => fromMsOfDay) ?? []
  const marks = [...new Set([...hours, ...steps])].toSorted((a, b) => a - b)
  for (let fromMs = 0; fromMs < horizonMs;) {
    const change = factors.find((one) => one.fromMs > fromMs)
    const untilMs = Math.min(
      clock.nextOf(marks, startMs + fromMs) - startMs,
      change?.fromMs ?? Number.POSITIVE_INFINITY,
    )
    yield { fromMs, untilMs: Math.min(untilMs, horizonMs), chance: chance.of(isoMs(startMs + fromMs)) }
    fromMs = untilMs
  }
}

/** Instants that come earliest first, each with its stretch. */
function* inStretches(instants: Iterable<number>, process: ArrivalProcess): Generator<Arrival, void> {
  const stretches = stretchesOf(process)
  let stretch = stretches.next().value
  for (const atMs of instants) {
    while (stretch !== undefined && atMs >= stretch.untilMs) stretch = stretches.next().value
    if (stretch === undefined) return
    yield { atMs, chance: stretch.chance, facts: null }
  }
}

function* logged(log: OrderLog, process: ArrivalProcess): Generator<Arrival, void> {
  const { demand, chance, logChance: days, clock, startMs, horizonMs, factors } = process
  const { replay: table } = demand
  if (table === null || typeof table === "string") return
  const stretches = [...stretchesOf(process)].map((one) => ({
    ...one,
    factor: factorAt(factors, one.fromMs),
  }))
  let at = 0
  for (const arrival of loggedArrivals({ log, table, chance, days, clock, startMs, horizonMs }, stretches)) {
    while (arrival.atMs >= (stretches[at]?.untilMs ?? Number.POSITIVE_INFINITY)) at += 1
    yield { ...arrival, chance: (stretches[at] as Stretch).chance }
  }
}

function* replayed(
  instants: readonly number[],
  { demand: { pace }, factors }: ArrivalProcess,
): Generator<number, void> {
  for (const instant of instants) if (instant >= 0) yield Math.round(laterBy(instant / pace, factors))
}

function* renewal({ demand: { every, pace }, chance, factors }: ArrivalProcess): Generator<number, void> {
  if (every === null) return
  for (let nowMs = 0; ;) {
    nowMs += chance.duration(every, "every") / pace
    yield Math.round(laterBy(nowMs, factors))
  }
}

/**
 * The instant that is so much later, from the start of the run or from another instant, when after each change time goes so many times as
 * fast. While the factor is 0 nothing comes, not even at once; Infinity when it stays 0.
 */
export function laterBy(ms: number, factors: readonly DemandFactor[], sinceMs = 0): number {
  let [fromMs, ownFromMs, factor] = [sinceMs, 0, factorAt(factors, sinceMs)]
  for (const next of factors) {
    if (next.fromMs <= sinceMs) continue
    const ownNextMs = ownFromMs + (next.fromMs - fromMs) * factor
    if (factor > 0 && ms <= ownNextMs) break
    ;[fromMs, ownFromMs, factor] = [next.fromMs, ownNextMs, next.factor]
  }
  return factor === 0 ? Number.POSITIVE_INFINITY : fromMs + (ms - ownFromMs) / factor
}

/** Exponential gaps at the rate of each stretch. A Poisson process has no memory, so the gaps begin anew with a stretch. */
function* poisson(process: ArrivalProcess): Generator<Arrival, void> {
  const { demand, clock, startMs, factors } = process
  if (demand.per_hour === null) return
  for (const { fromMs, untilMs, chance } of stretchesOf(process)) {
    const perHour = atTimeOfDay(demand.per_hour, clock.msOfDay(startMs + fromMs)) * factorAt(factors, fromMs)
    if (perHour === 0) continue
    for (let nowMs = fromMs; ;) {
      nowMs -= (Math.log1p(-chance.fraction("gaps")) * HOUR_MS) / perHour
      if (nowMs >= untilMs) break
      yield { atMs: Math.floor(nowMs), chance, facts: null }
    }
  }
}
