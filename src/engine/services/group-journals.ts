/** Journals of groups as services read them: what happened to a group, turn by turn. */

import { Context } from "effect"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EntryBody } from "../kernel/journal.ts"
import type { Routine } from "./routine.ts"

/** One turn of a group. */
export interface JournalTurn {
  readonly revision: number
  readonly instantMs: EpochMs
  readonly body: EntryBody
}

export class GroupJournals extends Context.Tag("GroupJournals")<
  GroupJournals,
  {
    /** The first turns of one group, in order. Empty for an unknown group. */
    readonly first: (address: GroupAddress, limit: number) => Routine<readonly JournalTurn[]>
    /** Every turn of several groups, each in order. Groups without a turn are absent. */
    readonly of: (
      addresses: readonly GroupAddress[],
    ) => Routine<ReadonlyMap<GroupAddress, readonly JournalTurn[]>>
  }
>() {}

/** A turn from its entry's row. */
export function turnOf({
  revision,
  instantMs,
  text,
}: {
  readonly revision: number
  readonly instantMs: EpochMs
  readonly text: string
}): JournalTurn {
  return { revision, instantMs, body: JSON.parse(text) as EntryBody }
}

/** The innermost active state of a recorded snapshot. */
export function innermostState(value: JsonObject | string): string {
  let inner: unknown = value
  while (typeof inner === "object" && inner !== null) inner = Object.values(inner)[0]
  return String(inner)
}

/** The steps of one actor that were not refused, in order, with the instant of their turn. */
export function stepsOf(turns: readonly JournalTurn[], actor: Address) {
  return turns.flatMap(({ instantMs, body }) =>
    body.refused === null
      ? body.steps.filter(({ a }) => a === actor).map((step) => ({ instantMs, step }))
      : [],
  )
}
