/**
 * The runner task: the rows H of the handoff moves (one per row and variant), the rows F of exceptions, and
 * the clocks L3 and L4. The contract leaves these moves open; the tables here are where ours are written
 * down. Longer than 400 lines, because a table cut in two is worse.
 */

import { describe, expect, test } from "vitest"
import type { ExceptionCode } from "../../src/model/handoff.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import { GROUP_ACTORS_MAX } from "../../src/model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import {
  answer,
  BOOKED_AT_MS,
  book,
  bot,
  cancel,
  ENDS_AT_MS,
  moveWindow,
  oversleep,
  runner,
  sinceBooking,
  STARTS_AT_MS,
  wait,
} from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

const GRACE_ENDS_AT_MS = ENDS_AT_MS + 15 * MINUTE_MS
const READY_AT_MS = BOOKED_AT_MS + 20 * MINUTE_MS
const LIMIT = { maxWeightKg: 10, maxDimensionsCm: { length: 40, width: 30, height: 20 } }

const assigned = runner("runner.assigned", { runnerId: "run_1" })
const atStore = runner("runner.at_store")
const notReady = runner("order.not_ready", { readyEstimateAtMs: READY_AT_MS })
const orderReady = runner("order.ready")
const inHand = runner("order.in_hand")
const givenUp = runner("order.given_up")
const atUnit = runner("runner.at_unit")
const load = runner("load.recorded", { photoId: "pho_1" })
const loadUnseen = runner("load.recorded", { photoId: null })
const ready = bot("READY_FOR_HANDOFF")
const tooHeavy = runner("payload.measured", {
  measure: { weightKg: 10.1, dimensionsCm: { length: 20, width: 40, height: 30 } },
})

/** The way to each open state. */
const queued: readonly Step[] = []
const toAssigned: readonly Step[] = [assigned]
const toStore: readonly Step[] = [...toAssigned, atStore]
const toHeld: readonly Step[] = [...toStore, notReady]
const toRetrieved: readonly Step[] = [...toStore, inHand]
const toUnit: readonly Step[] = [...toRetrieved, atUnit]
const toReady: readonly Step[] = [...toUnit, ready]

const milestone = (name: string): JsonObject => ({ event: "reservation.handoff_updated", milestone: name })
const exception = (code: ExceptionCode, atMs: number = BOOKED_AT_MS): JsonObject => ({
  event: "reservation.exception",
  reason_code: code,
  occurred_at_ms: atMs,
})
const statusAfter = (previous: string): JsonObject => ({
  event: "reservation.status_changed",
  previous_status: previous,
})

interface Row {
  readonly row: string
  readonly says: string
  readonly given: readonly Step[]
  readonly when: Step
  readonly state: string
  readonly told: readonly JsonObject[]
  /** Part of the context afterwards. */
  readonly notes?: JsonObject
  /** Open link calls requested in total. */
  readonly calls?: number
  readonly reservation?: string
}

