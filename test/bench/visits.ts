/**
 * The workload that every contestant plays: visits of bots at stalls, each about 14 events from outside, booked at one
 * steady rate so that their lives overlap. Everything is computed from a visit's number; nothing grows with the run.
 */

import { BOT_EVENT_BY_STATUS } from "../../src/model/bot.ts"
import type { BotStatus } from "../../src/model/bot.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import {
  BOT_WAIT_MS,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
  STAGING_LEAD_MS,
  WINDOW_GRACE_MS,
} from "../../src/model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import type { EpochMs } from "../../src/model/values/time.ts"

/** When the first visit is booked: 2026-03-02 06:00 UTC. */
export const START_MS = Date.UTC(2026, 2, 2, 6)

export type VisitEvent = { readonly type: string } & JsonObject

/** Where visits are played: virtual time, and a way to reach the actors. `part` is empty for the reservation. */
export interface Stage {
  readonly nowMs: () => EpochMs
  readonly at: (dueMs: EpochMs, run: () => void) => void
  readonly book: (visit: Visit, input: JsonObject, stallId: string) => void
  readonly give: (visit: Visit, part: string, event: VisitEvent) => void
  /** Called when nothing more happens to the visit; a stage that folds automatically leaves it out. */
  readonly end?: (visit: Visit) => void
}

export interface Visit {
  readonly number: number
  readonly address: string
  /** Name of its course of events. */
  readonly course: string
  readonly closesAtMs: EpochMs
}

export interface Workload {
  readonly visits: number
  /** Between two bookings. */
  readonly intervalMs: number
  /** Called once every 4,096 events from outside. */
  readonly watch: () => void
}

interface Step {
  readonly part: string
  /** After the step before, and up to a quarter more. */
  readonly afterMs: number
  readonly event: (nowMs: EpochMs) => VisitEvent
}

interface Course {
  readonly name: string
  readonly percent: number
  readonly steps: readonly Step[]
}

const BOOKED_AHEAD_MS = 20 * MINUTE_MS
const WINDOW_WIDTH_MS = 30 * MINUTE_MS

const POLICY = {
  windowGraceMs: WINDOW_GRACE_MS,
  botWaitMs: BOT_WAIT_MS,
  stagingLeadMs: STAGING_LEAD_MS,
  openLinkAttemptsMax: OPEN_LINK_ATTEMPTS_MAX,
  openLinkBackoffMs: OPEN_LINK_BACKOFF_MS,
  openLinkLeaseMs: OPEN_LINK_LEASE_MS,
}
const PAYLOAD_LIMIT = { maxWeightKg: 20, maxDimensionsCm: { length: 60, width: 40, height: 40 } }
const MEASURE = { weightKg: 12, dimensionsCm: { length: 40, width: 55, height: 30 } }

function bot(afterMs: number, status: BotStatus): Step {
  const type = BOT_EVENT_BY_STATUS[status]
  return { part: "bot", afterMs, event: (nowMs) => ({ type, occurredAtMs: nowMs }) }
}

function estimate(afterMs: number): Step {
  const type = BOT_EVENT_BY_STATUS.INBOUND
  const event: Step["event"] = (nowMs) => ({ type, occurredAtMs: nowMs, etaMs: nowMs + 10 * MINUTE_MS })
  return { part: "bot", afterMs, event }
}

function runner(afterMs: number, event: VisitEvent): Step {
  return { part: "runner-task", afterMs, event: () => event }
}

function answer(afterMs: number, attempt: number): Step {
  return { part: "open-link-1", afterMs, event: () => ({ type: "call.succeeded", attempt }) }
}

const underway = [
  estimate(4 * MINUTE_MS),
  estimate(4 * MINUTE_MS),
  runner(MINUTE_MS, { type: "runner.assigned", runnerId: "run_1" }),
]
const atStore = runner(3 * MINUTE_MS, { type: "runner.at_store" })
const measured = runner(MINUTE_MS, { type: "payload.measured", measure: MEASURE })
const inHand = runner(MINUTE_MS, { type: "order.in_hand" })
const atUnit = runner(2 * MINUTE_MS, { type: "runner.at_unit" })
const notReady = runner(MINUTE_MS, { type: "order.not_ready", readyEstimateAtMs: null })
const toTheBot = [...underway, atStore, measured, inHand]
const loaded = runner(MINUTE_MS, { type: "load.recorded", photoId: "pho_1" })
const ready = [bot(MINUTE_MS, "READY_FOR_HANDOFF"), answer(2 * SECOND_MS, 1), loaded]
const gone = [bot(MINUTE_MS, "SECURED"), bot(MINUTE_MS, "DEPARTED")]

