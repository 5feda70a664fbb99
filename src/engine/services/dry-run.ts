/**
 * Dry run: the turn that a command would take, on a group in memory. Nothing is written, sent or journalled, so a read
 * can ask the machines what they would do instead of repeating their rules.
 */

import { Context } from "effect"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../kernel/group.ts"
import type { Outcome } from "../kernel/turn.ts"

export interface DryTurn {
  readonly to: Address
  readonly event: { readonly type: string } & JsonObject
  readonly atMs: EpochMs
}

export interface DryStart {
  readonly to: GroupAddress
  /** `name@version` */
  readonly machine: string
  readonly input: JsonObject
  readonly atMs: EpochMs
}

export interface DryResult {
  readonly outcome: Outcome
  /** The group after the turn; the same group after a refusal. */
  readonly group: Group
}

export class DryRun extends Context.Tag("DryRun")<
  DryRun,
  {
    readonly take: (group: Group, turn: DryTurn) => DryResult
    /** The group that a start without a decision would make. */
    readonly start: (start: DryStart) => Group
  }
>() {}

/** True when the machine took it; a repeat is answered and changes nothing. */
export function isTaken({ outcome }: DryResult): boolean {
  return outcome.type === "answered" && outcome.value?.["isRepeat"] !== true
}
