/** Groups of organizations that have had a turn, in the order of the journal: what the live stream follows. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"

/** A turn of a group that belongs to an organization. */
export interface ChangedGroup {
  readonly address: GroupAddress
  readonly revision: number
  readonly organizationId: string
  readonly environment: Environment
}

export interface Changes {
  readonly changes: readonly ChangedGroup[]
  /** The last position that was looked at; where the next read begins. */
  readonly position: number
  /** How many entries were looked at, also those of groups without an organization. */
  readonly looked: number
}

export class ChangedGroups extends Context.Tag("ChangedGroups")<
  ChangedGroups,
  {
    /** The position of the last entry of the journal; 0 without one. */
    readonly last: Effect.Effect<number>
    /** The entries after a position, in order. */
    readonly after: (position: number, limit: number) => Effect.Effect<Changes>
  }
>() {}
