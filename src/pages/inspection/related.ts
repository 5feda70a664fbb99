/** Groups of a record that belong together: one caused an entry of the other, or both are about the same delivery. */

import { idOf, kindOf } from "../../model/address.ts"
import { NONE, at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

/** Kinds in the order of lists: the order first, its webhooks last. */
const KINDS = [
  "reservation",
  "courier-order",
  "delivery",
  "compartment",
  "vehicle",
  "runner-call",
  "open-link",
  "webhook-endpoint",
  "webhook-delivery",
]

/** Sorts by kind; things of one kind stay in their order. */
export function byKind<Thing>(
  things: readonly Thing[],
  addressOf: (thing: Thing) => string,
): readonly Thing[] {
  const placeOf = (thing: Thing): number => {
    const place = KINDS.indexOf(kindOf(addressOf(thing)))
    return place === -1 ? KINDS.length : place
  }
  return things.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** For each group, by its number, the numbers of its related groups in the order of their first entries. Cost: one pass over the rows. */
export function relatedGroups(index: RunIndex): ReadonlyMap<number, readonly number[]> {
  const related = new Map<number, Set<number>>()
  const relate = (one: number, other: number): void => {
    if (one === other) return
    related.set(one, (related.get(one) ?? new Set()).add(other))
    related.set(other, (related.get(other) ?? new Set()).add(one))
  }
  for (const [row, group] of index.group.entries()) {
    const cause = at(index.cause, row)
    const from = cause < 0 ? NONE : at(index.group, cause)
    if (group !== NONE && from !== NONE) relate(from, group)
  }
  for (const numbers of Map.groupBy(index.groups.keys(), (group) => idOf(index.groups[group] ?? "")).values())
    for (const [place, number] of numbers.entries())
      for (const other of numbers.slice(place + 1)) relate(number, other)
  return new Map([...related].map(([group, others]) => [group, [...others].toSorted((a, b) => a - b)]))
}
