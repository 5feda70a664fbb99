/**
 * The queue of requests in front of the database, one for each process. It bounds how many requests are processed at
 * once and how long others wait. The concurrency limit follows the time that work waits for a transaction (additive
 * increase, multiplicative decrease). The bound on waiting is CoDel's: short while the queue does not empty, longer
 * during a burst. Organizations take turns. Source: RFC 8289 (CoDel); src/DECISIONS.md §150.
 */

import {
  ADMISSION_INTERVAL_MS,
  ADMISSION_LIMIT_FIRST,
  ADMISSION_LIMIT_MAX,
  ADMISSION_LIMIT_MIN,
  ADMISSION_STANDING_MS,
  ADMISSION_WAITING_MAX,
  ADMISSION_WAIT_BURST_MS_MAX,
  ADMISSION_WAIT_CALM_MS_MAX,
  ADMISSION_WAIT_STANDING_MS_MAX,
  LISTENING_MS_MAX,
  LOOP_HELD_MS_MIN,
  OVERLOAD_PAUSE_MS_MAX,
  TRANSACTION_WAIT_MS_WANTED,
} from "../configuration/bounds.ts"
import type {
  Entered,
  Entry,
  QueuedRequest,
  RequestQueue,
  ShedReason,
} from "../../http/access/admission-queue.ts"

/** A monotonic clock in milliseconds, and a timer that does not keep the process running. */
export interface QueueClock {
  readonly nowMs: () => number
  /** Returns a function that cancels the timer. */
  readonly after: (ms: number, run: () => void) => () => void
  /** Runs after every readable socket was read. */
  readonly soon: (run: () => void) => void
}

export const HOST_CLOCK: QueueClock = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
  soon: (run) => void setImmediate(run),
}

export interface AdmissionObserver {
  readonly onAdmitted: (waitedMs: number) => void
  readonly onShed: (reason: ShedReason) => void
  /** The client disconnected while its request waited. */
  readonly onLeft: () => void
}

export interface AdmissionFigures {
  readonly inFlight: number
  readonly waiting: number
  readonly limit: number
}

interface Listening {
  readonly untilMs: number
  readonly entries: number
  readonly quietRounds: number
}

interface Waiter {
  readonly share: string
  readonly sinceMs: number
  readonly settle: (entered: Entered) => void
  /** True when it is admitted where others are rejected as late. */
  readonly isReturning: boolean
  /** True when it had waited too long, and others had caused that. */
  isCalm: boolean
}

/** Waiting requests by share, in the order of their turns. Empty lines are removed. */
type Lines = Map<string, Waiter[]>

const NO_OBSERVER: AdmissionObserver = {
  onAdmitted: () => undefined,
  onShed: () => undefined,
  onLeft: () => undefined,
}

export class AdmissionQueue implements RequestQueue {
  readonly #clock: QueueClock
  readonly #observer: AdmissionObserver
  #inFlight = 0
  #limit = ADMISSION_LIMIT_FIRST
  readonly #fresh: Lines = new Map()
  /** Requests that were admitted before and returned; they go first, also in turns. */
  readonly #resumed: Lines = new Map()
  #waiting = 0
  /** When the queue was last empty. */
  #emptyMs: number
  #expiry: (() => void) | null = null
  #isAdvancing = false
  #advancedMs = 0
  /** Requests that were entered so far. */
  #entries = 0
  #intervalBeganMs: number
  /** Shortest wait for a transaction in the current interval; null before the first. */
  #waitMsMin: number | null = null
  #hasHeldBack = false
  #shedSinceMs: number | null = null
  #shedLastMs = 0

  constructor(clock: QueueClock, observer: AdmissionObserver = NO_OBSERVER) {
    this.#clock = clock
    this.#observer = observer
    this.#emptyMs = clock.nowMs()
    this.#intervalBeganMs = clock.nowMs()
  }

