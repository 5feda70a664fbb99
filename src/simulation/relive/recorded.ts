/**
 * A record by cause: which entries each entry caused, and which inputs came from outside. An input is from outside when no
 * entry of the record caused it: commands of people, partners and robots, and messages of groups that the record does not hold.
 */

import { groupOf } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Cause, Group, Timer } from "../../engine/kernel/group.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { Call, Message } from "../../engine/kernel/turn.ts"
import type { ReplayedTurn } from "../replay.ts"

/** An entry of the record, by its place among all entries. */
export interface RecordedTurn extends ReplayedTurn {
  readonly at: number
}

export class Recorded {
  readonly turns: readonly RecordedTurn[]
  readonly outside: readonly RecordedTurn[]
  /** Of each group, its state at the end. */
  readonly endOf: ReadonlyMap<GroupAddress, Group>
  readonly lastMs: EpochMs
  readonly #caused = new Map<number, RecordedTurn[]>()
  readonly #atByEntry = new Map<string, number>()
  readonly #lastOutside = new Map<GroupAddress, EpochMs>()

  constructor(turns: readonly ReplayedTurn[]) {
    this.turns = turns.map((turn, at) => ({ ...turn, at }))
    const outside: RecordedTurn[] = []
    let lastMs = 0
    for (const turn of this.turns) {
      const { input, result } = turn
      const cause = this.causeOf(turn)
      if (cause === null) {
        outside.push(turn)
        this.#lastOutside.set(groupOf(input.to), input.instantMs)
      } else addTo(this.#caused, cause.at, turn)
      this.#atByEntry.set(entryKey([result.group.address, result.group.revision, 0]), turn.at)
      lastMs = Math.max(lastMs, result.instantMs)
    }
    this.outside = outside
    this.lastMs = lastMs
    this.endOf = new Map(this.turns.map(({ result: { group } }) => [group.address, group]))
  }

  /** The entry that caused this one; null for an input from outside. */
  causeOf({ input: { cause } }: Pick<ReplayedTurn, "input">): RecordedTurn | null {
    const at = cause === null ? undefined : this.#atByEntry.get(entryKey(cause))
    return at === undefined ? null : (this.turns[at] ?? null)
  }

  /** When the last input from outside comes to the group; null: never. */
  lastOutsideMs(group: GroupAddress): EpochMs | null {
    return this.#lastOutside.get(group) ?? null
  }

  /** Commands that an entry's published events caused, such as the start of a webhook delivery. */
  commandsBy({ at }: RecordedTurn): readonly RecordedTurn[] {
    return (this.#caused.get(at) ?? []).filter(({ input }) => input.by === "command")
  }

  /** The entry in which the timer fired; `rests`: it was still armed for this time when the record ended. */
  firing({ at, result }: RecordedTurn, { to, id, dueMs }: Timer): RecordedTurn | "rests" | null {
    const fired = this.#caused.get(at)?.find(({ input }) => input.timer === id && input.to === to)
    if (fired !== undefined) return fired
    const isResting = [...(this.endOf.get(result.group.address)?.timers.values() ?? [])].some(
      (timer) =>
        timer.to === to &&
        timer.id === id &&
        timer.dueMs === dueMs &&
        this.causeOf({ input: { cause: timer.cause } as TurnInput })?.at === at,
    )
    return isResting ? "rests" : null
  }

  /** The entry that took the message; `rests`: it was under way when the record ended. Null for a message that it does not have. */
  taking(
    { at, result }: RecordedTurn,
    message: Message,
    earlier: readonly Message[],
  ): RecordedTurn | "rests" | null {
    const number = earlier.filter((one) => isSame(one, message)).length
    const taken = (this.#caused.get(at) ?? []).filter(
      ({ input }) => input.by === "message" && isSame(input, message),
    )
    if (taken[number] !== undefined) return taken[number]
    return result.messages.filter((one) => isSame(one, message)).length > number ? "rests" : null
  }

  /** All results of the call, in order: a lost one may be answered again. Null for a call that the record does not have. */
  answers({ at, result }: RecordedTurn, call: Call): readonly RecordedTurn[] | null {
    if (!result.calls.some((one) => isSameCall(one, call))) return null
    return (this.#caused.get(at) ?? []).filter(
      ({ input }) =>
        input.by === "result" && input.to === call.actor && input.event?.["attempt"] === call.attempt,
    )
  }
}

/** Adds to the list of a key. */
export function addTo<Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [one])
  else list.push(one)
}

function entryKey([group, revision]: Cause): string {
  return `${group} ${revision}`
}

interface Sent {
  readonly to: Address
  readonly event?: { readonly type: string } | undefined
  readonly start?: unknown
}

function isSame(one: Sent, other: Sent): boolean {
  return one.to === other.to && one.event?.type === other.event?.type
}

function isSameCall(one: Call, other: Call): boolean {
  return one.actor === other.actor && one.call === other.call && one.attempt === other.attempt
}
