/**
 * Slots of calls, shared fairly: the number of calls in flight is bounded for a node, for the sandbox, for each organization, for
 * each origin and for each endpoint, and so is the number of calls that wait. Endpoints that wait take turns: an endpoint keeps its place until
 * one of its calls begins. Each endpoint has a circuit breaker, which consecutive failures open and one success closes. While it is open, one call is in flight at a time, and only as many calls wait for it as can be
 * sent soon, judged by the duration of the last one. Any other call is deferred.
 */

import { Option, Order, SortedMap } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Deadlines } from "./deadlines.ts"

export interface CallSlotsOptions {
  /** Calls in flight. */
  readonly callsMax: number
  /** Calls of the sandbox in flight: fewer, so that production never waits for them alone. */
  readonly sandboxCallsMax: number
  /**
   * Calls of one organization in one environment in flight to endpoints with a breaker. Others are free of it: somebody waits for
   * them, and must not wait for webhooks that hang.
   */
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

/** What ends the wait for a slot. */
export interface SlotWait {
  readonly deadlines: Deadlines
  /** Gives the slot back at once, also that of a call that goes on. */
  readonly signal: AbortSignal
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
  hasSlot: boolean
  hasLeft: boolean
  /** Ends its wait. */
  wake: (() => void) | null
}

/** Calls that share slots. */
interface Share {
  readonly name: string
  readonly callsMax: number
  running: number
  /** Of endpoints with a breaker. */
  waiting: number
  /** Lines that the share is one of. */
  lines: number
  /** Lines that wait for a slot of this share, by their turn. */
  turns: SortedMap.SortedMap<number, Line>
}

/** The calls to one endpoint. */
interface Line {
  readonly endpoint: string
  readonly environment: Environment
  readonly inEnvironment: Share
  /** Null without a breaker. */
  readonly ofOrganization: Share | null
  /** Those two and that of the origin. */
  readonly shares: readonly Share[]
  readonly hasBreaker: boolean
  /** In order of arrival. */
  readonly waiting: Set<Ticket>
  running: number
  /** Its place among the lines with a waiting call. */
  turn: number
  /** The share in whose turns it is; null when none of its calls waits, or when its endpoint may get no more calls. */
  waitsAt: Share | null
}

/** The result of the last calls to an endpoint. */
interface Health {
  /** Those of its last call; null when its line had ended. */
  readonly shares: readonly Share[] | null
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
  readonly #sharesWithTurns = new Set<Share>()
  #lastTurn = 0
  #running = 0
  #openBreakers = 0

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /** Calls that wait only because their endpoint or one of their shares is full. */
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
    // Calls that wait are not counted: most wait for their own endpoint, and would not use these slots.
    const rooms = (line?.shares ?? health?.shares ?? []).map(
      ({ name, callsMax }) => callsMax - (this.#shareByName.get(name)?.running ?? 0),
    )
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
    for (const ticket of [...line.waiting].slice(staying)) ticket.wake?.()
  }

  /** How many calls may be in the line of an open breaker; one for an endpoint without a recorded call. */
  #openLine(endpoint: string): number {
    const { openLineMs, openLineMax } = this.#options
    const { tookMs = openLineMs } = this.#healthByEndpoint.get(endpoint) ?? {}
    return Math.min(openLineMax, Math.max(1, Math.floor(openLineMs / Math.max(1, tookMs))))
  }

  /**
   * Makes the call when its endpoint has a free slot. Returns null without making it when no slot becomes free within `waitMsMax`,
   * when too many calls wait, or when it is aborted.
   */
  async run<A>(
    request: SlotRequest,
    call: () => Promise<A>,
    { deadlines, signal }: SlotWait,
  ): Promise<A | null> {
    const ticket = this.#ask(request)
    if (ticket === null) return null
    const leave = (): void => {
      this.#leave(ticket)
      ticket.wake?.()
    }
    signal.addEventListener("abort", leave)
    try {
      if (!ticket.hasSlot) {
        request.onWait?.()
        await new Promise<void>((resolve) => {
          ticket.wake = deadlines.wakingAfter(request.waitMsMax, resolve)
        })
      }
      // The slot may have been granted at the last moment, although the time-out won the race. It is used then.
      return ticket.hasSlot && !ticket.hasLeft ? await call() : null
    } finally {
      signal.removeEventListener("abort", leave)
      this.#leave(ticket)
    }
  }

  #ask(request: SlotRequest): Ticket | null {
    const line = this.#lines.get(request.endpoint) ?? this.#lineOf(request)
    const mustWait = this.#mustWait(line)
    if (mustWait && this.#isFull(line)) return null
    this.#keep(line)
    const ticket: Ticket = { line, hasSlot: false, hasLeft: false, wake: null }
    if (!mustWait) {
      this.#grant(ticket)
      return ticket
    }
    if (line.waiting.size === 0) line.turn = this.#nextTurn()
    line.waiting.add(ticket)
    countWaiting(line, 1)
    this.#callNext(line)
    return ticket
  }

