/** Groups with all waiting entries, as a transaction loads them, and the changes that it writes. */

import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group, Timer } from "../kernel/group.ts"
import type { Entry, InputKind } from "../kernel/journal.ts"
import type { Message } from "../kernel/turn.ts"
import type { WaitingMessage } from "../kernel/unit-of-work.ts"
import type { ClockState } from "../services/organization-clock.ts"

/** A group and its waiting entries. `group` is null while its start waits in the mailbox. */
export interface LoadedGroup {
  readonly address: GroupAddress
  readonly group: Group | null
  /** Order in which timers were written, by their key. */
  readonly sequenceByTimer: ReadonlyMap<string, number>
  readonly messages: readonly WaitingMessage[]
  /** For timers that are leases of calls: the node that makes the call, by the timer's key. */
  readonly holderByTimer: ReadonlyMap<string, string>
  readonly environment: Environment | null
  /** The organization on whose sandbox clock it lives; null: real time. */
  readonly clock: string | null
  /** The state of that clock; null: the organization has real time too. */
  readonly clockState: ClockState | null
  /** Real instants at which leases of calls end, by the timer's key. */
  readonly leaseEndByTimer: ReadonlyMap<string, EpochMs>
}

export interface ArmedTimer {
  readonly timer: Timer
  readonly instantMs: EpochMs
  /** The node that makes the call whose lease this is; null for any other timer. */
  readonly heldBy: string | null
  /** For the lease of a call on an organization's clock: the real instant at which it ends. */
  readonly leaseUntilMs: EpochMs | null
}

/** A turn of a running move of an organization's clock. */
export interface MoveTurn {
  readonly moveId: string
  readonly instantMs: EpochMs
  readonly group: GroupAddress
  readonly input: InputKind
  readonly event: string
  readonly outcome: string
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
  /** The organizations on whose sandbox clocks these groups and their timers live; without those of real time. */
  readonly clocks: ReadonlyMap<GroupAddress, string>
  /** True when a group of the sandbox changed: its messages may go to groups on other clocks. */
  readonly isOfSandbox: boolean
  /** The real time. */
  readonly realMs: EpochMs
  readonly moveTurns: readonly MoveTurn[]
  /** Timers that were removed or replaced. */
  readonly disarmed: readonly { readonly group: GroupAddress; readonly key: string }[]
  /** In the order of their arming. */
  readonly armed: readonly ArmedTimer[]
  readonly takenMessages: readonly number[]
  readonly messages: readonly { readonly group: GroupAddress; readonly message: NewMessage }[]
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
}
