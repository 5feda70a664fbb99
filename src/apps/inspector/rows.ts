/** Groups and their journals for the inspector: a port of its own, because only the inspector lists groups. */

import { Context } from "effect"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { Requester } from "../../model/requester.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Routine } from "../../engine/services/routine.ts"

export interface InspectedActor {
  readonly address: Address
  /** `id@version`. */
  readonly machine: string
  readonly value: JsonObject | string
}

/** The current state of a group. A group with revision 0 has been sent its start and has not processed it. */
export interface InspectedGroup {
  readonly address: GroupAddress
  readonly kind: string
  /** Larger for groups that were started later. */
  readonly number: number
  readonly revision: number
  /** The instant of the last turn. */
  readonly instantMs: EpochMs
  readonly head: string
  readonly actors: readonly InspectedActor[]
  readonly isSettled: boolean
  /** The fault of a due entry that stopped the group. */
  readonly stoppedBecause: string | null
  /** The first of its timers and messages; null without any. */
  readonly nextDue: DueEntry | null
}

/** A timer, or a message that has not been taken. */
export interface DueEntry {
  readonly atMs: EpochMs
  readonly to: Address
  /** The event's type, for a timer XState's id of it; null for the start of an actor. */
  readonly type: string | null
}

export interface GroupQuery {
  readonly environment: Environment
  readonly kind: string | null
  /** Only groups whose address contains this text; null for all. */
  readonly addressPart: string | null
  /** Only groups about an order with this number, in any case of letters; null for all. */
  readonly orderNumber: string | null
  /** Only groups of organizations with this id, or with this text in their name; null for all. */
  readonly organization: string | null
  /** Only groups that are not settled. */
  readonly isOpen: boolean
  /** Only groups that were stopped by a fault. */
  readonly isStopped: boolean
  /** Only groups with an entry due before this instant. */
  readonly dueBeforeMs: EpochMs | null
  /** Only groups with a smaller number, which were started earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

/**
 * How many groups of a kind have not ended, and how many of these a fault has stopped. A number above `COUNTED_GROUPS_MAX` means
 * "more than that".
 */
export interface KindCount {
  readonly kind: string
  readonly open: number
  readonly stuck: number
}

/** Open groups of a kind, by the state of their root: of the newest `COUNTED_STATES_MAX` alone. */
export interface StateCount {
  readonly value: JsonObject | string
  readonly open: number
}

/** What rows say about a group; its journal has neither. */
export interface GroupOwner {
  readonly orderNumber: string | null
  /** The organization's name. */
  readonly organization: string | null
  /** The type of the event that a webhook delivery sends; null for other groups, and once the event's body is deleted. */
  readonly eventType: string | null
}

export interface RelatedQuery {
  readonly address: GroupAddress
  readonly limit: number
}

export interface JournalQuery {
  readonly address: GroupAddress
  readonly afterRevision: number
  readonly limit: number
}

/** An entry of one group's journal. */
export interface JournalLine {
  readonly revision: number
  readonly text: string
  readonly hash: string
  readonly instantMs: EpochMs
  /** Who asked for the command; absent in other entries. */
  readonly requester?: Requester
}

export class InspectedGroups extends Context.Tag("InspectedGroups")<
  InspectedGroups,
  {
    /** Newest first. */
    readonly list: (query: GroupQuery) => Routine<readonly InspectedGroup[]>
    /** Of the kinds that have open groups, by name. */
    readonly counts: (environment: Environment) => Routine<readonly KindCount[]>
    /** Most first. */
    readonly states: (environment: Environment, kind: string) => Routine<readonly StateCount[]>
    /** Of those that have an order or an organization. */
    readonly owners: (addresses: readonly GroupAddress[]) => Routine<ReadonlyMap<GroupAddress, GroupOwner>>
    /** Those whose journal has this word: the type of an event, a code, a state, the id of a request or the one that its caller sent. */
    readonly withWord: (
      addresses: readonly GroupAddress[],
      word: string,
    ) => Routine<ReadonlySet<GroupAddress>>
    /**
     * Addresses that the group's rows lead to, at most `limit` of each kind, the newest. Some may have no group: an id is
     * tried with each kind.
     */
    readonly related: (query: RelatedQuery) => Routine<readonly GroupAddress[]>
    /** Those of the environment, in the order in which they were started. */
    readonly groups: (
      environment: Environment,
      addresses: readonly GroupAddress[],
    ) => Routine<readonly InspectedGroup[]>
    /** Also null for a group of the other environment. */
    readonly group: (environment: Environment, address: GroupAddress) => Routine<InspectedGroup | null>
    /** In the order of their revisions. */
    readonly journal: (query: JournalQuery) => Routine<readonly JournalLine[]>
    /** Texts of the entries that request a call or bring a result, by group, in order of revision. */
    readonly calls: (
      addresses: readonly GroupAddress[],
    ) => Routine<ReadonlyMap<GroupAddress, readonly string[]>>
  }
>() {}
