/** Pages whose relative times follow the sandbox's clock. */

import { useEffect, useState } from "preact/hooks"
import { listenToMoves } from "./times.ts"

/** Draws the calling component again when the organization's clock moves against the browser's. */
export function useClockMoves(): void {
  const [, setDrawnMs] = useState(0)
  // The clock may have moved between the first drawing and this effect, so the effect begins with a drawing.
  useEffect(() => listenToMoves(setDrawnMs), [])
}
