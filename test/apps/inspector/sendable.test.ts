/** Which events may be sent by hand: every event of every machine is decided about, and none that no machine has. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { GROUP_KINDS } from "../../../src/apps/inspector/http/list-page.ts"
import { decodeRequest } from "../../../src/model/values/schema.ts"
import { reasonAgainst, sendableTo } from "../../../src/apps/inspector/sendable.ts"

test("every machine is a group's root, to which the list can be narrowed, or a part of one", () => {
  const parts = ["bot", "courier-payment", "open-link", "runner-task"]
  const kinds = new Set(registeredMachines().map(({ id }) => id.slice(0, id.indexOf("@"))))
  expect([...GROUP_KINDS, ...parts].toSorted()).toEqual([...kinds].toSorted())
})

describe.each(registeredMachines())("$id", ({ id, machine }) => {
  const chart = chartOf(id, machine)
  const events = new Set(
    chart.edges.flatMap(({ kind, event }) => (kind === "event" && event !== null ? [event] : [])),
  )

  test("every event that it has is one to send, or has a reason why not", () => {
    const sendable = Object.keys(sendableTo(id))
    expect(
      [...events].filter((type) => !sendable.includes(type) && reasonAgainst(id, type) === null),
    ).toEqual([])
    expect([...events].filter((type) => sendable.includes(type) && reasonAgainst(id, type) !== null)).toEqual(
      [],
    )
    expect(sendable.filter((type) => !events.has(type))).toEqual([])
  })
})

test("what a machine keeps of an event that was sent is of the machine's own types", () => {
  const decoded = (machine: string, type: string, fields: object): unknown => {
    const schema = sendableTo(machine)[type]
    return schema === undefined ? null : Effect.runSync(decodeRequest(schema, fields))
  }
  const noon = "2026-03-02T18:00:00Z"
  expect(decoded("bot@1", "bot.arrived", { occurredAtMs: noon, etaMs: null })).toEqual({
    occurredAtMs: Date.parse(noon),
    etaMs: null,
  })
  expect(decoded("runner-task@1", "payload.measured", { measure: 7.5 })).toEqual({
    measure: { weightKg: 7.5, dimensionsCm: null },
  })
  expect(decoded("runner-task@1", "runner.assigned", { runnerId: null })).toEqual({ runnerId: null })
  expect(decoded("webhook-delivery@1", "call.failed", { attempt: 1, reason: "timeout" })).toEqual({
    attempt: 1,
    reason: "timeout",
  })
})
