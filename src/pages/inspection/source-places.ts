/** Places in source files: of a machine's states and transitions, and of a scenario's steps. */

import type { ChartEdge } from "../chart/chart-document.ts"
import { conditionOf } from "../chart/condition.ts"
import type { ChartPicture } from "./packed.ts"
import { NONE, at } from "./run-index.ts"
import type { IndexedMark, RunIndex } from "./run-index.ts"

/** A file from the root of the project, and where in it. Lines and columns count from 1. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number | null
}

export interface NamedPlace extends SourcePlace {
  /** The state or the transition that is written there. */
  readonly name: string
}

/** `machines/reservation.ts:120`, with its column if it has one. */
export function placeText({ file, line, column }: SourcePlace): string {
  return column === null ? `${file}:${line}` : `${file}:${line}:${column}`
}

/** Of states and transitions, by their ids in the chart; empty for a chart whose source is not known. */
export function placesOf(
  { chart, lines }: Pick<ChartPicture, "chart" | "lines">,
  ids: readonly string[],
): readonly NamedPlace[] {
  if (lines === null) return []
  const placeAt = (name: string, line: number | undefined): readonly NamedPlace[] =>
    line === undefined ? [] : [{ name, file: lines.file, line, column: null }]
  return ids.flatMap((id) => {
    const edge = chart.edges.findIndex((one) => one.id === id)
    const found = chart.edges[edge]
    if (found !== undefined) return placeAt(transitionName(found), lines.edges[edge])
    const node = chart.nodes.findIndex((one) => one.id === id)
    return placeAt(chart.nodes[node]?.path || chart.id, lines.nodes[node])
  })
}

/** `open_link.failed, if access_failed is flagged`: candidates of one event differ in their condition. */
function transitionName(edge: ChartEdge): string {
  const condition = conditionOf(edge)
  if (condition === null) return edge.label
  return `${edge.label}, ${condition === "otherwise" ? condition : `if ${condition}`}`
}

/** The place in a mark: `scenarios/late.yaml:21:5`. Null for another text. */
export function markedPlace(src: string | null): SourcePlace | null {
  const parts = /^(.+):(\d{1,7}):(\d{1,7})$/.exec(src ?? "")
  if (parts === null) return null
  return { file: parts[1] ?? "", line: Number(parts[2]), column: Number(parts[3]) }
}

/** The scenario's step that gave a command. Its mark follows its entries, at the same instant. */
export function stepBehind(index: RunIndex, row: number): IndexedMark | null {
  const own = index.marks.find((mark) => mark.row === row)
  if (own !== undefined) return own.src === null ? null : own
  const isCommand = at(index.by, row) === 0 && at(index.cause, row) === NONE
  if (!isCommand) return null
  const later = index.marks.filter(
    ({ row: place, src }) => place > row && src !== null && at(index.t, place) === at(index.t, row),
  )
  const isStep = ({ level, text }: IndexedMark): boolean =>
    level === "step" || text.includes(" is refused with ")
  return later.find(isStep) ?? later.find(({ level }) => level === "fail") ?? null
}
