/**
 * Slots of calls, shared out fairly: a node makes so many calls at once, so many of them to one origin and so many to one
 * endpoint. Endpoints that wait take turns. Each endpoint has a circuit breaker, which failures in a row open and one success
 * closes. While it is open one call is in flight at a time, and the next leaves when that one ends. Only as many wait for
 * it as can leave soon at the pace of the last one; any other is deferred.
 */

import { Deferred, Effect, Exit, FiberId } from "effect"
import type { EpochMs } from "../model/time.ts"

export interface CallSlotsOptions {
  /** Calls at once. */
  readonly callsMax: number
  /** Calls at once to one scheme, host and port. */
  readonly originCallsMax: number
  /** Calls at once to one endpoint with a breaker. */
  readonly endpointCallsMax: number
  /** Calls that wait for one endpoint with a breaker; one more is deferred. */
  readonly endpointWaitingMax: number
  /** Calls that wait for one endpoint without a breaker; one more is not made. */
  readonly unqueuedWaitingMax: number
  /** Failures in a row that open the breaker of an endpoint. */
  readonly breakerFailures: number
  /** How long a call waits, at most, in the line of an open breaker, as far as the last call tells. */
  readonly openLineMs: number
  /** Calls in the line of an open breaker, the one in flight included. */
  readonly openLineMax: number
  /** An endpoint without a call for so long is forgotten, with its breaker. */
  readonly idleMs: number
}

/** A breaker opened or closed; how many are open then. */
export interface BreakerChange {
  readonly endpoint: string
  readonly isOpen: boolean
  readonly openBreakers: number
}

export interface SlotRequest {
  readonly origin: string
  readonly endpoint: string
  /** False where every failure matters at once, and none may hold up the next call. */
  readonly hasBreaker: boolean
  readonly waitMsMax: number
  /** Called before the call waits. */
  readonly onWait?: () => void
}

/** How a call to an endpoint with a breaker ended. */
export interface SlotEnd {
  readonly endpoint: string
  readonly hasFailed: boolean
  /** How long it was in flight. */
  readonly tookMs: number
  readonly atMs: EpochMs
}

interface Ticket {
  readonly line: Line
  readonly called: Deferred.Deferred<void>
  hasSlot: boolean
}

/** The calls to one endpoint. */
interface Line {
  readonly endpoint: string
  readonly origin: string
  readonly hasBreaker: boolean
  /** In the order of asking. */
  readonly waiting: Set<Ticket>
  running: number
}

