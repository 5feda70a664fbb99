/** The forecast of a site from its journals: learns a model from the past, and goes on from the present with it. */

import {
  BOARD_RESERVATIONS_MAX,
  BOARD_VEHICLES_MAX,
  CURB_WAIT_MS,
  FORECAST_HISTORY_MIN,
  RUNNER_SHIFT_MS,
} from "../../../model/values/limits.ts"
import type { ForecastAnswer, ForecastOrder, LearnedModel } from "../../../model/requests/forecast-order.ts"
import type { ForecastFigures, RunnersFrom } from "../../../model/requests/site-forecast.ts"
import { DAY_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { fitModel } from "../fit/fit-model.ts"
import type { Observations } from "../fit/observations.ts"
import { showFigure, unitOf } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { TermsById } from "./drawn-fleet.ts"
import { forecast } from "./forecast.ts"
import type { DoorForecast } from "./at-the-door.ts"
import type { Forecast, ForecastOptions, PromiseForecast } from "./forecast.ts"
import { promisedText, readPromised, unobservedHours } from "./promised-model.ts"

/** What every site promises: no bot waits at the curb for long, and no order is on board after its window. */
const OF_RESERVATIONS = [`reservations.wait_max < ${CURB_WAIT_MS / MINUTE_MS}m`, "reservations.late < 1"]

/** Of a site that delivers: no order comes after its quoted time. */
const OF_DELIVERIES = ["deliveries.late < 1"]
const OF_ERRANDS = ["errands.late < 1"]

const SEED = 1

export interface SiteJournals {
  /** Not read when the order has a learned model. */
  readonly past: () => Observations
  readonly present: ForecastOptions["groups"]
  readonly terms: TermsById
  /** Called once, before the first replication. The function that it returns is true when no further one may begin. */
  readonly beginRuns: () => () => boolean
}

/** Throws when a learned model cannot be read. */
export function forecastFromJournals(
  order: ForecastOrder,
  { past, present, terms, beginRuns }: SiteJournals,
): ForecastAnswer {
  const learned = order.learned ?? learn(past(), order)
  if (typeof learned === "number") return { type: "too little history", reservations: learned }
  const { model: whole, problems } = readPromised(learned.text, order.name)
  if (whole === null) throw new Error(`the learned model has problems: ${JSON.stringify(problems)}`)
  const policy = { ...whole.policy, vehicle_dispatch: order.dispatchPolicy }
  const model = { ...(order.fleet === "known" ? whole : withoutFleet(whole)), policy }
  const { atMs, aheadMs, replications, turnsMax } = order
  const runners = runnersOf(order, learned, model)
  const { comparedPolicy } = order
  const options = { atMs, aheadMs, replications, turnsMax, comparedPolicy, isOver: beginRuns(), seed: SEED }
  const found = forecast({ ...options, groups: present, terms, model: runners.model })
  return { type: "made", learned, figures: figuresOf(found, { order, learned, runners }) }
}

/** A model from everything that was observed before `atMs`. The number of reservations when there are too few. */
export function learn(
  observations: Observations,
  {
    atMs,
    fromMs,
    name,
    timeZone,
    place,
  }: Pick<ForecastOrder, "atMs" | "fromMs" | "name" | "place" | "timeZone">,
): LearnedModel | number {
  const fitted = fitModel(observations, { fromMs, toMs: atMs, timeZone })
  const ended = observations.visits.filter(({ ended: at, isFromWalk }) => at !== null && !isFromWalk).length
  const runs = observations.deliveries.length + observations.errands.length
  if (fitted === null || Math.max(ended, runs) < FORECAST_HISTORY_MIN) return ended
  const promises = [
    ...(fitted.visits === 0 ? [] : OF_RESERVATIONS),
    ...(fitted.deliveryCount === 0 ? [] : OF_DELIVERIES),
    ...(fitted.errands === null ? [] : OF_ERRANDS),
  ]
  const lately = observations.visits.filter(
    ({ assigned }) => assigned !== null && assigned > atMs - RUNNER_SHIFT_MS,
  )
  const hours = unobservedHours(fitted)
  return {
    text: promisedText(fitted, { source: name, place }, promises),
    fromMs,
    reservations: fitted.visits,
    runs,
    runnersLately: new Set(lately.flatMap(({ runnerId }) => runnerId ?? [])).size,
    notKnown: [
      ...fitted.unknown,
      ...(hours.length === 0
        ? []
        : [`No new orders come in hours that the journal does not have: ${hours.join(", ")}.`]),
    ],
  }
}

/** Vehicles that are not known would be free for every order. */
function withoutFleet(model: FleetModel): FleetModel {
  const demand = model.demand.filter(({ product }) => product === "reservation")
  const promises = model.promises.filter(
    ({ metric }) => !metric.startsWith("deliveries.") && !metric.startsWith("errands."),
  )
  return { ...model, demand, promises }
}

interface Runners {
  readonly count: number
  readonly knownBy: RunnersFrom
  readonly model: FleetModel
}

/** Who is on the shift then. The past alone would count everybody who ever had a task. */
export function runnersOf(
  { pairedRunners }: Pick<ForecastOrder, "pairedRunners">,
  { runnersLately }: Pick<LearnedModel, "runnersLately">,
  model: FleetModel,
): Runners {
  const inModel = model.sites.map(({ runners }) => runners.reduce((sum, { count }) => sum + count, 0))
  const all = inModel.reduce((sum, count) => sum + count, 0)
  const now = pairedRunners > 0 ? pairedRunners : runnersLately
  if (now === 0 || all === 0) return { count: all, knownBy: "history", model }
  // Zones share the runners of a site in the proportion of those who worked there; none is without any.
  const sites = model.sites.map((site, at) => {
    const count = Math.max(1, Math.round(((inModel[at] ?? 0) / all) * now))
    return site.runners.length === 0
      ? site
      : { ...site, runners: [{ count, from: 0, to: DAY_MS, breaks: [] }] }
  })
  return { count: now, knownBy: pairedRunners > 0 ? "phones" : "tasks", model: { ...model, sites } }
}

interface Found {
  readonly order: ForecastOrder
  readonly learned: LearnedModel
  readonly runners: Runners
}

type AtTheDoor = NonNullable<ForecastFigures["deliveries"]>

/** Null without a promise about them: the model has no deliveries, or they are not part of the forecast. */
function doorOf(
  group: "deliveries" | "errands",
  { door, promises, atMs, untilMs }: Forecast,
): AtTheDoor | null {
  if (!promises.some(({ promise }) => promise.metric.startsWith(`${group}.`))) return null
  const { all, late, lateWithOneMoreVehicle, withPolicy, lateBetween }: DoorForecast = door[group]
  const [first, last] = lateBetween ?? [null, null]
  return {
    all,
    late,
    lateWithOneMoreVehicle,
    withPolicy,
    lateFromMs: first === null ? null : atMs + first * STRETCH_MS,
    lateUntilMs: last === null ? null : endOf(last, { atMs, untilMs }),
  }
}

/** The last quarter of an hour of the forecast may be shorter. What is due after the forecast keeps its own time. */
function endOf(stretch: number, { atMs, untilMs }: Pick<Forecast, "atMs" | "untilMs">): EpochMs {
  const fromMs = atMs + stretch * STRETCH_MS
  return fromMs < untilMs ? Math.min(untilMs, fromMs + STRETCH_MS) : fromMs + STRETCH_MS
}

function figuresOf(found: Forecast, { order, learned, runners }: Found): ForecastFigures {
  const { pickups, leftOut } = found
  const atMsOf = (stretch: number): number => found.atMs + stretch * STRETCH_MS
  const [first, last] = pickups.lateBetween ?? [null, null]
  return {
    madeAtMs: found.atMs,
    untilMs: found.untilMs,
    runs: found.replications,
    openReservations: found.adopted,
    openDeliveries: found.deliveries,
    openErrands: found.errands,
    vehicles: order.fleet === "known" ? found.vehicles : 0,
    runners: runners.count,
    runnersFrom: runners.knownBy,
    lateAfterMs: pickups.lateAfterMs,
    pickups: pickups.counts,
    pickupsWithOneMore: pickups.countsWithOneMore,
    lateFromMs: first === null ? null : atMsOf(first),
    lateUntilMs: last === null ? null : endOf(last, found),
    deliveries: doorOf("deliveries", found),
    errands: doorOf("errands", found),
    promises: found.promises.map(promiseOf),
    waits: pickups.waits.map(({ stretch, median, p95, p95WithOneMore }) => ({
      atMs: atMsOf(stretch),
      waitMs: median,
      waitP95Ms: p95,
      waitP95MsWithOneMore: p95WithOneMore,
    })),
    historyFromMs: learned.fromMs,
    historyReservations: learned.reservations,
    historyRuns: learned.runs,
    leftOut: Object.entries(leftOut).map(([what, count]) => ({ what, count })),
    notKnown: [
      ...learned.notKnown,
      ...found.drawn,
      ...(order.fleet === "too large"
        ? [
            `Deliveries and errands are not part of the forecast: more than ${BOARD_VEHICLES_MAX} vehicles or runs are under way.`,
          ]
        : []),
      ...(order.isPresentComplete
        ? []
        : [`Of what is under way, the ${BOARD_RESERVATIONS_MAX} windows that end first.`]),
    ],
  }
}

function promiseOf({ promise, breaks, breaksWithOneMore, oneMoreVehicle, whenMs, median }: PromiseForecast) {
  const { metric, sign, limit } = promise
  const shareOf = ({ value, interval }: typeof breaks) => ({ value, low: interval.low, high: interval.high })
  return {
    metric,
    bound: `${sign} ${showFigure(limit, unitOf(metric))}`,
    breaks: shareOf(breaks),
    breaksWithOneMore: breaksWithOneMore === null ? null : shareOf(breaksWithOneMore),
    breaksWithOneMoreVehicle: oneMoreVehicle === null ? null : shareOf(oneMoreVehicle.breaks),
    atMs: whenMs,
    value: median,
  }
}
