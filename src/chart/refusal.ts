/** Which transitions say no: their event is answered with a code, and nothing moves. */

import type { ChartEdge } from "./document.ts"

/** By the names of its actions: they are imperatives, and those that refuse begin so. */
export function isRefusal({ internal, actions }: ChartEdge): boolean {
  return internal && actions.length > 0 && actions.every((action) => action.startsWith("refuse"))
}
