/** One run of a model in its worker: what has arrived of its course, and how it stands. */

import type {
  FromReplayWorker,
  ReplayMistake,
  ReplayRequest,
  ToReplayWorker,
} from "../../../model/replay/messages.ts"
import type { ChangeOffer } from "../../../model/replay/change-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"
import { Scene } from "./seen/scene.ts"

export type RunStatus =
  | { readonly is: "computing" | "opening" | "stopped"; readonly turns: number }
  | { readonly is: "done"; readonly digest: string; readonly turns: number }
  | { readonly is: "failed"; readonly mistake: ReplayMistake; readonly turns: number }

/** The part of a worker that is used. */
export type ReplayWorker = Pick<Worker, "addEventListener" | "postMessage" | "terminate">

/** What a seed came to, or why the seeds stopped. */
export type SeedAnswer = Extract<FromReplayWorker, { readonly type: "failed" | "figures" }>

interface SessionParts {
  readonly run: ReplayRequest
  readonly start: () => ReplayWorker
  /** After each message. */
  readonly onChange: () => void
}

let tokens = 0

export class Session {
  status: RunStatus = { is: "opening", turns: 0 }
  /** Null until the model is read. */
  scene: Scene | null = null
  /** Records of groups that were asked for, by address; null for a group that the run does not have. */
  readonly journals = new Map<string, string | null>()
  numbers: readonly FleetNumber[] = []
  offers: readonly ChangeOffer[] = []
  readonly #token = (tokens += 1)
  readonly #worker: ReplayWorker
  readonly #asked = new Set<string>()
  /** By the token of the seeds. */
  readonly #seeds = new Map<number, (answer: SeedAnswer) => void>()
  readonly #onChange: () => void

  constructor({ run, start, onChange }: SessionParts) {
    this.#onChange = onChange
    this.#worker = start()
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromReplayWorker>) => this.take(data))
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault()
      // A script that does not load says nothing.
      this.#fail(
        event.message === "" || event.message === undefined ? "its script did not load" : event.message,
      )
    })
    this.#send({ type: "open", token: this.#token, run })
  }

  /** Messages of another run are dropped. */
  take(message: FromReplayWorker): void {
    if (message.type === "figures" || message.type === "failed") this.#seeds.get(message.token)?.(message)
    if (message.token !== this.#token) return
    switch (message.type) {
      case "opened":
        this.scene = new Scene(message.head)
        this.numbers = message.numbers
        this.offers = message.offers
        this.status = { is: "computing", turns: 0 }
        break
      case "chunk":
        this.scene?.append(message.chunk)
        if (this.status.is === "computing") this.status = { is: "computing", turns: message.turns }
        break
      case "done":
        this.status = { is: "done", digest: message.digest, turns: message.turns }
        break
      case "journal":
        this.journals.set(message.address, message.record)
        break
      case "failed":
        this.status = { is: "failed", mistake: message.mistake, turns: this.status.turns }
        break
      case "figures":
        return
    }
    this.#onChange()
  }

  /** The answer comes later, into `journals`. A journal of an unfinished run is read anew when the run is done. */
  askJournal(address: string): void {
    const key = `${address} ${this.status.is}`
    if (this.#asked.has(key) || this.status.is === "stopped") return
    this.#asked.add(key)
    this.#send({ type: "journal", token: this.#token, address })
  }

  /** Runs the model on each seed, without its course, and takes each answer. Returns what ends it. */
  onSeeds(seeds: readonly number[], take: (answer: SeedAnswer) => void): () => void {
    const token = (tokens += 1)
    this.#seeds.set(token, take)
    this.#send({ type: "seeds", token, seeds })
    return () => {
      if (this.#seeds.delete(token)) this.#send({ type: "cancel", token })
    }
  }

  /** What is computed stays. */
  stop(): void {
    this.#worker.terminate()
    if (this.status.is === "computing" || this.status.is === "opening")
      this.status = { is: "stopped", turns: this.status.turns }
    this.#onChange()
  }

  close(): void {
    this.#worker.terminate()
  }

  #send(message: ToReplayWorker): void {
    this.#worker.postMessage(message)
  }

  #fail(message: string): void {
    this.status = { is: "failed", mistake: { message, place: null }, turns: this.status.turns }
    this.#onChange()
  }
}
