/** The parts of a model that have figures of their own: its sites and its demands, by name. */

import { figureNamed } from "./metrics.ts"
import type { PartName } from "./metrics.ts"
import type { FleetModel } from "./model.ts"
import { WEEKDAYS } from "./weekday.ts"

export interface Part extends PartName {
  readonly kind: "demand" | "site"
  /** The number of its site in the model; null for a demand, which has no resources of its own. */
  readonly siteNumber: number | null
  /** The numbers of its demands in the model. */
  readonly demandNumbers: readonly number[]
}

type Parted = Pick<FleetModel, "demand" | "sites">

/** Every site and every demand, in the order of the model. */
export function partsOf({ sites, demand }: Parted): readonly Part[] {
  const names = demandNames(demand)
  return [
    ...sites.map(({ as }, siteNumber): Part => {
      const demandNumbers = demand.flatMap(({ site }, at) => (site === as ? [at] : []))
      return { kind: "site", name: as, siteNumber, demandNumbers }
    }),
    ...names.map((name, at): Part => ({ kind: "demand", name, siteNumber: null, demandNumbers: [at] })),
  ]
}

/** The parts that say more than the whole model: with several sites each of them, with several demands each of these. */
export function shownParts(model: Parted): readonly Part[] {
  const { sites, demand } = model
  // A demand that is alone at its site has the figures of the site.
  const isOneEach = sites.length > 1 && new Set(demand.map(({ site }) => site)).size === demand.length
  return partsOf(model).filter(({ kind }) =>
    kind === "site" ? sites.length > 1 : demand.length > 1 && !isOneEach,
  )
}

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
function plainName({ product, site, store, on }: NamedDemand): string {
  const days = on === null ? "" : ` on ${WEEKDAYS.filter((day) => on.includes(day)).join(", ")}`
  return `${NOUNS[product] ?? product} at ${store === null ? "" : `${store}, `}${site}${days}`
}

/**
 * Figures of demands whose names depend on the order of the demands: several without a name ask for the same, so a demand
 * that is added above takes the name of the next one.
 */
export function movingNames(
  { demand }: Pick<FleetModel, "demand">,
  figures: readonly string[],
): readonly { readonly figure: string; readonly message: string }[] {
  const names = demandNames(demand)
  return [...new Set(figures)].flatMap((figure) => {
    const { part } = figureNamed(figure)
    const one = part?.kind === "demand" ? demand[names.indexOf(part.name)] : undefined
    if (one === undefined || one.as !== null) return []
    const plain = plainName(one)
    const alike = demand.filter((other) => (other.as ?? plainName(other)) === plain)
    if (alike.length < 2) return []
    const message = `${figure}: ${alike.length} demands are ${plain}, and their order tells them apart; write as: with a name in that demand, so that the figure stays its own when a demand is added.`
    return [{ figure, message }]
  })
}
