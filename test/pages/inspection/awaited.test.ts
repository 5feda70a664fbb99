/** What an actor waits for, by its chart: compared with what recorded runs were sent from outside and inside their groups. */

import { describe, expect, test } from "vitest"
import { registeredCharts } from "../../../src/pages/chart/registered-machine.ts"
import { awaitedBy, eventWords, isFromOwnGroup } from "../../../src/pages/inspection/awaited.ts"
import { machineKind } from "../../../src/pages/inspection/kinds.ts"
import { NONE, WAYS, at } from "../../../src/pages/inspection/run-index.ts"
import { groupOf } from "../../../src/model/address.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const charts = registeredCharts()

function awaited(kind: string, ...active: readonly string[]) {
  const chart = charts.findLast(({ id }) => id.startsWith(`${kind}@`))
  if (chart === undefined) throw new Error(`there is no machine ${kind}`)
  return awaitedBy(chart, active)
}

describe("an actor waits for", () => {
  test.each([
    ["runner-task", "open.handoff_ready", ["load.recorded", "open_link.retried"]],
    ["runner-task", "open.queued", ["runner.assigned"]],
    ["bot", "underway.ready", ["bot.secured", "bot.departed", "bot.aborted"]],
    ["runner-call", "ringing", ["runner.answered", "operator.withdrew"]],
    ["delivery", "open.arrived_at_customer", ["step.advanced", "order.unloaded"]],
    ["webhook-delivery", "waiting", []],
    ["webhook-endpoint", "enabled", []],
  ])("%s in %s: %j", (kind, state, events) => {
    const [outer = ""] = state.split(".")
    expect(awaited(kind, outer, state).next).toEqual(events)
  })

  test("events of outer states at any time, as well as those that keep the state, and never a refusal", () => {
    const confirmed = awaited("reservation", "open", "open.confirmed")
    expect(confirmed).toEqual({ next: [], atAnyTime: ["window.moved", "cancel.requested"] })
    expect(awaited("runner-task", "open", "open.queued").atAnyTime).toEqual([
      "exception.raised",
      "exception.cleared",
    ])
    expect(awaited("reservation", "canceled")).toEqual({ next: [], atAnyTime: [] })
  })

  test("words of events, without the name of the actor that takes them", () => {
    expect(eventWords("bot", ["bot.secured", "bot.departed", "bot.aborted"])).toBe(
      "secured, departed or aborted",
    )
    expect(eventWords("runner-task", ["load.recorded", "open_link.retried"])).toBe(
      "load recorded or open link retried",
    )
    expect(eventWords("delivery", ["order.loaded"])).toBe("order loaded")
    expect(eventWords("delivery", [])).toBe("")
    expect(eventWords("", ["a.b", "c", "d", "e", "f"])).toBe("a b, c, d or 2 more")
  })
})

test("events from the own group are those that recorded runs sent inside their groups", async () => {
  const inside = new Set<string>()
  const outside = new Set<string>()
  const names = [
    "reservations/the-open-link-fails-three-times",
    "reservations/canceled-while-the-runner-holds-the-order",
    "reservations/the-bot-aborts-before-it-is-secured",
    "reservations/every-bot-status-is-skipped",
    "courier/an-errand-to-the-door",
    "courier/a-payment-is-declined",
    "courier/cancelled-at-the-curb",
  ]
  for (const name of names) {
    const { index } = recorded(runScenario(await scenarioNamed(name))).run
    for (const [step, actor] of index.stepActor.entries()) {
      const one = index.actors[actor]
      const event = index.words[at(index.stepEvent, step)] ?? ""
      if (one === undefined || event === "@start" || /^(?:xstate|call)\./.test(event)) continue
      const sender = index.actors[at(index.stepFrom, step)]
      const row = at(index.stepRow, step)
      const isInput = at(index.firstStep, row) === step && WAYS[at(index.by, row)] === "command"
      const isInside = sender !== undefined && groupOf(sender.address) === groupOf(one.address)
      if (isInside) inside.add(`${machineKind(one)} ${event}`)
      else if (isInput && at(index.cause, row) === NONE) outside.add(`${machineKind(one)} ${event}`)
    }
  }
  const isKnown = (text: string): boolean => {
    const [kind = "", event = ""] = text.split(" ")
    return isFromOwnGroup(kind, event)
  }
  expect(inside.size).toBeGreaterThan(12)
  expect(outside.size).toBeGreaterThan(12)
  expect([...inside].filter((text) => !isKnown(text))).toEqual([])
  expect([...outside].filter(isKnown)).toEqual([])
})
