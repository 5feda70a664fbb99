/**
 * Slots of calls, shared out fairly: a node makes so many calls at once, so many of them to one origin and so many to one
 * endpoint. Endpoints that wait take turns. A circuit breaker per endpoint opens after failures in a row: an open one lets one
 * call go at a time, and any other is deferred. One success closes it.
 */

import { Deferred, Effect, Exit, FiberId } from "effect"

export interface CallSlotsOptions {
  /** Calls at once. */
  readonly callsMax: number
  /** Calls at once to one scheme, host and port. */
  readonly originCallsMax: number
  /** Calls at once to one endpoint with a breaker. */
  readonly endpointCallsMax: number
  /** Calls that wait for one endpoint; one more is deferred. */
  readonly endpointWaitingMax: number
  /** Failures in a row that open the breaker of an endpoint. */
  readonly breakerFailures: number
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
  /** Told before the call waits. */
  readonly onWait?: () => void
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

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #lines = new Map<string, Line>()
  readonly #runningByOrigin = new Map<string, number>()
  /** Failures in a row; an endpoint that answered has none. */
  readonly #failures = new Map<string, number>()
  /** Lines with a call waiting and room for it as far as their endpoint goes, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #running = 0
  #openBreakers = 0

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /** Calls that wait for nothing but an endpoint or an origin with its share already full. */
  get heldUp(): number {
    let count = 0
    for (const line of this.#lines.values()) if (!this.#hasRoom(line)) count += line.waiting.size
    return count
  }

  isOpen(endpoint: string): boolean {
    return (this.#failures.get(endpoint) ?? 0) >= this.#options.breakerFailures
  }

  /** How many deferred calls to the endpoint may be asked for now. */
  roomFor(endpoint: string): number {
    const line = this.#lines.get(endpoint)
    const inLine = (line?.running ?? 0) + (line?.waiting.size ?? 0)
    return Math.max(0, (this.isOpen(endpoint) ? 1 : this.#options.endpointCallsMax) - inLine)
  }

  /** Notes how a call ended. What that changed, or null. */
  ended(endpoint: string, hasFailed: boolean): BreakerChange | null {
    const wasOpen = this.isOpen(endpoint)
    if (hasFailed) this.#failures.set(endpoint, (this.#failures.get(endpoint) ?? 0) + 1)
    else this.#failures.delete(endpoint)
    const isOpen = this.isOpen(endpoint)
    if (isOpen === wasOpen) return null
    this.#openBreakers += isOpen ? 1 : -1
    const line = this.#lines.get(endpoint)
    if (line !== undefined) {
      // Calls that wait go without a slot: they are deferred.
      if (isOpen) for (const ticket of line.waiting) Deferred.unsafeDone(ticket.called, Exit.void)
      this.#callNext(line)
    }
    return { endpoint, isOpen, openBreakers: this.#openBreakers }
  }

  /**
   * Runs the call when a slot is free for its endpoint. Null, and the call is not made, when none becomes free within
   * `waitMsMax`, too many wait already, or the breaker is open and another call is in flight.
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
        // A slot that came at the last moment is used, whoever won.
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
    if (line.waiting.size >= this.#options.endpointWaitingMax) return null
    if (this.#isLimited(line) && line.running + line.waiting.size > 0) return null
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

  #isLimited({ endpoint, hasBreaker }: Line): boolean {
    return hasBreaker && this.isOpen(endpoint)
  }
}
