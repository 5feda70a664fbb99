/**
 * The bot's reports: the contract's order of statuses, then the rows T of our decisions on bot reports. T6
 * (how far an estimate or a time of report may lie from now) and T11 (a reason beside another status)
 * belong to the edge, which hands the machine neither.
 */

import { describe, expect, test } from "vitest"
import { BOT_STATUSES } from "../../src/model/bot.ts"
import type { BotStatus } from "../../src/model/bot.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import {
  BOOKED_AT_MS,
  book,
  bot,
  cancel,
  ENDS_AT_MS,
  runner,
  sinceBooking,
  stateOf,
  wait,
} from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

const ETA_MS = BOOKED_AT_MS + 50 * MINUTE_MS

const atTheBot: readonly Step[] = [
  runner("runner.assigned", { runnerId: "run_1" }),
  runner("runner.at_store"),
  runner("order.in_hand"),
  runner("runner.at_unit"),
]

/** What the last report to the bot's actor changed. */
function shown(under: GroupUnderTest): { readonly [key: string]: unknown } {
  const { status, etaMs, assertedAtMs } = under.context("bot")
  return { status, etaMs, assertedAtMs }
}

type Answer = "taken" | "repeat" | "behind"

/** Current status → reported status → answer. */
const ORDER: { readonly [current in BotStatus]: { readonly [reported in BotStatus]: Answer } } = {
  INBOUND: {
    INBOUND: "repeat",
    ARRIVED: "taken",
    READY_FOR_HANDOFF: "taken",
    SECURED: "taken",
    DEPARTED: "taken",
    ABORTED: "taken",
  },
  ARRIVED: {
    INBOUND: "behind",
    ARRIVED: "repeat",
    READY_FOR_HANDOFF: "taken",
    SECURED: "taken",
    DEPARTED: "taken",
    ABORTED: "taken",
  },
  READY_FOR_HANDOFF: {
    INBOUND: "behind",
    ARRIVED: "behind",
    READY_FOR_HANDOFF: "repeat",
    SECURED: "taken",
    DEPARTED: "taken",
    ABORTED: "taken",
  },
  SECURED: {
    INBOUND: "behind",
    ARRIVED: "behind",
    READY_FOR_HANDOFF: "behind",
    SECURED: "repeat",
    DEPARTED: "taken",
    ABORTED: "behind",
  },
  // A departed bot has completed the reservation: row T10 answers, before the order of statuses is checked.
  DEPARTED: {
    INBOUND: "behind",
    ARRIVED: "behind",
    READY_FOR_HANDOFF: "behind",
    SECURED: "behind",
    DEPARTED: "repeat",
    ABORTED: "behind",
  },
  ABORTED: {
    INBOUND: "behind",
    ARRIVED: "behind",
    READY_FOR_HANDOFF: "behind",
    SECURED: "behind",
    DEPARTED: "behind",
    ABORTED: "repeat",
  },
}

const pairs = BOT_STATUSES.flatMap((current) =>
  BOT_STATUSES.map((reported) => [current, reported, ORDER[current][reported]] as const),
)

describe("the order of bot statuses", () => {
  test.each(pairs)("T0 a bot that is %s and reports %s: %s", (current, reported, answer) => {
    const under = book().given([bot(current)])
    const outcome = under.take(bot(reported))
    if (answer === "taken") expect(outcome).toEqual({ type: "answered", value: null })
    if (answer === "repeat") expect(outcome).toEqual({ type: "answered", value: { isRepeat: true } })
    const code = current === "DEPARTED" ? "INVALID_STATE" : "BOT_STATUS_REGRESSION"
    if (answer === "behind") expect(outcome).toEqual({ type: "refused", code })
    expect(under.context("bot")["status"]).toBe(answer === "taken" ? reported : current)
  })
})

