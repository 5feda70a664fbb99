/** The groups of one order or event, as the inspector's page of a group receives them. */

import type { GroupAddress } from "./address.ts"

export interface RelatedGroup {
  readonly group: GroupAddress
  /** Null for a group without an order. */
  readonly order_number: string | null
  /** The type of the event that a webhook delivery sends; null for other groups, and once the event's body is deleted. */
  readonly event_type: string | null
  /** The innermost active states of the group's root; empty before its start. */
  readonly states: readonly string[]
  readonly is_settled: boolean
  readonly is_stuck: boolean
}

export interface RelatedGroups {
  /** In the order in which they were started. */
  readonly groups: readonly RelatedGroup[]
  /** True when a kind has as many groups as are listed, so there may be more. */
  readonly is_full: boolean
}
