/** One vehicle: rows K1 to K12, its runs and its messages to the delivery. */

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/model/values/json.ts"
import { LOAD_WAIT_MS } from "../../src/model/values/limits.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { BOOKED_AT_MS, GroupUnderTest, lab, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

function park({ isSynthetic = false } = {}): GroupUnderTest {
  const policy = { loadWaitMs: LOAD_WAIT_MS }
  const input = { fleetId: "fleet_1", isSynthetic, isOnline: true, policy }
  return new GroupUnderTest(lab, "vehicle/veh_1", { machine: "vehicle@1", input }, null)
}

function tell(type: string, more: JsonObject = {}): Step {
  return { do: "command", to: "", event: { type, ...more }, facts: null }
}

const offer = (deliveryId: string): Step => tell("run.offered", { deliveryId })
const end = (deliveryId: string): Step => tell("run.ended", { deliveryId })
const atStore = (sinceMs = 0): Step => tell("store.reached", { recordedAtMs: BOOKED_AT_MS + sinceMs })
const gone = (sinceMs = 0): Step => tell("store.left", { recordedAtMs: BOOKED_AT_MS + sinceMs })

/** `dlv_1 store.reached`: messages to deliveries so far. */
function said(under: GroupUnderTest): readonly string[] {
  return under.turns.flatMap(({ result }) =>
    result.messages.map(({ to, event }) => `${to.replace("delivery/", "")} ${String(event?.type)}`),
  )
}

function runs(under: GroupUnderTest): JsonObject {
  const { activeId, queuedIds } = under.context("")
  return { activeId, queuedIds }
}

describe("a vehicle's runs", () => {
  test("K1 the first run is active at once, the second is queued; both are told that they are assigned", () => {
    const under = park().given([offer("dlv_1"), offer("dlv_2")])
    expect(runs(under)).toEqual({ activeId: "dlv_1", queuedIds: ["dlv_2"] })
    expect(said(under)).toEqual(["dlv_1 vehicle.assigned", "dlv_2 vehicle.assigned"])
  })

  test("K2 when the active run ends or is cancelled, the queued one is promoted from its beginning", () => {
    const under = park().given([offer("dlv_1"), offer("dlv_2"), atStore(), end("dlv_1")])
    expect(runs(under)).toEqual({ activeId: "dlv_2", queuedIds: [] })
    expect(under.state("")).toBe("underway.assigned")
    expect(under.context("")["atStoreSinceMs"]).toBeNull()
    expect(under.group.timers.size).toBe(0)
  })

  test("K3 a queued run that ends leaves the active one alone", () => {
    const under = park().given([offer("dlv_1"), offer("dlv_2"), atStore(), end("dlv_2")])
    expect(runs(under)).toEqual({ activeId: "dlv_1", queuedIds: [] })
    expect(under.state("")).toBe("underway.at_store")
  })

  test("K4 without another run it is idle again", () => {
    const under = park().given([offer("dlv_1"), end("dlv_1")])
    expect(under.state("")).toBe("idle")
    expect(runs(under)).toEqual({ activeId: null, queuedIds: [] })
  })

  test("K5 a run beyond the second waits behind the others, first come first served", () => {
    const under = park().given([offer("dlv_1"), offer("dlv_2"), offer("dlv_3"), end("dlv_1")])
    expect(runs(under)).toEqual({ activeId: "dlv_2", queuedIds: ["dlv_3"] })
  })

  test("K6 offline, its runs stay with it; switching twice changes nothing", () => {
    const under = park().given([offer("dlv_1"), offer("dlv_2"), tell("vehicle.went_offline")])
    expect(under.context("")["isOnline"]).toBe(false)
    expect(runs(under)).toEqual({ activeId: "dlv_1", queuedIds: ["dlv_2"] })
    expect(under.take(tell("vehicle.went_offline"))).toEqual({ type: "answered", value: { isRepeat: true } })
    under.given([tell("vehicle.went_online")])
    expect(under.context("")["isOnline"]).toBe(true)
  })

  test("K7 a sandbox's vehicle takes runs and tells them nothing", () => {
    const under = park({ isSynthetic: true }).given([offer("dlv_1"), offer("dlv_2"), end("dlv_1")])
    expect(runs(under)).toEqual({ activeId: "dlv_2", queuedIds: [] })
    expect(said(under)).toEqual([])
  })
})

describe("a vehicle on its way", () => {
  test("K8 each crossing is told to the active delivery once, in order", () => {
    const under = park().given([
      offer("dlv_1"),
      tell("store.approached"),
      atStore(),
      wait(LOAD_WAIT_MS),
      tell("load.reported"),
      gone(MINUTE_MS),
      tell("customer.reached"),
      tell("unload.reported"),
    ])
    expect(said(under)).toEqual([
      "dlv_1 vehicle.assigned",
      "dlv_1 store.approached",
      "dlv_1 store.reached",
      "dlv_1 load.awaited",
      "dlv_1 order.loaded",
      "dlv_1 store.left",
      "dlv_1 customer.reached",
      "dlv_1 order.unloaded",
    ])
    expect(under.state("")).toBe("idle")
  })

  test("K9 after 30 s at the store it waits for its load, to the millisecond", () => {
    const under = park().given([offer("dlv_1"), atStore(), wait(LOAD_WAIT_MS - 1)])
    expect(under.state("")).toBe("underway.at_store")
    under.given([wait(1)])
    expect(under.state("")).toBe("underway.waiting")
  })

  test("K9 the 30 s count from the vehicle's own report, however late it comes", () => {
    const late = park().given([offer("dlv_1"), wait(10 * SECOND_MS), atStore(0), wait(20 * SECOND_MS - 1)])
    expect(late.state("")).toBe("underway.at_store")
    expect(late.given([wait(1)]).state("")).toBe("underway.waiting")
    const veryLate = park().given([offer("dlv_1"), wait(DAY_MS), atStore(0), wait(0)])
    expect(veryLate.state("")).toBe("underway.waiting")
  })

  test("K10 a vehicle that is gone from the store within 30 s only passed by: the delivery hears nothing", () => {
    const under = park().given([offer("dlv_1"), atStore(), gone(29 * SECOND_MS), wait(DAY_MS)])
    expect(under.state("")).toBe("underway.approaching")
    expect(said(under)).toEqual(["dlv_1 vehicle.assigned", "dlv_1 store.reached"])
    under.given([atStore(DAY_MS), wait(LOAD_WAIT_MS)])
    expect(under.state("")).toBe("underway.waiting")
  })

  test("K11 one that stood there for 30 s by its own report has left, though the timer never rang", () => {
    const under = park().given([offer("dlv_1"), atStore(), gone(30 * SECOND_MS)])
    expect(under.state("")).toBe("underway.leaving")
    expect(said(under).at(-1)).toBe("dlv_1 store.left")
  })

  test("K12 unloading ends the run, and the next one begins in the same turn", () => {
    const under = park().given([
      offer("dlv_1"),
      offer("dlv_2"),
      tell("load.reported"),
      tell("customer.reached"),
      tell("unload.reported"),
    ])
    expect(said(under).at(-1)).toBe("dlv_1 order.unloaded")
    expect(runs(under)).toEqual({ activeId: "dlv_2", queuedIds: [] })
    expect(under.state("")).toBe("underway.assigned")
    // The delivery answers the same later: that run is known to be over.
    expect(under.take(end("dlv_1"))).toEqual({ type: "refused", code: "INVALID_STATE" })
    expect(runs(under)).toEqual({ activeId: "dlv_2", queuedIds: [] })
  })
})
