/** Groups that have had a turn, in the order of the journal, with the topics they belong to: what live streams follow. */

import { Context } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { Routine } from "./routine.ts"

/** What a client follows: the groups of an organization, those of a site, or the vehicles of a fleet. */
export type Topic = `${"fleet" | "organization" | "site"}/${Environment}/${string}`

/** A turn of a group that belongs to a topic. */
export interface ChangedGroup {
  readonly address: GroupAddress
  readonly revision: number
  /** Never empty. */
  readonly topics: readonly Topic[]
}

export interface Changes {
  readonly changes: readonly ChangedGroup[]
  /** The last position that was looked at; where the next read begins. */
  readonly position: number
  /** How many entries were looked at, also those of groups without a topic. */
  readonly looked: number
}

export class ChangedGroups extends Context.Tag("ChangedGroups")<
  ChangedGroups,
  {
    /** The position of the last entry of the journal; 0 without one. */
    readonly last: Routine<number>
    /** The entries after a position, in order. */
    readonly after: (position: number, limit: number) => Routine<Changes>
  }
>() {}
