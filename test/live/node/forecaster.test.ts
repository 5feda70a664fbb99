/** The queue of forecasts: one thread at a time, rests in between, what is learned for an hour, and what becomes too old to show. */

import { Context, Effect, Exit, Layer, Scope } from "effect"
import { setImmediate } from "node:timers/promises"
import { afterEach, expect, test } from "vitest"
import {
  FORECAST_FRESH_MS,
  FORECAST_MODEL_MS,
  FORECAST_MS_MAX,
  FORECAST_OLD_MS,
  FORECAST_SHARE,
} from "../../../src/live/configuration/bounds.ts"
import { layerForecaster } from "../../../src/live/forecasts/forecaster.ts"
import type { ForecastThread, ToForecastThread } from "../../../src/live/forecasts/forecast-thread.ts"
import type {
  ForecastAnswer,
  ForecastOrder,
  LearnedModel,
} from "../../../src/model/requests/forecast-order.ts"
import { BOARD_RESERVATIONS_MAX, BOARD_VEHICLES_MAX } from "../../../src/model/values/limits.ts"
import type { ForecastFigures, SiteForecast } from "../../../src/model/requests/site-forecast.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { ReservationRows } from "../../../src/areas/reservations/rows.ts"
import { Forecaster, SiteHistory } from "../../../src/apps/operations/site-forecast.ts"
import type { ForecastedSite } from "../../../src/apps/operations/site-forecast.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { SteppedClock } from "./stepped-clock.ts"

const START_MS = Date.parse("2026-03-02T12:00:00Z")

interface FakeThread {
  readonly given: ToForecastThread[]
  readonly end: (answer: ForecastAnswer | Error) => void
  isStopped: boolean
}

const learned: LearnedModel = {
  text: "fleet: x",
  fromMs: START_MS - 2 * DAY_MS,
  reservations: 30,
  runs: 0,
  runnersLately: 2,
  notKnown: [],
}

const figures = (madeAtMs: number): ForecastFigures => ({
  madeAtMs,
  untilMs: madeAtMs + 1,
  runs: 20,
  openReservations: 0,
  openDeliveries: 0,
  openErrands: 0,
  vehicles: 0,
  runners: 2,
  runnersFrom: "tasks",
  lateAfterMs: 1,
  pickups: { all: 1, late: 0 },
  pickupsWithOneMore: null,
  lateFromMs: null,
  lateUntilMs: null,
  deliveries: null,
  errands: null,
  promises: [],
  waits: [],
  historyFromMs: 0,
  historyReservations: 30,
  historyRuns: 0,
  leftOut: [],
  notKnown: [],
})

interface Desk {
  readonly threads: readonly FakeThread[]
  /** How often the past was read. */
  readonly pastReads: () => number
  readonly ask: (siteId?: string, more?: Partial<ForecastedSite>) => Promise<SiteForecast>
  readonly pass: (ms: number) => Promise<void>
  /** Sets the machine's clock. */
  readonly step: (ms: number) => void
  /** The thread that runs answers. */
  readonly made: () => Promise<void>
  readonly close: () => Promise<void>
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function openDesk({ open = 1, fleet = 0, fleetId = null as string | null } = {}): Promise<Desk> {
  const clock = new SteppedClock(START_MS)
  const threads: FakeThread[] = []
  let pastReads = 0
  const startThread = (): ForecastThread => {
    const { promise, resolve, reject } = Promise.withResolvers<ForecastAnswer>()
    const thread: FakeThread = {
      given: [],
      isStopped: false,
      end: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)),
    }
    promise.catch(() => undefined)
    threads.push(thread)
    return {
      give: (message) => void thread.given.push(message),
      answer: promise,
      stop: async () => {
        thread.isStopped = true
      },
    }
  }
  const history = Layer.succeed(SiteHistory, {
    reservations: () =>
      Routine.sync(() => {
        pastReads += 1
        return Array.from({ length: 60 }, (_, at) => ({
          address: `reservation/past_${at}` as const,
          bookedMs: START_MS - 2 * DAY_MS + at * SECOND_MS,
        })).toReversed()
      }),
    entries: (groups) => Routine.succeed([...groups]),
    runs: ({ limit }) =>
      Routine.succeed([{ address: "delivery/past" as const, bookedMs: START_MS - DAY_MS }].slice(0, limit)),
    openFleet: ({ limit }) => Routine.succeed({ groups: [], terms: [], isWhole: fleet <= limit }),
  })
  const rows = Layer.succeed(ReservationRows, {
    openAt: ({ limit }: { readonly limit: number }) =>
      Routine.succeed(
        Array.from({ length: Math.min(limit, open) }, (_, at) => ({ reservationId: `open_${at}` })),
      ),
  } as unknown as ReservationRows["Type"])
  const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withClock(effect, clock)
  const scope = Effect.runSync(Scope.make())
  const built = await Effect.runPromise(
    onClock(
      Layer.buildWithScope(layerForecaster({ startThread }).pipe(Layer.provide([history, rows])), scope),
    ),
  )
  const { current } = Context.get(built, Forecaster)
  const pass = async (ms: number): Promise<void> => {
    const endMs = clock.nowMs + ms
    for (;;) {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      if (clock.wakeOne()) continue
      if (clock.nextDueMs > endMs) break
      clock.nowMs = Math.max(clock.nowMs, clock.nextDueMs)
    }
    clock.nowMs = endMs
  }
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  closing.push(close)
  return {
    threads,
    pastReads: () => pastReads,
    ask: (siteId = "north", more = {}) =>
      Effect.runPromise(onClock(current({ ...siteNamed(siteId), fleetId, ...more }, "2h"))),
    pass,
    step: (ms) => clock.step(ms),
    made: async () => {
      threads.at(-1)?.end({ type: "made", learned, figures: figures(clock.nowMs) })
      await pass(0)
    },
    close,
  }
}