  #lineOf({ environment, organizationId, endpoint, origin, hasBreaker }: SlotRequest): Line {
    const { callsMax, sandboxCallsMax, organizationCallsMax, originCallsMax } = this.#options
    const inEnvironment = this.#share(environment, environment === "sandbox" ? sandboxCallsMax : callsMax)
    const ofOrganization = hasBreaker
      ? this.#share(`${environment} organization ${organizationId}`, organizationCallsMax)
      : null
    const ofOrigin = this.#share(`${environment} origin ${origin}`, originCallsMax)
    return {
      endpoint,
      environment,
      inEnvironment,
      ofOrganization,
      shares: [inEnvironment, ...(ofOrganization === null ? [] : [ofOrganization]), ofOrigin],
      hasBreaker,
      waiting: new Set(),
      running: 0,
      turn: 0,
      waitsAt: null,
    }
  }

  #share(name: string, callsMax: number): Share {
    const turns = SortedMap.empty<number, Line>(Order.number)
    return this.#shareByName.get(name) ?? { name, callsMax, running: 0, waiting: 0, lines: 0, turns }
  }

  #keep(line: Line): void {
    if (this.#lines.has(line.endpoint)) return
    this.#lines.set(line.endpoint, line)
    for (const share of line.shares) {
      share.lines += 1
      this.#shareByName.set(share.name, share)
    }
  }

  #remove(line: Line): void {
    this.#lines.delete(line.endpoint)
    for (const share of line.shares) {
      share.lines -= 1
      if (share.lines === 0) this.#shareByName.delete(share.name)
    }
  }

  /** Returns the ticket's slot, or removes the ticket from its line. */
  #leave(ticket: Ticket): void {
    const { line } = ticket
    if (ticket.hasLeft) return
    ticket.hasLeft = true
    if (ticket.hasSlot) this.#count(line, -1)
    else if (line.waiting.delete(ticket)) countWaiting(line, -1)
    if (line.waiting.size === 0) this.#leaveTurns(line)
    if (line.running === 0 && line.waiting.size === 0) this.#remove(line)
    this.#callNext(line)
  }

  /** `changed` may have a new waiting call, or new room. */
  #callNext(changed: Line): void {
    this.#queueUp(changed)
    this.#handOut()
  }

  /** The line takes its place, unless its endpoint may get no more calls. */
  #queueUp(line: Line): void {
    if (line.waiting.size === 0 || line.waitsAt !== null || !this.#hasOwnRoom(line)) return
    this.#waitAt(line, line.inEnvironment)
  }

  /** Grants free slots, one for each endpoint in turn. */
  #handOut(): void {
    while (this.#running < this.#options.callsMax) {
      const line = this.#nextInTurn()
      const [ticket] = line?.waiting ?? []
      if (line === null || ticket === undefined) return
      this.#leaveTurns(line)
      if (!this.#hasOwnRoom(line)) continue
      const full = line.shares.find(isUsedUp)
      if (full === undefined) {
        line.waiting.delete(ticket)
        countWaiting(line, -1)
        this.#grant(ticket)
        line.turn = this.#nextTurn()
        this.#queueUp(line)
      } else {
        // It keeps its turn, but out of the way of others: they are not looked through for each free slot.
        this.#waitAt(line, full)
      }
    }
  }

  /** The first line of all shares with a free slot. Its other shares may be full. */
  #nextInTurn(): Line | null {
    let next: Line | null = null
    for (const share of this.#sharesWithTurns) {
      if (isUsedUp(share)) continue
      const line = firstOf(share)
      if (line === null || isUsedUp(line.inEnvironment)) continue
      if (next === null || line.turn < next.turn) next = line
    }
    return next
  }

  #waitAt(line: Line, share: Share): void {
    line.waitsAt = share
    share.turns = SortedMap.set(share.turns, line.turn, line)
    this.#sharesWithTurns.add(share)
  }

  #leaveTurns(line: Line): void {
    const share = line.waitsAt
    if (share === null) return
    line.waitsAt = null
    share.turns = SortedMap.remove(share.turns, line.turn)
    if (SortedMap.isEmpty(share.turns)) this.#sharesWithTurns.delete(share)
  }

  #nextTurn(): number {
    this.#lastTurn += 1
    return this.#lastTurn
  }

  #grant(ticket: Ticket): void {
    ticket.hasSlot = true
    this.#count(ticket.line, 1)
    ticket.wake?.()
  }

  #count(line: Line, change: 1 | -1): void {
    line.running += change
    this.#running += change
    for (const share of line.shares) share.running += change
  }

  #hasRoom(line: Line): boolean {
    return this.#hasOwnRoom(line) && !line.shares.some(isUsedUp)
  }

  /** False when as many calls as allowed are in flight to the endpoint itself. */
  #hasOwnRoom(line: Line): boolean {
    const { endpointCallsMax, originCallsMax } = this.#options
    return line.running < (this.#isLimited(line) ? 1 : line.hasBreaker ? endpointCallsMax : originCallsMax)
  }

  /** True when a further call could not begin now. */
  #mustWait(line: Line): boolean {
    return line.waiting.size > 0 || this.#running >= this.#options.callsMax || !this.#hasRoom(line)
  }

  /** True when no more calls may wait. */
  #isFull(line: Line): boolean {
    const options = this.#options
    if (this.#isLimited(line)) return line.running + line.waiting.size >= this.#openLine(line.endpoint)
    const { inEnvironment, ofOrganization } = line
    if (ofOrganization === null) return line.waiting.size >= options.unqueuedWaitingMax
    if (line.waiting.size >= options.endpointWaitingMax) return true
    if (ofOrganization.waiting >= options.organizationWaitingMax) return true
    const isEnvironmentFull = inEnvironment.waiting >= options.environmentWaitingMax[line.environment]
    return isEnvironmentFull && ofOrganization.waiting >= options.organizationWaitingMin
  }

  #isLimited({ endpoint, hasBreaker }: Line): boolean {
    return hasBreaker && this.isOpen(endpoint)
  }
}

function isUsedUp({ running, callsMax }: Share): boolean {
  return running >= callsMax
}

function firstOf({ turns }: Share): Line | null {
  return Option.match(SortedMap.headOption(turns), { onNone: () => null, onSome: ([, line]) => line })
}

/** Without a breaker a line has a bound of its own. */
function countWaiting({ shares, hasBreaker }: Line, change: 1 | -1): void {
  if (hasBreaker) for (const share of shares) share.waiting += change
}
