/** The state of a group between two turns, and its plain JSON form. */

import type { Address, GroupAddress } from "../../model/address.ts"
import type { EpochMs, EpochUs } from "../../model/values/time.ts"
import { GENESIS } from "./hash.ts"
import type { Program } from "./program.ts"
import { SmallMap } from "./small-map.ts"
import { isSettled, mayRest, persist, revive } from "./step.ts"
import type { PersistedSnapshot, Snapshot } from "./step.ts"
import { EngineFault } from "./faults.ts"

/**
 * The step that caused something: its group, the revision of its entry, and the index of the actor step in the entry.
 */
export type Cause = readonly [group: GroupAddress, revision: number, step: number]

export interface Actor {
  /** `id@version`. */
  readonly machine: string
  readonly snapshot: Snapshot
}

/**
 * An armed timer: a message of an actor to itself with an absolute due time. Its cause also serves as its generation.
 */
export interface Timer {
  readonly to: Address
  readonly id: string
  readonly event: string
  readonly dueMs: EpochMs
  readonly cause: Cause
}

/** Key of a timer inside its group. */
export type TimerKey = string

export interface Group {
  readonly address: GroupAddress
  readonly revision: number
  readonly instantMs: EpochMs
  readonly occurredUs: EpochUs
  readonly head: string
  readonly actors: ReadonlyMap<Address, Actor>
  readonly timers: ReadonlyMap<TimerKey, Timer>
}

export interface PersistedGroup {
  readonly address: GroupAddress
  readonly revision: number
  readonly instantMs: EpochMs
  readonly occurredUs: EpochUs
  readonly head: string
  readonly actors: readonly (PersistedSnapshot & { readonly address: Address; readonly machine: string })[]
  readonly timers: readonly Timer[]
}

/** A group before its first turn. */
export function emptyGroup(address: GroupAddress): Group {
  return {
    address,
    revision: 0,
    instantMs: 0,
    occurredUs: 0,
    head: GENESIS,
    actors: SmallMap.empty(),
    timers: SmallMap.empty(),
  }
}

export function timerKey(to: Address, id: string): TimerKey {
  return `${to}|${id}`
}

/** The key of the actor's timer if it is armed, as the text that the group has; else null. A new text would be compared by letters. */
export function armedKey(timers: Group["timers"], to: Address, id: string): TimerKey | null {
  for (const key of timers.keys())
    if (key.length === to.length + 1 + id.length && key.startsWith(to) && key.endsWith(id)) return key
  return null
}

/** True when the group has this very timer. Comparing objects costs less than making a key. */
export function isArmedIn({ timers }: Group, timer: Timer): boolean {
  for (const armed of timers.values()) if (armed === timer) return true
  return false
}

/** True when both causes name the same step of the same entry. */
export function sameCause(one: Cause, other: Cause): boolean {
  return one[0] === other[0] && one[1] === other[1] && one[2] === other[2]
}

/** True when every actor is settled and no timer is armed, so that the group does not change by itself. */
export function isGroupSettled(group: Group): boolean {
  if (group.timers.size > 0) return false
  for (const actor of group.actors.values()) if (!isSettled(actor.snapshot)) return false
  return true
}

/** Actors that are neither settled nor allowed to rest. */
export function waitingActors(group: Group): readonly Address[] {
  return [...group.actors].filter(([, actor]) => !mayRest(actor.snapshot)).map(([address]) => address)
}

export function persistGroup(group: Group): PersistedGroup {
  return {
    address: group.address,
    revision: group.revision,
    instantMs: group.instantMs,
    occurredUs: group.occurredUs,
    head: group.head,
    actors: [...group.actors].map(([address, actor]) => ({
      address,
      machine: actor.machine,
      ...persist(actor.snapshot),
    })),
    timers: [...group.timers.values()],
  }
}

export function reviveGroup(program: Program, kept: PersistedGroup): Group {
  const actors = kept.actors.map(({ address, machine, ...snapshot }): [Address, Actor] => {
    const found = program.machines[machine]
    if (found === undefined)
      throw new EngineFault({ reason: "a machine is unknown", at: address, found: machine })
    return [address, { machine, snapshot: revive(found, snapshot) }]
  })
  return {
    address: kept.address,
    revision: kept.revision,
    instantMs: kept.instantMs,
    occurredUs: kept.occurredUs,
    head: kept.head,
    actors: SmallMap.copyOf(new Map(actors)),
    timers: SmallMap.copyOf(new Map(kept.timers.map((timer) => [timerKey(timer.to, timer.id), timer]))),
  }
}
