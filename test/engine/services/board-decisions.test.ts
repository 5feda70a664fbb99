/** What the board says of reservations and stalls: every state of the runner task, exceptions, lateness, and which stall state wins. */

import { describe, expect, test } from "vitest"
import { CURB_WAIT_MS, STAGING_LEAD_MS, STALL_DUE_WITHIN_MS } from "../../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { judge, judgeStall } from "../../../src/apps/operations/board-decisions.ts"
import { botBreachOf, breachOf, isLateAt } from "../../../src/areas/reservations/lateness.ts"
import type { Standing } from "../../../src/areas/reservations/lateness.ts"
import { vehicleState } from "../../../src/apps/operations/board-vehicles.ts"

const NOW = Date.parse("2026-03-02T18:00:00Z")

type Task = NonNullable<Standing["task"]>

const CONTEXT = {
  etaMs: null,
  windowStartsAtMs: NOW + 10 * MINUTE_MS,
  policy: { stagingLeadMs: STAGING_LEAD_MS },
  readyEstimateAtMs: null,
  flags: [],
  openLink: "none",
  startedAtMs: 1,
  orderInHandAtMs: 2,
  atUnitAtMs: 3,
  completedAtMs: 4,
}

function task(state: Task["state"], more: Partial<Task["context"]> = {}): Task {
  return { state, context: { ...CONTEXT, ...more } as unknown as Task["context"] }
}

function standing(more: Partial<Standing> = {}): Standing {
  return {
    startsAtMs: NOW + 10 * MINUTE_MS,
    endsAtMs: NOW + 40 * MINUTE_MS,
    createdAtMs: 10,
    updatedAtMs: 20,
    bot: null,
    arrivedAtMs: null,
    task: task("queued"),
    ...more,
  }
}

const here = { bot: { status: "ARRIVED", etaMs: null }, arrivedAtMs: NOW - 2 * MINUTE_MS } as const

describe("a reservation on the board", () => {
  test.each([
    ["queued", "due", "runner", 10],
    ["assigned", "due", "runner_at_store", 20],
    ["at_store", "at_store", "counter", 1],
    ["held", "at_store", "order", 20],
    ["retrieved", "in_hand", "runner_at_bot", 2],
    ["at_unit", "at_bot", "bot_ready", 3],
    ["handoff_ready", "at_bot", "load", 3],
    ["photographed", "at_bot", "departure", 4],
    ["unphotographed", "at_bot", "departure", 4],
  ] as const)("whose task is %s is in the column %s and waits for %s", (state, column, waitsFor, sinceMs) => {
    const judged = judge(standing({ task: task(state) }), NOW)
    expect(judged).toMatchObject({ column, waitsFor, sinceMs, trouble: null, isLate: false })
  })

  test.each([
    [
      "access_failed",
      standing({ task: task("handoff_ready", { flags: ["runner_delayed", "access_failed"] }) }),
    ],
    ["bot_no_show", standing({ task: task("at_unit", { flags: ["bot_no_show"] }) })],
    ["runner_delayed", standing({ task: task("assigned", { flags: ["runner_delayed"] }) })],
    ["task_failed", standing({ task: task("failed") })],
    ["bot_aborted", standing({ task: task("canceled"), bot: { status: "ABORTED", etaMs: null } })],
    ["bot_late", standing({ bot: { status: "INBOUND", etaMs: NOW - 1 } })],
    ["bot_waits_too_long", standing({ ...here, arrivedAtMs: NOW - CURB_WAIT_MS - 1 })],
  ] as const)("is in trouble with %s", (trouble, one) => {
    expect(judge(one, NOW)).toMatchObject({ column: "trouble", trouble })
  })

  test("that is held at the counter is no trouble, nor is a bot that waits for less than its time", () => {
    const held = standing({ task: task("held", { flags: ["order_not_ready_hold"] }), ...here })
    expect(judge(held, NOW)).toMatchObject({ column: "at_store", trouble: null })
  })

  test("without runner service waits for the bot, then for its departure", () => {
    expect(judge(standing({ task: null }), NOW)).toMatchObject({
      column: "due",
      waitsFor: "bot",
      sinceMs: 10,
    })
    const arrived = judge(standing({ task: null, ...here }), NOW)
    expect(arrived).toMatchObject({ column: "at_bot", waitsFor: "departure", sinceMs: here.arrivedAtMs })
  })

  test.each([
    ["calling", "door"],
    ["failed", "door_again"],
    ["opened", "load"],
  ] as const)("whose open link is %s waits for %s", (openLink, waitsFor) => {
    expect(judge(standing({ task: task("handoff_ready", { openLink }) }), NOW)).toMatchObject({ waitsFor })
  })

  test("is late by the bot's estimate, by the window without one, and by the wait once it stands there", () => {
    const eta = { bot: { status: "INBOUND", etaMs: NOW - MINUTE_MS } } as const
    expect(botBreachOf(standing())).toBe(NOW + 40 * MINUTE_MS)
    expect(breachOf(standing(eta))).toBe(NOW - MINUTE_MS)
    expect(botBreachOf(standing({ ...eta, ...here }))).toBe(NOW - 2 * MINUTE_MS + CURB_WAIT_MS)
    const atBreach = standing({ endsAtMs: NOW, task: null })
    expect([isLateAt(atBreach, NOW), isLateAt(atBreach, NOW + 1)]).toEqual([false, true])
    // An order on board breaks no promise, however long the bot stays.
    expect(isLateAt(standing({ ...here, task: task("photographed") }), NOW + 100 * MINUTE_MS)).toBe(false)
  })
})