  /**
   * Never admits synchronously. The embedded database works only in promise callbacks, so a request that is admitted
   * while sockets are read would end before the next one is read. Requests would then wait in the operating system,
   * where their waiting time is unknown.
   *
   * `entered` resolves when the request is admitted or rejected.
   */
  enter({ share, kind }: QueuedRequest): Entry {
    const nowMs = this.#clock.nowMs()
    this.#entries += 1
    this.#adjust(nowMs)
    let settle: (entered: Entered) => void = () => undefined
    const entered = new Promise<Entered>((resolve) => {
      settle = resolve
    })
    const waiter: Waiter = { share, sinceMs: nowMs, settle, isReturning: kind === "returning", isCalm: false }
    if (kind === "fresh" && !this.#makeRoomFor(share, nowMs)) {
      this.#shed(waiter, "full", nowMs)
      return { entered, withdraw: () => undefined }
    }
    const lines = kind === "fresh" ? this.#fresh : this.#resumed
    lineOf(lines, share).push(waiter)
    this.#waiting += 1
    this.#advanceSoon()
    this.#awaitExpiry()
    return { entered, withdraw: () => this.#withdraw(lines, waiter) }
  }

  /** Reports that some work waited this long for a connection for transactions (`Database.waits`). */
  observeWait(ms: number): void {
    this.#waitMsMin = Math.min(this.#waitMsMin ?? ms, ms)
    this.#adjust(this.#clock.nowMs())
  }

  get figures(): AdmissionFigures {
    return { inFlight: this.#inFlight, waiting: this.#waiting, limit: this.#limit }
  }

  /** For how long requests have been rejected without a pause; 0 when none are. */
  get sheddingMs(): number {
    const nowMs = this.#clock.nowMs()
    if (this.#shedSinceMs === null || nowMs - this.#shedLastMs > OVERLOAD_PAUSE_MS_MAX) return 0
    return nowMs - this.#shedSinceMs
  }

  #admit({ sinceMs, settle }: Waiter, nowMs: number): void {
    this.#inFlight += 1
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      this.#inFlight -= 1
      this.#advanceSoon()
    }
    this.#observer.onAdmitted(nowMs - sinceMs)
    settle({ type: "admitted", place: { leave } })
  }

  #shed({ settle }: Waiter, reason: ShedReason, nowMs: number): void {
    if (this.#shedSinceMs === null || nowMs - this.#shedLastMs > OVERLOAD_PAUSE_MS_MAX) {
      this.#shedSinceMs = nowMs
    }
    this.#shedLastMs = nowMs
    this.#observer.onShed(reason)
    settle({ type: "shed", reason, retryAfterSeconds: 1 })
  }

  /** False when the queue is full and no other share has more requests in it. */
  #makeRoomFor(share: string, nowMs: number): boolean {
    if (this.#waiting < ADMISSION_WAITING_MAX) return true
    let longest: Waiter[] = this.#fresh.get(share) ?? []
    for (const line of this.#fresh.values()) if (line.length > longest.length) longest = line
    if (longest === this.#fresh.get(share)) return false
    // Drops the newest request of the longest line: the earlier ones have waited longer and are served sooner.
    const last = longest.pop()
    if (last === undefined) return false
    this.#waiting -= 1
    this.#shed(last, "full", nowMs)
    return true
  }

  #withdraw(lines: Lines, waiter: Waiter): void {
    const line = lines.get(waiter.share)
    const at = line?.indexOf(waiter) ?? -1
    if (line === undefined || at < 0) return
    line.splice(at, 1)
    this.#waiting -= 1
    this.#observer.onLeft()
    waiter.settle({ type: "left" })
    this.#tidy()
  }

  #advanceSoon(): void {
    if (this.#isAdvancing || this.#waiting === 0) return
    this.#isAdvancing = true
    this.#clock.soon(() => {
      const nowMs = this.#clock.nowMs()
      if (nowMs - this.#advancedMs < LOOP_HELD_MS_MIN) return this.#advance()
      this.#listen({ untilMs: nowMs + LISTENING_MS_MAX, entries: this.#entries, quietRounds: 0 })
    })
  }

