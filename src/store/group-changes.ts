/** Groups with all waiting entries, as a transaction loads them, and the changes that it writes. */

import type { GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"
import type { EpochMs } from "../model/time.ts"
import type { Group, Timer } from "../kernel/group.ts"
import type { Entry } from "../kernel/journal.ts"
import type { Message } from "../kernel/turn.ts"
import type { WaitingMessage } from "../kernel/unit-of-work.ts"

/** A group and its waiting entries. `group` is null while its start waits in the mailbox. */
export interface LoadedGroup {
  readonly address: GroupAddress
  readonly group: Group | null
  /** Order in which timers were written, by their key. */
  readonly sequenceByTimer: ReadonlyMap<string, number>
  readonly messages: readonly WaitingMessage[]
  /** For timers that are leases of calls: the node that makes the call, by the timer's key. */
  readonly holderByTimer: ReadonlyMap<string, string>
}

export interface ArmedTimer {
  readonly timer: Timer
  readonly instantMs: EpochMs
  /** The node that makes the call whose lease this is; null for any other timer. */
  readonly heldBy: string | null
}

export interface NewMessage extends Message {
  /** Unique among messages. */
  readonly key: string
}

/** The changes of one transaction to its groups. */
export interface GroupChanges {
  /** Groups that had rows, all of them locked, including the placeholder row of a group that was sent its start. */
  readonly changed: readonly Group[]
  /** Groups that had none. */
  readonly started: readonly Group[]
  /**
   * Environments of groups that a command started; other groups have the environment of the group that started them.
   */
  readonly environments: ReadonlyMap<GroupAddress, Environment>
  /** Timers that were removed or replaced. */
  readonly disarmed: readonly { readonly group: GroupAddress; readonly key: string }[]
  /** In the order of their arming. */
  readonly armed: readonly ArmedTimer[]
  readonly takenMessages: readonly number[]
  readonly messages: readonly { readonly group: GroupAddress; readonly message: NewMessage }[]
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
}