describe("the runner's promise", () => {
  const started = { startsAtMs: NOW - 8 * MINUTE_MS }
  const since = { windowStartsAtMs: NOW - 8 * MINUTE_MS }

  test.each([
    ["queued", "no_runner"],
    ["assigned", "runner_late"],
    ["at_store", "runner_late"],
    ["held", "runner_late"],
    ["retrieved", "runner_late"],
  ] as const)("of a task that is %s breaks at its staging time: %s", (state, trouble) => {
    const one = standing({ ...started, task: task(state, since) })
    const breachAtMs = NOW - 8 * MINUTE_MS - STAGING_LEAD_MS
    expect(judge(one, NOW)).toMatchObject({
      column: "trouble",
      trouble,
      breachAtMs,
      isLate: true,
      risk: null,
    })
  })

  test.each(["at_unit", "handoff_ready", "canceled", "failed"] as const)(
    "holds once the task is %s",
    (state) => {
      const one = standing({ ...started, task: task(state, since) })
      expect(breachOf(one)).toBe(one.endsAtMs)
    },
  )

  test("is said after the bot's, which a runner cannot mend", () => {
    const eta = { status: "INBOUND", etaMs: NOW - 1 } as const
    const one = standing({ ...started, bot: eta, task: task("queued", { ...since, etaMs: NOW - 1 }) })
    expect(judge(one, NOW)).toMatchObject({ trouble: "bot_late", breachAtMs: NOW - 1 - STAGING_LEAD_MS })
  })

  test.each([
    ["unassigned", { ...started, bot: { status: "INBOUND", etaMs: NOW + 9 * MINUTE_MS } }, "queued", 9, null],
    ["order_after_promise", {}, "held", 10, NOW + 5 * MINUTE_MS + 1],
    [null, {}, "held", 10, NOW + 5 * MINUTE_MS],
    [null, {}, "retrieved", 10, NOW + 9 * MINUTE_MS],
    ["bot_after_window", { bot: { status: "INBOUND", etaMs: NOW + 40 * MINUTE_MS } }, "assigned", 40, null],
    [null, { bot: { status: "INBOUND", etaMs: NOW + 40 * MINUTE_MS - 1 } }, "assigned", 40, null],
  ] as const)("is at risk: %s", (risk, more, state, minutes, readyEstimateAtMs) => {
    const context = { etaMs: NOW + minutes * MINUTE_MS, readyEstimateAtMs }
    const judged = judge(standing({ ...more, task: task(state, context) }), NOW)
    expect(judged).toMatchObject({ risk, isLate: false, trouble: null })
  })
})

describe("a stall on the board", () => {
  const at = (reservationId: string, one: Standing) => ({
    reservationId,
    standing: one,
    judged: judge(one, NOW),
    nowMs: NOW,
  })
  const soon = at("soon", standing())
  const later = at("later", standing({ startsAtMs: NOW + STALL_DUE_WITHIN_MS + 1 }))
  const present = at("present", standing(here))
  const late = at("late", standing({ bot: { status: "INBOUND", etaMs: NOW - MINUTE_MS } }))
  const stuck = at("stuck", standing({ ...here, arrivedAtMs: NOW - CURB_WAIT_MS - MINUTE_MS }))

  test.each([
    ["free", [], null, null],
    ["free", [later], "later", later.judged.dueAtMs],
    ["due", [later, soon], "soon", soon.judged.dueAtMs],
    ["late", [soon, late], "late", NOW - MINUTE_MS],
    ["occupied", [late, present, soon], "present", here.arrivedAtMs],
    ["late", [soon, stuck], "stuck", NOW - MINUTE_MS],
  ] as const)("is %s", (state, all, reservationId, atMs) => {
    expect(judgeStall([...all])).toEqual({ state, reservationId, atMs })
  })

  test("compares what is expected by distances, since each reservation has the clock of its organization", () => {
    const dayMs = 24 * 60 * MINUTE_MS
    const ahead = standing({
      startsAtMs: NOW + dayMs + MINUTE_MS,
      endsAtMs: NOW + dayMs + 40 * MINUTE_MS,
      task: null,
    })
    const moved = {
      reservationId: "moved",
      standing: ahead,
      judged: judge(ahead, NOW + dayMs),
      nowMs: NOW + dayMs,
    }
    expect(judgeStall([later, moved])).toEqual({
      state: "due",
      reservationId: "moved",
      atMs: NOW + dayMs + MINUTE_MS,
    })
  })
})

test("a vehicle is offline before everything else, then free, at the store, or driving", () => {
  expect(vehicleState(false, "EN_ROUTE_TO_STORE")).toBe("offline")
  expect(vehicleState(true, null)).toBe("free")
  expect(vehicleState(true, "WAITING_FOR_LOAD")).toBe("waits_for_load")
  expect(vehicleState(true, "EN_ROUTE_TO_STORE")).toBe("driving")
})
