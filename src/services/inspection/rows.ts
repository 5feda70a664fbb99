/** Groups and their journals as the inspector reads them: a port of its own, because only the inspector lists groups. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { JsonObject } from "../../model/json.ts"
import type { EpochMs } from "../../model/time.ts"

export interface InspectedActor {
  readonly address: Address
  /** `id@version`. */
  readonly machine: string
  readonly value: JsonObject | string
}

/** A group as it stands. Revision 0 was sent its start and has not taken it. */
export interface InspectedGroup {
  readonly address: GroupAddress
  readonly kind: string
  /** Groups that were started later have a larger one. */
  readonly number: number
  readonly revision: number
  /** The instant of the last turn. */
  readonly instantMs: EpochMs
  readonly head: string
  readonly actors: readonly InspectedActor[]
  readonly isSettled: boolean
  /** The fault that a due entry ended in. */
  readonly stoppedBecause: string | null
  /** When the first of its timers and messages is due; null when nothing waits. */
  readonly nextDueMs: EpochMs | null
}

export interface GroupQuery {
  readonly environment: Environment
  readonly kind: string | null
  /** Only groups that are not settled. */
  readonly isOpen: boolean
  /** Only groups that a fault has stopped. */
  readonly isStopped: boolean
  /** Only groups of which something was due before. */
  readonly dueBeforeMs: EpochMs | null
  /** Only groups with a smaller number: those started earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

export interface JournalQuery {
  readonly address: GroupAddress
  readonly afterRevision: number
  readonly limit: number
}

/** An entry of one group, as it stands in the journal. */
export interface JournalLine {
  readonly revision: number
  readonly text: string
  readonly hash: string
  readonly instantMs: EpochMs
}

export class InspectedGroups extends Context.Tag("InspectedGroups")<
  InspectedGroups,
  {
    /** Newest first. */
    readonly list: (query: GroupQuery) => Effect.Effect<readonly InspectedGroup[]>
    /** Null for a group of the other environment, too. */
    readonly group: (environment: Environment, address: GroupAddress) => Effect.Effect<InspectedGroup | null>
    /** In the order of their revisions. */
    readonly journal: (query: JournalQuery) => Effect.Effect<readonly JournalLine[]>
    /** Texts of the entries that ask for a call or bring a result, by group, in order of revision. */
    readonly calls: (
      addresses: readonly GroupAddress[],
    ) => Effect.Effect<ReadonlyMap<GroupAddress, readonly string[]>>
  }
>() {}
