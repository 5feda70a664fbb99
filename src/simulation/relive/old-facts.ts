/**
 * Decisions of the new course over facts of the record that no longer hold: what was read then about a stall, a vehicle or a visit that
 * stands otherwise in the new course at that time.
 */

import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Json } from "../../model/values/json.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import type { Recorded } from "./recorded.ts"
import { isOver } from "./relived.ts"
import type { Relived } from "./relived.ts"
import { stateOf } from "./unrecorded.ts"

export class OldFacts {
  /** Ids of the visits that were decided with such facts. */
  readonly ids = new Set<string>()
  readonly #recorded = new Map<GroupAddress, Standing>()
  readonly #relived = new Map<GroupAddress, Standing>()
  readonly #apart = new Set<GroupAddress>()

  constructor(recorded: Recorded, { turns }: Relived) {
    const takeRecorded = this.#taker(recorded.turns, this.#recorded)
    const takeRelived = this.#taker(turns, this.#relived)
    for (const { input, result } of turns) {
      if (input.facts === null || input.decision === null) continue
      takeRecorded(result.instantMs)
      takeRelived(result.instantMs)
      if (this.#apart.size > 0 && this.#isOld(JSON.stringify(input.facts), idOf(result.group.address)))
        this.ids.add(idOf(result.group.address))
    }
  }

  /** Takes the turns of a course before an instant. */
  #taker(
    turns: readonly { readonly result: TurnResult }[],
    standings: Map<GroupAddress, Standing>,
  ): (beforeMs: EpochMs) => void {
    let next = 0
    return (beforeMs) => {
      for (let turn = turns[next]; turn !== undefined; turn = turns[next]) {
        const { group, hasGroup, instantMs } = turn.result
        if (instantMs >= beforeMs) return
        next += 1
        if (hasGroup) this.#take(group, standings)
      }
    }
  }

  #take(group: Group, standings: Map<GroupAddress, Standing>): void {
    const { address } = group
    standings.set(address, standingOf(group))
    if (this.#recorded.get(address)?.text === this.#relived.get(address)?.text) this.#apart.delete(address)
    else this.#apart.add(address)
  }

  #isOld(facts: string, own: string): boolean {
    return [...this.#apart].some((address) => {
      if (idOf(address) !== own && POOL_KINDS.has(kindOf(address)) && POOL.test(facts)) return true
      const names = [this.#recorded, this.#relived].flatMap((all) => all.get(address)?.names ?? [])
      return idOf(address) !== own && names.some((name) => facts.includes(JSON.stringify(name)))
    })
  }
}

/** Facts about a fleet count what others hold and drive, without their ids. */
const POOL = /"(?:holds|owed)":/
const POOL_KINDS: ReadonlySet<string> = new Set(["courier-order", "delivery", "vehicle"])

/** What a decision may read of a group, as text, and the names under which facts have it. */
interface Standing {
  readonly text: string
  readonly names: readonly string[]
}

function standingOf(group: Group): Standing {
  const { address, actors } = group
  const context = (actors.get(address)?.snapshot.context ?? {}) as { readonly [name: string]: Json }
  if (kindOf(address) !== "reservation") return { text: stateOf(group), names: [idOf(address)] }
  const { stallId, startsAtMs, endsAtMs } = context
  return {
    // A stall is taken for its window until the visit is over, whatever its parts do.
    text: JSON.stringify([isOver(group), stallId, startsAtMs, endsAtMs]),
    names: [idOf(address), ...(typeof stallId === "string" ? [stallId] : [])],
  }
}
