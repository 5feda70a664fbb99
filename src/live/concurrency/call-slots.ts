/**
 * Slots of calls, shared fairly: the number of calls in flight is bounded for a node, for the sandbox, for each organization, for
 * each origin and for each endpoint, and so is the number of calls that wait. Endpoints that wait take turns. Each endpoint has a circuit breaker, which consecutive failures open and
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
  /** Calls of one organization in one environment in flight. */
  readonly organizationCallsMax: number
  /** Calls in flight to one scheme, host and port. */
  readonly originCallsMax: number
  /** Calls in flight to one endpoint with a breaker. */
  readonly endpointCallsMax: number
  /** Calls that wait for one endpoint with a breaker; one more is deferred. */
  readonly endpointWaitingMax: number
  /** Calls that wait for endpoints with a breaker, of one environment and of one organization in it; one more is deferred. */
  readonly environmentWaitingMax: Readonly<Record<Environment, number>>
  readonly organizationWaitingMax: number
  /** Calls of one organization that wait although its environment is full. */
  readonly organizationWaitingMin: number
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
  readonly organizationId: string
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

/** Calls that share slots. */
interface Share {
  readonly name: string
  readonly callsMax: number
  running: number
  waiting: number
}

type Shares = Readonly<Record<"environment" | "organization" | "origin", Share>>

/** The calls to one endpoint. */
interface Line {
  readonly endpoint: string
  readonly environment: Environment
  readonly shares: Shares
  readonly hasBreaker: boolean
  /** In order of arrival. */
  readonly waiting: Set<Ticket>
  running: number
}

/** The result of the last calls to an endpoint. */
interface Health {
  /** Those of its last call; null when its line had ended. */
  readonly shares: Shares | null
  readonly failuresInRow: number
  readonly tookMs: number
  readonly atMs: number
}

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #lines = new Map<string, Line>()
  /** Shares with a call. */
  readonly #shareByName = new Map<string, Share>()
  readonly #healthByEndpoint = new Map<string, Health>()
  /** Lines with a waiting call and room at their endpoint and origin, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #running = 0
  #openBreakers = 0
  #isPaused = false

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /** Grants no slots until `resume`: a call that begins while all are interrupted would only be sent twice. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#handOut()
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
    const rooms = Object.values(line?.shares ?? health?.shares ?? {}).map(({ name, callsMax }) => {
      const { running = 0, waiting = 0 } = this.#shareByName.get(name) ?? {}
      return callsMax - running - waiting
    })
    // An endpoint without a call gets one, so that others of its organization cannot use up every room.
    return Math.max(inLine === 0 ? 1 : 0, Math.min(most - inLine, ...rooms))
  }

  /** Records how a call ended. Returns the change of the breaker, or null. */
  ended({ endpoint, hasFailed, tookMs, atMs }: SlotEnd): BreakerChange | null {
    const { failuresInRow = 0 } = this.#healthByEndpoint.get(endpoint) ?? {}
    const shares = this.#lines.get(endpoint)?.shares ?? null
    return this.#note(endpoint, { shares, failuresInRow: hasFailed ? failuresInRow + 1 : 0, tookMs, atMs })
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

  #ask(request: SlotRequest): Ticket | null {
    const { endpoint } = request
    const line = this.#lines.get(endpoint) ?? this.#lineOf(request)
    if (this.#mustWait(line) && this.#isFull(line)) return null
    this.#lines.set(endpoint, line)
    for (const share of Object.values(line.shares)) this.#shareByName.set(share.name, share)
    const ticket: Ticket = { line, called: Deferred.unsafeMake<void>(FiberId.none), hasSlot: false }
    line.waiting.add(ticket)
    countWaiting(line, 1)
    this.#callNext(line)
    return ticket
  }

  #lineOf({ environment, organizationId, endpoint, origin, hasBreaker }: SlotRequest): Line {
    const { callsMax, sandboxCallsMax, organizationCallsMax, originCallsMax } = this.#options
    const shares = {
      environment: this.#share(environment, environment === "sandbox" ? sandboxCallsMax : callsMax),
      organization: this.#share(`${environment} organization ${organizationId}`, organizationCallsMax),
      origin: this.#share(`${environment} origin ${origin}`, originCallsMax),
    }
    return { endpoint, environment, shares, hasBreaker, waiting: new Set(), running: 0 }
  }

  #share(name: string, callsMax: number): Share {
    return this.#shareByName.get(name) ?? { name, callsMax, running: 0, waiting: 0 }
  }

  /** Returns the ticket's slot, or removes the ticket from its line. */
  #leave(ticket: Ticket): void {
    const { line } = ticket
    const shares = Object.values(line.shares)
    const full = shares.filter(({ running, callsMax }) => ticket.hasSlot && running >= callsMax)
    if (ticket.hasSlot) this.#count(line, -1)
    else if (line.waiting.delete(ticket)) countWaiting(line, -1)
    if (line.waiting.size === 0) this.#turns.delete(line)
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(line.endpoint)
    for (const { name, running, waiting } of shares)
      if (running === 0 && waiting === 0) this.#shareByName.delete(name)
    this.#callNext(line)
    if (full.length === 0) return
    // Other endpoints may wait for the slot that a share has free now.
    for (const other of this.#lines.values())
      if (Object.values(other.shares).some((share) => full.includes(share))) this.#queueUp(other)
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
      if (this.#isPaused || this.#running >= this.#options.callsMax) return
      this.#turns.delete(line)
      const [ticket] = line.waiting
      if (ticket === undefined || !this.#hasRoom(line)) continue
      line.waiting.delete(ticket)
      countWaiting(line, -1)
      this.#count(line, 1)
      ticket.hasSlot = true
      Deferred.unsafeDone(ticket.called, Exit.void)
      // Goes to the end of the turns, which this loop reaches again.
      this.#queueUp(line)
    }
  }

  #count(line: Line, change: 1 | -1): void {
    line.running += change
    this.#running += change
    for (const share of Object.values(line.shares)) share.running += change
  }

  #hasRoom(line: Line): boolean {
    const { endpointCallsMax, originCallsMax } = this.#options
    const most = this.#isLimited(line) ? 1 : line.hasBreaker ? endpointCallsMax : originCallsMax
    return line.running < most && Object.values(line.shares).every((share) => share.running < share.callsMax)
  }

  /** True when a further call could not begin now. */
  #mustWait(line: Line): boolean {
    return line.waiting.size > 0 || this.#running >= this.#options.callsMax || !this.#hasRoom(line)
  }

  /** True when no more calls may wait. */
  #isFull(line: Line): boolean {
    const options = this.#options
    if (this.#isLimited(line)) return line.running + line.waiting.size >= this.#openLine(line.endpoint)
    if (!line.hasBreaker) return line.waiting.size >= options.unqueuedWaitingMax
    const { environment, organization } = line.shares
    if (line.waiting.size >= options.endpointWaitingMax) return true
    if (organization.waiting >= options.organizationWaitingMax) return true
    const isEnvironmentFull = environment.waiting >= options.environmentWaitingMax[line.environment]
    return isEnvironmentFull && organization.waiting >= options.organizationWaitingMin
  }

  #isLimited({ endpoint, hasBreaker }: Line): boolean {
    return hasBreaker && this.isOpen(endpoint)
  }
}

function countWaiting({ shares }: Line, change: 1 | -1): void {
  for (const share of Object.values(shares)) share.waiting += change
}
