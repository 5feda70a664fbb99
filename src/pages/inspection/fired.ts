/**
 * Which transitions of a chart a step took. A record has the event and the states before and after, but not the
 * transition; the chart shows which transitions connect them. If only guards decide between several, all of them are
 * returned, marked as uncertain.
 */

import type { ChartDocument, ChartEdge, ChartNode } from "../chart/chart-document.ts"

export interface Fired {
  /** Ids of transitions. */
  readonly edges: readonly string[]
  /** False when one of several was taken, and the record does not show which. */
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

/** Kinds of transitions without an event. */
const FOLLOWING: readonly ChartEdge["kind"][] = ["initial", "always", "done"]

const NOTHING: Fired = { edges: [], isCertain: true }

export function firedIn(chart: ChartDocument, seen: StepSeen): Fired {
  if (seen.did === "ignored") return NOTHING
  const onward = new Onward(chart, seen.after)
  if (seen.event === "@start") {
    const follow = onward.fromAll(chart.nodes.filter(({ path }) => path === "").map(idOf))
    return { edges: (follow ?? []).map(idOf), isCertain: follow !== null && onward.isCertain(follow) }
  }
  const pathOf = (id: string): string => onward.nodes.get(id)?.path ?? ""
  const answers = chart.edges.filter((edge) => {
    const path = pathOf(edge.source)
    return answersTo(edge, seen.event) && (path === "" || seen.before.includes(path))
  })
  const before = chart.nodes.filter((node) => isLeaf(node) && seen.before.includes(node.path)).map(idOf)
  const followOf = new Map<ChartEdge, readonly ChartEdge[]>()
  for (const edge of answers) {
    // An internal transition may still enable an `always` of any active state.
    const follow = onward.fromAll(edge.internal ? before : edge.targets)
    if (follow !== null) followOf.set(edge, follow)
  }
  const chosen = innermost(followOf.size > 0 ? [...followOf.keys()] : answers, pathOf)
  const follow = [...new Set(chosen.flatMap((edge) => followOf.get(edge) ?? []))]
  const isExplained = chosen.every((edge) => followOf.has(edge))
  return {
    edges: [...chosen, ...follow].map(idOf),
    isCertain: isExplained && isOneEach(chosen) && onward.isCertain(follow),
  }
}

/** True when each state has at most one transition. */
function isOneEach(edges: readonly ChartEdge[]): boolean {
  return new Set(edges.map((edge) => edge.source)).size === edges.length
}

function idOf({ id }: ChartEdge | ChartNode): string {
  return id
}

function isLeaf({ type }: ChartNode): boolean {
  return type === "atomic" || type === "final"
}

function answersTo(edge: ChartEdge, event: string): boolean {
  if (edge.event === event) return true
  if (edge.kind !== "wildcard" || edge.event === null) return false
  return edge.event === "*" || event.startsWith(edge.event.slice(0, -1))
}

/** The machine checks the innermost state first: a state's own transition hides those of its ancestors. */
function innermost(edges: readonly ChartEdge[], pathOf: (id: string) => string): readonly ChartEdge[] {
  return edges.filter((edge) => {
    const path = pathOf(edge.source)
    return !edges.some((other) => isInside(pathOf(other.source), path))
  })
}

function isInside(inner: string, outer: string): boolean {
  return inner !== outer && (outer === "" || inner.startsWith(`${outer}.`))
}

/**
 * Follows transitions without events from entered states: initial, `always` and `done`, until active states are
 * reached.
 */
class Onward {
  readonly nodes: ReadonlyMap<string, ChartNode>
  readonly #edges: readonly ChartEdge[]
  readonly #after: readonly string[]
  /** Each is one of several possible transitions of a state. */
  readonly #forks = new Set<ChartEdge>()
  readonly #known = new Map<string, readonly ChartEdge[] | null>()

  constructor({ nodes, edges }: ChartDocument, after: readonly string[]) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]))
    this.#edges = edges.filter(({ kind, internal }) => FOLLOWING.includes(kind) && !internal)
    this.#after = after
  }

  /** Null if one of the states does not lead to an active one. */
  fromAll(ids: readonly string[]): readonly ChartEdge[] | null {
    const found = new Set<ChartEdge>()
    for (const id of ids) {
      const follow = this.#from(id)
      if (follow === null) return null
      for (const edge of follow) found.add(edge)
    }
    return [...found]
  }

  isCertain(follow: readonly ChartEdge[]): boolean {
    return !follow.some((edge) => this.#forks.has(edge))
  }

  #from(id: string): readonly ChartEdge[] | null {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    // A state that is met again is part of a cycle.
    this.#known.set(id, null)
    const node = this.nodes.get(id)
    const found = node === undefined ? null : this.#fromNode(node)
    this.#known.set(id, found)
    return found
  }

  #fromNode(node: ChartNode): readonly ChartEdge[] | null {
    // The record does not show where a history state leads.
    if (node.type === "history" || (isLeaf(node) && this.#isActive(node))) return []
    if (node.type === "parallel")
      return this.fromAll([...this.nodes.values()].filter(({ parent }) => parent === node.id).map(idOf))
    const ways = this.#edges.flatMap((edge) => {
      const follow = this.#isNext(edge, node) ? this.fromAll(edge.targets) : null
      return follow === null ? [] : [[edge, ...follow]]
    })
    if (ways.length > 1) for (const [edge] of ways) if (edge !== undefined) this.#forks.add(edge)
    return ways.length === 0 ? null : ways.flat()
  }

  #isActive({ path }: ChartNode): boolean {
    return path === "" || this.#after.includes(path)
  }

  #isNext({ kind, source, event }: ChartEdge, node: ChartNode): boolean {
    if (node.type === "compound") return kind === "initial" && source === node.id
    if (kind === "done") return node.type === "final" && event === `xstate.done.state.${node.parent}`
    const path = this.nodes.get(source)?.path ?? ""
    return kind === "always" && (source === node.id || isInside(node.path, path))
  }
}