  /**
   * Long work has blocked the event loop. In each loop iteration Node accepts one connection and reads it in the next
   * (libuv 1.45), so requests on new connections would arrive no faster than requests are processed. Waits until no
   * request has arrived in two iterations.
   */
  #listen({ untilMs, entries, quietRounds }: Listening): void {
    const isDone = quietRounds === 2 || this.#clock.nowMs() >= untilMs
    if (isDone) return this.#advance()
    this.#clock.soon(() => {
      const isQuiet = this.#entries === entries
      this.#listen({ untilMs, entries: this.#entries, quietRounds: isQuiet ? quietRounds + 1 : 0 })
    })
  }

  /** Admits one request, then lets sockets be read before the next. */
  #advance(): void {
    const nowMs = this.#clock.nowMs()
    this.#isAdvancing = false
    this.#advancedMs = nowMs
    this.#adjust(nowMs)
    this.#expire(nowMs)
    const next = this.#inFlight < this.#limit ? (nextIn(this.#resumed) ?? nextIn(this.#fresh)) : undefined
    if (next !== undefined) {
      this.#waiting -= 1
      this.#admit(next, nowMs)
    }
    this.#tidy()
    if (this.#waiting === 0) return
    if (this.#inFlight < this.#limit) this.#advanceSoon()
    else this.#hasHeldBack = true
  }

  /**
   * Every line is in order of arrival, so requests that waited too long are at its head. Where every waiting request has a
   * place, none is rejected: then the process itself was held up, and not by its queue. CoDel likewise never drops the last
   * packet (RFC 8289, section 5.4).
   */
  #expire(nowMs: number): void {
    if (this.#waiting <= this.#limit - this.#inFlight) return
    const isStanding = nowMs - this.#emptyMs > ADMISSION_STANDING_MS
    const waitMsMax = isStanding ? ADMISSION_WAIT_STANDING_MS_MAX : ADMISSION_WAIT_BURST_MS_MAX
    const calm = this.#calmShares()
    for (const lines of [this.#resumed, this.#fresh]) {
      for (const [share, line] of lines) {
        const kept = line.findIndex(({ sinceMs }) => nowMs - sinceMs <= waitMsMax)
        const late = line.splice(0, kept < 0 ? line.length : kept)
        line.unshift(...late.filter((waiter) => this.#stays(waiter, calm.has(share), nowMs)))
      }
    }
  }

  /** A request that was not late once, because others caused its wait, is not late for the end of their requests. */
  #stays(waiter: Waiter, isCalm: boolean, nowMs: number): boolean {
    waiter.isCalm ||= isCalm
    if (!waiter.isReturning && waiter.isCalm && nowMs - waiter.sinceMs <= ADMISSION_WAIT_CALM_MS_MAX)
      return true
    this.#waiting -= 1
    if (waiter.isReturning) this.#admit(waiter, nowMs)
    else this.#shed(waiter, "late", nowMs)
    return false
  }

  /**
   * Shares that do not cause the wait: fewer requests of theirs wait than of another share, and no more than their part of
   * the places. Their age says only that the process was held up by others. Source: RFC 8290, section 4.2, where each flow
   * has a queue of its own and one with a single packet drops none.
   */
  #calmShares(): ReadonlySet<string> {
    const counts = new Map<string, number>()
    for (const lines of [this.#resumed, this.#fresh])
      for (const [share, { length }] of lines) counts.set(share, (counts.get(share) ?? 0) + length)
    const most = Math.max(...counts.values())
    const part = Math.max(1, Math.floor(this.#limit / counts.size))
    const shares = [...counts].filter(([, count]) => count < most && count <= part)
    return new Set(shares.map(([share]) => share))
  }

  #tidy(): void {
    for (const lines of [this.#resumed, this.#fresh])
      for (const [share, line] of lines) if (line.length === 0) lines.delete(share)
    if (this.#waiting > 0) return
    this.#emptyMs = this.#clock.nowMs()
    this.#expiry?.()
    this.#expiry = null
  }

  /** Rejects late requests on time even if no admitted request ends. */
  #awaitExpiry(): void {
    this.#expiry ??= this.#clock.after(ADMISSION_INTERVAL_MS, () => {
      this.#expiry = null
      this.#advance()
      if (this.#waiting > 0) this.#awaitExpiry()
    })
  }

  /**
   * Once in each interval. If even the shortest wait for a transaction was too long, the database has a standing queue,
   * and fewer concurrent requests have the same throughput: the limit shrinks. Otherwise it grows, if requests had to
   * wait here.
   */
  #adjust(nowMs: number): void {
    if (this.#waiting === 0) this.#emptyMs = nowMs
    if (nowMs - this.#intervalBeganMs < ADMISSION_INTERVAL_MS) return
    const waitMs = this.#waitMsMin ?? 0
    if (waitMs > TRANSACTION_WAIT_MS_WANTED) {
      this.#limit = Math.max(ADMISSION_LIMIT_MIN, Math.floor(this.#limit * 0.9))
    } else if (this.#hasHeldBack || this.#waiting > 0) {
      this.#limit = Math.min(ADMISSION_LIMIT_MAX, this.#limit + Math.max(1, Math.floor(this.#limit * 0.1)))
    }
    this.#intervalBeganMs = nowMs
    this.#waitMsMin = null
    this.#hasHeldBack = false
  }
}

function lineOf(lines: Lines, share: string): Waiter[] {
  const known = lines.get(share)
  if (known !== undefined) return known
  const made: Waiter[] = []
  lines.set(share, made)
  return made
}

/** The next request of the share whose turn it is; that share then moves to the end. */
function nextIn(lines: Lines): Waiter | undefined {
  for (const [share, line] of lines) {
    const next = line.shift()
    lines.delete(share)
    if (line.length > 0) lines.set(share, line)
    if (next !== undefined) return next
  }
  return undefined
}
