/**
 * Slots of calls, shared fairly: the number of calls in flight is bounded for a node, for the sandbox, for each origin and for
 * each endpoint. Endpoints that wait take turns. Each endpoint has a circuit breaker, which consecutive failures open and
 * one success closes. While it is open, one call is in flight at a time, and only as many calls wait for it as can be
 * sent soon, judged by the duration of the last one. Any other call is deferred.
 */

import { Deferred, Effect, Exit, FiberId } from "effect"
import type { Environment } from "../../model/caller.ts"

export interface CallSlotsOptions {
  /** Calls in flight. */
  readonly callsMax: number
  /** Calls of the sandbox in flight: fewer, so that production never waits for them alone. */
  readonly sandboxCallsMax: number
  /** Calls in flight to one scheme, host and port. */
  readonly originCallsMax: number
  /** Calls in flight to one endpoint with a breaker. */
  readonly endpointCallsMax: number
  /** Calls that wait for one endpoint with a breaker; one more is deferred. */
  readonly endpointWaitingMax: number
  /** Calls that wait for one endpoint without a breaker; a further one is not made. */
  readonly unqueuedWaitingMax: number
  /** Consecutive failures that open the breaker of an endpoint. */
  readonly breakerFailures: number
  /** Longest wait in the line of an open breaker, estimated from the duration of the last call. */
  readonly openLineMs: number
  /** Calls in the line of an open breaker, including the one in flight. */
  readonly openLineMax: number
  /** An endpoint without calls for this long is removed with its breaker. */
  readonly idleMs: number
}

/** A breaker opened or closed, and how many are open now. */
export interface BreakerChange {
  readonly endpoint: string
  readonly isOpen: boolean
  readonly openBreakers: number
}

export interface SlotRequest {
  readonly environment: Environment
  readonly origin: string
  readonly endpoint: string
  /** False for calls that must not be held up by failures of earlier ones. */
  readonly hasBreaker: boolean
  readonly waitMsMax: number
  /** Called before the call waits. */
  readonly onWait?: () => void
}

/** How a call to an endpoint with a breaker ended. */
export interface SlotEnd {
  readonly endpoint: string
  readonly hasFailed: boolean
  /** How long the call was in flight. */
  readonly tookMs: number
  /** By `elapsedMs`. */
  readonly atMs: number
}

interface Ticket {
  readonly line: Line
  readonly called: Deferred.Deferred<void>
  hasSlot: boolean
}

/** The calls to one endpoint. */
interface Line {
  readonly endpoint: string
  readonly environment: Environment
  readonly origin: string
  readonly hasBreaker: boolean
  /** In order of arrival. */
  readonly waiting: Set<Ticket>
  running: number
}

