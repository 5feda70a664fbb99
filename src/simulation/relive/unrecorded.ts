/**
 * What the outside does where the record does not say it. A call that the record does not have is answered as the nearest call of its
 * kind was, and after the same time. A visit that goes on after its recorded end meets what the nearest visit met that stood in the same
 * state for as long: the same command after the same time, or nothing.
 */

import { groupOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { addTo } from "./recorded.ts"
import type { Recorded, RecordedTurn } from "./recorded.ts"

export interface NearestAnswer {
  readonly event: NonNullable<TurnInput["event"]>
  readonly tookMs: number
}

export interface NearestCommand {
  readonly turn: RecordedTurn
  /** From the time at which the state began. */
  readonly afterMs: number
}

/** One stay of a recorded group in a state, and the command that ended it; null: something else ended it. */
interface Stay {
  readonly group: GroupAddress
  readonly fromMs: EpochMs
  readonly lastedMs: number
  readonly command: RecordedTurn | null
}

export class Unrecorded {
  readonly #stays = new Map<string, Stay[]>()
  readonly #answers = new Map<string, { readonly atMs: EpochMs; readonly answer: NearestAnswer }[]>()

  constructor(recorded: Recorded) {
    const open = new Map<GroupAddress, { readonly key: string; readonly fromMs: EpochMs }>()
    for (const turn of recorded.turns) {
      const { input, result } = turn
      this.#takeAnswer(recorded, turn)
      if (!result.hasGroup || result.outcome.type === "refused") continue
      const { address } = result.group
      const key = stateOf(result.group)
      const before = open.get(address)
      if (before?.key === key) continue
      if (before !== undefined) {
        const isOutside = input.by === "command" && input.facts === null && recorded.causeOf(turn) === null
        const lastedMs = result.instantMs - before.fromMs
        const stay: Stay = {
          group: address,
          fromMs: before.fromMs,
          lastedMs,
          command: isOutside ? turn : null,
        }
        addTo(this.#stays, before.key, stay)
      }
      open.set(address, { key, fromMs: result.instantMs })
    }
  }

  #takeAnswer(recorded: Recorded, { input, result }: RecordedTurn): void {
    const { by, event, to } = input
    if (by !== "result" || event === undefined || event.type === "call.lost") return
    const made = recorded.causeOf({ input })?.result
    const call = made?.calls.find(({ actor, attempt }) => actor === to && attempt === event["attempt"])
    if (made === undefined || call === undefined) return
    const answer = { event, tookMs: result.instantMs - made.instantMs }
    addTo(this.#answers, kindOfCall(call), { atMs: made.instantMs, answer })
  }

  /** Null when the record has no call of this kind: it stays without an answer. */
  answerTo(call: Call, atMs: EpochMs): NearestAnswer | null {
    return (
      nearest(this.#answers.get(kindOfCall(call)) ?? [], (one) => Math.abs(one.atMs - atMs))?.answer ?? null
    )
  }

  /** What comes to a group that has been in its state since `fromMs`; null: nothing, or something of its own. */
  commandFor(
    group: Group,
    { fromMs, nowMs }: { readonly fromMs: EpochMs; readonly nowMs: EpochMs },
  ): NearestCommand | null {
    const stays = (this.#stays.get(stateOf(group)) ?? []).filter(
      (stay) => stay.group !== group.address && stay.lastedMs > nowMs - fromMs,
    )
    const stay = nearest(stays, (one) => Math.abs(one.fromMs - fromMs))
    const turn = stay?.command ?? null
    return stay === undefined || turn === null ? null : { turn, afterMs: stay.lastedMs }
  }
}

/** Kind and the states of all its actors; two groups of one text stand in the same place. */
export function stateOf({ address, actors }: Group): string {
  const states = [...actors].map(([actor, { snapshot }]) => [actor.slice(address.length), snapshot.value])
  return `${kindOf(address)} ${JSON.stringify(states)}`
}

function kindOfCall({ actor, call }: Call): string {
  return `${kindOf(groupOf(actor))} ${call}`
}

/** The first of those with the smallest distance. */
function nearest<One>(all: readonly One[], distance: (one: One) => number): One | undefined {
  let found: One | undefined
  for (const one of all) if (found === undefined || distance(one) < distance(found)) found = one
  return found
}

/** The event for another group and time: addresses and instants in it move along. */
export function movedTo(
  event: JsonObject & { readonly type: string },
  byMs: number,
): JsonObject & { readonly type: string } {
  const moved = Object.entries(event).map(([name, value]) => [
    name,
    name.endsWith("AtMs") && typeof value === "number" ? value + byMs : value,
  ])
  return { ...(Object.fromEntries(moved) as JsonObject), type: event.type }
}
