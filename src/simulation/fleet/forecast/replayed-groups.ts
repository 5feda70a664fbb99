/** Groups as their journals leave them: each entry is taken again. */

import { groupOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import { persistGroup } from "../../../engine/kernel/group.ts"
import type { Group, PersistedGroup } from "../../../engine/kernel/group.ts"
import type { EntryBody } from "../../../engine/kernel/journal.ts"
import type { Program } from "../../../engine/kernel/program.ts"
import { takeTurn } from "../../../engine/kernel/turn.ts"
import { inputOf } from "../../replay.ts"

export class ReplayedGroups {
  readonly #program: Program
  readonly #groups = new Map<GroupAddress, Group>()

  constructor(program: Program) {
    this.#program = program
  }

  /** Takes the next entry of a group. Throws EngineFault when the program does not have its machine. */
  take(text: string): void {
    const input = inputOf(JSON.parse(text) as EntryBody)
    const address = groupOf(input.to)
    const result = takeTurn(this.#program, this.#groups.get(address) ?? null, input)
    if (result !== null) this.#groups.set(address, result.group)
  }

  groups(): readonly PersistedGroup[] {
    return [...this.#groups.values()].map((group) => persistGroup(group))
  }
}
