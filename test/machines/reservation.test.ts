/** The reservation's rows of the contract's status table, in its order, and the clock of the window. */

import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import {
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
  stateOf,
  wait,
} from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

const GRACE_ENDS_AT_MS = ENDS_AT_MS + 15 * MINUTE_MS

const toTheBot: readonly Step[] = [
  runner("runner.assigned", { runnerId: "run_1" }),
  runner("runner.at_store"),
  runner("order.in_hand"),
  runner("runner.at_unit"),
]
const loaded: readonly Step[] = [
  ...toTheBot,
  bot("READY_FOR_HANDOFF"),
  runner("load.recorded", { photoId: "pho_1" }),
]

interface Row {
  readonly row: string
  readonly says: string
  readonly given: readonly Step[]
  readonly when: Step
  readonly state: string
  /** `previous_status` of each reservation.status_changed that follows, in order. */
  readonly previous: readonly (string | null)[]
  readonly canceledBy?: string
}

const rows: readonly Row[] = [
  {
    row: "R2",
    says: "the bot's ARRIVED makes a confirmed reservation arrived",
    given: [],
    when: bot("ARRIVED"),
    state: "open.arrived",
    previous: ["confirmed"],
  },
  {
    row: "R3",
    says: "the bot's DEPARTED completes an arrived reservation",
    given: [bot("ARRIVED")],
    when: bot("DEPARTED"),
    state: "completed",
    previous: ["arrived"],
  },
  {
    row: "R4",
    says: "the bot's DEPARTED on a confirmed reservation says arrived, then completed",
    given: [],
    when: bot("DEPARTED"),
    state: "completed",
    previous: ["confirmed", "arrived"],
  },
  {
    row: "R5",
    says: "a loaded order completes on the bot's DEPARTED",
    given: [bot("ARRIVED"), ...loaded, bot("SECURED")],
    when: bot("DEPARTED"),
    state: "completed",
    previous: ["arrived"],
  },
  {
    row: "R6",
    says: "a cancel ends a confirmed reservation",
    given: [],
    when: cancel(),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "partner",
  },
  {
    row: "R7",
    says: "a cancel ends an arrived reservation",
    given: [bot("ARRIVED")],
    when: cancel(),
    state: "canceled",
    previous: ["arrived"],
    canceledBy: "partner",
  },
  {
    row: "R8",
    says: "the runner may cancel",
    given: [],
    when: cancel("runner"),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "runner",
  },
  {
    row: "R9",
    says: "operations may cancel",
    given: [],
    when: cancel("ops"),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "ops",
  },
  {
    row: "R10",
    says: "a cancel ends a reservation whose order is on board",
    given: loaded,
    when: cancel(),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "partner",
  },
  {
    row: "R14",
    says: "window end plus grace completes a confirmed reservation whose order is on board",
    given: loaded,
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "completed",
    previous: ["confirmed"],
  },
  {
    row: "R15",
    says: "window end plus grace completes an arrived reservation whose order is on board, however silent the bot is",
    given: [bot("ARRIVED"), ...loaded],
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "completed",
    previous: ["arrived"],
  },
  {
    row: "R16",
    says: "window end plus grace cancels a confirmed reservation whose order is not loaded",
    given: [],
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "system",
  },
  {
    row: "R17",
    says: "window end plus grace cancels an arrived reservation whose order is not loaded",
    given: [bot("ARRIVED"), ...toTheBot],
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "canceled",
    previous: ["arrived"],
    canceledBy: "system",
  },
  {
    row: "R18",
    says: "a bot that aborted leaves the reservation open until window end plus grace",
    given: [bot("ARRIVED"), bot("ABORTED")],
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "canceled",
    previous: ["arrived"],
    canceledBy: "system",
  },
  {
    row: "R19",
    says: "a runner task that failed at the counter leaves the reservation open until window end plus grace",
    given: [...toTheBot.slice(0, 2), runner("order.given_up")],
    when: sinceBooking(GRACE_ENDS_AT_MS),
    state: "canceled",
    previous: ["confirmed"],
    canceledBy: "system",
  },
  {
    row: "R20",
    says: "a bot that departs after the runner task failed completes the reservation",
    given: [...toTheBot.slice(0, 2), runner("order.given_up"), bot("ARRIVED")],
    when: bot("DEPARTED"),
    state: "completed",
    previous: ["arrived"],
  },
]

