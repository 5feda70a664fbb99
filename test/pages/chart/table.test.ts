import { describe, expect, test } from "vitest"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import {
  ignoredTable,
  stateTable,
  tablesOf,
  timerTable,
  transitionTable,
} from "../../../src/pages/chart/markdown-table.ts"
import { tollGate } from "./toll-gate.ts"
import { transitionsIn } from "./transitions-in.ts"

const chart = chartOf("toll-gate@1", tollGate)

function rowsOf(table: string): readonly string[] {
  return table.split("\n").slice(2)
}

function words(row: string): string {
  return row.replace(/ +/g, " ")
}

describe("the tables of a chart", () => {
  test("say in a row what a transition needs, where it goes and what it does", () => {
    const rows = rowsOf(transitionTable(chart)).map(words)
    expect(rows).toContain("| `closed` | `coin.inserted` | the coin is good | `opening` | |")
    expect(rows).toContain(
      "| `closed` | `coin.inserted` | otherwise | stays | light the lamp(color: amber). Bad coin; try again. |",
    )
    expect(rows).toContain("| `closed` | any other event | | `closed`, entered anew | |")
    expect(rows).toContain("| `closed` | `bell.pressed` | | stays | nothing |")
    expect(rows).toContain("| `toll-gate` itself | `bell.pressed` | | stays | ring |")
    expect(rows).toContain("| `open` | `both.set` | | `open.lamp.on` and `open.bar.shut` | |")
  })

  test("list each way that a timer may go", () => {
    expect(rowsOf(timerTable(chart)).map(words)).toEqual([
      "| `opening.raising` | bar time | (the coin is good) and (not (it rains)) | `opening.up` |",
      "| `opening.raising` | bar time | otherwise | `opening.raising` |",
      "| `open` | 9000 ms | | `closed` |",
    ])
  })

  test("give events that are ignored for one reason one row", () => {
    const table = ignoredTable({ closed: { a: "One reason.", b: "Another | reason.", c: "One reason." } })
    expect(rowsOf(table).map(words)).toEqual([
      "| `closed` | `a`, `c` | One reason. |",
      "| `closed` | `b` | Another \\| reason. |",
    ])
  })

  test("say so when there is nothing to list", () => {
    const untimed = { ...chart, edges: chart.edges.filter((edge) => edge.kind !== "after") }
    expect(timerTable(untimed)).toBe("None.")
    expect(ignoredTable({})).toBe("None.")
  })

  test("start with the counts", () => {
    expect(tablesOf(chart, {}).split("\n")[0]).toBe("Counts: 8 states, 8 events, 2 timers.")
  })
})

describe.each(registeredMachines())("the tables of $id", ({ id, machine, ignores }) => {
  const drawn = chartOf(id, machine)

  test("have a row for every transition, start and state", () => {
    const starts = drawn.nodes.filter((node) => node.type === "compound").length
    expect(rowsOf(transitionTable(drawn)).length).toBe(transitionsIn(machine.config) + starts)
    expect(rowsOf(stateTable(drawn)).length).toBe(drawn.nodes.length)
  })

  test("name every ignored event, each in a state of the machine", () => {
    const table = ignoredTable(ignores)
    const paths = drawn.nodes.map((node) => node.path)
    for (const [state, reasonByEvent] of Object.entries(ignores)) {
      expect(paths).toContain(state)
      for (const event of Object.keys(reasonByEvent)) expect(table).toContain(`\`${event}\``)
    }
  })

  test("have columns of one width", () => {
    for (const table of [transitionTable(drawn), stateTable(drawn)]) {
      expect(new Set(table.split("\n").map((line) => line.length)).size).toBe(1)
    }
  })
})