const moves: readonly Row[] = [
  {
    row: "H2",
    says: "a runner is assigned to a queued task",
    given: queued,
    when: assigned,
    state: "open.assigned",
    told: [],
    notes: { runnerId: "run_1" },
  },
  {
    row: "H3",
    says: "the runner reaches the store: the task has started",
    given: toAssigned,
    when: atStore,
    state: "open.at_store",
    told: [milestone("task_started")],
    notes: { startedAtMs: BOOKED_AT_MS },
  },
  {
    row: "H4",
    says: "the order is not ready: the runner holds, with an estimate",
    given: toStore,
    when: notReady,
    state: "open.held",
    told: [exception("order_not_ready_hold")],
    notes: { readyEstimateAtMs: READY_AT_MS, flags: ["order_not_ready_hold"] },
  },
  {
    row: "H5",
    says: "the held order is ready: back at the counter, without an estimate",
    given: toHeld,
    when: orderReady,
    state: "open.at_store",
    told: [],
    notes: { readyEstimateAtMs: null, flags: [] },
  },
  {
    row: "H6",
    says: "the runner at the counter takes the order in hand",
    given: toStore,
    when: inHand,
    state: "open.retrieved",
    told: [milestone("order_in_hand")],
    notes: { orderInHandAtMs: BOOKED_AT_MS },
  },
  {
    row: "H7",
    says: "the runner who held takes the order in hand",
    given: toHeld,
    when: inHand,
    state: "open.retrieved",
    told: [milestone("order_in_hand")],
    notes: { orderInHandAtMs: BOOKED_AT_MS, readyEstimateAtMs: null, flags: [] },
  },
  {
    row: "H8",
    says: "the runner at the counter gives up",
    given: toStore,
    when: givenUp,
    state: "failed",
    told: [exception("order_not_ready_fail")],
    reservation: "open.confirmed",
  },
  {
    row: "H9",
    says: "the runner who held gives up",
    given: toHeld,
    when: givenUp,
    state: "failed",
    told: [exception("order_not_ready_fail")],
    notes: { readyEstimateAtMs: null },
  },
  {
    row: "H10",
    says: "the window ends while the runner is at the counter",
    given: toStore,
    when: sinceBooking(ENDS_AT_MS),
    state: "failed",
    told: [exception("order_not_ready_fail", ENDS_AT_MS)],
    reservation: "open.confirmed",
  },
  {
    row: "H11",
    says: "the window ends while the runner holds",
    given: toHeld,
    when: sinceBooking(ENDS_AT_MS),
    state: "failed",
    told: [exception("order_not_ready_fail", ENDS_AT_MS)],
    notes: { readyEstimateAtMs: null },
  },
  {
    row: "H12",
    says: "the order at the counter does not fit",
    given: toStore,
    when: tooHeavy,
    state: "failed",
    told: [exception("payload_rejected")],
    reservation: "open.confirmed",
  },
  {
    row: "H13",
    says: "the held order does not fit",
    given: toHeld,
    when: tooHeavy,
    state: "failed",
    told: [exception("payload_rejected")],
    notes: { readyEstimateAtMs: null },
  },
  {
    row: "H14",
    says: "the runner with the order reaches the bot",
    given: toRetrieved,
    when: atUnit,
    state: "open.at_unit",
    told: [milestone("runner_at_unit")],
    notes: { atUnitAtMs: BOOKED_AT_MS },
    calls: 0,
  },
  {
    row: "H15",
    says: "the bot reports READY while the runner is there: the open link is called",
    given: toUnit,
    when: ready,
    state: "open.handoff_ready",
    told: [],
    notes: { openLink: "calling", openLinks: 1 },
    calls: 1,
  },
  {
    row: "H16",
    says: "the runner reaches a bot that is READY already: the open link is called",
    given: [ready, ...toRetrieved],
    when: atUnit,
    state: "open.handoff_ready",
    told: [milestone("runner_at_unit")],
    notes: { openLink: "calling", atUnitAtMs: BOOKED_AT_MS },
    calls: 1,
  },
  {
    row: "H17",
    says: "the runner records the load with a photo",
    given: toReady,
    when: load,
    state: "loaded.photographed",
    told: [milestone("handoff_complete")],
    notes: { completedAtMs: BOOKED_AT_MS, photoId: "pho_1", isPhotoSkipped: false },
    reservation: "open.confirmed",
  },
  {
    row: "H18",
    says: "the runner records the load without a photo",
    given: toReady,
    when: loadUnseen,
    state: "loaded.unphotographed",
    told: [milestone("handoff_complete")],
    notes: { completedAtMs: BOOKED_AT_MS, photoId: null, isPhotoSkipped: true },
  },
  {
    row: "H19",
    says: "the bot reports SECURED before the load is recorded: the load is implied",
    given: toReady,
    when: bot("SECURED"),
    state: "loaded.unphotographed",
    told: [milestone("handoff_complete")],
    notes: { completedAtMs: BOOKED_AT_MS, photoId: null, isPhotoSkipped: true },
    reservation: "open.confirmed",
  },
  {
    row: "H20",
    says: "the bot reports DEPARTED before the load is recorded: the load is implied",
    given: toReady,
    when: bot("DEPARTED"),
    state: "loaded.unphotographed",
    told: [milestone("handoff_complete"), statusAfter("confirmed"), statusAfter("arrived")],
    notes: { completedAtMs: BOOKED_AT_MS, photoId: null, isPhotoSkipped: true },
    reservation: "completed",
  },
  {
    row: "H21",
    says: "the photo lands after SECURED: handoff_complete again",
    given: [...toReady, bot("SECURED")],
    when: load,
    state: "loaded.photographed",
    told: [milestone("handoff_complete")],
    notes: { photoId: "pho_1", isPhotoSkipped: false },
  },
  {
    row: "H22",
    says: "the photo lands after DEPARTED completed the reservation: handoff_complete again",
    given: [...toReady, bot("DEPARTED")],
    when: load,
    state: "loaded.photographed",
    told: [milestone("handoff_complete")],
    notes: { photoId: "pho_1", isPhotoSkipped: false },
    reservation: "completed",
  },
  {
    row: "H23",
    says: "SECURED implies no load while the task is queued",
    given: queued,
    when: bot("SECURED"),
    state: "open.queued",
    told: [],
  },
  {
    row: "H24",
    says: "SECURED implies no load while the runner goes to the store",
    given: toAssigned,
    when: bot("SECURED"),
    state: "open.assigned",
    told: [],
  },
  {
    row: "H25",
    says: "SECURED implies no load while the runner is at the counter",
    given: toStore,
    when: bot("SECURED"),
    state: "open.at_store",
    told: [],
  },
  {
    row: "H26",
    says: "SECURED implies no load while the runner holds",
    given: toHeld,
    when: bot("SECURED"),
    state: "open.held",
    told: [],
  },
  {
    row: "H27",
    says: "SECURED implies no load while the runner carries the order",
    given: toRetrieved,
    when: bot("SECURED"),
    state: "open.retrieved",
    told: [],
  },
  {
    row: "H28",
    says: "SECURED implies no load at the bot: the compartment was never opened",
    given: toUnit,
    when: bot("SECURED"),
    state: "open.at_unit",
    told: [],
    calls: 0,
  },
  {
    row: "H29",
    says: "at a bot that is SECURED without having been READY the runner records the load; no open link is called",
    given: [...toUnit, bot("SECURED")],
    when: load,
    state: "loaded.photographed",
    told: [milestone("handoff_complete")],
    notes: { photoId: "pho_1", isPhotoSkipped: false },
    calls: 0,
  },
  {
    row: "H30",
    says: "at a bot that is SECURED without having been READY the runner records the load without a photo",
    given: [...toUnit, bot("SECURED")],
    when: loadUnseen,
    state: "loaded.unphotographed",
    told: [milestone("handoff_complete")],
    notes: { photoId: null, isPhotoSkipped: true },
    calls: 0,
  },
]

