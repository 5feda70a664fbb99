/**
 * Finds the moments of cases, one at a time, and keeps them. A request never waits for one: it gets what is there, and one that is missing
 * is queued behind the one that is computed; a further one is asked to come again. What a moment is made of has ended, so a found one stays.
 */

import { Cause, Clock, Data, Deferred, Effect, Exit, Layer, Queue } from "effect"
import type { Scope } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { CaseMoment, MomentFailure, MomentStep } from "../../model/requests/case-moment.ts"
import type { MomentAnswer } from "../../model/requests/moment-answer.ts"
import {
  FORECAST_HISTORY_MAX,
  FORECAST_HISTORY_MIN,
  FORECAST_HISTORY_MS,
  FORECAST_HISTORY_MS_MIN,
} from "../../model/values/limits.ts"
import { DAY_MS, HOUR_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { program } from "../../apps/composition/program.ts"
import { CaseJournals, MomentFinder } from "../../apps/operations/case-moment.ts"
import type { AskedCase } from "../../apps/operations/case-moment.ts"
import { SiteHistory } from "../../apps/operations/site-forecast.ts"
import { Routine } from "../../engine/services/routine.ts"
import { eventName } from "../../pages/inspection/event-name.ts"
import { answerWithout, turnsOf } from "../../simulation/fleet/moment/from-journals.ts"
import type { MomentFound, MomentOrder } from "../../simulation/fleet/moment/from-journals.ts"
import { JournalMoments } from "../../simulation/fleet/moment/journal-moments.ts"
import {
  FORECAST_GROUPS_AT_ONCE,
  FORECAST_NO_HISTORY_MS,
  FORECAST_READ_PAUSE_MS,
  MOMENTS_AT_ONCE,
  MOMENTS_KEPT_MAX,
  MOMENT_AFTER_MS,
  MOMENT_ASK_AGAIN_MS,
  MOMENT_ENTRIES_MAX,
  MOMENT_FUTURES,
  MOMENT_GROUPS_MAX,
  MOMENT_MS_MAX,
  MOMENT_RETRY_MS,
  MOMENT_TURNS_MAX,
  MOMENT_UNASKED_MS,
  MOMENT_WIDTH,
} from "../configuration/bounds.ts"
import { startMomentThread } from "./moment-thread.ts"
import type { MomentThread } from "./moment-thread.ts"

export interface MomentFinderOptions {
  /** Starts a thread; default: the real one. */
  readonly startThread?: (onSimulated: (futures: number) => void) => MomentThread
}

class TookTooLong extends Data.TaggedError("TookTooLong") {}

/** More happened at the site than the thread keeps in memory. */
class TooMuch extends Data.TaggedError("TooMuch") {}

interface TooLittle {
  readonly type: "too little history"
  readonly reservations: number
  readonly fromMs: EpochMs | null
}

type Outcome =
  | { readonly type: "made"; readonly answer: MomentAnswer }
  | { readonly type: "failed"; readonly reason: MomentFailure }
  | TooLittle

interface Attempt {
  step: MomentStep
  futures: number
  /** Done when it is stopped. */
  readonly stopped: Deferred.Deferred<void>
}

interface Kept {
  /** As the last request found it. */
  asked: AskedCase
  outcome: Outcome | null
  /** Queued or computed; null otherwise. */
  attempt: Attempt | null
  /** From when on a request begins the next attempt. */
  dueMs: EpochMs
  askedAtMs: EpochMs
}

interface Means {
  readonly history: SiteHistory["Type"]
  readonly journals: CaseJournals["Type"]
  readonly startThread: NonNullable<MomentFinderOptions["startThread"]>
}

/** The same for every case: the chance of two computations does not differ. */
const SEED = 1

export function layerMomentFinder({ startThread = startMomentThread }: MomentFinderOptions = {}): Layer.Layer<
  MomentFinder,
  never,
  CaseJournals | SiteHistory
> {
  return Layer.scoped(
    MomentFinder,
    Effect.gen(function* () {
      const means = { history: yield* SiteHistory, journals: yield* CaseJournals, startThread }
      const queue = yield* Queue.unbounded<readonly [Kept, Attempt]>()
      const kept = new Map<string, Kept>()
      let open = 0
      const working = Effect.gen(function* () {
        const [one, attempt] = yield* Queue.take(queue)
        yield* attempted(one, attempt, means)
        open -= 1
      })
      yield* Effect.forkScoped(Effect.interruptible(Effect.forever(working)))
      return {
        current: (asked) =>
          Effect.gen(function* () {
            const nowMs = yield* Clock.currentTimeMillis
            const one = keptOf(kept, asked)
            one.askedAtMs = nowMs
            if (one.attempt !== null || nowMs < one.dueMs) return shown(one, nowMs)
            if (open >= MOMENTS_AT_ONCE) return failed(one, "busy", nowMs)
            open += 1
            one.attempt = { step: "waiting", futures: 0, stopped: yield* Deferred.make<void>() }
            yield* Queue.offer(queue, [one, one.attempt] as const)
            return shown(one, nowMs)
          }),
        stop: (asked) =>
          Effect.gen(function* () {
            const nowMs = yield* Clock.currentTimeMillis
            const one = keptOf(kept, asked)
            if (one.attempt === null) return shown(one, nowMs)
            yield* Deferred.succeed(one.attempt.stopped, undefined)
            one.attempt = null
            return failed(one, "stopped", nowMs)
          }),
      }
    }),
  )
}

/** The most recently requested one is the last in the map. Another promise is another case. */
function keptOf(kept: Map<string, Kept>, asked: AskedCase): Kept {
  const { of } = asked
  const promised = of.kind === "reservation" ? of.limitMs : of.dueMs
  const key = `${of.kind} ${of.id} ${promised}`
  const one = kept.get(key) ?? { asked, outcome: null, attempt: null, dueMs: 0, askedAtMs: 0 }
  one.asked = asked
  kept.delete(key)
  kept.set(key, one)
  const [oldest] = kept.keys()
  if (kept.size > MOMENTS_KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  return one
}

function failed({ asked }: Kept, reason: MomentFailure, nowMs: EpochMs): CaseMoment {
  return {
    ...NOTHING,
    id: asked.of.id,
    state: "unavailable",
    reason,
    askAgainAtMs: nowMs + MOMENT_ASK_AGAIN_MS,
  }
}

const NOTHING = { reason: null, progress: null, history: null, answer: null } as const

function shown(one: Kept, nowMs: EpochMs): CaseMoment {
  const { asked, outcome, attempt, dueMs } = one
  const { id } = asked.of
  if (attempt !== null || outcome === null)
    return {
      ...NOTHING,
      id,
      state: "being_made",
      progress: attempt === null ? null : { step: attempt.step, futures: attempt.futures },
      askAgainAtMs: nowMs + MOMENT_ASK_AGAIN_MS,
    }
  const base = { ...NOTHING, id, askAgainAtMs: Math.min(dueMs, nowMs + DAY_MS) }
  switch (outcome.type) {
    case "failed":
      return { ...base, state: "unavailable", reason: outcome.reason }
    case "too little history":
      return { ...base, state: "too_little_history", history: historyOf(outcome) }
    case "made":
      return { ...base, ...stateOf(outcome.answer), answer: outcome.answer }
  }
}

function stateOf({ is }: MomentAnswer): Pick<CaseMoment, "reason" | "state"> {
  if (is === "bad") return { state: "ready", reason: null }
  if (is === "left_out") return { state: "unavailable", reason: "left_out" }
  return is === "unknown" ? { state: "unavailable", reason: "failed" } : { state: "not_lost", reason: null }
}

function historyOf({ reservations, fromMs }: TooLittle): CaseMoment["history"] {
  return {
    reservations,
    reservationsWanted: FORECAST_HISTORY_MIN,
    fromMs,
    hoursWanted: FORECAST_HISTORY_MS_MIN / HOUR_MS,
  }
}

const attempted = Effect.fnUntraced(function* (one: Kept, attempt: Attempt, means: Means) {
  const beganMs = yield* Clock.currentTimeMillis
  const isUnasked = beganMs - one.askedAtMs >= MOMENT_UNASKED_MS
  if (isUnasked && one.attempt === attempt) one.attempt = null
  if (one.attempt !== attempt) return
  const exit = yield* Effect.exit(
    Effect.scoped(outcomeOf(one.asked, attempt, means)).pipe(
      Effect.timeoutFail({ duration: MOMENT_MS_MAX, onTimeout: () => new TookTooLong() }),
      Effect.raceFirst(Effect.as(Deferred.await(attempt.stopped), null)),
    ),
  )
  if (Exit.isFailure(exit)) {
    if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
    yield* Effect.logWarning("the moment of a case was not found", exit.cause).pipe(
      Effect.annotateLogs({ case: `${one.asked.of.kind}/${one.asked.of.id}` }),
    )
  }
  // A stopped one says nothing.
  if (one.attempt !== attempt) return
  const nowMs = yield* Clock.currentTimeMillis
  const outcome = Exit.isSuccess(exit) ? exit.value : failureIn(exit.cause)
  one.attempt = null
  one.outcome = outcome
  one.dueMs = nowMs + (outcome === null ? 0 : pauseAfter(outcome))
})

function failureIn(cause: Cause.Cause<unknown>): Outcome {
  const found = Cause.squash(cause)
  if (found instanceof TookTooLong) return { type: "failed", reason: "took_too_long" }
  return { type: "failed", reason: found instanceof TooMuch ? "too_much" : "failed" }
}

function pauseAfter(outcome: Outcome): number {
  if (outcome.type === "failed") return MOMENT_RETRY_MS
  if (outcome.type === "too little history") return FORECAST_NO_HISTORY_MS
  const { is } = outcome.answer
  const isFinal = is === "bad" || is === "good" || is === "called_off"
  return isFinal ? Number.POSITIVE_INFINITY : MOMENT_RETRY_MS
}

/** Reads what the thread needs, a page at a time, and waits for its answer. A case that is not late needs no thread. */
const outcomeOf = Effect.fnUntraced(function* (asked: AskedCase, attempt: Attempt, means: Means) {
  const { of, nowMs, timeZone } = asked
  const { journals, history } = means
  attempt.step = "reading"
  const own = yield* journals.entries(ownGroups(asked), Number.MAX_SAFE_INTEGER)
  const turns = yield* Effect.try({ try: () => turnsOf(program, own), catch: (cause) => cause })
  const beganMs = turns[0]?.result.instantMs ?? nowMs
  const fact = new JournalMoments(turns).factOf(of, nowMs)
  const decidedMs = fact?.verdict.atMs ?? nowMs
  if (fact?.verdict.is !== "bad") {
    const verdict =
      turns.length === 0 ? ({ is: "unknown" } as const) : (fact?.verdict ?? ({ is: "open" } as const))
    const found = { of, beganMs, decidedMs, timeZone, seed: SEED }
    return { type: "made", answer: answerWithout(verdict, found, eventName) } satisfies Outcome
  }
  const past = yield* pastOf(asked, history, beganMs)
  const historyFromMs = past.reduce((first, { bookedMs }) => Math.min(first, bookedMs), beganMs)
  const tooLittle = (reservations: number): TooLittle => ({
    type: "too little history",
    reservations,
    fromMs: past.length === 0 ? null : historyFromMs,
  })
  const isShort = past.length < FORECAST_HISTORY_MIN || beganMs - historyFromMs < FORECAST_HISTORY_MS_MIN
  if (isShort) return tooLittle(past.length)
  const thread = yield* begun(() => means.startThread((futures) => (attempt.futures = futures)))
  yield* inPages(
    past.map(({ address }) => address),
    (groups) =>
      Routine.map(history.entries(groups), (texts) =>
        thread.give({ type: "past", texts, beforeMs: beganMs }),
      ),
  )
  const terms = yield* givePresent(asked, { beganMs, decidedMs }, { journals, thread })
  const { name, place, dispatchPolicy } = asked
  const order: MomentOrder = {
    of,
    name,
    timeZone,
    place,
    dispatchPolicy,
    historyFromMs,
    beganMs,
    decidedMs,
    seed: SEED,
    futures: MOMENT_FUTURES,
    width: MOMENT_WIDTH,
    turnsMax: MOMENT_TURNS_MAX,
  }
  attempt.step = "simulating"
  thread.give({ type: "order", order, terms })
  const answer: MomentFound = yield* Effect.tryPromise({ try: () => thread.answer, catch: (cause) => cause })
  return answer.type === "made" ? answer : tooLittle(answer.reservations)
})

/** An errand and its delivery have one id. */
function ownGroups({ of }: AskedCase): readonly GroupAddress[] {
  return of.kind === "reservation"
    ? [`reservation/${of.id}`]
    : [`courier-order/${of.id}`, `delivery/${of.id}`]
}

/** What was booked before the case, in its order. */
const pastOf = Effect.fnUntraced(function* (
  { environment, zoneIds, siteId, fleetId }: AskedCase,
  history: SiteHistory["Type"],
  beganMs: EpochMs,
) {
  const query = {
    environment,
    sinceMs: beganMs - FORECAST_HISTORY_MS,
    bookedBeforeMs: beganMs,
    limit: FORECAST_HISTORY_MAX,
  }
  const reservations = yield* history.reservations({ ...query, zoneIds })
  const runs = fleetId === null ? [] : yield* history.runs({ ...query, siteId, fleetId })
  return [...reservations, ...runs].toSorted((a, b) => a.bookedMs - b.bookedMs)
})

interface Presenting {
  readonly journals: CaseJournals["Type"]
  readonly thread: MomentThread
}

/** Gives the thread what was open with the case; the terms of the deliveries among that. */
const givePresent = Effect.fnUntraced(function* (
  { environment, siteId, zoneIds, fleetId }: AskedCase,
  { beganMs, decidedMs }: { readonly beganMs: EpochMs; readonly decidedMs: EpochMs },
  { journals, thread }: Presenting,
) {
  const untilMs = decidedMs + MOMENT_AFTER_MS
  const query = { environment, siteId, zoneIds, fleetId, fromMs: beganMs, untilMs, limit: MOMENT_GROUPS_MAX }
  const { groups, terms, isWhole } = yield* journals.groups(query)
  if (!isWhole) return yield* new TooMuch()
  let count = 0
  yield* inPages(groups, (page) =>
    Effect.flatMap(journals.entries(page, untilMs), (entries) => {
      count += entries.length
      if (count > MOMENT_ENTRIES_MAX) return new TooMuch()
      thread.give({ type: "present", entries })
      return Effect.void
    }),
  )
  return terms
})

/** Requests go between two reads. */
const inPages = Effect.fnUntraced(function* <E>(
  groups: readonly GroupAddress[],
  take: (page: readonly GroupAddress[]) => Effect.Effect<void, E>,
) {
  for (let at = 0; at < groups.length; at += FORECAST_GROUPS_AT_ONCE) {
    yield* take(groups.slice(at, at + FORECAST_GROUPS_AT_ONCE))
    yield* Effect.sleep(FORECAST_READ_PAUSE_MS)
  }
})

function begun(start: () => MomentThread): Effect.Effect<MomentThread, unknown, Scope.Scope> {
  return Effect.acquireRelease(Effect.try({ try: start, catch: (cause) => cause }), (thread) =>
    Effect.promise(() => thread.stop()),
  )
}
