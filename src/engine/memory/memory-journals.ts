/** Journals of groups in memory: the entries that a host with recording keeps. Cost: linear in all entries. */

import { Layer } from "effect"
import { GroupJournals, turnOf } from "../services/group-journals.ts"
import type { JournalTurn } from "../services/group-journals.ts"
import { Routine } from "../services/routine.ts"
import type { MemoryHost } from "./memory-host.ts"

export function layerMemoryJournals(host: Pick<MemoryHost, "entries">): Layer.Layer<GroupJournals> {
  const turnsOf = (address: string): readonly JournalTurn[] =>
    host.entries
      .filter(({ entry }) => entry.group === address)
      .map(({ entry: { revision, text }, instantMs }) => turnOf({ revision, text, instantMs }))
  return Layer.succeed(GroupJournals, {
    first: (address, limit) => Routine.sync(() => turnsOf(address).slice(0, limit)),
    of: (addresses) =>
      Routine.sync(
        () =>
          new Map(
            addresses.flatMap((address) => {
              const turns = turnsOf(address)
              return turns.length === 0 ? [] : [[address, turns] as const]
            }),
          ),
      ),
  })
}