const openStates: readonly {
  readonly state: string
  readonly way: readonly Step[]
  readonly holds: boolean
}[] = [
  { state: "queued", way: queued, holds: false },
  { state: "assigned", way: toAssigned, holds: false },
  { state: "at_store", way: toStore, holds: false },
  { state: "held", way: toHeld, holds: false },
  { state: "retrieved", way: toRetrieved, holds: true },
  { state: "at_unit", way: toUnit, holds: true },
  { state: "handoff_ready", way: toReady, holds: true },
]

/** The bot leaves. From handoff_ready the load is implied, row H20. */
const left = numbered(openStates.slice(0, 6), ["H31", "H32", "H33", "H34", "H35", "H36"])
const canceled = numbered(openStates, ["H37", "H38", "H39", "H40", "H41", "H42", "H43"])
/** A task at the store has failed by then, rows H10 and H11. */
const expired = numbered(
  openStates.filter(({ state }) => state !== "at_store" && state !== "held"),
  ["H44", "H45", "H46", "H47", "H48"],
)
const aborted = numbered(openStates, ["H49", "H50", "H51", "H52", "H53", "H54", "H55"])

function numbered<Open>(open: readonly Open[], rows: readonly string[]): (Open & { readonly row: string })[] {
  if (open.length !== rows.length) throw new Error(`${rows.length} numbers for ${open.length} rows`)
  return open.map((one, at) => ({ ...one, row: rows[at] ?? "" }))
}

