/** The control: a record that is run again under its own rules must be the record, entry by entry, up to the hash of every group. */

import type { GroupAddress } from "../../model/address.ts"
import type { RelivedTurn, Relived } from "./relived.ts"
import type { Recorded } from "./recorded.ts"

/** The first entry of the record that did not come again as it was; null: every hash is equal. */
export interface Unlike {
  /** The entry's line in the record; null: the new course has an entry more. */
  readonly s: number | null
  readonly group: GroupAddress
  readonly because: "another" | "missing" | "more"
}

export function firstUnlike(recorded: Recorded, { turns, groups }: Relived): Unlike | null {
  const isAgain = new Set<number>()
  for (const { twin, result } of turns) {
    const group = result.group.address
    if (twin === null) return { s: null, group, because: "more" }
    isAgain.add(twin.at)
    if (hashOf(twin) !== hashOf({ result })) return { s: twin.s, group, because: "another" }
  }
  const missing = recorded.turns.find(({ at }) => !isAgain.has(at))
  if (missing !== undefined) return { s: missing.s, group: missing.result.group.address, because: "missing" }
  const other = [...recorded.endOf].find(([address, { head }]) => groups.get(address)?.head !== head)
  return other === undefined ? null : { s: null, group: other[0], because: "another" }
}

function hashOf({ result }: Pick<RelivedTurn, "result">): string | undefined {
  return result.entry?.hash
}
