/**
 * Labels that distinguish the groups of one record: the names that its scenario gave them, else the ends of their ids. Every part of the
 * page shows the same.
 */

import { groupOf, idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { NONE, at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

/** Ends of ids have at least so many letters. */
const END_MIN = 4

const labelsByIndex = new WeakMap<RunIndex, readonly (string | null)[]>()

/** The name that the scenario gave; of a webhook, that of the group whose event it sends. Null for none. */
export function nameOfGroup(index: RunIndex, group: number): string | null {
  const about = kindOf(index.groups[group] ?? "") === "webhook-delivery" ? causeOf(index, group) : group
  return index.nameOfGroup[about] ?? null
}

/** The same of an actor, by its group. Cost: a look at the groups. */
export function nameOfActor(index: RunIndex, address: string): string | null {
  return nameOfGroup(index, index.groups.indexOf(groupOf(address)))
}

/**
 * What tells a group of the record from others of its kind, and a webhook from those of other groups: `visit`, `…jqSE`. Null if it is
 * the only one of its kind. Cost: once for each record, its rows; again when a group begins.
 */
export function labelOfGroup(index: RunIndex, group: number): string | null {
  const known = labelsByIndex.get(index)
  if (known?.length === index.groups.length) return known[group] ?? null
  const labels = labelsOf(index)
  labelsByIndex.set(index, labels)
  return labels[group] ?? null
}

function labelsOf(index: RunIndex): readonly (string | null)[] {
  const labels: (string | null)[] = index.groups.map(() => null)
  const byKind = Map.groupBy(index.groups.keys(), (group) => kindOf(index.groups[group] ?? ""))
  for (const [kind, groups] of byKind) {
    if (kind === "webhook-delivery" || groups.length < 2) continue
    const end = endsOf(groups.map((group) => index.groups[group] ?? ""))
    for (const group of groups) labels[group] = index.nameOfGroup[group] ?? end(index.groups[group] ?? "")
  }
  for (const group of byKind.get("webhook-delivery") ?? [])
    labels[group] = labels[causeOf(index, group)] ?? null
  return labels
}

/** The shortest ends of ids that differ. */
function endsOf(groups: readonly GroupAddress[]): (group: GroupAddress) => string {
  const ids = groups.map((group) => idOf(group))
  const longest = Math.max(...ids.map(({ length }) => length))
  let length = END_MIN
  while (length < longest && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1
  return (group) => {
    const id = idOf(group)
    return id.length > length + END_MIN ? `…${id.slice(-length)}` : id
  }
}

/** The group that caused a group's first row; NONE for input from outside. */
function causeOf(index: RunIndex, group: number): number {
  const cause = at(index.cause, at(index.firstRowOfGroup, group))
  return cause < 0 ? NONE : at(index.group, cause)
}