const siteNamed = (siteId: string): ForecastedSite => ({
  environment: "production",
  siteId,
  name: siteId,
  timeZone: "UTC",
  place: null,
  zoneIds: ["zone"],
  pairedRunners: 0,
  dispatchPolicy: "earliest_free",
  comparedPolicy: null,
  fleetId: null,
})

const orderOf = ({ given }: FakeThread): ForecastOrder | undefined =>
  given.flatMap((one) => (one.type === "order" ? [one.order] : []))[0]

test("requests begin one computation, which gets the past from the oldest on, then what is under way, then the order", async () => {
  const desk = await openDesk()
  const answers = [await desk.ask(), await desk.ask(), await desk.ask()]
  expect(answers.map(({ state, isBeingMade }) => [state, isBeingMade])).toEqual(
    answers.map(() => ["being_made", true]),
  )
  await desk.pass(SECOND_MS)
  expect(desk.threads).toHaveLength(1)
  const given = desk.threads[0]?.given ?? []
  const past = given.flatMap((one) => (one.type === "entries" && one.of === "past" ? one.texts : []))
  expect(past).toEqual(Array.from({ length: 60 }, (_, at) => `reservation/past_${at}`))
  expect(given.map((one) => (one.type === "entries" ? `${one.of} ${one.texts.length}` : one.type))).toEqual([
    "past 25",
    "past 25",
    "past 10",
    "present 1",
    "order",
  ])
  expect(orderOf(desk.threads[0] as FakeThread)).toMatchObject({
    fromMs: START_MS - 2 * DAY_MS,
    learned: null,
    isPresentComplete: true,
  })
  await desk.made()
  const made = await desk.ask()
  expect(made).toMatchObject({ state: "ready", isBeingMade: false })
  expect(made.askAgainAtMs).toBe((made.figures?.madeAtMs ?? 0) + FORECAST_FRESH_MS)
  expect(desk.threads.map(({ isStopped }) => isStopped)).toEqual([true])
})

test("another policy of the site's vehicles is a forecast of its own, from what is learned already", async () => {
  const desk = await openDesk()
  await desk.ask()
  await desk.pass(SECOND_MS)
  await desk.made()
  const reads = desk.pastReads()
  const asked = { comparedPolicy: "nearest" } as const
  expect((await desk.ask("north", asked)).state).toBe("being_made")
  await desk.pass(MINUTE_MS)
  expect(orderOf(desk.threads[1] as FakeThread)).toMatchObject({
    dispatchPolicy: "earliest_free",
    comparedPolicy: "nearest",
    learned,
  })
  expect(orderOf(desk.threads[0] as FakeThread)?.comparedPolicy).toBeNull()
  await desk.made()
  expect((await desk.ask("north", asked)).state).toBe("ready")
  expect(desk.pastReads()).toBe(reads)
})

test("more under way than is read is said to the thread", async () => {
  const desk = await openDesk({ open: BOARD_RESERVATIONS_MAX + 5 })
  await desk.ask()
  await desk.pass(SECOND_MS)
  const [thread] = desk.threads
  const present = thread?.given.flatMap((one) =>
    one.type === "entries" && one.of === "present" ? one.texts : [],
  )
  expect(present).toHaveLength(BOARD_RESERVATIONS_MAX)
  expect(orderOf(thread as FakeThread)?.isPresentComplete).toBe(false)
})

