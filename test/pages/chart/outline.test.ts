import { describe, expect, test } from "vitest"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { outlineOf } from "../../../src/pages/chart/outline.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { tollGate } from "./toll-gate.ts"

describe("the outline of a chart", () => {
  test("reads as sentences under the states that they belong to", () => {
    expect(outlineOf(chartOf("toll-gate@1", tollGate)).split("\n").slice(0, 14)).toEqual([
      "toll-gate@1: 8 states, 8 events, 2 timers",
      "toll-gate (machine): Lets cars pass: for a coin.",
      "  - starts in closed",
      "  - power.cut: goes to out of order",
      "  - bell.pressed: stays; ring",
      "  closed (resting): The bar is down.",
      "    - on entry: count the car",
      "    - on entry: light the lamp(color: red)",
      "    - on exit: ring",
      "    - coin.inserted, only if the coin is good: goes to opening",
      "    - coin.inserted, otherwise: stays; light the lamp(color: amber). Bad coin; try again.",
      "    - coin.returned: goes to closed",
      "    - door.*: stays; ring",
      "    - any other event: enters anew closed",
    ])
  })

  test.each(registeredMachines())(
    "of $id has a line for every state and everything that it does",
    ({ id, machine }) => {
      const chart = chartOf(id, machine)
      const facts = chart.nodes.flatMap((node) => [...node.entry, ...node.exit, ...node.invoke])
      const lines = outlineOf(chart).trimEnd().split("\n")
      expect(lines.length).toBe(1 + chart.nodes.length + facts.length + chart.edges.length)
    },
  )
})
