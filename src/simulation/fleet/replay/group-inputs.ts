/**
 * The journals of a run that records none: it keeps the inputs of each group, and takes a group's turns again when its journal is asked
 * for. A turn follows from its group and its input alone, so the entries are those of a full recording.
 */

import { groupOf } from "../../../model/address.ts"
import type { Address, GroupAddress } from "../../../model/address.ts"
import type { MemoryHost } from "../../../engine/memory/memory-host.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { Entry, TurnInput } from "../../../engine/kernel/journal.ts"
import type { Program } from "../../../engine/kernel/program.ts"
import { takeTurn } from "../../../engine/kernel/turn.ts"
import type { EpochMs } from "../../../model/values/time.ts"

export interface GroupJournal {
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
  /** Ids of the machines of its actors. */
  readonly machines: readonly string[]
  /** As it stands after them. */
  readonly group: Group
}

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
   * The entries so far of the group that an address belongs to, and its machines; null for a group that the run does not have. Cost: the
   * group's turns, up to about 50 ms for the longest of a day. Throws EngineFault.
   */
  journalOf(address: Address, program: Program): GroupJournal | null {
    const entries: GroupJournal["entries"][number][] = []
    const machines = new Set<string>()
    let group: Group | null = null
    for (const input of this.#byGroup.get(groupOf(address)) ?? []) {
      const result = takeTurn(program, group, input)
      const { entry = null } = result ?? {}
      if (result === null || entry === null) continue
      entries.push({ entry, instantMs: input.instantMs })
      group = result.group
      for (const { machine } of group.actors.values()) machines.add(machine)
    }
    return group === null ? null : { entries, machines: [...machines], group }
  }
}