test("a site with a fleet gives its runs in the order of their requests, and the fleet as it is now", async () => {
  const desk = await openDesk({ fleetId: "fleet_1", fleet: 3 })
  await desk.ask()
  await desk.pass(SECOND_MS)
  const given = desk.threads[0]?.given ?? []
  const past = given.flatMap((one) => (one.type === "entries" && one.of === "past" ? one.texts : []))
  expect([past.length, past.at(-1)]).toEqual([61, "delivery/past"])
  expect(given.map(({ type }) => type).slice(-2)).toEqual(["fleet", "order"])
  expect(orderOf(desk.threads[0] as FakeThread)?.fleet).toBe("known")
  const large = await openDesk({ fleetId: "fleet_1", fleet: BOARD_VEHICLES_MAX + 1 })
  await large.ask()
  await large.pass(SECOND_MS)
  expect(large.threads[0]?.given.some(({ type }) => type === "fleet")).toBe(false)
  expect(orderOf(large.threads[0] as FakeThread)?.fleet).toBe("too large")
})

test("one thread at a time: the next site waits until the first is made and the processor has had its rest", async () => {
  const desk = await openDesk()
  await desk.ask("north")
  await desk.ask("south")
  await desk.pass(10 * SECOND_MS)
  expect(desk.threads).toHaveLength(1)
  await desk.made()
  expect(await desk.ask("north")).toMatchObject({ state: "ready" })
  const restMs = 10 * SECOND_MS * (1 / FORECAST_SHARE - 1)
  await desk.pass(restMs - 1)
  expect(desk.threads).toHaveLength(1)
  await desk.pass(1 + SECOND_MS)
  expect(desk.threads).toHaveLength(2)
  expect(orderOf(desk.threads[1] as FakeThread)?.name).toBe("south")
})

test("a clock that is put forward makes no rest longer, and one that is set back lets the next forecast begin", async () => {
  const desk = await openDesk()
  await desk.ask("north")
  await desk.pass(10 * SECOND_MS)
  desk.step(HOUR_MS)
  await desk.made()
  await desk.ask("south")
  await desk.pass(10 * SECOND_MS * (1 / FORECAST_SHARE - 1) + SECOND_MS)
  expect(desk.threads).toHaveLength(2)
  await desk.made()
  desk.step(-10 * MINUTE_MS)
  expect(await desk.ask("south")).toMatchObject({ state: "ready", isBeingMade: true })
})

test("a request whose reader has left is not computed any more", async () => {
  const desk = await openDesk()
  await desk.ask("north")
  await desk.ask("south")
  // The first one is stopped at its limit, and the rest after it is longer than a reader waits.
  await desk.pass(FORECAST_MS_MAX + FORECAST_MS_MAX * (1 / FORECAST_SHARE - 1) + SECOND_MS)
  expect(desk.threads).toHaveLength(1)
  expect(await desk.ask("north")).toMatchObject({ state: "unavailable", reason: "took_too_long" })
  await desk.ask("south")
  await desk.pass(SECOND_MS)
  expect(desk.threads).toHaveLength(2)
})

test("a forecast is shown until the next is there, and not when it is old; what was learned is used for an hour", async () => {
  const desk = await openDesk()
  await desk.ask()
  await desk.pass(SECOND_MS)
  await desk.made()
  await desk.pass(FORECAST_FRESH_MS)
  expect(await desk.ask()).toMatchObject({ state: "ready", isBeingMade: true })
  await desk.pass(SECOND_MS)
  expect(orderOf(desk.threads[1] as FakeThread)).toMatchObject({ learned })
  expect(desk.pastReads()).toBe(1)
  await desk.made()
  await desk.pass(FORECAST_OLD_MS + 1)
  expect(await desk.ask()).toMatchObject({ state: "being_made", figures: null })
  await desk.pass(SECOND_MS)
  await desk.made()
  await desk.pass(FORECAST_MODEL_MS)
  await desk.ask()
  await desk.pass(SECOND_MS)
  expect(desk.pastReads()).toBe(2)
  expect(orderOf(desk.threads[3] as FakeThread)).toMatchObject({ learned: null })
})

test("a service that stops ends the thread", async () => {
  const desk = await openDesk()
  await desk.ask()
  await desk.pass(SECOND_MS)
  expect(desk.threads.map(({ isStopped }) => isStopped)).toEqual([false])
  await desk.close()
  expect(desk.threads.map(({ isStopped }) => isStopped)).toEqual([true])
})
