/** The limitations of a fleet run: the simplifications that its report lists. */

import { listed } from "../../../model/values/listed.ts"
import type { FleetModel } from "../language/model.ts"
import type { Travel } from "../travel/routing.ts"

const BY_TRAVEL: { readonly [is in Travel["is"]]: string } = {
  straight:
    "Vehicles drive the straight line times a detour factor, at a speed that depends on the hour. There are no streets, traffic lights or traffic queues, and vehicles do not block each other.",
  matrix:
    "Every position belongs to the nearest place of the matrix, and a drive takes the time between the two places, which may depend on the hour. On the way a vehicle is on the straight line. Vehicles do not block each other.",
  streets:
    "Vehicles drive the fastest way along the streets, at the lower of the street's speed and their own; from a street to a door they drive straight. Turns and traffic lights take no time, there are no traffic queues, and vehicles do not block each other. The service estimates its times by straight lines, as it does in operation.",
}

/** Only what is about the products that the model has. */
export function cannotTell({ travel, demand }: Pick<FleetModel, "demand" | "travel">): readonly string[] {
  const products = new Set(demand.map(({ product }) => product))
  const isDriven = products.has("delivery") || products.has("courier")
  return [
    "The service itself takes no time: a slow database or network is not part of the run. While it is out, new requests are refused and not repeated.",
    ...(isDriven ? [BY_TRAVEL[travel.is], ...OF_VEHICLES] : []),
    ...(products.has("reservation") ? OF_RUNNERS : []),
    ...OF_ALL,
    ...(products.has("courier") ? OF_ERRANDS : []),
    LAST,
  ]
}

/** The same in a few words, for the first page. */
export function leftOutWords({ travel, demand }: Pick<FleetModel, "demand" | "travel">): string {
  const isDriven = demand.some(({ product }) => product !== "reservation")
  return listed([
    ...(isDriven ? [ON_THE_WAY[travel.is]] : []),
    "a slow service",
    "people who stay away",
    "mixed-up orders",
  ])
}

const ON_THE_WAY: { readonly [is in Travel["is"]]: string } = {
  straight: "streets and traffic queues",
  matrix: "traffic queues",
  streets: "traffic lights and traffic queues",
}

const OF_VEHICLES: readonly string[] = [
  "A vehicle reports its position when it crosses a geofence, not every few seconds, so there are fewer position events than in reality.",
  "A vehicle that loads at its site takes the free stall whose next window begins last, and stays until it is loaded; where none is free it waits, and bots that wait for the stall go first. A site without stalls, and a store away from its site, have room for every vehicle.",
  "Where vehicles batch, a vehicle takes along the order that the service has queued for it, if its door is near; the service plans no trips. The first order's door comes first.",
  "Customers of deliveries are always at home; those of courier orders are not in the share that the model gives as nobody_home.",
]

const OF_RUNNERS: readonly string[] = [
  "If a bot or a vehicle occupies a bot's stall, the bot waits for that stall and drives to no other.",
  "A runner carries one order at a time, and walks the same way there and back.",
]

const OF_ALL: readonly string[] = [
  "An order that is canceled before it is on board has no wait: look at the shares of declined and canceled orders beside the waits.",
  "All people come to work, and no order is mixed up.",
]

const OF_ERRANDS: readonly string[] = [
  "A customer's agent is a few delays and shares: it does not retry, never asks for the status, and reserves as soon as possible without a window.",
  "A store accepts every courier order at once and works towards its promised time: no store refuses an order, is sold out, or waits for the vehicle to check in.",
  "The payment processor answers at once and is never down; it declines the share of cards that the model gives.",
  "Courier orders of a model are carried by the fleet of one site.",
]

const LAST =
  "Random values come from the distributions of the model. If those are guesses, so are the figures; the intervals show only how much the seeds differ."

/** How waiting times are counted. */
export const HOW_COUNTED: readonly string[] = [
  "Waits count from the planned instant: a bot's own arrival or its window's start if that is later, a delivery's ready-by, the ready time that the store promised for a courier order. Demand does not slow down when the service does.",
  "An order counts by the instant of its request: inside the horizon and after the warm-up. Orders in progress at the horizon run to their end, so that long waits are not cut off.",
  "Utilisation and queues count the time between the warm-up's end and the horizon.",
  "An order belongs to the site and the demand that requested it. Figures of a site or a demand are made as those of the whole model; runners, stalls, cooks and vehicles belong to a site.",
  "Each replication is one independent run on a seed of its own, and the unit of every interval. Intervals are 95 % by Student's t with Willink's correction for skewness. Percentiles, means of waits and shares are of all orders of all replications together; a percentile needs at least one observation beyond it, and its interval inverts the test of its share (Woodruff).",
  "Differences between cases are paired by seed; all of them, in all figures that are compared, hold together with 95 % (Bonferroni). So do, by themselves, the effects of the inputs.",
  "Every demand, kitchen and walk has a random stream of its own: cases of a sweep meet the same orders.",
]