function openLinkCalls(under: GroupUnderTest): number {
  return under.calls.filter(({ call }) => call === "open_link").length
}

describe("the handoff moves", () => {
  test("H1 a booking opens a queued task; only the status is told", () => {
    const under = book()
    expect(under.state("runner-task")).toBe("open.queued")
    expect(under.heard()).toEqual([{ event: "reservation.status_changed", previous_status: null }])
    expect(under.context("runner-task")).toMatchObject({
      windowStartsAtMs: STARTS_AT_MS,
      windowEndsAtMs: ENDS_AT_MS,
      startedAtMs: null,
      isPhotoSkipped: null,
      isReturning: false,
    })
  })

  test.each(moves.map((row) => [row.row, row.says, row] as const))(
    "%s %s",
    (_row, _says, { given, when, state, told, notes, calls, reservation }) => {
      const under = book({ payloadLimit: LIMIT }).given(given)
      expect(under.take(when)?.type ?? "answered").toBe("answered")
      expect(under.state("runner-task")).toBe(state)
      expect(under.heard()).toEqual(told)
      expect(under.context("runner-task")).toMatchObject(notes ?? {})
      if (calls !== undefined) expect(openLinkCalls(under)).toBe(calls)
      if (reservation !== undefined) expect(under.state("")).toBe(reservation)
    },
  )

  test.each(left.map((open) => [open.row, open.state, open] as const))(
    "%s the bot leaves a task that is %s: canceled, the reservation completes",
    (_row, _state, open) => {
      const under = book().given(open.way)
      under.take(bot("DEPARTED"))
      expect(under.state("runner-task")).toBe("canceled")
      expect(under.heard()).toEqual([statusAfter("confirmed"), statusAfter("arrived")])
      expect(under.state("")).toBe("completed")
      expect(under.context("runner-task")["isReturning"]).toBe(open.holds)
    },
  )

  test.each(canceled.map((open) => [open.row, open.state, open] as const))(
    "%s a cancel ends a task that is %s",
    (_row, _state, open) => {
      const under = book().given(open.way)
      under.take(cancel())
      expect(under.state("runner-task")).toBe("canceled")
      expect(under.heard()).toEqual([statusAfter("confirmed")])
      expect(under.context("runner-task")).toMatchObject({
        isReturning: open.holds,
        readyEstimateAtMs: null,
        flags: [],
      })
    },
  )

  test.each(expired.map((open) => [open.row, open.state, open] as const))(
    "%s window end plus grace ends a task that is %s",
    (_row, _state, open) => {
      const under = book().given([...open.way, sinceBooking(GRACE_ENDS_AT_MS - 1)])
      expect(under.state("runner-task")).toBe(`open.${open.state}`)
      under.take(wait(1))
      expect(under.state("runner-task")).toBe("canceled")
      expect(under.heard()).toEqual([statusAfter("confirmed")])
      expect(under.context("")["canceledBy"]).toBe("system")
      expect(under.context("runner-task")["isReturning"]).toBe(open.holds)
    },
  )

  test.each(aborted.map((open) => [open.row, open.state, open] as const))(
    "%s the bot's ABORTED ends a task that is %s; no event is published",
    (_row, _state, open) => {
      const under = book().given(open.way)
      under.take(bot("ABORTED"))
      expect(under.state("runner-task")).toBe("canceled")
      expect(under.heard()).toEqual([])
      expect(under.state("")).toBe("open.confirmed")
      expect(under.context("runner-task")["isReturning"]).toBe(open.holds)
    },
  )

  test("H56 after an end the block stays, and every further step is refused", () => {
    const ends: readonly (readonly Step[])[] = [[...toReady, load], [cancel()], [...toStore, givenUp]]
    for (const end of ends) {
      const under = book().given(end)
      const before = under.context("runner-task")
      for (const step of [assigned, atStore, notReady, orderReady, inHand, givenUp, atUnit, load, tooHeavy]) {
        expect(under.take(step)).toEqual({ type: "refused", code: "INVALID_STATE" })
      }
      expect(under.context("runner-task")).toEqual(before)
    }
  })

  test("H57 a second report of a load without a photo changes nothing", () => {
    const under = book().given([...toReady, bot("SECURED")])
    expect(under.take(loadUnseen)).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.heard()).toEqual([])
  })

  test("H58 a zone without runner service has no task, and its reservation lives without", () => {
    const under = book({ hasRunner: false }).given([bot("ARRIVED"), ready, bot("DEPARTED")])
    expect(under.state("runner-task")).toBeNull()
    expect(under.state("")).toBe("completed")
  })

  test("H59 the bot's estimate anchors the staging time until a runner is assigned, then it is frozen", () => {
    const etaMs = BOOKED_AT_MS + 40 * MINUTE_MS
    const under = book().given([
      bot("INBOUND", { etaMs }),
      assigned,
      bot("INBOUND", { etaMs: etaMs + MINUTE_MS }),
    ])
    expect(under.context("runner-task")["etaMs"]).toBe(etaMs)
    expect(under.context("bot")["etaMs"]).toBe(etaMs + MINUTE_MS)
  })

  test("H60 the load cannot be recorded before the compartment may be open", () => {
    for (const { way } of openStates.slice(0, 6)) {
      expect(book().given(way).take(load)).toEqual({ type: "refused", code: "INVALID_STATE" })
    }
  })
})

