/**
 * The thread that sends webhooks, seen from the one that answers requests: which calls it takes, how much of it is free, and
 * what it tells. It is a node of its own on the same database, without requests and wake-up. One that is not there yet, or no
 * longer, takes nothing; what it had begun returns through its lease timers, as after any crash.
 */

import { setTimeout as after } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { EngineFault } from "../kernel/faults.ts"
import type { Call } from "../kernel/turn.ts"
import {
  CALL_THREAD_GATHERS_MS,
  CALL_THREAD_HEAP_MIB,
  CALL_THREAD_PAUSE_MS_MAX,
  CALL_THREAD_PAUSE_MS_MIN,
  CALL_THREAD_STOP_MS,
  CALL_THREAD_YOUNG_MIB,
  CALLS_AT_ONCE_MAX,
  DRAIN_MS_MAX,
} from "./bounds.ts"
import type { LiveObserver } from "./observer.ts"
import type { ServiceLogOptions } from "./service-log.ts"

/** The settings that it gets at its start, with the node's id: plain values, because they are copied. */
export interface CallThreadSetting {
  readonly databaseUrl: string
  readonly connectionsMax: number
  readonly digestKey: string
  readonly secretKey: string
  /** Whether webhooks may go to the loopback. */
  readonly allowsLoopback: boolean
  readonly logLevel: ServiceLogOptions["level"]
  /** Where its spans are sent; null: nothing is traced. */
  readonly tracesEndpoint: string | null
}

export interface CallThreadOptions {
  readonly setting: CallThreadSetting
  /** Called when the thread ended by itself. Another begins at the next call, after a pause. */
  readonly onEnd: (cause: unknown) => void
  /** Takes a line of its log, which is JSON. */
  readonly onLine: (line: string) => void
  /** What runs in it; absent: the real one. */
  readonly script?: URL
}

/** How much of what it was given it has taken, and how it stood then. */
export interface CallLoad {
  readonly taken: number
  readonly inFlight: number
  readonly free: number
}

/** A call of its observer: the name of the method and its arguments. */
export type ToldThere = {
  readonly [Event in keyof LiveObserver]: readonly [Event, ...Parameters<LiveObserver[Event]>]
}[keyof LiveObserver]

/** Calls of one commit, and the span that they belong to; null when it is not traced. */
export interface GivenCalls {
  readonly calls: readonly Call[]
  readonly traceparent: string | null
}

export type ToCallThread =
  { readonly type: "calls"; readonly calls: readonly GivenCalls[] } | { readonly type: "stop" }

export type FromCallThread =
  | { readonly type: "ready" }
  | { readonly type: "line"; readonly line: string }
  | { readonly type: "fault"; readonly fault: Pick<EngineFault, "at" | "found" | "reason"> }
  | { readonly type: "told"; readonly load: CallLoad; readonly told: readonly ToldThere[] }

/** Whom it tells: the host whose calls it makes. */
export interface CallThreadListener {
  /** The node that both are parts of. */
  readonly node: string
  readonly observer: LiveObserver
  readonly onFault: (fault: EngineFault) => void
}

/** Calls that come by the hundred, and whose results concern no group but their own. */
const TAKEN: ReadonlySet<string> = new Set(["webhook"])

const IDLE: CallLoad = { taken: 0, inFlight: 0, free: CALLS_AT_ONCE_MAX }

interface Begun {
  readonly worker: Worker
  readonly ended: Promise<void>
  isReady: boolean
}

export class CallThread {
  readonly #options: CallThreadOptions
  #listener: CallThreadListener | null = null
  #begun: Begun | null = null
  #hasStopped = false
  /** After one that ended by itself. */
  #isPausing = false
  #pauseMs = CALL_THREAD_PAUSE_MS_MIN
  #load = IDLE
  #given = 0
  /** Given in this moment: they go together, because a message costs both sides more than a call in it. */
  #buffered: GivenCalls[] = []

  constructor(options: CallThreadOptions) {
    this.#options = options
  }

  attach(listener: CallThreadListener): void {
    this.#listener = listener
  }

