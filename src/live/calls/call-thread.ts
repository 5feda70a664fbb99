/**
 * The thread that sends webhooks, as the main thread sees it: which calls it takes, how many slots are free, and its
 * reports. It acts as a node of its own on the same database, without requests and wake-up. A thread that is not ready
 * takes no calls. When it ends, the calls in flight are retried after their leases, as after any crash.
 */

import { setTimeout as after } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { EngineFault } from "../../engine/kernel/faults.ts"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import {
  CALL_THREAD_GATHERS_MS,
  CALL_THREAD_HEAP_MIB,
  CALL_THREAD_PAUSE_MS_MAX,
  CALL_THREAD_PAUSE_MS_MIN,
  CALL_THREAD_STOP_MS,
  CALL_THREAD_YOUNG_MIB,
  CALLS_AT_ONCE_MAX,
  DRAIN_MS_MAX,
} from "../configuration/bounds.ts"
import type { LiveObserver } from "../observation/observer.ts"
import type { ServiceLogOptions } from "../observation/service-log.ts"

/** The settings of the thread at its start, including the node's id: plain values, because they are copied. */
export interface CallThreadSetting {
  readonly databaseUrl: string
  readonly connectionsMax: number
  readonly digestKey: string
  readonly secretKey: string
  /** True when webhooks may go to the loopback. */
  readonly allowsLoopback: boolean
  /** Null: those of the system. */
  readonly nameServers: readonly string[] | null
  readonly logLevel: ServiceLogOptions["level"]
  /** The collector of its spans; null when tracing is off. */
  readonly tracesEndpoint: string | null
}

export interface CallThreadOptions {
  readonly setting: CallThreadSetting
  /** Called when the thread ended unexpectedly. The next call starts a new one, after a pause of so many ms. */
  readonly onEnd: (cause: unknown, pauseMs: number) => void
  /** Receives a line of its log, as JSON. */
  readonly onLine: (line: string) => void
  /** The script that it runs; default: the real one. */
  readonly script?: URL
}

/** How many of the passed calls the thread has taken, and its load at that time. */
export interface CallLoad {
  readonly taken: number
  readonly inFlight: number
  readonly free: number
}

/** An observer event inside the thread: the name of the method and its arguments. */
export type ToldThere = {
  readonly [Event in keyof LiveObserver]: readonly [Event, ...Parameters<LiveObserver[Event]>]
}[keyof LiveObserver]

/** Calls of one commit, with the trace span that they belong to; null when tracing is off. */
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

/** Receives the thread's reports: the host whose calls it makes. */
export interface CallThreadListener {
  /** The node that both threads belong to. */
  readonly node: string
  readonly observer: LiveObserver
  readonly onFault: (fault: EngineFault) => void
}

/** Calls that are numerous and whose results concern only their own group. */
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
  /** True during the pause after an unexpected end. */
  #isPausing = false
  #pauseMs = CALL_THREAD_PAUSE_MS_MIN
  #load = IDLE
  #given = 0
  /** Calls of this moment, passed in one message, because a message costs more than a call in it. */
  #buffered: GivenCalls[] = []

  constructor(options: CallThreadOptions) {
    this.#options = options
  }

  attach(listener: CallThreadListener): void {
    this.#listener = listener
  }

  /** Whether the thread takes this call. The first such call starts the thread, and the caller makes it itself. */
  takes({ call }: Call): boolean {
    if (this.#hasStopped || !TAKEN.has(call)) return false
    if (this.#begun === null && !this.#isPausing) this.#begin()
    return this.isReady
  }

  get isReady(): boolean {
    return !this.#hasStopped && this.#begun?.isReady === true
  }

  /** Passes calls for which `takes` returned true. */
  give(calls: readonly Call[], traceparent: string | null = null): void {
    if (calls.length === 0) return
    if (this.#buffered.length === 0) setTimeout(() => this.#send(), CALL_THREAD_GATHERS_MS)
    this.#buffered.push({ calls, traceparent })
    this.#given += calls.length
  }

  /** Calls passed to the thread whose end it has not reported. */
  get inFlight(): number {
    return this.#load.inFlight + this.#untold
  }

  /** How many more calls may be passed. */
  get free(): number {
    return Math.max(0, this.#load.free - this.#untold)
  }

  /** Takes no more calls, waits for those in flight up to a bound, and ends the thread. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    const begun = this.#begun
    if (begun?.isReady !== true) return this.end()
    // From now on the process waits for the thread.
    begun.worker.ref()
    this.#send()
    this.#post({ type: "stop" })
    await Promise.race([begun.ended, after(DRAIN_MS_MAX + CALL_THREAD_STOP_MS, undefined, { ref: false })])
    await this.end()
  }

  /** Ends the thread at once, as a crash would. */
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
        execArgv: THREAD_ARGUMENTS,
        workerData: { ...setting, node: this.#listener?.node },
        resourceLimits: {
          maxOldGenerationSizeMb: CALL_THREAD_HEAP_MIB,
          maxYoungGenerationSizeMb: CALL_THREAD_YOUNG_MIB,
        },
      })
      this.#begun = { worker, ended: this.#endOf(worker), isReady: false }
      // Listeners keep the process alive; undone here, so that a process that ends for another reason does not wait for
      // the thread.
      worker.unref()
    } catch (cause) {
      // The operating system has no more threads for this process.
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
        this.#forget(cause ?? new Error(`it ended unexpectedly, with ${status}`))
      })
    })
  }

  /** The calls passed to it are retried after their leases. */
  #forget(cause: unknown): void {
    this.#begun = null
    this.#load = IDLE
    this.#given = 0
    this.#buffered = []
    if (this.#hasStopped) return
    this.#isPausing = true
    const pauseMs = this.#pauseMs
    void after(pauseMs, undefined, { ref: false }).then(() => (this.#isPausing = false))
    this.#pauseMs = Math.min(2 * pauseMs, CALL_THREAD_PAUSE_MS_MAX)
    this.#options.onEnd(cause, pauseMs)
  }

  #hear(message: FromCallThread): void {
    switch (message.type) {
      case "ready":
        if (this.#begun !== null) this.#begun.isReady = true
        return
      case "line":
        this.#options.onLine(message.line)
        return
      case "fault":
        this.#listener?.onFault(new EngineFault(message.fault))
        return
      case "told":
        // It has made calls. Being ready proves less: a thread that ends at its first call was ready, too.
        this.#pauseMs = CALL_THREAD_PAUSE_MS_MIN
        this.#load = message.load
        for (const [event, ...values] of message.told) this.#tell(event, values)
    }
  }

  #tell(event: keyof LiveObserver, values: readonly unknown[]): void {
    const told = this.#listener?.observer[event] as ((...all: readonly unknown[]) => void) | undefined
    told?.(...values)
  }
}
