/** One group of the running service, as the inspector's page receives it. The page requests the entries separately. */

import { kindOf } from "./address.ts"
import type { GroupAddress } from "./address.ts"
import type { Environment } from "./caller.ts"
import type { SendableEvents } from "./sendable-event.ts"

export interface LiveGroup {
  readonly address: GroupAddress
  /** Which of the service's two worlds it belongs to. */
  readonly environment: Environment
  /** The first line of the group's record. */
  readonly head: object
  /** Paths on the page's own host. */
  readonly paths: {
    /** The list of groups. */
    readonly list: string
    /** Prefix of each group's page: `/KIND/ID` follows. */
    readonly groups: string
    /** Answers the record's lines after a revision, `?after=`, or 204 when there are none yet. */
    readonly entries: string
    /** The whole record, as a download. */
    readonly record: string
    /** Answers its course as a scenario, `?because=`; null for a kind that none repeats. */
    readonly scenario: string | null
    /** Answers the groups of the same order or event. */
    readonly related: string
    /** Answers who asked for the entry with a revision, `?revision=`, across groups. */
    readonly asked: string
    /** Answers the masked bodies of the outbound calls of the group. */
    readonly bodies: string
    /** The path that events are posted to; null where no events may be sent. */
    readonly events: string | null
  }
  /** From rows: its journal has none of these. */
  readonly named: {
    readonly orderNumber: string | null
    /** The organization's name. */
    readonly organization: string | null
    /** The type of the event that a webhook delivery sends. */
    readonly eventType: string | null
  }
  /** Must be sent with every event. */
  readonly formKey: string
  /** The events that may be sent, by machine. */
  readonly sendable: Readonly<Record<string, SendableEvents>>
}

/** Kinds of groups whose course a scenario can repeat. */
const KEPT_KINDS = new Set(["courier-order", "delivery", "reservation"])

/** True for a reservation, a delivery or an errand: it can be kept as a scenario. */
export function isKept(group: GroupAddress): boolean {
  return KEPT_KINDS.has(kindOf(group))
}

/** The course of a group as a scenario. */
export interface KeptScenario {
  /** Null when nothing was written. */
  readonly text: string | null
  /** What the text cannot repeat, a sentence each. */
  readonly notes: readonly string[]
  /** Why nothing was written; null when something was. */
  readonly refusal: string | null
}

/** The name of the file in which the record of a group is downloaded. */
export function recordFileOf(address: GroupAddress): string {
  return `${address.replaceAll(/[^\w-]/g, "_")}.ndjson`
}

/** The header with the form key. */
export const FORM_KEY_HEADER = "x-curbline-form-key"

/** The header with the last revision in an answer. */
export const REVISION_HEADER = "x-curbline-revision"

/** The header with the service's present time, in ms since the epoch. */
export const NOW_HEADER = "x-curbline-now"

/** The header with the reason why the group is stuck, percent-encoded; absent when it is not stuck. */
export const STUCK_HEADER = "x-curbline-stuck"
