import { describe, expect, test } from "vitest"
import type { AnyStateMachine } from "xstate"
import { createMachine } from "xstate"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { LayoutFailed, layoutOf } from "../../../src/pages/chart/layout.ts"
import type { Box } from "../../../src/pages/chart/box.ts"
import { newestNamed, registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { svgOf } from "../../../src/pages/chart/svg.ts"
import { tollGate } from "./toll-gate.ts"
import { transitionsIn } from "./transitions-in.ts"

const drawn = [{ id: "toll-gate@1", machine: tollGate as AnyStateMachine }, ...registeredMachines()]

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  )
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((a, index) => items.slice(index + 1).map((b) => [a, b] as const))
}

/** Element names still open at the end, or a closing tag that closes something else. */
function unbalanced(svg: string): readonly string[] {
  const open: string[] = []
  for (const [, close, name = "", rest = ""] of svg.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
    if (close === "/") {
      if (open.pop() !== name) return [...open, `</${name}>`]
    } else if (!rest.endsWith("/")) open.push(name)
  }
  return open
}

describe.each(drawn)("the picture of $id", async ({ id, machine }) => {
  const chart = chartOf(id, machine)
  const layout = await layoutOf(chart)
  const svg = svgOf(chart, layout)
  const places = new Map(layout.nodes.map((place) => [place.id, place.box]))

  test("draws every transition and every start once", () => {
    const edges = [...svg.matchAll(/data-edge="([^"]+)"/g)].map((found) => found[1])
    expect(new Set(edges).size).toBe(edges.length)
    const starts = chart.nodes.filter((node) => node.type === "compound").length
    expect(edges).toHaveLength(transitionsIn(machine.config) + starts)
    expect(layout.starts).toHaveLength(starts)
  })

  test("draws every state once, inside its parent and apart from its siblings", () => {
    const nodes = [...svg.matchAll(/data-node="([^"]+)"/g)].map((found) => found[1])
    expect(nodes).toEqual(chart.nodes.map((node) => node.id))
    for (const [a, b] of pairs(chart.nodes)) {
      const [boxA, boxB] = [places.get(a.id), places.get(b.id)]
      if (boxA === undefined || boxB === undefined) throw new Error(`${a.id} or ${b.id} has no place`)
      if (b.parent === a.id) expect([b.id, isWithin(boxB, boxA)]).toEqual([b.id, true])
      if (a.parent === b.parent) expect([a.id, b.id, overlap(boxA, boxB)]).toEqual([a.id, b.id, false])
    }
  })

  test("keeps labels off each other and off the states without states inside", () => {
    const labels = layout.edges.flatMap(({ label }) => (label === null ? [] : [label.box]))
    const parents = new Set(chart.nodes.map((node) => node.parent))
    const leaves = layout.nodes.filter((place) => !parents.has(place.id)).map((place) => place.box)
    expect(pairs(labels).filter(([a, b]) => overlap(a, b))).toEqual([])
    expect(labels.filter((label) => leaves.some((leaf) => overlap(label, leaf)))).toEqual([])
  })

  test("is well-formed and refers to nothing outside", () => {
    expect(unbalanced(svg)).toEqual([])
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\(|href|<script/)
  })
})

describe("pictures", () => {
  test.each(registeredMachines())("of $id stays as it was kept", async ({ id, machine }) => {
    const chart = chartOf(id, machine)
    const [name = "", version] = id.split("@")
    const isNewest = newestNamed(name, registeredMachines())?.id === id
    const file = `pictures/${isNewest ? name : `${name}-${version}`}.svg`
    await expect(svgOf(chart, await layoutOf(chart))).toMatchFileSnapshot(file)
  })

  test("escape what a name may hold", async () => {
    const machine = createMachine({
      id: "names",
      description: 'a "b" <c> & d',
      initial: "idle",
      states: { idle: { on: { "a<b>&c": "idle" } } },
    })
    const chart = chartOf("names@1", machine)
    const svg = svgOf(chart, await layoutOf(chart))
    expect(svg).toContain("a &quot;b&quot; &lt;c&gt; &amp; d")
    expect(svg).toContain(">a&lt;b&gt;&amp;c</text>")
    expect(unbalanced(svg)).toEqual([])
  })

  test("say which chart could not be laid out", async () => {
    const chart = chartOf("any@1", tollGate)
    const [first, ...rest] = chart.edges.filter((edge) => edge.targets.length > 0)
    if (first === undefined) throw new Error("the toll gate has no arrow")
    const broken = { ...chart, edges: [{ ...first, targets: ["nowhere"] }, ...rest] }
    const failed = layoutOf(broken)
    await expect(failed).rejects.toBeInstanceOf(LayoutFailed)
    await expect(failed).rejects.toThrow("any@1")
  })
})
