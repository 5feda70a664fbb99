/** Moves the playhead with the frames of the browser, and calls its listeners at each move. */

import { STEP_MS, STOPPED, afterFrame, jumped, marked, paused, played } from "./playback.ts"
import type { Playing } from "./playback.ts"
import type { Speed } from "../components/speeds.ts"

type Listener = (playing: Playing) => void

/** ms of wall time between two steps with reduced motion. */
const STEP_EVERY_MS = 500

export class Player {
  /** False with reduced motion: it goes on in steps of a virtual minute. */
  readonly hasMotion: boolean
  #playing: Playing = STOPPED
  /** Where it would be with motion. */
  #runsAt: Playing = STOPPED
  #frame: number | null = null
  #lastMs: number | null = null
  #steppedMs = 0
  readonly #listeners = new Set<Listener>()

  constructor({ hasMotion }: { readonly hasMotion: boolean }) {
    this.hasMotion = hasMotion
  }

  get playing(): Playing {
    return this.#playing
  }

  /** Calls it with the present state, and at each change. Returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    listener(this.#playing)
    return () => void this.#listeners.delete(listener)
  }

  toggle(): void {
    this.#set(this.#playing.isPlaying ? paused(this.#playing) : played(this.#playing))
  }

  pause(): void {
    if (this.#playing.isPlaying) this.#set(paused(this.#playing))
  }

  jump(ms: number): void {
    this.#set(jumped(this.#playing, ms))
  }

  choose(speed: Speed): void {
    this.#set({ ...this.#playing, speed })
  }

  mark(): void {
    this.#set(marked(this.#playing))
  }

  /** Calls no listener: the playhead has not moved, and this comes many times a second. */
  computed(of: Pick<Playing, "computedMs" | "endMs">): void {
    this.#playing = { ...this.#playing, ...of }
    this.#runsAt = { ...this.#runsAt, ...of }
  }

  /** For a run from its beginning. */
  restart(): void {
    this.#set({ ...STOPPED, speed: this.#playing.speed })
  }

  close(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame)
    this.#frame = null
    this.#listeners.clear()
  }

  #set(next: Playing): void {
    this.#playing = next
    this.#runsAt = next
    for (const listener of this.#listeners) listener(next)
    if (!next.isPlaying) this.#lastMs = null
    else this.#frame ??= requestAnimationFrame((ms) => this.#tick(ms))
  }

  #tick(wallMs: number): void {
    this.#frame = null
    if (!this.#playing.isPlaying) return
    // A hidden page has no frames: the playhead does not leap when it is shown again.
    const frameMs = Math.min(FRAME_MS_MAX, wallMs - (this.#lastMs ?? wallMs))
    this.#lastMs = wallMs
    this.#runsAt = afterFrame(this.#runsAt, frameMs)
    if (this.hasMotion || !this.#runsAt.isPlaying) this.#show(this.#runsAt)
    else if (wallMs - this.#steppedMs >= STEP_EVERY_MS) {
      const ms = Math.floor(this.#runsAt.ms / STEP_MS) * STEP_MS
      if (ms !== this.#playing.ms) {
        this.#steppedMs = wallMs
        this.#show({ ...this.#runsAt, ms })
      }
    }
    if (this.#playing.isPlaying) this.#frame = requestAnimationFrame((ms) => this.#tick(ms))
  }

  #show(next: Playing): void {
    this.#playing = next
    for (const listener of this.#listeners) listener(next)
  }
}

const FRAME_MS_MAX = 250
