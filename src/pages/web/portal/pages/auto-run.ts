/** Advancing in the sandbox: one step, or all that are left with a pause after each. */

import type { Command } from "../../resource.ts"
import { useCommand } from "../../resource.ts"

/** ms between two steps that run by themselves, long enough to read them */
const PAUSE_MS = 1500

export interface AutoRun {
  readonly one: Command
  readonly auto: Command
}

/** `steps`: how many are left. */
export function useAutoRun(advance: () => Promise<void>, steps: number): AutoRun {
  const one = useCommand(advance)
  const auto = useCommand(async () => {
    for (let left = steps; left > 0; left -= 1) {
      await advance()
      await new Promise((resolve) => void window.setTimeout(resolve, PAUSE_MS))
    }
  })
  return { one, auto }
}