/** The published statuses, with the previous one, from the group as it was at each microstep. */
function statusesPublished(under: GroupUnderTest): readonly (readonly [string | null, unknown])[] {
  return under.emissions
    .filter(({ event }) => event === "reservation.status_changed")
    .map(({ actors, extras }) => [
      stateOf({ address: under.group.address, actors }, ""),
      extras["previous_status"],
    ])
}

describe("the status table", () => {
  test("R1 a booking is confirmed at once, says so, and opens a runner task that is queued", () => {
    const under = book()
    expect(under.state("")).toBe("open.confirmed")
    expect(under.state("runner-task")).toBe("open.queued")
    expect(under.state("bot")).toBe("underway.unreported")
    expect(statusesPublished(under)).toEqual([["open.confirmed", null]])
    expect(under.emissions[0]?.occurredUs).toBe(BOOKED_AT_MS * 1000)
  })

  test("R1 a booking in a zone without runner service opens no runner task", () => {
    const under = book({ hasRunner: false })
    expect(under.state("runner-task")).toBeNull()
    expect(under.state("bot")).toBe("underway.unreported")
  })

  test("R1 the stall is the one that the booking rules chose", () => {
    expect(book().context("")).toMatchObject({
      stallId: "stall_1",
      createdAtMs: BOOKED_AT_MS,
      canceledBy: null,
    })
  })

  test.each(rows.map((row) => [row.row, row.says, row] as const))(
    "%s %s",
    (_row, _says, { given, when, state, previous, canceledBy }) => {
      const under = book().given(given)
      const outcome = under.take(when)
      expect(outcome?.type ?? "answered").toBe("answered")
      expect(under.state("")).toBe(state)
      expect(
        under
          .heard()
          .filter(({ event }) => event === "reservation.status_changed")
          .map((told) => told["previous_status"]),
      ).toEqual(previous)
      expect(under.context("")["canceledBy"]).toBe(canceledBy ?? null)
    },
  )

  test("R11 canceling again is accepted, says nothing and keeps who canceled first", () => {
    const under = book().given([cancel("runner")])
    expect(under.take(cancel("partner"))).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.heard()).toEqual([])
    expect(under.context("")["canceledBy"]).toBe("runner")
  })

  test("R12 a completed reservation cannot be canceled", () => {
    const under = book().given([bot("DEPARTED")])
    expect(under.take(cancel())).toEqual({ type: "refused", code: "INVALID_STATE" })
    expect(under.state("")).toBe("completed")
    expect(under.context("")["canceledBy"]).toBeNull()
  })

  test("R13 a runner who holds the order takes it back when the reservation is canceled", () => {
    const under = book().given([...toTheBot, cancel()])
    expect(under.state("runner-task")).toBe("canceled")
    expect(under.context("runner-task")["isReturning"]).toBe(true)
  })

  test("R13 a runner without the order has nothing to take back", () => {
    const under = book().given([...toTheBot.slice(0, 2), cancel()])
    expect(under.context("runner-task")["isReturning"]).toBe(false)
  })

  test("R13 a loaded order stays loaded when the reservation is canceled", () => {
    const under = book().given([...loaded, cancel()])
    expect(under.state("runner-task")).toBe("loaded.photographed")
  })

  test("R21 everything is settled when the reservation ends: no timer stays armed", () => {
    for (const end of [bot("DEPARTED"), cancel(), sinceBooking(GRACE_ENDS_AT_MS)]) {
      expect(book().given([end]).group.timers.size).toBe(0)
    }
  })
})