describe("bot reports", () => {
  test("T1 an accepted report answers in its own turn, with everything that it caused already done", () => {
    const under = book().given(atTheBot)
    expect(under.take(bot("READY_FOR_HANDOFF"))).toEqual({ type: "answered", value: null })
    expect(under.state("runner-task")).toBe("open.handoff_ready")
  })

  test.each(["INBOUND", "READY_FOR_HANDOFF", "SECURED", "ABORTED"] as const)(
    "T2 %s leaves a confirmed reservation confirmed",
    (status) => {
      const under = book().given([])
      under.take(bot(status))
      expect(under.state("")).toBe("open.confirmed")
      expect(under.heard()).toEqual([])
    },
  )

  test("T2 DEPARTED on a confirmed reservation says arrived, then completed", () => {
    const under = book().given([bot("SECURED")])
    under.take(bot("DEPARTED"))
    expect(under.heard()).toEqual([
      { event: "reservation.status_changed", previous_status: "confirmed" },
      { event: "reservation.status_changed", previous_status: "arrived" },
    ])
  })

  test("T3 a repeat takes a new estimate, keeps when the status was reached, and says nothing", () => {
    const under = book().given([bot("ARRIVED", { occurredAtMs: BOOKED_AT_MS - 1, etaMs: ETA_MS })])
    const outcome = under.take(bot("ARRIVED", { occurredAtMs: BOOKED_AT_MS + 1, etaMs: ETA_MS + 1 }))
    expect(outcome).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(shown(under)).toEqual({ status: "ARRIVED", etaMs: ETA_MS + 1, assertedAtMs: BOOKED_AT_MS - 1 })
    expect(under.heard()).toEqual([])
  })

  test("T4 a status behind the current one is refused with its estimate", () => {
    const under = book().given([bot("ARRIVED", { etaMs: ETA_MS })])
    const before = shown(under)
    const outcome = under.take(bot("INBOUND", { etaMs: ETA_MS + 1 }))
    expect(outcome).toEqual({ type: "refused", code: "BOT_STATUS_REGRESSION" })
    expect(shown(under)).toEqual(before)
    expect(under.turns.at(-1)?.result.entry?.text).toContain("BOT_STATUS_REGRESSION")
  })

  test.each([
    ["an absent estimate keeps the last one", {}, ETA_MS],
    ["an estimate of null clears it", { etaMs: null }, null],
    ["a new estimate replaces it", { etaMs: ETA_MS + 1 }, ETA_MS + 1],
  ])("T5 %s, in a new status and in a repeat", (_, more, etaMs) => {
    for (const next of ["INBOUND", "ARRIVED"] as const) {
      const under = book().given([bot("INBOUND", { etaMs: ETA_MS }), bot(next, more)])
      expect(under.context("bot")["etaMs"]).toBe(etaMs)
      expect(under.context("runner-task")["etaMs"]).toBe(etaMs)
    }
  })

  test("T7 a report that happened before the one before it is taken as it says", () => {
    const under = book().given([
      bot("ARRIVED", { occurredAtMs: BOOKED_AT_MS }),
      bot("READY_FOR_HANDOFF", { occurredAtMs: BOOKED_AT_MS - 10 * MINUTE_MS }),
    ])
    expect(shown(under)).toMatchObject({
      status: "READY_FOR_HANDOFF",
      assertedAtMs: BOOKED_AT_MS - 10 * MINUTE_MS,
    })
  })

  test("T8 a secured bot cannot abort", () => {
    const under = book().given([bot("SECURED")])
    expect(under.take(bot("ABORTED"))).toEqual({ type: "refused", code: "BOT_STATUS_REGRESSION" })
  })

  test("T8 a departed bot cannot abort; its reservation is finished", () => {
    const under = book().given([bot("DEPARTED")])
    expect(under.take(bot("ABORTED"))).toEqual({ type: "refused", code: "INVALID_STATE" })
  })

  test.each(["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED"] as const)(
    "T9 after ABORTED, %s is refused",
    (status) => {
      const under = book().given([bot("ABORTED")])
      expect(under.take(bot(status))).toEqual({ type: "refused", code: "BOT_STATUS_REGRESSION" })
    },
  )

  test("T9 ABORTED cancels the open runner task, leaves the reservation, raises no exception", () => {
    const under = book().given([bot("ARRIVED"), ...atTheBot])
    expect(under.take(bot("ABORTED"))).toEqual({ type: "answered", value: null })
    expect(under.heard()).toEqual([])
    expect(under.state("runner-task")).toBe("canceled")
    expect(under.context("runner-task")["isReturning"]).toBe(true)
    expect(under.state("")).toBe("open.arrived")
    expect(under.take(bot("ABORTED"))).toEqual({ type: "answered", value: { isRepeat: true } })
  })

  test("T9 ABORTED leaves a loaded task loaded", () => {
    const ready = bot("READY_FOR_HANDOFF")
    const under = book().given([
      ...atTheBot,
      ready,
      runner("load.recorded", { photoId: "pho_1" }),
      bot("ABORTED"),
    ])
    expect(under.state("runner-task")).toBe("loaded.photographed")
  })

  test("T9 the partner may cancel after ABORTED", () => {
    const under = book().given([bot("ABORTED"), cancel()])
    expect(under.state("")).toBe("canceled")
  })

  const endings: readonly (readonly [string, Step])[] = [
    ["completed by DEPARTED", bot("DEPARTED")],
    ["canceled", cancel()],
    ["expired", sinceBooking(ENDS_AT_MS + 15 * MINUTE_MS)],
  ]
  test.each(endings)("T10 on a reservation that is %s only a repeat is taken, estimate and all", (_, end) => {
    const under = book().given([bot("ARRIVED"), end])
    const last = under.context("bot")["status"] as BotStatus
    const repeated = under.take(bot(last, { etaMs: ETA_MS }))
    expect(repeated).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.context("bot")["etaMs"]).toBe(ETA_MS)
    for (const status of BOT_STATUSES.filter((one) => one !== last)) {
      expect(under.take(bot(status))).toEqual({ type: "refused", code: "INVALID_STATE" })
    }
  })

  test("T10 on a finished reservation of a bot that never reported nothing is taken", () => {
    for (const status of BOT_STATUSES) {
      const under = book().given([cancel()])
      expect(under.take(bot(status))).toEqual({ type: "refused", code: "INVALID_STATE" })
      expect(under.context("bot")["status"]).toBeNull()
    }
  })

  test.each(BOT_STATUSES)("T12 the first report may be %s", (status) => {
    const under = book().given([])
    expect(under.take(bot(status))).toEqual({ type: "answered", value: null })
    expect(under.context("bot")).toMatchObject({ status, assertedAtMs: BOOKED_AT_MS })
  })

  test("T13 one report says handoff_complete, arrived, completed, each a microsecond after the last", () => {
    const under = book().given([...atTheBot, bot("READY_FOR_HANDOFF"), wait(1_000)])
    under.take(bot("DEPARTED"))
    const told = under.emissions.slice(-3)
    expect(told.map(({ event, extras }) => ({ event, ...extras }))).toEqual([
      { event: "reservation.handoff_updated", milestone: "handoff_complete" },
      { event: "reservation.status_changed", previous_status: "confirmed" },
      { event: "reservation.status_changed", previous_status: "arrived" },
    ])
    expect(told.map(({ occurredUs }) => occurredUs - under.nowMs * 1000)).toEqual([0, 1, 2])
  })

  test("T13 each snapshot shows the group at its own microstep", () => {
    const under = book().given([...atTheBot, bot("READY_FOR_HANDOFF")])
    under.take(bot("DEPARTED"))
    const seen = under.emissions.slice(-3).map(({ actors }) => {
      const at = { address: under.group.address, actors }
      return [stateOf(at, ""), stateOf(at, "runner-task"), stateOf(at, "bot")]
    })
    expect(seen).toEqual([
      ["open.confirmed", "loaded.unphotographed", "underway.departed"],
      ["open.arrived", "loaded.unphotographed", "underway.departed"],
      ["completed", "loaded.unphotographed", "closed"],
    ])
  })
})
