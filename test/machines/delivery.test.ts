/** One delivery: rows D1 to D12, its statuses in order and its messages to the vehicle. */

import { describe, expect, test } from "vitest"
import { DELIVERY_EVENT_BY_STATUS, DELIVERY_STATUSES } from "../../src/model/delivery.ts"
import type { DeliveryStatus, ReportedStatus } from "../../src/model/delivery.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import { DAY_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { BOOKED_AT_MS, GroupUnderTest, lab, stateOf, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

const ORDER: readonly DeliveryStatus[] = DELIVERY_STATUSES.filter((status) => status !== "CANCELLED")
const REPORTED = Object.keys(DELIVERY_EVENT_BY_STATUS) as readonly ReportedStatus[]

function deliver(): GroupUnderTest {
  const input = { deliveryId: "dlv_1", siteId: "site_1" }
  return new GroupUnderTest(lab, "delivery/dlv_1", { machine: "delivery@1", input }, { vehicleId: "veh_1" })
}

function tell(type: string, more: JsonObject = {}): Step {
  return { do: "command", to: "", event: { type, ...more }, facts: null }
}

function report(status: ReportedStatus): Step {
  return tell(DELIVERY_EVENT_BY_STATUS[status])
}

const advance = tell("step.advanced")
const cancel = tell("cancel.requested")

/** Published statuses, each with the previous one and the state in its snapshot. */
function told(under: GroupUnderTest): readonly string[] {
  return under.emissions.map(({ extras, actors }) => {
    const state = stateOf({ address: under.group.address, actors }, "")?.replace("open.", "").toUpperCase()
    return `${extras["previous_status"] as string} → ${String(state)}`
  })
}

function pairs(from: DeliveryStatus, to: DeliveryStatus): readonly string[] {
  const way = ORDER.slice(ORDER.indexOf(from), ORDER.indexOf(to) + 1)
  return way.slice(1).map((status, at) => `${String(way[at])} → ${status}`)
}

function messages(under: GroupUnderTest): readonly unknown[] {
  return under.turns.flatMap(({ result }) => result.messages.map(({ to, event }) => ({ to, ...event })))
}

describe("a delivery", () => {
  test("D1 starts at SCHEDULED, publishes nothing, and offers its run to the vehicle", () => {
    const under = deliver()
    expect(under.state("")).toBe("open.scheduled")
    expect(under.emissions).toEqual([])
    expect(messages(under)).toEqual([{ to: "vehicle/veh_1", type: "run.offered", deliveryId: "dlv_1" }])
  })

  test("D2 eight advances walk the nine statuses, one step and one event each", () => {
    const under = deliver()
    for (const [at, status] of ORDER.slice(1).entries()) {
      under.take(advance)
      expect(told(under).slice(at)).toEqual([`${String(ORDER[at])} → ${status}`])
    }
    expect(under.state("")).toBe("completed")
  })

  test.each(REPORTED)(
    "D3 a report of %s emits every skipped status in order, each with its own state",
    (status) => {
      const under = deliver().given([report(status)])
      expect(told(under)).toEqual(pairs("SCHEDULED", status))
    },
  )

  test("D3 skipped statuses have strictly increasing times", () => {
    const times = deliver()
      .given([report("COMPLETED")])
      .emissions.map(({ occurredUs }) => occurredUs)
    expect(times).toHaveLength(8)
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  })

  test.each(REPORTED)("D4 a repeat of %s is taken and tells nothing", (status) => {
    const under = deliver().given([report(status)])
    expect(under.take(report(status))).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.heard()).toEqual([])
  })

  test("D5 a report behind the current status moves nothing and is refused to every caller", () => {
    for (const [at, status] of REPORTED.entries()) {
      for (const earlier of REPORTED.slice(0, at)) {
        const under = deliver().given([report(status)])
        expect(under.take(report(earlier)), `${earlier} after ${status}`).toEqual({
          type: "refused",
          code: "INVALID_STATE",
        })
        expect(under.heard()).toEqual([])
      }
    }
  })

  test.each(ORDER.slice(0, -1))("D6 can be cancelled at %s, and tells it once", (status) => {
    const under = deliver().given(ORDER.slice(1, ORDER.indexOf(status) + 1).map(() => advance))
    under.given([cancel, cancel])
    expect(told(under).at(-1)).toBe(`${status} → CANCELLED`)
    expect(told(under)).toHaveLength(ORDER.indexOf(status) + 1)
    expect(under.state("")).toBe("cancelled")
  })

  test("D7 a completed one cannot be cancelled", () => {
    const under = deliver().given([report("COMPLETED")])
    expect(under.take(cancel)).toEqual({ type: "refused", code: "INVALID_STATE" })
    expect(under.state("")).toBe("completed")
  })

  test("D8 a finished one cannot be advanced, reported on or given to another vehicle", () => {
    for (const last of [cancel, report("COMPLETED")]) {
      const under = deliver().given([last])
      for (const step of [advance, report("ASSIGNED"), tell("vehicle.changed", { vehicleId: "veh_2" })]) {
        expect(under.take(step)).toEqual({ type: "refused", code: "INVALID_STATE" })
      }
      expect(under.heard()).toEqual([])
    }
  })

  test("D9 tells its vehicle once that the run is over", () => {
    for (const last of [cancel, report("COMPLETED")]) {
      const under = deliver().given([last, last])
      expect(messages(under).slice(1)).toEqual([
        { to: "vehicle/veh_1", type: "run.ended", deliveryId: "dlv_1" },
      ])
    }
  })

  test("D10 another vehicle takes over the run, and the status stays", () => {
    const under = deliver().given([report("ASSIGNED"), tell("vehicle.changed", { vehicleId: "veh_2" })])
    expect(messages(under).slice(1)).toEqual([
      { to: "vehicle/veh_1", type: "run.ended", deliveryId: "dlv_1" },
      { to: "vehicle/veh_2", type: "run.offered", deliveryId: "dlv_1" },
    ])
    expect(under.state("")).toBe("open.assigned")
    expect(told(under)).toEqual(["SCHEDULED → ASSIGNED"])
    under.given([cancel])
    expect(messages(under).at(-1)).toMatchObject({ to: "vehicle/veh_2", type: "run.ended" })
  })

  test("D10 the same vehicle again changes nothing", () => {
    const under = deliver()
    expect(under.take(tell("vehicle.changed", { vehicleId: "veh_1" }))).toEqual({
      type: "answered",
      value: { isRepeat: true },
    })
    expect(messages(under)).toHaveLength(1)
  })

  test("D11 steps and reports mix: an advance goes on from where a report led", () => {
    const under = deliver().given([
      report("ARRIVED_AT_STORE"),
      advance,
      report("EN_ROUTE_TO_CUSTOMER"),
      advance,
    ])
    expect(told(under)).toEqual(pairs("SCHEDULED", "ARRIVED_AT_CUSTOMER"))
  })

  test("D12 waits for ever without a clock, and keeps when it ended", () => {
    const under = deliver().given([wait(30 * DAY_MS)])
    expect(under.state("")).toBe("open.scheduled")
    under.given([report("COMPLETED")])
    expect(under.context("")).toMatchObject({
      completedAtMs: BOOKED_AT_MS + 30 * DAY_MS,
      cancelledAtMs: null,
    })
    const other = deliver().given([wait(SECOND_MS), cancel])
    expect(other.context("")).toMatchObject({ completedAtMs: null, cancelledAtMs: BOOKED_AT_MS + SECOND_MS })
  })
})