  /** Whether it makes this call. The first such call starts the thread, and is made by the caller itself. */
  takes({ call }: Call): boolean {
    if (this.#hasStopped || !TAKEN.has(call)) return false
    if (this.#begun === null && !this.#isPausing) this.#begin()
    return this.isReady
  }

  get isReady(): boolean {
    return !this.#hasStopped && this.#begun?.isReady === true
  }

  /** Calls that it has just said it takes. */
  give(calls: readonly Call[], traceparent: string | null = null): void {
    if (calls.length === 0) return
    if (this.#buffered.length === 0) setTimeout(() => this.#send(), CALL_THREAD_GATHERS_MS)
    this.#buffered.push({ calls, traceparent })
    this.#given += calls.length
  }

  /** Given to it and not reported as ended. */
  get inFlight(): number {
    return this.#load.inFlight + this.#untold
  }

  /** How many more may be given to it. */
  get free(): number {
    return Math.max(0, this.#load.free - this.#untold)
  }

  /** Takes nothing more, waits for what is under way, up to a bound, and ends the thread. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    const begun = this.#begun
    if (begun?.isReady !== true) return this.end()
    // The process stays for it from now on.
    begun.worker.ref()
    this.#send()
    this.#post({ type: "stop" })
    await Promise.race([begun.ended, after(DRAIN_MS_MAX + CALL_THREAD_STOP_MS, undefined, { ref: false })])
    await this.end()
  }

  /** Ends it at once, as a crash would. */
  async end(): Promise<void> {
    this.#hasStopped = true
    await this.#begun?.worker.terminate()
  }

  get #untold(): number {
    return this.#given - this.#load.taken
  }

  #send(): void {
    if (this.#buffered.length > 0) this.#post({ type: "calls", calls: this.#buffered.splice(0) })
  }

  #post(message: ToCallThread): void {
    this.#begun?.worker.postMessage(message)
  }

  #begin(): void {
    const { script = new URL("../calling.ts", import.meta.url), setting } = this.#options
    try {
      const worker = new Worker(script, {
        workerData: { ...setting, node: this.#listener?.node },
        resourceLimits: {
          maxOldGenerationSizeMb: CALL_THREAD_HEAP_MIB,
          maxYoungGenerationSizeMb: CALL_THREAD_YOUNG_MIB,
        },
      })
      this.#begun = { worker, ended: this.#endOf(worker), isReady: false }
      // Listeners have bound the process to it: one that ends for another reason does not stay for it.
      worker.unref()
    } catch (cause) {
      // The machine has no more threads for this process.
      this.#forget(cause)
    }
  }

  #endOf(worker: Worker): Promise<void> {
    let cause: unknown = null
    worker.on("message", (message: FromCallThread) => this.#hear(message))
    worker.once("error", (error) => (cause = error))
    return new Promise((resolve) => {
      worker.once("exit", (status) => {
        resolve()
        this.#forget(cause ?? new Error(`it ended by itself, with ${status}`))
      })
    })
  }

  /** What was given to it comes back by itself. */
  #forget(cause: unknown): void {
    this.#begun = null
    this.#load = IDLE
    this.#given = 0
    this.#buffered = []
    if (this.#hasStopped) return
    this.#isPausing = true
    void after(this.#pauseMs, undefined, { ref: false }).then(() => (this.#isPausing = false))
    this.#pauseMs = Math.min(2 * this.#pauseMs, CALL_THREAD_PAUSE_MS_MAX)
    this.#options.onEnd(cause)
  }

  #hear(message: FromCallThread): void {
    switch (message.type) {
      case "ready":
        if (this.#begun !== null) this.#begun.isReady = true
        this.#pauseMs = CALL_THREAD_PAUSE_MS_MIN
        return
      case "line":
        this.#options.onLine(message.line)
        return
      case "fault":
        this.#listener?.onFault(new EngineFault(message.fault))
        return
      case "told":
        this.#load = message.load
        for (const [event, ...values] of message.told) this.#tell(event, values)
    }
  }

  #tell(event: keyof LiveObserver, values: readonly unknown[]): void {
    const told = this.#listener?.observer[event] as ((...all: readonly unknown[]) => void) | undefined
    told?.(...values)
  }
}
