/** Recognizes transitions that refuse: they answer their event with a code and change no state. */

import type { ChartEdge } from "./chart-document.ts"

/** Recognized by the names of its actions: names are imperatives, and those of refusing actions begin with "refuse". */
export function isRefusal({ internal, actions }: ChartEdge): boolean {
  return internal && actions.length > 0 && actions.every((action) => action.startsWith("refuse"))
}
