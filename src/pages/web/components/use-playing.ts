/** Plays the entries of a run: its own time at a multiple of its speed, over quiet time at once where the reader wants that. */

import { useEffect, useRef } from "preact/hooks"

const TICK_MS = 50
/** A longer wait for the next entry is passed over. Unit: ms of the page. */
const WAIT_MS_MAX = 2_000

interface PlayedEntries {
  /** Of each entry, ascending. Unit: ms of the run. */
  readonly times: ArrayLike<number>
  /** The entry at the playhead. */
  readonly place: number
  readonly isPlaying: boolean
  readonly speed: number
  readonly skipsQuietTime: boolean
  readonly onPlace: (place: number) => void
  readonly onEnd: () => void
}

export function usePlaying(played: PlayedEntries): void {
  const latest = useRef(played)
  latest.current = played
  useEffect(() => {
    if (!played.isPlaying) return
    let { place } = latest.current
    let t = latest.current.times[place] ?? 0
    const ticking = setInterval(() => {
      const { times, speed, skipsQuietTime, onPlace, onEnd, ...now } = latest.current
      if (now.place !== place) {
        place = now.place
        t = times[place] ?? 0
      }
      if (place >= times.length - 1) return onEnd()
      t += TICK_MS * speed
      const next = times[place + 1] ?? t
      if (skipsQuietTime && next - t > WAIT_MS_MAX * speed) t = next
      let reached = place
      while ((times[reached + 1] ?? Infinity) <= t) reached += 1
      if (reached === place) return
      place = reached
      onPlace(reached)
    }, TICK_MS)
    return () => clearInterval(ticking)
  }, [played.isPlaying])
}
