/** What of a journal a scenario is written from. */

import type { GroupAddress } from "../../model/address.ts"
import type { ReplayedTurn } from "../replay.ts"

/** A group of a journal, with what the header of its run says. */
export interface RecordedGroup {
  readonly group: GroupAddress
  /** Its own turns, in their order. */
  readonly turns: readonly ReplayedTurn[]
  readonly timeZone: string
  /** Groups that its events started: deliveries of webhooks. */
  readonly webhookDeliveries: number
}
