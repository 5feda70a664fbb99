/** One group of the running service as the inspector's page is told of it; its entries the page asks for by itself. */

import type { GroupAddress } from "./address.ts"
import type { SendableEvents } from "./sendable-event.ts"

export interface LiveGroup {
  readonly address: GroupAddress
  /** The first line of the group's record. */
  readonly head: object
  /** Paths below the page's own host. */
  readonly paths: {
    /** The list of groups. */
    readonly list: string
    /** Begins the path of every group's page: `/KIND/ID` follows. */
    readonly groups: string
    /** Answers the record's lines after a revision, `?after=`, or 204 when there is none yet. */
    readonly entries: string
    /** The whole record, to be kept. */
    readonly record: string
    /** Takes events; null where none is sent. */
    readonly events: string | null
  }
  /** Goes with every event. */
  readonly formKey: string
  /** Which events may be sent, by machine. */
  readonly sendable: Readonly<Record<string, SendableEvents>>
}

/** The header that the form key travels in. */
export const FORM_KEY_HEADER = "x-curbline-inspector"

/** The header that says which revision an answer's lines go up to. */
export const REVISION_HEADER = "x-curbline-revision"

/** The header that says the service's present time, in ms since the epoch. */
export const NOW_HEADER = "x-curbline-now"

/** The header that says why the group is stuck, percent-encoded; absent while it is not. */
export const STUCK_HEADER = "x-curbline-stuck"