describe("the check of the payload at the counter", () => {
  const box = { length: 20, width: 40, height: 30 }
  const measured = (weightKg: number | null, dimensionsCm: JsonObject | null): Step =>
    runner("payload.measured", { measure: { weightKg, dimensionsCm } })

  test.each([
    ["as heavy and as large as allowed, turned to its side", LIMIT, measured(10, box)],
    ["of any size without a limit", null, measured(900, null)],
    [
      "of unknown size with a limit on weight alone",
      { maxWeightKg: 10, maxDimensionsCm: null },
      measured(9, null),
    ],
    ["of unknown weight with a limit on size alone", { ...LIMIT, maxWeightKg: null }, measured(null, box)],
  ])("P1 an order %s fits", (_, payloadLimit, step) => {
    const under = book({ payloadLimit }).given(toStore)
    expect(under.take(step)).toEqual({ type: "answered", value: { fits: true } })
    expect(under.state("runner-task")).toBe("open.at_store")
    expect(under.heard()).toEqual([])
  })

  test.each([
    ["a weight", measured(null, box)],
    ["a size", measured(9, null)],
  ])("P2 a bounded measure without %s is refused", (_, step) => {
    const under = book({ payloadLimit: LIMIT }).given(toStore)
    expect(under.take(step)).toEqual({ type: "refused", code: "VALIDATION_ERROR" })
    expect(under.state("runner-task")).toBe("open.at_store")
  })

  test("P3 one edge too long is rejected, however it is turned", () => {
    const under = book({ payloadLimit: LIMIT }).given(toStore)
    under.take(measured(1, { length: 10, width: 10, height: 40.5 }))
    expect(under.state("runner-task")).toBe("failed")
    expect(under.heard()).toEqual([exception("payload_rejected")])
  })
})

