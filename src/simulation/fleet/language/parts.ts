/** The parts of a model that have figures of their own: its sites and its demands, by name. */

import { demandNames, plainName } from "./paths/demand-names.ts"
import { figureNamed } from "./metrics.ts"
import type { PartName } from "./metrics.ts"
import type { FleetModel } from "./model.ts"

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
