/**
 * Slots of calls, shared out fairly: a node makes so many calls at once, and so many of them to one receiver. A receiver
 * that never answers fills its own share; the receivers that wait take turns for what is free.
 */

import { Deferred, Effect, Exit, FiberId } from "effect"

export interface CallSlotsOptions {
  /** Calls at once. */
  readonly callsMax: number
  /** Calls at once to one receiver. */
  readonly receiverCallsMax: number
  /** Calls that wait for one receiver; one more is turned away. */
  readonly receiverWaitingMax: number
}

export interface SlotRequest {
  readonly receiver: string
  readonly waitMsMax: number
  /** Told before the call waits. */
  readonly onWait?: () => void
}

interface Ticket {
  readonly line: Line
  readonly called: Deferred.Deferred<void>
  hasSlot: boolean
}

/** The calls of one receiver. */
interface Line {
  readonly receiver: string
  /** In the order of asking. */
  readonly waiting: Set<Ticket>
  running: number
}

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #lines = new Map<string, Line>()
  /** Lines with somebody waiting and room for one more, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #running = 0

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /** Calls that wait for nothing but a receiver with its share already full. */
  get heldUp(): number {
    let count = 0
    for (const line of this.#lines.values()) if (!this.#hasRoom(line)) count += line.waiting.size
    return count
  }

  /**
   * Runs the call when a slot is free for its receiver. Null, and the call is not made, when none becomes free within
   * `waitMsMax` or too many wait already.
   */
  run<A>({ receiver, waitMsMax, onWait }: SlotRequest, call: Effect.Effect<A>): Effect.Effect<A | null> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function* () {
        const ticket = this.#ask(receiver)
        if (ticket === null) return null
        if (!ticket.hasSlot) {
          onWait?.()
          const turn = restore(Effect.timeoutOption(Deferred.await(ticket.called), waitMsMax))
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

  #ask(receiver: string): Ticket | null {
    const line = this.#lines.get(receiver) ?? { receiver, waiting: new Set(), running: 0 }
    if (line.waiting.size >= this.#options.receiverWaitingMax) return null
    this.#lines.set(receiver, line)
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
    } else {
      line.waiting.delete(ticket)
    }
    if (line.waiting.size === 0) this.#turns.delete(line)
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(line.receiver)
    this.#callNext(line)
  }

  /** Hands out what is free, one slot a receiver at a time. `changed` may have got somebody waiting, or room. */
  #callNext(changed: Line): void {
    if (changed.waiting.size > 0 && this.#hasRoom(changed)) this.#turns.add(changed)
    for (const line of this.#turns) {
      if (this.#running >= this.#options.callsMax) return
      this.#turns.delete(line)
      const [ticket] = line.waiting
      if (ticket === undefined) continue
      line.waiting.delete(ticket)
      line.running += 1
      this.#running += 1
      ticket.hasSlot = true
      Deferred.unsafeDone(ticket.called, Exit.void)
      // At the end of the line of lines, which this loop reaches again.
      if (line.waiting.size > 0 && this.#hasRoom(line)) this.#turns.add(line)
    }
  }

  #hasRoom(line: Line): boolean {
    return line.running < this.#options.receiverCallsMax
  }
}