/** The result of the last calls to an endpoint. */
interface Health {
  readonly failuresInRow: number
  readonly tookMs: number
  readonly atMs: number
}

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #lines = new Map<string, Line>()
  readonly #runningByOrigin = new Map<string, number>()
  readonly #healthByEndpoint = new Map<string, Health>()
  /** Lines with a waiting call and room at their endpoint and origin, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #running = 0
  #runningInSandbox = 0
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

  /** How many deferred calls to the endpoint may begin now: few unless its last call has succeeded. */
  roomFor(endpoint: string): number {
    const line = this.#lines.get(endpoint)
    const inLine = (line?.running ?? 0) + (line?.waiting.size ?? 0)
    const health = this.#healthByEndpoint.get(endpoint)
    const most = health?.failuresInRow === 0 ? this.#options.endpointCallsMax : this.#openLine(endpoint)
    return Math.max(0, most - inLine)
  }

  /** Records how a call ended. Returns the change of the breaker, or null. */
  ended({ endpoint, hasFailed, tookMs, atMs }: SlotEnd): BreakerChange | null {
    const { failuresInRow = 0 } = this.#healthByEndpoint.get(endpoint) ?? {}
    return this.#note(endpoint, { failuresInRow: hasFailed ? failuresInRow + 1 : 0, tookMs, atMs })
  }

  /** Removes an endpoint that gets no more calls. Returns the change of its breaker, or null. */
  forget(endpoint: string): BreakerChange | null {
    return this.#note(endpoint, null)
  }

  /** Removes endpoints without calls for a long time. Returns the changes of their breakers. */
  forgetIdle(nowMs: number): readonly BreakerChange[] {
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

  /**
   * Ends the wait of calls that no longer fit into the line of an open breaker. They have no slot, so they are
   * deferred.
   */
  #shorten(line: Line): void {
    const tooMany = line.running + line.waiting.size - this.#openLine(line.endpoint)
    const staying = Math.max(0, line.waiting.size - Math.max(0, tooMany))
    for (const ticket of [...line.waiting].slice(staying)) Deferred.unsafeDone(ticket.called, Exit.void)
  }

  /** How many calls may be in the line of an open breaker; one for an endpoint without a recorded call. */
  #openLine(endpoint: string): number {
    const { openLineMs, openLineMax } = this.#options
    const { tookMs = openLineMs } = this.#healthByEndpoint.get(endpoint) ?? {}
    return Math.min(openLineMax, Math.max(1, Math.floor(openLineMs / Math.max(1, tookMs))))
  }

  /**
   * Runs the call when its endpoint has a free slot. Returns null without making the call when no slot becomes free
   * within `waitMsMax`, or when too many calls wait.
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
        // The slot may have been granted at the last moment, although the time-out won the race. It is used then.
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

  #ask({ environment, endpoint, origin, hasBreaker }: SlotRequest): Ticket | null {
    const parts = { environment, endpoint, origin: `${environment} ${origin}`, hasBreaker }
    const line = this.#lines.get(endpoint) ?? { ...parts, waiting: new Set(), running: 0 }
    if (this.#isFull(line)) return null
    this.#lines.set(endpoint, line)
    const ticket: Ticket = { line, called: Deferred.unsafeMake<void>(FiberId.none), hasSlot: false }
    line.waiting.add(ticket)
    this.#callNext(line)
    return ticket
  }

  /** Returns the ticket's slot, or removes the ticket from its line. */
  #leave(ticket: Ticket): void {
    const { line } = ticket
    if (ticket.hasSlot) {
      this.#count(line, -1)
    } else {
      line.waiting.delete(ticket)
    }
    if (line.waiting.size === 0) this.#turns.delete(line)
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(line.endpoint)
    this.#callNext(line)
    if (!ticket.hasSlot) return
    const { originCallsMax, sandboxCallsMax } = this.#options
    const wasOriginFull = (this.#runningByOrigin.get(line.origin) ?? 0) === originCallsMax - 1
    const wasSandboxFull = line.environment === "sandbox" && this.#runningInSandbox === sandboxCallsMax - 1
    if (!wasOriginFull && !wasSandboxFull) return
    // Other endpoints of that origin, or of the sandbox, may wait for the free slot.
    for (const other of this.#lines.values()) {
      const isOfSandbox = wasSandboxFull && other.environment === "sandbox"
      if (isOfSandbox || (wasOriginFull && other.origin === line.origin)) this.#queueUp(other)
    }
    this.#handOut()
  }

  /** `changed` may have a new waiting call, or new room. */
  #callNext(changed: Line): void {
    this.#queueUp(changed)
    this.#handOut()
  }

  #queueUp(line: Line): void {
    if (line.waiting.size > 0 && this.#hasRoom(line)) this.#turns.add(line)
  }

  /** Grants free slots, one for each endpoint in turn. */
  #handOut(): void {
    for (const line of this.#turns) {
      if (this.#running >= this.#options.callsMax) return
      this.#turns.delete(line)
      const [ticket] = line.waiting
      if (ticket === undefined || !this.#hasRoom(line)) continue
      line.waiting.delete(ticket)
      this.#count(line, 1)
      ticket.hasSlot = true
      Deferred.unsafeDone(ticket.called, Exit.void)
      // Goes to the end of the turns, which this loop reaches again.
      this.#queueUp(line)
    }
  }

  #count(line: Line, change: 1 | -1): void {
    const { environment, origin } = line
    line.running += change
    this.#running += change
    if (environment === "sandbox") this.#runningInSandbox += change
    const count = (this.#runningByOrigin.get(origin) ?? 0) + change
    if (count === 0) this.#runningByOrigin.delete(origin)
    else this.#runningByOrigin.set(origin, count)
  }

  #hasRoom(line: Line): boolean {
    const { endpointCallsMax, originCallsMax, sandboxCallsMax } = this.#options
    if (line.environment === "sandbox" && this.#runningInSandbox >= sandboxCallsMax) return false
    const share = line.hasBreaker ? endpointCallsMax : originCallsMax
    const most = this.#isLimited(line) ? 1 : share
    return line.running < most && (this.#runningByOrigin.get(line.origin) ?? 0) < originCallsMax
  }

  /** True when no more calls may wait. */
  #isFull(line: Line): boolean {
    const { endpointWaitingMax, unqueuedWaitingMax } = this.#options
    if (this.#isLimited(line)) return line.running + line.waiting.size >= this.#openLine(line.endpoint)
    return line.waiting.size >= (line.hasBreaker ? endpointWaitingMax : unqueuedWaitingMax)
  }

  #isLimited({ endpoint, hasBreaker }: Line): boolean {
    return hasBreaker && this.isOpen(endpoint)
  }
}
