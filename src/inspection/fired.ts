/**
 * Which transitions of a chart a step took. A record tells the event and the states before and after, not the name of the
 * transition; the chart tells which transitions lead from the one to the other. Where guards alone decide between several,
 * all of them are given, and said to be uncertain.
 */

import type { ChartDocument, ChartEdge, ChartNode } from "../chart/document.ts"

export interface Fired {
  /** Ids of edges. */
  readonly edges: readonly string[]
  /** False where one of several was taken, and the record does not tell which. */
  readonly isCertain: boolean
}

export interface StepSeen {
  /** `@start`, or the event's type. */
  readonly event: string
  /** Active states before; empty at a start. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly did: "moved" | "handled" | "ignored" | "unknown"
}

/** Transitions without an event that may follow one another in a single step; more means a loop in the chart. */
const CHAIN_MAX = 10

const NOTHING: Fired = { edges: [], isCertain: true }

export function firedIn(chart: ChartDocument, seen: StepSeen): Fired {
  if (seen.did === "ignored") return NOTHING
  const nodes = new Map(chart.nodes.map((node) => [node.id, node]))
  const pathOf = (id: string): string => nodes.get(id)?.path ?? ""
  const isIn = (paths: readonly string[], id: string): boolean => {
    const path = pathOf(id)
    return path === "" || paths.includes(path)
  }
  if (seen.event === "@start") {
    const starts = chart.edges.filter((edge) => edge.kind === "initial" && isIn(seen.after, edge.source))
    const taken = starts.filter(
      (edge) => pathOf(edge.source) === "" || edge.targets.every((target) => isIn(seen.after, target)),
    )
    // The first state of all may have been left at once.
    const passed = taken.flatMap(({ targets }) => targets.filter((target) => !isIn(seen.after, target)))
    const follow = chained(chart, { after: seen.after, from: taken, reached: passed }, nodes)
    return { edges: [...taken, ...follow].map(idOf), isCertain: isOneEach(follow) }
  }
  const answers = chart.edges.filter((edge) => answersTo(edge, seen.event) && isIn(seen.before, edge.source))
  const hasMoved = seen.before.join(" ") !== seen.after.join(" ")
  const fitting = answers.filter((edge) =>
    edge.internal ? !hasMoved : edge.targets.every((target) => isIn(seen.after, target)),
  )
  const chosen = innermost(fitting.length > 0 ? fitting : answers, pathOf)
  // One that leaves nothing may still let an `always` pass, out of any state that was active.
  const reached = chosen.flatMap(({ internal, targets }) =>
    internal ? chart.nodes.filter(({ path }) => seen.before.includes(path)).map(({ id }) => id) : targets,
  )
  const follow = chained(chart, { after: seen.after, from: chosen, reached }, nodes)
  return { edges: [...chosen, ...follow].map(idOf), isCertain: isOneEach(chosen) && isOneEach(follow) }
}

/** A state takes one transition at a time. */
function isOneEach(edges: readonly ChartEdge[]): boolean {
  return new Set(edges.map((edge) => edge.source)).size === edges.length
}

function idOf(edge: ChartEdge): string {
  return edge.id
}

function answersTo(edge: ChartEdge, event: string): boolean {
  if (edge.event === event) return true
  if (edge.kind !== "wildcard" || edge.event === null) return false
  return edge.event === "*" || event.startsWith(edge.event.slice(0, -1))
}

/** The machine asks the innermost state first: a state's own answer keeps those of its ancestors from being asked. */
function innermost(edges: readonly ChartEdge[], pathOf: (id: string) => string): readonly ChartEdge[] {
  return edges.filter((edge) => {
    const path = pathOf(edge.source)
    return !edges.some((other) => isInside(pathOf(other.source), path))
  })
}

function isInside(inner: string, outer: string): boolean {
  return inner !== outer && (outer === "" || inner.startsWith(`${outer}.`))
}

interface Passed {
  readonly after: readonly string[]
  /** What the event itself fired. */
  readonly from: readonly ChartEdge[]
  /** Ids of the states from which something may follow. */
  readonly reached: readonly string[]
}

/** What followed without an event: starts of the states entered, `always` and `done`, as far as they end in active states. */
function chained(
  chart: ChartDocument,
  { after, from, reached: first }: Passed,
  nodes: ReadonlyMap<string, ChartNode>,
): readonly ChartEdge[] {
  const found: ChartEdge[] = []
  let reached = first
  for (let hop = 0; hop < CHAIN_MAX && reached.length > 0; hop += 1) {
    const next = chart.edges.filter(
      (edge) =>
        !found.includes(edge) &&
        !from.includes(edge) &&
        ["initial", "always", "done"].includes(edge.kind) &&
        !edge.internal &&
        reached.some(
          (id) => id === edge.source || (edge.kind !== "initial" && nodes.get(id)?.parent === edge.source),
        ) &&
        edge.targets.every((target) => after.includes(nodes.get(target)?.path ?? "")),
    )
    found.push(...next)
    reached = next.flatMap((edge) => edge.targets)
  }
  return found
}