describe("exceptions", () => {
  const raised = (code: ExceptionCode): Step => runner("exception.raised", { code })
  const cleared = (code: ExceptionCode): Step => runner("exception.cleared", { code })
  const refused = { type: "refused", code: "INVALID_STATE" }

  const flags: readonly (readonly [string, ExceptionCode])[] = [
    ["F1", "access_failed"],
    ["F2", "bot_no_show"],
    ["F3", "stall_blocked"],
    ["F4", "order_not_ready_hold"],
    ["F5", "runner_delayed"],
    ["F6", "bot_mismatch"],
  ]
  test.each(flags)(
    "%s %s is a flag: told once, and the handoff stays as it is, in every open state",
    (_, code) => {
      for (const { way, state } of openStates) {
        // The runner who holds has the flag of the hold already.
        if (code === "order_not_ready_hold" && state === "held") continue
        const under = book().given(way)
        expect(under.take(raised(code))?.type).toBe("answered")
        expect(under.heard()).toEqual([exception(code)])
        expect(under.state("runner-task")).toBe(`open.${state}`)
        expect(under.context("runner-task")["flags"]).toContain(code)
      }
    },
  )

  const ending: readonly (readonly [string, ExceptionCode])[] = [
    ["F7", "order_not_ready_fail"],
    ["F8", "payload_rejected"],
  ]
  test.each(ending)("%s %s ends the task in every open state; the reservation stays", (_, code) => {
    for (const { way } of openStates) {
      const under = book().given(way)
      expect(under.take(raised(code))?.type).toBe("answered")
      expect(under.heard()).toEqual([exception(code)])
      expect(under.state("runner-task")).toBe("failed")
      expect(under.context("runner-task")).toMatchObject({ readyEstimateAtMs: null, flags: [] })
      expect(under.state("")).toBe("open.confirmed")
    }
  })

  test("F9 the flag already set is accepted and publishes nothing", () => {
    const under = book().given([raised("stall_blocked")])
    expect(under.take(raised("stall_blocked"))).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.heard()).toEqual([])
    expect(under.context("runner-task")["flags"]).toEqual(["stall_blocked"])
  })

  test("F10 flags of several reasons stand side by side", () => {
    const under = book().given([raised("stall_blocked"), raised("runner_delayed")])
    expect(under.context("runner-task")["flags"]).toEqual(["stall_blocked", "runner_delayed"])
  })

  const steps: readonly (readonly [string, readonly Step[], Step])[] = [
    ["an assignment", queued, assigned],
    ["the runner at the store", toAssigned, atStore],
    ["an order that is ready", toHeld, orderReady],
    ["an order in hand", toStore, inHand],
    ["a runner at the bot", toRetrieved, atUnit],
    ["a load", toReady, load],
    ["a bot's report", toStore, bot("ARRIVED")],
    ["a bot that is ready", toUnit, ready],
  ]
  test.each(steps)(
    "F11 %s is a step: it clears the flags, and the same flag is told again",
    (_, way, step) => {
      const under = book().given([...way, raised("stall_blocked"), step])
      expect(under.context("runner-task")["flags"]).toEqual([])
      if (under.state("runner-task")?.startsWith("open") !== true) return
      under.take(raised("stall_blocked"))
      expect(under.heard()).toEqual([exception("stall_blocked")])
    },
  )

  test("F11 an order that is not ready is a step: only its own flag stands", () => {
    const under = book().given([...toStore, raised("stall_blocked"), notReady])
    expect(under.context("runner-task")["flags"]).toEqual(["order_not_ready_hold"])
  })

  test("F12 a flag may be cleared by name; one that is not set changes nothing", () => {
    const under = book().given([raised("stall_blocked"), raised("runner_delayed")])
    expect(under.take(cleared("stall_blocked"))).toEqual({ type: "answered", value: null })
    expect(under.context("runner-task")["flags"]).toEqual(["runner_delayed"])
    expect(under.take(cleared("stall_blocked"))).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.heard()).toEqual([])
  })

  const over: readonly (readonly [string, readonly Step[]])[] = [
    ["loaded with a photo", [...toReady, load]],
    ["loaded without a photo", [...toReady, bot("SECURED")]],
    ["failed", [...toStore, givenUp]],
    ["canceled with its reservation", [cancel()]],
    ["canceled by the bot's ABORTED", [bot("ABORTED")]],
    ["left by the bot", [bot("DEPARTED")]],
  ]
  test.each(over)("F13 an exception on a task that is %s is refused, whatever its reason", (_, way) => {
    for (const code of [...flags, ...ending].map((one) => one[1])) {
      const under = book().given(way)
      expect(under.take(raised(code))).toEqual(refused)
      expect(under.take(cleared(code))).toEqual(refused)
      expect(under.heard()).toEqual([])
    }
  })

  test("F14 an exception raised by a clock carries the stored deadline, however late the clock", () => {
    const under = book().given(toStore)
    under.take(oversleep(ENDS_AT_MS - BOOKED_AT_MS + 5 * SECOND_MS))
    expect(under.heard()).toEqual([exception("order_not_ready_fail", ENDS_AT_MS)])
    expect(under.emissions.at(-1)?.occurredUs).toBe((ENDS_AT_MS + 5 * SECOND_MS) * 1000)
  })

  test("F15 a runner who reaches the store after the window's end fails at once, with the deadline that passed", () => {
    const under = book().given([assigned, sinceBooking(ENDS_AT_MS + MINUTE_MS), atStore])
    under.take(wait(0))
    expect(under.state("runner-task")).toBe("failed")
    expect(under.heard()).toEqual([exception("order_not_ready_fail", ENDS_AT_MS)])
  })

  test("F16 three failed attempts of the open link raise access_failed; the compartment stays where it is", () => {
    const under = book().given([...toReady, answer("open-link-1", "failed", 1), wait(5 * SECOND_MS)])
    under.given([answer("open-link-1", "failed", 2), wait(15 * SECOND_MS)])
    under.take(answer("open-link-1", "failed", 3))
    expect(under.heard()).toEqual([exception("access_failed", BOOKED_AT_MS + 20 * SECOND_MS)])
    expect(under.state("runner-task")).toBe("open.handoff_ready")
    expect(under.context("runner-task")).toMatchObject({ openLink: "failed", flags: ["access_failed"] })
  })

  test("F17 an ending exception at the open compartment drops the open link", () => {
    const under = book().given([...toReady, raised("order_not_ready_fail")])
    expect(under.state("open-link-1")).toBe("dropped")
  })

  // A runner who carries the order when an exception ends the task brings it back, as after a cancel.
  test.each(ending)(
    "F18 a runner who holds the order takes it back when %s (%s) ends the task",
    (_, code) => {
      for (const { way, holds } of openStates) {
        const under = book().given([...way, raised(code)])
        expect(under.context("runner-task")["isReturning"]).toBe(holds)
      }
    },
  )
})

