/**
 * A chart in which some states that have states inside are folded into one box each. Transitions between the same two
 * boxes are one arrow; those inside a fold, and those that stay in a state, are counted at their box.
 */

import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"

export interface FoldedNode {
  readonly node: ChartNode
  readonly isFolded: boolean
  /** The innermost states inside; 0 for a state without any. */
  readonly states: number
  /** Ids of the transitions that stay in this state. */
  readonly stays: readonly string[]
  /** Ids of the transitions inside the fold; empty for a state that is not folded. */
  readonly inside: readonly string[]
}

export interface FoldedArrow {
  /** Ids of the transitions that it stands for. */
  readonly ids: readonly string[]
  readonly source: string
  readonly target: string
  /** Their labels, each once. */
  readonly labels: readonly string[]
  /** From the dot of a state to the state in which it begins. */
  readonly isInitial: boolean
}

/** Nodes are in the chart's order, so parents are before children. */
export interface FoldedChart {
  readonly nodes: readonly FoldedNode[]
  readonly arrows: readonly FoldedArrow[]
}

/** Ids of the states that can be folded: those with states inside, except for the machine itself. */
export function foldableIds({ nodes }: ChartDocument): readonly string[] {
  const parents = new Set(nodes.map(({ parent }) => parent))
  return nodes.filter(({ id, parent }) => parent !== null && parents.has(id)).map(({ id }) => id)
}

/** `folded` has ids of states; others than those of `foldableIds` change nothing. */
export function foldedChart(chart: ChartDocument, folded: ReadonlySet<string>): FoldedChart {
  const folds = new Set(foldableIds(chart).filter((id) => folded.has(id)))
  const placeOf = placesIn(chart, folds)
  const stays = new Map<string, string[]>()
  const inside = new Map<string, string[]>()
  const ways: Way[] = []
  for (const edge of chart.edges) {
    const source = placeOf(edge.source)
    const targets = new Set(edge.targets.map(placeOf))
    targets.delete(source)
    for (const target of targets) ways.push({ edge, source, target })
    if (targets.size > 0) continue
    const list = folds.has(source) ? inside : stays
    list.set(source, [...(list.get(source) ?? []), edge.id])
  }
  return {
    nodes: chart.nodes
      .filter(({ id }) => placeOf(id) === id)
      .map((node) => ({
        node,
        isFolded: folds.has(node.id),
        states: leavesIn(chart, node.id),
        stays: stays.get(node.id) ?? [],
        inside: inside.get(node.id) ?? [],
      })),
    arrows: merged(ways),
  }
}

interface Way {
  readonly edge: ChartEdge
  readonly source: string
  readonly target: string
}

function merged(ways: readonly Way[]): readonly FoldedArrow[] {
  const groups = Map.groupBy(
    ways,
    ({ edge, source, target }) => `${edge.kind === "initial"}\n${source}\n${target}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { source, target } = first
    const isInitial = first.edge.kind === "initial"
    const labels = isInitial ? [] : [...new Set(group.map(({ edge }) => edge.label))]
    return [{ ids: group.map(({ edge }) => edge.id), source, target, labels, isInitial }]
  })
}

/** The box of each state: its outermost fold, or itself. */
function placesIn({ nodes }: ChartDocument, folds: ReadonlySet<string>): (id: string) => string {
  const places = new Map<string, string>()
  for (const { id, parent } of nodes) {
    const above = parent === null ? id : (places.get(parent) ?? parent)
    const isHidden = above !== parent || folds.has(above)
    places.set(id, parent !== null && isHidden ? above : id)
  }
  return (id) => places.get(id) ?? id
}

/** States without states inside; history is none. */
function leavesIn({ nodes }: Pick<ChartDocument, "nodes">, id: string): number {
  const children = nodes.filter(({ parent }) => parent === id)
  const counts = children.map((child) => {
    if (child.type === "compound" || child.type === "parallel") return leavesIn({ nodes }, child.id)
    return child.type === "history" ? 0 : 1
  })
  return counts.reduce((sum, count) => sum + count, 0)
}