const courses: readonly Course[] = [
  {
    name: "as planned",
    percent: 60,
    steps: [...toTheBot, bot(MINUTE_MS, "ARRIVED"), atUnit, ...ready, ...gone],
  },
  {
    name: "the kitchen is late",
    percent: 8,
    steps: [
      ...underway,
      atStore,
      notReady,
      runner(2 * MINUTE_MS, { type: "order.ready" }),
      measured,
      inHand,
      bot(MINUTE_MS, "ARRIVED"),
      atUnit,
      ...ready,
      ...gone,
    ],
  },
  {
    // The runner's wait at the bot ends first.
    name: "the bot is late",
    percent: 10,
    steps: [...toTheBot, atUnit, bot(11 * MINUTE_MS, "ARRIVED"), ...ready, ...gone],
  },
  {
    // The lease of the first call ends, then the pause; the second attempt is answered.
    name: "the open link is slow",
    percent: 8,
    steps: [
      ...toTheBot,
      bot(MINUTE_MS, "ARRIVED"),
      atUnit,
      bot(MINUTE_MS, "READY_FOR_HANDOFF"),
      answer(15 * SECOND_MS, 2),
      loaded,
      ...gone,
    ],
  },
  {
    // The window's end plus grace completes it.
    name: "the bot leaves silently",
    percent: 5,
    steps: [...toTheBot, bot(MINUTE_MS, "ARRIVED"), atUnit, ...ready],
  },
  {
    // The end of the window fails the task, its grace cancels the reservation.
    name: "the kitchen fails",
    percent: 4,
    steps: [
      ...underway,
      runner(MINUTE_MS, { type: "exception.raised", code: "runner_delayed" }),
      runner(MINUTE_MS, { type: "exception.cleared", code: "runner_delayed" }),
      atStore,
      notReady,
    ],
  },
  {
    name: "the partner cancels",
    percent: 5,
    steps: [
      ...underway,
      { part: "", afterMs: MINUTE_MS, event: () => ({ type: "cancel.requested", by: "partner" }) },
    ],
  },
]

const courseByPercent: readonly Course[] = courses.flatMap((course) =>
  Array.from({ length: course.percent }, () => course),
)

/**
 * Schedules the whole workload on the stage's time; the caller then runs that time. Returns the count of sent events.
 */
export function play(stage: Stage, workload: Workload): () => number {
  let given = 0
  const count = (): void => {
    given += 1
    if (given % 4096 === 0) workload.watch()
  }
  const arrive = (number: number): void => {
    const course = courseByPercent[scatter(number, 0) % 100] as Course
    const nowMs = stage.nowMs()
    const startsAtMs = nowMs + BOOKED_AHEAD_MS
    const endsAtMs = startsAtMs + WINDOW_WIDTH_MS
    const closesAtMs = endsAtMs + WINDOW_GRACE_MS
    const visit = { number, address: `reservation/res_${number}`, course: course.name, closesAtMs }
    stage.book(visit, reservationInput(startsAtMs, endsAtMs), `stall_${number % 40}`)
    count()
    follow(stage, { visit, steps: course.steps, count, nowMs })
    if (number + 1 < workload.visits) stage.at(nowMs + workload.intervalMs, () => arrive(number + 1))
  }
  stage.at(START_MS, () => arrive(0))
  return () => given
}

interface Following {
  readonly visit: Visit
  readonly steps: readonly Step[]
  readonly count: () => void
  readonly nowMs: EpochMs
}

/** One entry at a time: the next step is put on the stage's time when the one before was taken. */
function follow(stage: Stage, { visit, steps, count, nowMs }: Following): void {
  let at = 0
  const put = (beforeMs: EpochMs): void => {
    const step = steps[at]
    if (step === undefined) {
      if (stage.end !== undefined) stage.at(visit.closesAtMs + MINUTE_MS, () => stage.end?.(visit))
      return
    }
    const spreadMs = Math.floor((step.afterMs * (scatter(visit.number, at + 1) % 1000)) / 4000)
    stage.at(beforeMs + step.afterMs + spreadMs, take)
  }
  const take = (): void => {
    const step = steps[at] as Step
    at += 1
    const takenMs = stage.nowMs()
    stage.give(visit, step.part, step.event(takenMs))
    count()
    put(takenMs)
  }
  put(nowMs)
}

function reservationInput(startsAtMs: EpochMs, endsAtMs: EpochMs): JsonObject {
  return {
    zoneId: "zone_1",
    retailerId: "ret_1",
    startsAtMs,
    endsAtMs,
    payloadLimit: PAYLOAD_LIMIT,
    hasRunner: true,
    policy: POLICY,
  }
}

/** A whole number that looks drawn but is computed: multiplicative hashing of both numbers, mixed once. */
function scatter(number: number, salt: number): number {
  const mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 8) & 0xffff
}
