/**
 * Makes forecasts of sites, one at a time, and keeps them for a while. A request never waits for one: it gets what is there, and
 * one that is missing or no longer current is queued. Between two computations the thread rests, so that forecasts take a
 * bounded share of a processor.
 */

import { Cause, Clock, Data, Effect, Exit, Layer, Queue } from "effect"
import type { Scope } from "effect"
import {
  BOARD_RESERVATIONS_MAX,
  BOARD_VEHICLES_MAX,
  FORECAST_HISTORY_MAX,
  FORECAST_HISTORY_MIN,
  FORECAST_HISTORY_MS,
  FORECAST_HISTORY_MS_MIN,
} from "../../model/values/limits.ts"
import { FORECAST_AHEAD_MS } from "../../model/requests/site-forecast.ts"
import type {
  ForecastAhead,
  ForecastFailure,
  ForecastFigures,
  SiteForecast,
} from "../../model/requests/site-forecast.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { ForecastOrder, LearnedModel, MadeForecast } from "../../model/requests/forecast-order.ts"
import { HOUR_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { groupFor } from "../../areas/reservations/commands.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { elapsedMs } from "../../engine/services/elapsed-time.ts"
import { Routine } from "../../engine/services/routine.ts"
import { Forecaster, SiteHistory } from "../../apps/operations/site-forecast.ts"
import type { ForecastedSite } from "../../apps/operations/site-forecast.ts"
import {
  FORECASTS_KEPT_MAX,
  FORECAST_FIRST_RUNS,
  FORECAST_FRESH_MS,
  FORECAST_GROUPS_AT_ONCE,
  FORECAST_MODEL_MS,
  FORECAST_MS_MAX,
  FORECAST_NO_HISTORY_MS,
  FORECAST_OLD_MS,
  FORECAST_QUOTES_MS,
  FORECAST_READ_PAUSE_MS,
  FORECAST_RETRY_MS,
  FORECAST_RUNS,
  FORECAST_RUNS_MS_MAX,
  FORECAST_SHARE,
  FORECAST_TURNS_MAX,
} from "../configuration/bounds.ts"
import { startForecastThread } from "./forecast-thread.ts"
import type { ForecastThread } from "./forecast-thread.ts"

export interface ForecasterOptions {
  /** Starts a thread; default: the real one. */
  readonly startThread?: () => ForecastThread
}

class TookTooLong extends Data.TaggedError("TookTooLong") {}

interface TooLittle {
  readonly type: "too little history"
  readonly reservations: number
  readonly fromMs: EpochMs | null
}

/** The end of the last attempt. */
type Outcome =
  | { readonly type: "made"; readonly figures: ForecastFigures }
  | TooLittle
  | { readonly type: "failed"; readonly reason: ForecastFailure }

interface Learned {
  readonly model: LearnedModel
  readonly atMs: EpochMs
}

/** What is kept of one site, one policy of its vehicles and one time ahead. */
interface Kept {
  /** As the last request found it. */
  site: ForecastedSite
  readonly ahead: ForecastAhead
  outcome: Outcome | null
  learned: Learned | null
  /** When the outcome was found. */
  atMs: EpochMs
  /** From when on a request begins the next attempt. */
  dueMs: EpochMs
  isQueued: boolean
  askedAtMs: EpochMs
}

export function layerForecaster({ startThread = startForecastThread }: ForecasterOptions = {}): Layer.Layer<
  Forecaster,
  never,
  ReservationRows | SiteHistory
> {
  return Layer.scoped(
    Forecaster,
    Effect.gen(function* () {
      const means = { history: yield* SiteHistory, rows: yield* ReservationRows, startThread }
      const queue = yield* Queue.unbounded<Kept>()
      const kept = new Map<string, Kept>()
      const working = Effect.flatMap(Queue.take(queue), (one) => attempt(one, means))
      yield* Effect.forkScoped(Effect.interruptible(Effect.forever(working)))
      return {
        current: (site, ahead) =>
          Effect.gen(function* () {
            const nowMs = yield* Clock.currentTimeMillis
            const one = keptOf(kept, site, ahead)
            one.askedAtMs = nowMs
            // A clock that was set back is before the last attempt.
            if (!one.isQueued && (nowMs >= one.dueMs || nowMs < one.atMs)) {
              one.isQueued = true
              yield* Queue.offer(queue, one)
            }
            return shown(one, nowMs)
          }),
      }
    }),
  )
}

const NOTHING = { outcome: null, learned: null, atMs: 0, dueMs: 0, isQueued: false, askedAtMs: 0 } as const

/** The most recently requested one is the last in the map. */
function keptOf(kept: Map<string, Kept>, site: ForecastedSite, ahead: ForecastAhead): Kept {
  const { environment, siteId, dispatchPolicy, comparedPolicy } = site
  const ofSite = `${environment} ${siteId} ${ahead}`
  const key = `${ofSite} ${dispatchPolicy} ${comparedPolicy ?? ""}`
  const known = kept.get(key)
  const one = known ?? { site, ahead, ...NOTHING, learned: learnedOf(kept, ofSite) }
  one.site = site
  kept.delete(key)
  kept.set(key, one)
  const [oldest] = kept.keys()
  if (kept.size > FORECASTS_KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  return one
}

/** What is learned from the past of a site is the same for every policy. */
function learnedOf(kept: ReadonlyMap<string, Kept>, ofSite: string): Learned | null {
  for (const [key, { learned }] of kept) if (learned !== null && key.startsWith(`${ofSite} `)) return learned
  return null
}

function shown({ site, ahead, outcome, atMs, dueMs, isQueued }: Kept, nowMs: EpochMs): SiteForecast {
  const isOld = outcome?.type === "made" && nowMs - atMs > FORECAST_OLD_MS
  const current = isOld ? null : outcome
  return {
    siteId: site.siteId,
    ahead,
    state: stateOf(current),
    reason: current?.type === "failed" ? current.reason : null,
    isBeingMade: isQueued,
    askAgainAtMs: isQueued ? nowMs + ASK_AGAIN_MS : dueMs,
    history: current?.type === "too little history" ? historyOf(current) : null,
    figures: current?.type === "made" ? current.figures : null,
  }
}

function historyOf({ reservations, fromMs }: TooLittle): SiteForecast["history"] {
  return {
    reservations,
    reservationsWanted: FORECAST_HISTORY_MIN,
    fromMs,
    hoursWanted: FORECAST_HISTORY_MS_MIN / HOUR_MS,
  }
}

/** While one is made. */
const ASK_AGAIN_MS = 3_000

function stateOf(outcome: Outcome | null): SiteForecast["state"] {
  switch (outcome?.type) {
    case undefined:
      return "being_made"
    case "made":
      return "ready"
    case "too little history":
      return "too_little_history"
    case "failed":
      return "unavailable"
  }
}

interface Means {
  readonly history: SiteHistory["Type"]
  readonly rows: ReservationRows["Type"]
  readonly startThread: () => ForecastThread
}

/** One attempt, and the rest after it. */
const attempt = Effect.fnUntraced(function* (one: Kept, means: Means) {
  const begunMs = yield* elapsedMs
  const beganMs = yield* Clock.currentTimeMillis
  if (beganMs - one.askedAtMs >= FORECAST_OLD_MS) {
    // Its readers have left.
    one.isQueued = false
    return
  }
  const exit = yield* Effect.exit(
    Effect.scoped(answerFor(one, means)).pipe(
      Effect.timeoutFail({ duration: FORECAST_MS_MAX, onTimeout: () => new TookTooLong() }),
    ),
  )
  const nowMs = yield* Clock.currentTimeMillis
  if (Exit.isFailure(exit)) {
    if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
    yield* Effect.logWarning("the forecast of a site failed", exit.cause).pipe(
      Effect.annotateLogs({ site: one.site.siteId, ahead: one.ahead }),
    )
  }
  keep(one, Exit.isSuccess(exit) ? exit.value : failureIn(exit.cause), nowMs)
  yield* Effect.sleep(((yield* elapsedMs) - begunMs) * (1 / FORECAST_SHARE - 1))
})

function failureIn(cause: Cause.Cause<unknown>): Outcome {
  const reason = Cause.squash(cause) instanceof TookTooLong ? "took_too_long" : "failed"
  return { type: "failed", reason }
}

function keep(one: Kept, found: MadeForecast | Outcome, nowMs: EpochMs): void {
  if (found.type === "made" && "learned" in found && one.learned === null)
    one.learned = { model: found.learned, atMs: nowMs }
  one.outcome = found
  one.atMs = nowMs
  one.dueMs = nowMs + PAUSE_MS[found.type]
  one.isQueued = false
}

const PAUSE_MS: Readonly<Record<Outcome["type"], number>> = {
  made: FORECAST_FRESH_MS,
  "too little history": FORECAST_NO_HISTORY_MS,
  failed: FORECAST_RETRY_MS,
}

/** Reads what the thread needs, a page at a time, and waits for its answer. */
const answerFor = Effect.fnUntraced(function* (one: Kept, { history, rows, startThread }: Means) {
  const { environment, zoneIds, name, timeZone, place, pairedRunners, fleetId } = one.site
  const beganMs = yield* Clock.currentTimeMillis
  if (one.learned !== null && beganMs - one.learned.atMs > FORECAST_MODEL_MS) one.learned = null
  const past =
    one.learned === null
      ? yield* history.reservations({
          environment,
          zoneIds,
          sinceMs: beganMs - FORECAST_HISTORY_MS,
          bookedBeforeMs: null,
          limit: FORECAST_HISTORY_MAX,
        })
      : []
  const runs = one.learned === null ? yield* pastRuns(history, one.site, beganMs) : []
  const fromMs = [...past, ...runs].reduce((first, { bookedMs }) => Math.min(first, bookedMs), beganMs)
  const tooLittle = (reservations: number): TooLittle => ({
    type: "too little history",
    reservations,
    fromMs: past.length + runs.length === 0 ? null : fromMs,
  })
  // A site that cannot have enough needs no thread.
  const isShort =
    Math.max(past.length, runs.length) < FORECAST_HISTORY_MIN || beganMs - fromMs < FORECAST_HISTORY_MS_MIN
  if (one.learned === null && isShort) return tooLittle(past.length)
  const thread = yield* begun(startThread)
  const pass = (of: "past" | "present", groups: readonly GroupAddress[]) =>
    Effect.gen(function* () {
      for (let at = 0; at < groups.length; at += FORECAST_GROUPS_AT_ONCE) {
        const texts = yield* history.entries(groups.slice(at, at + FORECAST_GROUPS_AT_ONCE))
        thread.give({ type: "entries", of, texts })
        yield* Effect.sleep(FORECAST_READ_PAUSE_MS)
      }
    })
  const inOrder = [...past, ...runs].toSorted((a, b) => a.bookedMs - b.bookedMs)
  yield* pass(
    "past",
    inOrder.map(({ address }) => address),
  )
  const open = yield* rows.openAt({ environment, zoneIds, limit: BOARD_RESERVATIONS_MAX + 1 })
  yield* pass(
    "present",
    open.slice(0, BOARD_RESERVATIONS_MAX).map(({ reservationId }) => groupFor(reservationId)),
  )
  const fleet = fleetId === null ? null : yield* fleetOf(history, { environment, fleetId, atMs: beganMs })
  if (fleet?.isWhole === true) thread.give({ type: "fleet", groups: fleet.groups, terms: fleet.terms })
  const order: ForecastOrder = {
    name,
    timeZone,
    place,
    learned: one.learned?.model ?? null,
    fromMs,
    atMs: yield* Clock.currentTimeMillis,
    aheadMs: FORECAST_AHEAD_MS[one.ahead],
    pairedRunners,
    fleet: fleet === null ? "none" : fleet.isWhole ? "known" : "too large",
    dispatchPolicy: one.site.dispatchPolicy,
    comparedPolicy: one.site.comparedPolicy,
    isPresentComplete: open.length <= BOARD_RESERVATIONS_MAX,
    replications: one.outcome?.type === "made" ? FORECAST_RUNS : FORECAST_FIRST_RUNS,
    turnsMax: FORECAST_TURNS_MAX,
    runsMsMax: FORECAST_RUNS_MS_MAX,
  }
  thread.give({ type: "order", order })
  const answer = yield* Effect.tryPromise({ try: () => thread.answer, catch: (cause) => cause })
  return answer.type === "made" ? answer : tooLittle(answer.reservations)
})

function pastRuns(
  history: SiteHistory["Type"],
  { environment, siteId, fleetId }: ForecastedSite,
  atMs: EpochMs,
) {
  if (fleetId === null) return Routine.succeed([])
  const sinceMs = atMs - FORECAST_HISTORY_MS
  return history.runs({
    environment,
    siteId,
    fleetId,
    sinceMs,
    bookedBeforeMs: null,
    limit: FORECAST_HISTORY_MAX,
  })
}

interface FleetAt {
  readonly environment: Environment
  readonly fleetId: string
  readonly atMs: EpochMs
}

function fleetOf(history: SiteHistory["Type"], { atMs, ...fleet }: FleetAt) {
  return history.openFleet({
    ...fleet,
    quotedSinceMs: atMs - FORECAST_QUOTES_MS,
    limit: BOARD_VEHICLES_MAX,
  })
}

function begun(start: () => ForecastThread): Effect.Effect<ForecastThread, unknown, Scope.Scope> {
  return Effect.acquireRelease(Effect.try({ try: start, catch: (cause) => cause }), (thread) =>
    Effect.promise(() => thread.stop()),
  )
}
