/** The playhead: it plays, jumps, steps and repeats, and never passes what is computed. It knows no clock; a page tells it how long a frame took. */

import { SPEED_FIRST } from "../components/speeds.ts"
import type { Speed } from "../components/speeds.ts"

interface Repeat {
  readonly fromMs: number
  /** Null until the second mark is set. */
  readonly untilMs: number | null
}

export interface Playing {
  readonly ms: number
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly repeat: Repeat | null
  /** Rows are complete up to here. */
  readonly computedMs: number
  /** The end of the run, as far as it is known. */
  readonly endMs: number
}

/** Of virtual time; with reduced motion the playhead goes on in such steps. */
export const STEP_MS = 60_000

export const STOPPED: Playing = {
  ms: 0,
  isPlaying: false,
  speed: SPEED_FIRST,
  repeat: null,
  computedMs: 0,
  endMs: 0,
}

/** After a frame of so many milliseconds of wall time. It waits at the end of what is computed and stops at the end of the run. */
export function afterFrame(playing: Playing, frameMs: number): Playing {
  const { ms, isPlaying, speed, repeat, computedMs, endMs } = playing
  if (!isPlaying) return playing
  const next = ms + frameMs * speed
  const turn = repeat?.untilMs ?? null
  if (repeat !== null && turn !== null && next >= turn && ms <= turn) return { ...playing, ms: repeat.fromMs }
  if (next < computedMs) return { ...playing, ms: next }
  return { ...playing, ms: computedMs, isPlaying: computedMs < endMs }
}

/** Whether it stands because nothing more is computed yet. */
export function isWaiting({ ms, isPlaying, computedMs, endMs }: Playing): boolean {
  return isPlaying && ms >= computedMs && computedMs < endMs
}

/** Plays from the start again when it stood at the end. */
export function played(playing: Playing): Playing {
  const isAtEnd = playing.ms >= playing.endMs && playing.endMs > 0
  return { ...playing, isPlaying: true, ms: isAtEnd ? (playing.repeat?.fromMs ?? 0) : playing.ms }
}

export function paused(playing: Playing): Playing {
  return { ...playing, isPlaying: false }
}

/** Inside of what is computed. */
export function jumped(playing: Playing, ms: number): Playing {
  return { ...playing, ms: Math.round(Math.min(playing.computedMs, Math.max(0, ms))) }
}

/** The first press marks the start, the second the end, the third ends the repetition. */
export function marked(playing: Playing): Playing {
  const { ms, repeat } = playing
  if (repeat === null) return { ...playing, repeat: { fromMs: ms, untilMs: null } }
  if (repeat.untilMs === null && ms !== repeat.fromMs)
    return {
      ...playing,
      repeat: { fromMs: Math.min(repeat.fromMs, ms), untilMs: Math.max(repeat.fromMs, ms) },
    }
  return { ...playing, repeat: null }
}

/** The next of ascending instants after an instant, or the one before it; null at the end. */
export function neighbor(instants: readonly number[], ms: number, side: -1 | 1): number | null {
  const found =
    side === 1 ? instants.find((at) => at > Math.floor(ms)) : instants.findLast((at) => at < Math.floor(ms))
  return found ?? null
}
