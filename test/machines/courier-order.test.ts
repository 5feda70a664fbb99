/** The courier order: the result of each tool in each state, cell by cell, and its timers to the millisecond. */

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/model/values/json.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { DEFAULT_COURIER_POLICY } from "../../src/areas/courier/settings.ts"
import { BOOKED_AT_MS, GroupUnderTest, answer, lab, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

function quote(declineReason: string | null = null): GroupUnderTest {
  const input = { deliveryId: "dlv_1", storeId: "store_1", policy: DEFAULT_COURIER_POLICY }
  const start = { machine: "courier-order@1", input }
  return new GroupUnderTest(lab, "courier-order/dlv_1", start, { declineReason })
}

function tell(type: string, more: JsonObject = {}, facts: JsonObject | null = null): Step {
  return { do: "command", to: "", event: { type, ...more }, facts }
}

const early = { isCollected: false, isOver: false }
const onBoard = { isCollected: true, isOver: false }
const over = { isCollected: true, isOver: true }
const free = { isRestricted: false, hasPlace: true, vehicleId: "veh_1" }

const reserve = tell("reserve.requested", { pays: false }, {})
const pay = tell("payment.requested")
const authorized = answer("payment", "succeeded", 1)
const confirm = tell("confirm.requested", {}, free)
const captured = answer("payment", "succeeded", 2)

const HELD: readonly Step[] = [reserve]
const AUTHORIZED: readonly Step[] = [reserve, pay, authorized]
const LAPSED: readonly Step[] = [...AUTHORIZED, wait(15 * MINUTE_MS)]
const BOOKED: readonly Step[] = [...AUTHORIZED, confirm, captured]
const CANCELLED: readonly Step[] = [tell("cancel.requested", {}, early)]

/** The agent's answer: a refusal's code, or the state of the errand. */
function outcome(given: readonly Step[], step: Step): string {
  const under = quote().given(given)
  const result = under.take(step)
  return result?.type === "refused" ? result.code : String(under.state(""))
}

/** Tool by state, in the order of the connector's table. */
const MATRIX: readonly {
  readonly state: string
  readonly given: readonly Step[]
  readonly stage: JsonObject
  readonly reserve: string
  readonly confirm: string
  readonly payment: string
  readonly other: string
  readonly notes: string
  readonly cancel: string
}[] = [
  {
    state: "quoted, never reserved",
    given: [],
    stage: early,
    reserve: "open.held",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "INVALID_STATE",
    cancel: "cancelled",
  },
  {
    state: "held",
    given: HELD,
    stage: early,
    reserve: "open.held",
    confirm: "open.held",
    payment: "open.authorizing",
    other: "open.held",
    notes: "open.held",
    cancel: "cancelled",
  },
  {
    state: "held and authorized",
    given: AUTHORIZED,
    stage: early,
    reserve: "open.held",
    confirm: "open.capturing",
    payment: "INVALID_STATE",
    other: "open.held",
    notes: "open.held",
    cancel: "cancelled",
  },
  {
    state: "quoted after a lapsed hold",
    given: LAPSED,
    stage: early,
    reserve: "open.held",
    confirm: "open.capturing",
    payment: "INVALID_STATE",
    other: "HOLD_EXPIRED",
    notes: "HOLD_EXPIRED",
    cancel: "cancelled",
  },
  {
    state: "expired, never reserved",
    given: [wait(30 * MINUTE_MS)],
    stage: early,
    reserve: "QUOTE_EXPIRED",
    confirm: "QUOTE_EXPIRED",
    payment: "QUOTE_EXPIRED",
    other: "QUOTE_EXPIRED",
    notes: "QUOTE_EXPIRED",
    cancel: "cancelled",
  },
  {
    state: "expired after a hold",
    given: [...AUTHORIZED, wait(45 * MINUTE_MS)],
    stage: early,
    reserve: "QUOTE_EXPIRED",
    confirm: "open.capturing",
    payment: "QUOTE_EXPIRED",
    other: "QUOTE_EXPIRED",
    notes: "QUOTE_EXPIRED",
    cancel: "cancelled",
  },
  {
    state: "declined",
    given: [tell("reserve.declined", { reason: "disqualifying_requirement" })],
    stage: early,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "INVALID_STATE",
    cancel: "INVALID_STATE",
  },
  {
    state: "confirmed to waiting_for_load",
    given: BOOKED,
    stage: early,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "booked",
    notes: "booked",
    cancel: "cancelled",
  },
  {
    state: "loaded to arrived",
    given: BOOKED,
    stage: onBoard,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "booked",
    cancel: "INVALID_STATE",
  },
  {
    state: "completed",
    given: BOOKED,
    stage: over,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "INVALID_STATE",
    cancel: "INVALID_STATE",
  },
  {
    state: "cancelled",
    given: CANCELLED,
    stage: early,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "INVALID_STATE",
    cancel: "cancelled",
  },
  {
    state: "failed",
    given: [...BOOKED, tell("failure.reported", { reason: "vehicle_fault" }, early)],
    stage: early,
    reserve: "INVALID_STATE",
    confirm: "INVALID_STATE",
    payment: "INVALID_STATE",
    other: "INVALID_STATE",
    notes: "INVALID_STATE",
    cancel: "INVALID_STATE",
  },
]

describe.each(MATRIX)("C1: $state", (row) => {
  test("reserve", () => expect(outcome(row.given, reserve)).toBe(row.reserve))
  test("confirm", () => expect(outcome(row.given, confirm)).toBe(row.confirm))
  test("update payment", () => expect(outcome(row.given, pay)).toBe(row.payment))
  test("update anything else", () => {
    expect(outcome(row.given, tell("update.requested", { isDropoff: false }, row.stage))).toBe(row.other)
  })
  test("update the notes for the door", () => {
    expect(outcome(row.given, tell("update.requested", { isDropoff: true }, row.stage))).toBe(row.notes)
  })
  test("cancel", () => expect(outcome(row.given, tell("cancel.requested", {}, row.stage))).toBe(row.cancel))
})

describe("the clocks of a courier order", () => {
  const late = 1

  test("C2: the quote lasts thirty minutes, to the millisecond", () => {
    const under = quote().given([wait(30 * MINUTE_MS - late)])
    expect(under.state("")).toBe("open.quoted")
    expect(under.given([wait(late)]).state("")).toBe("open.expired")
  })

  test("C3: the hold lasts fifteen minutes and pushes the quote to thirty after it", () => {
    const under = quote().given([wait(20 * MINUTE_MS), ...HELD, wait(15 * MINUTE_MS - late)])
    expect(under.state("")).toBe("open.held")
    expect(under.given([wait(late)]).state("")).toBe("open.lapsed")
    expect(under.given([wait(30 * MINUTE_MS - late)]).state("")).toBe("open.lapsed")
    expect(under.given([wait(late)]).state("")).toBe("open.overdue")
  })

  test("C4: a hold taken again begins anew", () => {
    const under = quote().given([...HELD, wait(14 * MINUTE_MS), reserve, wait(14 * MINUTE_MS)])
    expect(under.state("")).toBe("open.held")
  })

  test("C5: each failed confirm adds ten minutes, up to ninety ahead", () => {
    const under = quote().given(HELD)
    for (let count = 1; count <= 7; count += 1) {
      under.given([confirm])
      expect(under.context("")["holdEndsAtMs"]).toBe(BOOKED_AT_MS + (15 + 10 * count) * MINUTE_MS)
    }
    under.given([confirm])
    expect(under.context("")["holdEndsAtMs"]).toBe(BOOKED_AT_MS + 90 * MINUTE_MS)
  })

  test("C6: an order may be reported for ninety minutes after the hold; then the payment is let go", () => {
    const under = quote().given([...AUTHORIZED, wait(105 * MINUTE_MS)])
    expect(under.state("")).toBe("open.overdue")
    // The ninetieth minute is the last: so it ends a millisecond after.
    expect(under.given([wait(late)]).state("")).toBe("open.expired")
    expect(under.state("payment")).toBe("voiding.calling")
    expect(under.take(confirm)).toEqual({ type: "refused", code: "QUOTE_EXPIRED" })
  })

  test("C7: the hold waits while the fee is being authorized or taken", () => {
    const asking = quote().given([...HELD, wait(15 * MINUTE_MS - late), pay, wait(late)])
    expect(asking.state("")).toBe("open.authorizing")
    const taking = quote().given([...AUTHORIZED, wait(15 * MINUTE_MS - late), confirm, wait(late)])
    expect(taking.state("")).toBe("open.capturing")
    expect(taking.given([captured]).state("")).toBe("booked")
  })
})

describe("the booking", () => {
  function messages(under: GroupUnderTest): readonly unknown[] {
    return under.turns.flatMap(({ result }) =>
      result.messages.map(({ to, start, event }) => ({ to, start, event })),
    )
  }

  test("C8: starts the delivery under the errand's id, and a cancel ends it and refunds", () => {
    const under = quote().given(BOOKED)
    expect(messages(under)).toMatchObject([
      {
        to: "delivery/dlv_1",
        start: {
          machine: "delivery@1",
          input: { deliveryId: "dlv_1", siteId: "store_1", decided: { vehicleId: "veh_1" } },
        },
      },
    ])
    under.given([tell("cancel.requested", {}, early)])
    expect(messages(under).at(-1)).toMatchObject({
      to: "delivery/dlv_1",
      event: { type: "cancel.requested" },
    })
    expect(under.state("payment")).toBe("refunding.calling")
  })

  test("C9: without hold and place it declines and voids; with a place it takes a hold of its own", () => {
    const full = tell("confirm.requested", {}, { ...free, hasPlace: false })
    const declined = quote().given([...LAPSED, full])
    expect(declined.state("")).toBe("declined")
    expect(declined.context("")["declineReason"]).toBe("no_capacity")
    expect(declined.state("payment")).toBe("voiding.calling")
    expect(
      quote()
        .given([...AUTHORIZED, full])
        .state(""),
    ).toBe("open.capturing")
  })

  test("C10: a hold that the confirm took itself survives a failed payment, and is not lengthened", () => {
    const under = quote().given([...LAPSED, confirm])
    const endsAtMs = under.context("")["holdEndsAtMs"]
    expect(endsAtMs).toBe(under.nowMs + 15 * MINUTE_MS)
    under.given([answer("payment", "failed", 2)])
    expect(under.state("")).toBe("open.held")
    expect(under.context("")["holdEndsAtMs"]).toBe(endsAtMs)
  })

  test("C11: a check that is declined ends at once and knows no payment", () => {
    const under = quote("out_of_zone")
    expect(under.state("")).toBe("unserved")
    expect(under.state("payment")).toBeNull()
  })

  test("C12: a lost capture is asked again, and taken once", () => {
    const under = quote().given([...AUTHORIZED, confirm])
    under.given([wait(DEFAULT_COURIER_POLICY.payment.leaseMs)])
    expect(under.state("payment")).toBe("capturing.waiting")
    under.given([wait(1_000)])
    expect(under.state("payment")).toBe("capturing.calling")
    expect(under.given([answer("payment", "succeeded", 3)]).state("")).toBe("booked")
  })
})
