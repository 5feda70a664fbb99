import { describe, expect, test } from "vitest"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import type { ChartEdge } from "../../../src/pages/chart/chart-document.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { tollGate } from "./toll-gate.ts"
import { transitionsIn } from "./transitions-in.ts"

const chart = chartOf("toll-gate@1", tollGate)

/** Written by hand from toll-gate.ts: source, kind, label, guard, targets, actions, then r for reenter. */
const BY_HAND = [
  "toll-gate | initial | initially | - | closed | -",
  "toll-gate | event | power.cut | - | out of order | -",
  "toll-gate | event | bell.pressed | - | stays | ring",
  "closed | event | coin.inserted | the coin is good | opening | -",
  "closed | event | coin.inserted | - | stays | light the lamp(color: amber)",
  "closed | event | coin.returned | - | closed | -",
  "closed | wildcard | door.* | - | stays | ring",
  "closed | wildcard | any other event | - | closed | - | r",
  "closed | event | bell.pressed | - | stays | -",
  "opening | initial | initially | - | opening.raising | -",
  "opening | always | always | at least(cars: 1000) | out of order | -",
  "opening | done | done | - | open | -",
  "opening | done | done: read the plate | - | stays | count the car",
  "opening | error | error: read the plate | - | out of order | -",
  "opening.raising | after | after bar time | (the coin is good) and (not (it rains)) | opening.up | -",
  "opening.raising | after | after bar time | - | opening.raising | -",
  "open | event | both.set | - | open.lamp.on & open.bar.shut | -",
  "open | after | after 9000 ms | - | closed | -",
  "open.lamp | initial | initially | - | open.lamp.off | -",
  "open.lamp.off | event | lamp.lit | - | open.lamp.on | -",
  "open.bar | initial | initially | - | open.bar.wide | -",
  "open.bar | event | bar.restored | - | open.bar.memory | -",
  "open.bar.wide | event | bar.lowered | - | open.bar.shut | -",
  "open.bar.memory | history | without a history | - | open.bar.shut | -",
]

function rowOf(edge: ChartEdge): string {
  const place = (id: string) => id.replace(/^toll-gate\./, "")
  const targets = edge.internal ? "stays" : edge.targets.map(place).join(" & ")
  const cells = [
    place(edge.source),
    edge.kind,
    edge.label,
    edge.guard ?? "-",
    targets,
    edge.actions.join("; ") || "-",
  ]
  return [...cells, ...(edge.reenter ? ["r"] : [])].join(" | ")
}

describe("a chart document", () => {
  test("has every kind of transition of a machine once, in source order", () => {
    expect(chart.edges.map(rowOf)).toEqual(BY_HAND)
  })

  test("has every state with its kind, parents before children", () => {
    expect(chart.nodes.map((node) => `${node.path} ${node.type}`)).toEqual([
      " compound",
      "closed atomic",
      "opening compound",
      "opening.raising atomic",
      "opening.up final",
      "open parallel",
      "open.lamp compound",
      "open.lamp.off atomic",
      "open.lamp.on atomic",
      "open.lamp.last history",
      "open.bar compound",
      "open.bar.wide atomic",
      "open.bar.shut atomic",
      "open.bar.memory history",
      "out of order final",
    ])
  })

  test("tells what a state does, carries and means", () => {
    expect(chart.nodes.find((node) => node.key === "closed")).toEqual({
      id: "toll-gate.closed",
      path: "closed",
      key: "closed",
      type: "atomic",
      parent: "toll-gate",
      initial: null,
      history: null,
      entry: ["count the car", "light the lamp(color: red)"],
      exit: ["ring"],
      invoke: [],
      tags: ["resting"],
      description: "The bar is down.",
    })
    expect(chart.nodes.find((node) => node.key === "memory")?.history).toBe("deep")
    expect(chart.nodes.find((node) => node.key === "last")?.history).toBe("shallow")
    expect(chart.nodes.find((node) => node.key === "opening")?.invoke).toEqual(["read the plate"])
  })

  test("never shows the raise and cancel that XState adds for a timer", () => {
    const raising = chart.nodes.find((node) => node.key === "raising")
    expect([raising?.entry, raising?.exit]).toEqual([[], []])
  })

  test("names the delay of a timer and the event that the machine receives for it", () => {
    const timer = chart.edges.find((edge) => edge.kind === "after")
    expect(timer?.delay).toBe("bar time")
    expect(timer?.event).toBe("xstate.after.bar time.toll-gate.opening.raising")
  })

  test("is plain JSON and the same on every reading", () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart)
    expect(chartOf("toll-gate@1", tollGate)).toEqual(chart)
  })
})

describe.each(registeredMachines())("the chart of $id", ({ id, machine }) => {
  const { nodes, edges } = chartOf(id, machine)

  test("has every transition of the machine", () => {
    const drawn = edges.filter((edge) => edge.kind !== "initial")
    expect(drawn.length).toBe(transitionsIn(machine.config))
    expect(edges.length - drawn.length).toBe(nodes.filter((node) => node.type === "compound").length)
  })

  test("has ids that are unique and name nodes", () => {
    const known = new Set(nodes.map((node) => node.id))
    expect(known.size).toBe(nodes.length)
    expect(new Set(edges.map((edge) => edge.id)).size).toBe(edges.length)
    for (const edge of edges)
      expect([edge.source, ...edge.targets].filter((each) => !known.has(each))).toEqual([])
  })

  test("names every action and guard", () => {
    const names = [
      ...nodes.flatMap((node) => [...node.entry, ...node.exit]),
      ...edges.flatMap((edge) => [...edge.actions, ...(edge.guard === null ? [] : [edge.guard])]),
    ]
    expect(names.filter((name) => /^(assign|emit|enqueueActions|raise|unnamed)$/.test(name))).toEqual([])
  })

  test("asks no candidate behind one that is always taken", () => {
    const behind = edges.filter((edge) =>
      edges.some(
        (other) =>
          other.source === edge.source &&
          other.kind === edge.kind &&
          other.event === edge.event &&
          other.guard === null &&
          other.order < edge.order,
      ),
    )
    expect(behind.map((edge) => edge.id)).toEqual([])
  })

  test("describes every state", () => {
    expect(nodes.filter((node) => node.description === null).map((node) => node.id)).toEqual([])
  })
})
