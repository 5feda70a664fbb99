/** The lines at which machines are written: as the generator finds them, and at the words that a reader looks for. */

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { machineLinesText } from "../../../src/cli/generate/machine-lines.ts"
import type { ChartEdge } from "../../../src/pages/chart/chart-document.ts"
import { sourceLinesOf } from "../../../src/pages/chart/machine-lines.ts"
import { registeredCharts } from "../../../src/pages/chart/registered-machine.ts"

const ROOT = new URL("../../../", import.meta.url)
const charts = registeredCharts()

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

test("the generated lines are those of the machines as they are now", async () => {
  expect(textOf("src/pages/chart/machine-lines.json")).toBe(await machineLinesText())
})

/** Words of which a transition's own place has one: its event, or as one of several candidates its condition or end. */
function wordsOf({ delay, event, kind, guard, targets, actions }: ChartEdge): readonly string[] {
  const ends = targets.map((target) => target.split(".").at(-1) ?? "")
  const named = [guard, ...actions].map((name) => (name ?? "").replace(/\(.*/, ""))
  return [delay ?? event ?? kind, ...named, ...ends].filter(Boolean)
}

/** The lines of one transition are a few, and begin where it is said to be. */
const TRANSITION_LINES = 8

test.each(charts.map((chart) => [chart.id, chart] as const))(
  "each state and transition of %s stands at its line",
  (_, chart) => {
    const lines = sourceLinesOf(chart)
    if (lines === null) throw new Error("the chart has no lines")
    const text = textOf(lines.file).split("\n")
    expect([lines.nodes.length, lines.edges.length]).toEqual([chart.nodes.length, chart.edges.length])
    expect(text[(lines.nodes[0] ?? 0) - 1]).toContain("createMachine(")
    for (const [place, { key }] of chart.nodes.entries())
      if (place > 0) expect(text[(lines.nodes[place] ?? 0) - 1]).toMatch(new RegExp(`^\\s*"?${key}"?:`))
    for (const [place, edge] of chart.edges.entries()) {
      const line = lines.edges[place] ?? 0
      const own = text.slice(line - 1, line - 1 + TRANSITION_LINES).join("\n")
      const isShared = /^\s*(?:\.\.\.\w+\(.*\)|\w+),$/.test(text[line - 1] ?? "")
      expect(
        isShared || wordsOf(edge).some((word) => own.includes(word)),
        `${edge.id} at ${line}: ${own}`,
      ).toBe(true)
    }
  },
)

test("candidates of one event have places of their own", () => {
  const chart = charts.find(({ id }) => id === "runner-task@1")
  const lines = chart === undefined ? null : sourceLinesOf(chart)
  const found = chart?.edges.flatMap(({ event, source }, place) =>
    event === "open_link.retried" && source === "runner-task.open.handoff_ready" ? [lines?.edges[place]] : [],
  )
  expect(found).toHaveLength(3)
  expect(new Set(found).size).toBe(3)
})

test("a chart of another version of the program has no lines", () => {
  const [chart] = charts
  if (chart === undefined) throw new Error("there is no machine")
  expect(sourceLinesOf({ ...chart, description: "As it was." })).toBeNull()
  expect(sourceLinesOf({ ...chart, id: "toll-gate@1" })).toBeNull()
})