describe("the clock of the window", () => {
  test("L1 the reservation is open up to the millisecond before window end plus grace, and ends at it", () => {
    const under = book().given([sinceBooking(GRACE_ENDS_AT_MS - 1)])
    expect(under.state("")).toBe("open.confirmed")
    under.take(wait(1))
    expect(under.state("")).toBe("canceled")
    expect(under.emissions.at(-1)?.occurredUs).toBe(GRACE_ENDS_AT_MS * 1000)
  })

  test("L1 a late clock ends the reservation with the envelope time of the turn", () => {
    const lateMs = 7_000
    const under = book().given([oversleep(GRACE_ENDS_AT_MS - BOOKED_AT_MS + lateMs)])
    expect(under.turns.at(-1)?.input).toMatchObject({
      atMs: GRACE_ENDS_AT_MS,
      instantMs: GRACE_ENDS_AT_MS + lateMs,
    })
    expect(under.emissions.at(-1)?.occurredUs).toBe((GRACE_ENDS_AT_MS + lateMs) * 1000)
  })

  test("L2 a loaded order completes without a word from the bot, at window end plus grace, without a canceler", () => {
    const under = book().given([...loaded, sinceBooking(GRACE_ENDS_AT_MS)])
    expect(under.nowMs).toBe(GRACE_ENDS_AT_MS)
    expect(under.state("")).toBe("completed")
    expect(under.context("")["canceledBy"]).toBeNull()
  })

  test("L3 a runner still on the way to the store at window end fails nothing; the grace ends it", () => {
    const under = book().given([
      runner("runner.assigned", { runnerId: "run_1" }),
      sinceBooking(GRACE_ENDS_AT_MS - 1),
    ])
    expect(under.state("runner-task")).toBe("open.assigned")
    under.take(wait(1))
    expect(under.state("runner-task")).toBe("canceled")
  })
})

describe("moving the window", () => {
  const laterBy = 40 * MINUTE_MS

  test("R22 a confirmed reservation moves, keeps its stall and says nothing", () => {
    const under = book().given([])
    const outcome = under.take(moveWindow(STARTS_AT_MS + laterBy, ENDS_AT_MS + laterBy))
    expect(outcome).toEqual({ type: "answered", value: null })
    expect(under.heard()).toEqual([])
    expect(under.state("")).toBe("open.confirmed")
    expect(under.context("")).toMatchObject({
      stallId: "stall_1",
      startsAtMs: STARTS_AT_MS + laterBy,
      endsAtMs: ENDS_AT_MS + laterBy,
    })
    expect(under.context("runner-task")).toMatchObject({
      windowStartsAtMs: STARTS_AT_MS + laterBy,
      windowEndsAtMs: ENDS_AT_MS + laterBy,
    })
  })

  test("R22 a moved window moves the end of the grace, later or earlier", () => {
    for (const byMs of [laterBy, -20 * MINUTE_MS]) {
      const under = book().given([moveWindow(STARTS_AT_MS + byMs, ENDS_AT_MS + byMs)])
      under.take(sinceBooking(GRACE_ENDS_AT_MS + byMs - 1))
      expect(under.state("")).toBe("open.confirmed")
      under.take(wait(1))
      expect(under.state("")).toBe("canceled")
    }
  })

  test("R22 a zone without runner service moves windows too", () => {
    const under = book({ hasRunner: false }).given([moveWindow(STARTS_AT_MS + laterBy, ENDS_AT_MS + laterBy)])
    expect(under.context("")["endsAtMs"]).toBe(ENDS_AT_MS + laterBy)
  })

  test("R23 the same window again is accepted and changes nothing", () => {
    const under = book().given([])
    const before = under.kept()
    expect(under.take(moveWindow(STARTS_AT_MS, ENDS_AT_MS))).toEqual({
      type: "answered",
      value: { isRepeat: true },
    })
    expect(under.kept()).toEqual(before)
  })

  test.each(["WINDOW_IN_PAST", "WINDOW_TOO_FAR_OUT", "WINDOW_TOO_SHORT", "WINDOW_TOO_LONG"])(
    "R24 a window that breaks a booking rule is refused with %s and stays as it was",
    (code) => {
      const under = book().given([])
      const before = under.kept()
      const outcome = under.take(moveWindow(STARTS_AT_MS + laterBy, ENDS_AT_MS + laterBy, code))
      expect(outcome).toEqual({ type: "refused", code })
      expect(under.kept()).toEqual(before)
    },
  )

  test.each([
    ["arrived", bot("ARRIVED")],
    ["completed", bot("DEPARTED")],
    ["canceled", cancel()],
  ])("R25 the window of a reservation that is %s is fixed", (_, step) => {
    const under = book().given([step])
    const refusal = { type: "refused", code: "INVALID_STATE" }
    expect(under.take(moveWindow(STARTS_AT_MS + laterBy, ENDS_AT_MS + laterBy))).toEqual(refusal)
    expect(under.take(moveWindow(STARTS_AT_MS, ENDS_AT_MS))).toEqual(refusal)
    expect(under.take(moveWindow(STARTS_AT_MS, ENDS_AT_MS, "WINDOW_IN_PAST"))).toEqual(refusal)
  })
})
