/** The texts of a run record that holds one group: a port, because the record's form belongs to the simulator. */

import { Context } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/time.ts"
import type { JournalLine } from "./rows.ts"

/** One group from its first entry on. */
export interface RecordedGroup {
  readonly address: GroupAddress
  /** The instant of its first entry; the record's times count from there. */
  readonly clock0Ms: EpochMs
  /** The time zone in which its times are shown; a name of the IANA data base. */
  readonly zone: string
}

/** Writes one record, piece by piece; each piece ends in a newline. */
export interface RecordPen {
  readonly begin: () => string
  readonly entries: (lines: readonly JournalLine[]) => string
  /** `head` is the group's own: a record that lacks its last entry does not replay. */
  readonly end: (head: string) => string
}

export class RecordTexts extends Context.Tag("RecordTexts")<
  RecordTexts,
  {
    /** The first line of the record: whose it is. */
    readonly head: (group: RecordedGroup) => object
    /** The same lines as in the record, wherever one begins. */
    readonly lines: (group: Omit<RecordedGroup, "zone">, lines: readonly JournalLine[]) => string
    readonly pen: (group: RecordedGroup) => RecordPen
  }
>() {}
