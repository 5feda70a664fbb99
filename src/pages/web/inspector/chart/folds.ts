/** Which states of a chart are folded: by the moment, all, or none, with what the reader has opened or closed. */

import type { ChartDocument } from "../../../chart/chart-document.ts"
import { foldableIds } from "../../../chart/folding.ts"
import type { ActorMoment } from "../actor-moment.ts"

export const FOLDINGS = ["automatic", "all", "none"] as const
export type Folding = (typeof FOLDINGS)[number]

/** True for a state that the reader has folded, false for one that was opened. */
export type FoldsByHand = ReadonlyMap<string, boolean>

interface FoldedBy {
  readonly moment: Pick<ActorMoment, "active" | "fired">
  readonly folding: Folding
  readonly byHand: FoldsByHand
}

/** Automatic folds leave the active path open, and both ends of the transitions that have just fired. */
export function foldedIds(chart: ChartDocument, { moment, folding, byHand }: FoldedBy): ReadonlySet<string> {
  const open = folding === "automatic" ? openIds(chart, moment) : new Set()
  return new Set(foldableIds(chart).filter((id) => byHand.get(id) ?? (folding !== "none" && !open.has(id))))
}

function openIds(
  { nodes, edges }: ChartDocument,
  { active, fired }: Pick<ActorMoment, "active" | "fired">,
): ReadonlySet<string> {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]))
  const open = new Set(nodes.filter(({ path }) => active.includes(path)).map(({ id }) => id))
  const ends = edges
    .filter(({ id }) => fired.edges.includes(id))
    .flatMap(({ source, targets }) => [source, ...targets])
  for (const end of ends)
    for (let id: string | null = end; id !== null; id = parents.get(id) ?? null) open.add(id)
  return open
}
