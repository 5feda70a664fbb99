/**
 * The journals of a run that records none: it keeps the inputs of each group, and takes a group's turns again when its journal is asked
 * for. A turn follows from its group and its input alone, so the entries are those of a full recording.
 */

import { groupOf } from "../../../model/address.ts"
import type { Address, GroupAddress } from "../../../model/address.ts"
import type { MemoryHost } from "../../../engine/memory/memory-host.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { TurnInput } from "../../../engine/kernel/journal.ts"
import type { Program } from "../../../engine/kernel/program.ts"
import { takeTurn } from "../../../engine/kernel/turn.ts"

export class GroupInputs {
  readonly #byGroup = new Map<GroupAddress, TurnInput[]>()

  /** Must be called before people and vehicles are in the world: vehicles have a turn when they are registered. */
  listen(host: MemoryHost): void {
    host.onTurn((_, input) => {
      const group = groupOf(input.to)
      const known = this.#byGroup.get(group)
      if (known === undefined) this.#byGroup.set(group, [input])
      else known.push(input)
    })
  }

  /**
   * Exact texts of the entries so far of the group that an address belongs to; empty for a group that the run does not have. Cost: the
   * group's turns, up to about 50 ms for the longest of a day. Throws EngineFault.
   */
  entriesOf(address: Address, program: Program): readonly string[] {
    const entries: string[] = []
    let group: Group | null = null
    for (const input of this.#byGroup.get(groupOf(address)) ?? []) {
      const result = takeTurn(program, group, input)
      const { entry = null } = result ?? {}
      if (result === null || entry === null) continue
      entries.push(entry.text)
      group = result.group
    }
    return entries
  }
}