/** What the last calls to an endpoint came to. */
interface Health {
  readonly failuresInRow: number
  readonly tookMs: number
  readonly atMs: EpochMs
}

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #lines = new Map<string, Line>()
  readonly #runningByOrigin = new Map<string, number>()
  readonly #healthByEndpoint = new Map<string, Health>()
  /** Lines with a call waiting and room for it as far as their endpoint goes, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #running = 0
  #openBreakers = 0

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /** Calls that wait only because the share of their endpoint or origin is full. */
  get heldUp(): number {
    let count = 0
    for (const line of this.#lines.values()) if (!this.#hasRoom(line)) count += line.waiting.size
    return count
  }

  isOpen(endpoint: string): boolean {
    const { failuresInRow = 0 } = this.#healthByEndpoint.get(endpoint) ?? {}
    return failuresInRow >= this.#options.breakerFailures
  }

  /** How many deferred calls to the endpoint may be begun now: few until one has been answered. */
  roomFor(endpoint: string): number {
    const line = this.#lines.get(endpoint)
    const inLine = (line?.running ?? 0) + (line?.waiting.size ?? 0)
    const health = this.#healthByEndpoint.get(endpoint)
    const most = health?.failuresInRow === 0 ? this.#options.endpointCallsMax : this.#openLine(endpoint)
    return Math.max(0, most - inLine)
  }

  /** Notes how a call ended. What that changed, or null. */
  ended({ endpoint, hasFailed, tookMs, atMs }: SlotEnd): BreakerChange | null {
    const { failuresInRow = 0 } = this.#healthByEndpoint.get(endpoint) ?? {}
    return this.#note(endpoint, { failuresInRow: hasFailed ? failuresInRow + 1 : 0, tookMs, atMs })
  }

  /** Forgets an endpoint that gets no more calls. What that changed, or null. */
  forget(endpoint: string): BreakerChange | null {
    return this.#note(endpoint, null)
  }

  /** Forgets endpoints that had no call for long. What that changed. */
  forgetIdle(nowMs: EpochMs): readonly BreakerChange[] {
    const changes: BreakerChange[] = []
    for (const [endpoint, { atMs }] of this.#healthByEndpoint) {
      if (nowMs - atMs < this.#options.idleMs || this.#lines.has(endpoint)) continue
      const change = this.forget(endpoint)
      if (change !== null) changes.push(change)
    }
    return changes
  }

  #note(endpoint: string, health: Health | null): BreakerChange | null {
    const wasOpen = this.isOpen(endpoint)
    if (health === null) this.#healthByEndpoint.delete(endpoint)
    else this.#healthByEndpoint.set(endpoint, health)
    const isOpen = this.isOpen(endpoint)
    const line = this.#lines.get(endpoint)
    if (isOpen && line !== undefined) this.#shorten(line)
    if (isOpen === wasOpen) return null
    this.#openBreakers += isOpen ? 1 : -1
    if (line !== undefined) this.#callNext(line)
    return { endpoint, isOpen, openBreakers: this.#openBreakers }
  }

  /** Calls for which the line of an open breaker has become too long go without a slot: they are deferred. */
  #shorten(line: Line): void {
    const tooMany = line.running + line.waiting.size - this.#openLine(line.endpoint)
    const staying = Math.max(0, line.waiting.size - Math.max(0, tooMany))
    for (const ticket of [...line.waiting].slice(staying)) Deferred.unsafeDone(ticket.called, Exit.void)
  }

  /** How many calls may be in the line of an open breaker. Of an endpoint that is not known: one. */
  #openLine(endpoint: string): number {
    const { openLineMs, openLineMax } = this.#options
    const { tookMs = openLineMs } = this.#healthByEndpoint.get(endpoint) ?? {}
    return Math.min(openLineMax, Math.max(1, Math.floor(openLineMs / Math.max(1, tookMs))))
  }

  /**
   * Runs the call when a slot is free for its endpoint. Null, and the call is not made, when none becomes free within
   * `waitMsMax` or too many wait already.
   */
  run<A>(request: SlotRequest, call: Effect.Effect<A>): Effect.Effect<A | null> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function* () {
        const ticket = this.#ask(request)
        if (ticket === null) return null
        if (!ticket.hasSlot) {
          request.onWait?.()
          const turn = restore(Effect.timeoutOption(Deferred.await(ticket.called), request.waitMsMax))
          yield* Effect.onInterrupt(turn, () => Effect.sync(() => this.#leave(ticket)))
        }
        // A slot that came at the last moment is used, also when the time-out won.
        if (!ticket.hasSlot) {
          this.#leave(ticket)
          return null
        }
        return yield* Effect.ensuring(
          restore(call),
          Effect.sync(() => this.#leave(ticket)),
        )
      }),
    )
  }

  #ask({ endpoint, origin, hasBreaker }: SlotRequest): Ticket | null {
    const line = this.#lines.get(endpoint) ?? { endpoint, origin, hasBreaker, waiting: new Set(), running: 0 }
    if (this.#isFull(line)) return null
    this.#lines.set(endpoint, line)
    const ticket: Ticket = { line, called: Deferred.unsafeMake<void>(FiberId.none), hasSlot: false }
    line.waiting.add(ticket)
    this.#callNext(line)
    return ticket
  }

  /** Gives a slot back, or goes without having had one. */
  #leave(ticket: Ticket): void {
    const { line } = ticket
    if (ticket.hasSlot) {
      line.running -= 1
      this.#running -= 1
      this.#countAt(line.origin, -1)
    } else {
      line.waiting.delete(ticket)
    }
    if (line.waiting.size === 0) this.#turns.delete(line)
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(line.endpoint)
    this.#callNext(line)
    const atOrigin = this.#runningByOrigin.get(line.origin) ?? 0
    if (!ticket.hasSlot || atOrigin !== this.#options.originCallsMax - 1) return
    // The origin was full, which other endpoints of it wait for.
    for (const other of this.#lines.values()) if (other.origin === line.origin) this.#queueUp(other)
    this.#handOut()
  }

  /** `changed` may have got a call waiting, or room. */
  #callNext(changed: Line): void {
    this.#queueUp(changed)
    this.#handOut()
  }

  #queueUp(line: Line): void {
    if (line.waiting.size > 0 && this.#hasRoom(line)) this.#turns.add(line)
  }

  /** Hands out what is free, one slot an endpoint at a time. */
  #handOut(): void {
    for (const line of this.#turns) {
      if (this.#running >= this.#options.callsMax) return
      this.#turns.delete(line)
      const [ticket] = line.waiting
      if (ticket === undefined || !this.#hasRoom(line)) continue
      line.waiting.delete(ticket)
      line.running += 1
      this.#running += 1
      this.#countAt(line.origin, 1)
      ticket.hasSlot = true
      Deferred.unsafeDone(ticket.called, Exit.void)
      // At the end of the line of lines, which this loop reaches again.
      this.#queueUp(line)
    }
  }

  #countAt(origin: string, change: number): void {
    const count = (this.#runningByOrigin.get(origin) ?? 0) + change
    if (count === 0) this.#runningByOrigin.delete(origin)
    else this.#runningByOrigin.set(origin, count)
  }

  #hasRoom(line: Line): boolean {
    const { endpointCallsMax, originCallsMax } = this.#options
    const share = line.hasBreaker ? endpointCallsMax : originCallsMax
    const most = this.#isLimited(line) ? 1 : share
    return line.running < most && (this.#runningByOrigin.get(line.origin) ?? 0) < originCallsMax
  }

  /** Whether no more calls may wait. */
  #isFull(line: Line): boolean {
    const { endpointWaitingMax, unqueuedWaitingMax } = this.#options
    if (this.#isLimited(line)) return line.running + line.waiting.size >= this.#openLine(line.endpoint)
    return line.waiting.size >= (line.hasBreaker ? endpointWaitingMax : unqueuedWaitingMax)
  }

  #isLimited({ endpoint, hasBreaker }: Line): boolean {
    return hasBreaker && this.isOpen(endpoint)
  }
}