describe("the clocks of the runner task", () => {
  test("L3 only a task at the store fails at window end", () => {
    for (const { way, state } of openStates) {
      const under = book().given([...way, sinceBooking(ENDS_AT_MS)])
      const isAtStore = state === "at_store" || state === "held"
      expect(under.state("runner-task")).toBe(isAtStore ? "failed" : `open.${state}`)
    }
  })

  test("L3 a moved window moves the deadline at the counter, later or earlier, held or not", () => {
    for (const way of [toStore, toHeld]) {
      for (const byMs of [25 * MINUTE_MS, -20 * MINUTE_MS]) {
        const under = book().given([...way, moveWindow(STARTS_AT_MS + byMs, ENDS_AT_MS + byMs)])
        under.take(sinceBooking(ENDS_AT_MS + byMs - 1))
        expect(under.state("runner-task")).toMatch(/^open/)
        under.take(wait(1))
        expect(under.state("runner-task")).toBe("failed")
        expect(under.heard()).toEqual([exception("order_not_ready_fail", ENDS_AT_MS + byMs)])
      }
    }
  })

  test("L3 a moved window keeps the estimate and the flag of a runner who holds", () => {
    const later = 25 * MINUTE_MS
    const under = book().given([...toHeld, moveWindow(STARTS_AT_MS + later, ENDS_AT_MS + later)])
    expect(under.context("runner-task")).toMatchObject({
      readyEstimateAtMs: READY_AT_MS,
      flags: ["order_not_ready_hold"],
    })
  })

  test.each([
    ["never reported", []],
    ["is inbound", [bot("INBOUND")]],
    ["arrived", [bot("ARRIVED")]],
  ])("L4 a bot that %s is a no-show ten minutes after the runner reached the stall, once", (_, way) => {
    const under = book().given([...way, ...toUnit, wait(10 * MINUTE_MS - 1)])
    expect(under.heard()).toEqual([])
    under.take(wait(1))
    expect(under.heard()).toEqual([exception("bot_no_show", BOOKED_AT_MS + 10 * MINUTE_MS)])
    expect(under.state("runner-task")).toBe("open.at_unit")
    expect(under.context("runner-task")["flags"]).toEqual(["bot_no_show"])
    under.take(wait(50 * MINUTE_MS))
    expect(under.heard()).toEqual([])
  })

  test("L4 the bot that becomes ready after its no-show is served, and the flag goes", () => {
    const under = book().given([...toUnit, wait(11 * MINUTE_MS), ready])
    expect(under.state("runner-task")).toBe("open.handoff_ready")
    expect(under.context("runner-task")["flags"]).toEqual([])
  })

  test("L4 a flag bot_no_show raised by hand is not told again by the clock", () => {
    const under = book().given([...toUnit, runner("exception.raised", { code: "bot_no_show" })])
    under.take(wait(10 * MINUTE_MS))
    expect(under.heard()).toEqual([])
  })

  test("L4 a bot that is ready or secured in time is no no-show", () => {
    for (const status of ["READY_FOR_HANDOFF", "SECURED"] as const) {
      const under = book().given([...toUnit, bot(status)])
      // The open link is answered, so that only the bot's clock could speak.
      if (status === "READY_FOR_HANDOFF") under.given([answer("open-link-1", "succeeded", 1)])
      under.take(wait(20 * MINUTE_MS))
      expect(under.heard()).toEqual([])
    }
  })

  test("L4 moving the window does not start the wait for the bot anew", () => {
    const later = 25 * MINUTE_MS
    const under = book().given([
      ...toUnit,
      wait(9 * MINUTE_MS),
      moveWindow(STARTS_AT_MS + later, ENDS_AT_MS + later),
    ])
    under.take(wait(MINUTE_MS))
    expect(under.heard()).toEqual([exception("bot_no_show", BOOKED_AT_MS + 10 * MINUTE_MS)])
  })
})

describe("the bounds of the runner task", () => {
  test("a runner who tries again and again is refused in the end; the group never breaks", () => {
    const under = book().given(toReady)
    const retry = runner("open_link.retried")
    const outcomes: string[] = []
    for (let round = 1; round <= GROUP_ACTORS_MAX; round += 1) {
      for (const [at, pauseMs] of [5 * SECOND_MS, 15 * SECOND_MS, 0].entries()) {
        under.take(answer(`open-link-${round}`, "failed", at + 1))
        under.take(wait(pauseMs))
      }
      const outcome = under.take(retry)
      outcomes.push(outcome?.type ?? "")
      if (outcome?.type === "refused") break
    }
    expect(outcomes.at(-1)).toBe("refused")
  })
})
