/** The condition of a transition, as a phrase that completes the sentence "only if …". */

import type { ChartEdge } from "./chart-document.ts"

/** The guard; `otherwise` for an unguarded transition after guarded ones; null if there is no condition. */
export function conditionOf(edge: ChartEdge): string | null {
  if (edge.guard !== null) return edge.guard
  return edge.order > 0 ? "otherwise" : null
}
