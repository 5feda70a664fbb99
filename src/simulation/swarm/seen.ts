/** What invariants see of a group: states and contexts of its actors, read from the snapshots without any area's code. */

import type { Address } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"

type Scalars = { readonly [name: string]: boolean | number | string | null | undefined }

type Seen = Pick<Group, "actors">

/** `open.held`; empty without such an actor. */
export function pathOf({ actors }: Seen, address: Address): string {
  const actor = actors.get(address)
  return actor === undefined ? "" : statePathOf(actor.snapshot.value)
}

/** The innermost state. */
export function leafOf(seen: Seen, address: Address): string {
  return pathOf(seen, address).split(".").at(-1) ?? ""
}

/** The plain values of a context; empty without such an actor. */
export function contextOf({ actors }: Seen, address: Address): Scalars {
  const actor = actors.get(address)
  return actor === undefined ? {} : (actor.snapshot.context as Scalars)
}

/** One part of a context that is an object or a list. */
export function partOf<T>({ actors }: Seen, address: Address, name: string): T | undefined {
  const actor = actors.get(address)
  return actor === undefined ? undefined : (actor.snapshot.context as Readonly<Record<string, T>>)[name]
}

/** Whether a timer is taken late: a call takes it first, and so meets another state than is seen now. */
export function hasDueTimer({ timers }: Pick<Group, "timers">, nowMs: EpochMs): boolean {
  return timers.values().some(({ dueMs }) => dueMs <= nowMs)
}

/** The path of a state value; machines here have no parallel states. */
export function statePathOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([outer, inner]) => `${outer}.${statePathOf(inner)}`)
    .join(" and ")
}
