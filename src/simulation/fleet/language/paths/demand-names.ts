/** The names of demands, by which promises, tables and paths call them. */

import { WEEKDAYS } from "../weekday.ts"

const NOUNS: Readonly<Record<string, string>> = {
  reservation: "reservations",
  delivery: "deliveries",
  courier: "courier orders",
}

/** What the name of a demand is made of. */
export interface NamedDemand {
  readonly as: string | null
  readonly product: string
  readonly site: string
  readonly store: string | null
  readonly on: readonly string[] | null
}

/** The name of each demand, `as` the model says or what it asks for; a name that comes again has a number. */
export function demandNames(demand: readonly NamedDemand[]): readonly string[] {
  const taken = new Set(demand.flatMap(({ as }) => as ?? []))
  return demand.map((one) => {
    if (one.as !== null) return one.as
    const plain = plainName(one)
    let name = plain
    for (let number = 2; taken.has(name); number += 1) name = `${plain} (${number})`
    taken.add(name)
    return name
  })
}

/** `reservations at pizza, curb on Mon, Tue`: what a demand asks for, which stays when other demands are added. */
export function plainName({ product, site, store, on }: NamedDemand): string {
  const days = on === null ? "" : ` on ${WEEKDAYS.filter((day) => on.includes(day)).join(", ")}`
  return `${NOUNS[product] ?? product} at ${store === null ? "" : `${store}, `}${site}${days}`
}
