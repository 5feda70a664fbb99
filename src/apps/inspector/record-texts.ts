/** The texts of a run record of one group: a port, because the record's format belongs to the simulator. */

import { Context } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { JournalLine } from "./rows.ts"

/** One group from its first entry on. */
export interface RecordedGroup {
  readonly address: GroupAddress
  /** The instant of its first entry, from which the record's times count. */
  readonly clock0Ms: EpochMs
  /** The IANA time zone in which its times are shown. */
  readonly zone: string
}

/** Writes one record in pieces; each piece ends in a newline. */
export interface RecordWriter {
  readonly begin: () => string
  readonly entries: (lines: readonly JournalLine[]) => string
  /** `head` is the group's hash: a record without its last entry fails the replay. */
  readonly end: (head: string) => string
}

export class RecordTexts extends Context.Tag("RecordTexts")<
  RecordTexts,
  {
    /** The first line of the record. */
    readonly head: (group: RecordedGroup) => object
    /** The same lines as in the record, from any revision on. */
    readonly lines: (group: Omit<RecordedGroup, "zone">, lines: readonly JournalLine[]) => string
    readonly writer: (group: RecordedGroup) => RecordWriter
  }
>() {}
