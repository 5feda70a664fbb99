/** The playhead for what is read, not watched: it follows a few times a second, and at once when it is moved. */

import { useEffect, useState } from "preact/hooks"
import type { Playing } from "./playback.ts"
import type { Player } from "./player.ts"

/** ms of wall time; a sentence that changes faster cannot be read. */
export const WORDS_EVERY_MS = 1000
export const NUMBERS_EVERY_MS = 200

export function useSlowly(player: Player, everyMs: number): Playing {
  const [seen, setSeen] = useState(player.playing)
  useEffect(() => {
    let lastMs = -Infinity
    let timer: number | undefined
    let isPlaying = false
    const take = (): void => {
      lastMs = performance.now()
      timer = undefined
      setSeen(player.playing)
    }
    const end = player.listen((playing) => {
      const isMoved = !playing.isPlaying || !isPlaying
      isPlaying = playing.isPlaying
      if (isMoved || performance.now() - lastMs >= everyMs) {
        window.clearTimeout(timer)
        take()
      } else timer ??= window.setTimeout(take, everyMs)
    })
    return () => {
      end()
      window.clearTimeout(timer)
    }
  }, [player, everyMs])
  return seen
}
