/** How vehicles of a model get from one place to another: straight, by a matrix of travel times, or along streets. */

import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { DOOR_REACH_M } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import { atTimeOfDay } from "../language/spread.ts"
import type { Hourly } from "../language/spread.ts"
import type { StreetChoice } from "./street-choice.ts"
import { StreetGraph } from "./street-graph.ts"
import type { Pace } from "./street-graph.ts"
import type { StreetNotes } from "./street-notes.ts"
import type { StreetNet } from "./street-lines.ts"
import { between, leftRadiusAtMs, partsAt, straightRoute } from "./route.ts"
import type { Route } from "./route.ts"

/** Plain JSON, because other threads and machines get it with their model. */
export type Travel =
  | { readonly is: "straight" }
  | {
      readonly is: "matrix"
      /** Every position belongs to the nearest of these. */
      readonly places: readonly (Place & { readonly as: string })[]
      /** From the place of the row to the place of the column; milliseconds. */
      readonly times: readonly (readonly Hourly<number>[])[]
    }
  | {
      readonly is: "streets"
      readonly file: string
      readonly net: StreetNet
      readonly notes: StreetNotes
      /** Times the speeds, by the hour. */
      readonly speeds: Hourly<number>
      /** The sites with vehicles and their stores. Streets that do not lead to the first one and back are not used. */
      readonly stops: readonly [Place, ...Place[]]
    }

/** The vehicles of a model, as far as their speed counts. */
export interface Driving {
  readonly speed_kmh: Hourly<number>
  readonly detour: number
}

/** A route that is left so far from its departure that the departure's geofence is behind. */
export interface Leaving {
  readonly first: Route
  /** The other part, begun at this time of day. */
  readonly rest: (msOfDay: number) => Route
}

export interface Routing {
  /** True for a place that vehicles get to: with streets, near one. */
  readonly reaches: (place: Place) => boolean
  /** False when each way is out. */
  readonly leads: (from: Place, to: Place, msOfDay: number) => boolean
  /** Of places that a way leads between. */
  readonly route: (from: Place, to: Place, msOfDay: number) => Route
  /** Routes that are found from now on do not use these streets; the answer brings them back. */
  readonly takeOut: (choice: StreetChoice) => () => void
  /** The route in two parts. The two places are further apart than that. */
  readonly leaving: (
    ends: { readonly from: Place; readonly to: Place },
    beyondM: number,
    msOfDay: number,
  ) => Leaving
}

export function routingOf(travel: Travel, driving: Driving): Routing {
  switch (travel.is) {
    case "straight":
      return straightRouting(driving)
    case "matrix":
      return wholeRouting((from, to, msOfDay) => {
        const [row, column] = [nearestOf(travel.places, from), nearestOf(travel.places, to)]
        const time = travel.times[row]?.[column]
        if (time === undefined) throw new Error(`no travel time of row ${row}, column ${column}`)
        const metres = metresBetween(from, to) * driving.detour
        return straightRoute({ from, to }, { ms: Math.round(atTimeOfDay(time, msOfDay)), metres })
      })
    case "streets": {
      const graph = streetGraphOf(travel)
      const byKind = Object.entries(travel.net.speeds)
      const out: StreetChoice[] = []
      const paceAt = (msOfDay: number): Pace => ({
        kmh: atTimeOfDay(driving.speed_kmh, msOfDay),
        factor: atTimeOfDay(travel.speeds, msOfDay),
        byKind: Object.fromEntries(byKind.map(([kind, factor]) => [kind, atTimeOfDay(factor, msOfDay)])),
        out,
      })
      return {
        ...wholeRouting((from, to, msOfDay) => graph.route(from, to, paceAt(msOfDay))),
        reaches: (place) => graph.metresFrom(place).toConnected <= DOOR_REACH_M,
        leads: (from, to, msOfDay) => out.length === 0 || graph.leads(from, to, paceAt(msOfDay)),
        takeOut: (choice) => {
          out.push(choice)
          return () => void out.splice(out.indexOf(choice), 1)
        },
      }
    }
  }
}

/** Vehicles without streets get everywhere, at any time. */
const WITHOUT_STREETS: Pick<Routing, "leads" | "reaches" | "takeOut"> = {
  reaches: () => true,
  leads: () => true,
  takeOut: () => {
    throw new Error("there are no streets that could be out")
  },
}

const graphs = new WeakMap<object, StreetGraph>()

/** The graph of a model's streets, which its replications share. */
export function streetGraphOf(travel: Extract<Travel, { readonly is: "streets" }>): StreetGraph {
  const known = graphs.get(travel.net)
  if (known !== undefined) return known
  const graph = new StreetGraph(travel.net, travel.stops)
  graphs.set(travel.net, graph)
  return graph
}

function straightRouting({ speed_kmh: speed, detour }: Driving): Routing {
  const route: Routing["route"] = (from, to, msOfDay) => {
    const metres = metresBetween(from, to) * detour
    const ms = Math.round((metres / (atTimeOfDay(speed, msOfDay) * 1000)) * HOUR_MS)
    return straightRoute({ from, to }, { ms, metres })
  }
  return {
    ...WITHOUT_STREETS,
    route,
    leaving: ({ from, to }, beyondM, msOfDay) => {
      const gone = between(from, to, beyondM / metresBetween(from, to))
      return { first: route(from, gone, msOfDay), rest: (laterMsOfDay) => route(gone, to, laterMsOfDay) }
    },
  }
}

/** Of routes whose parts are not found anew. */
function wholeRouting(route: Routing["route"]): Routing {
  return {
    ...WITHOUT_STREETS,
    route,
    leaving: ({ from, to }, beyondM, msOfDay) => {
      const whole = route(from, to, msOfDay)
      const [first, rest] = partsAt(whole, leftRadiusAtMs(whole, beyondM) ?? 0)
      return { first, rest: () => rest }
    },
  }
}

function nearestOf(places: readonly Place[], to: Place): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [at, place] of places.entries()) {
    const metres = metresBetween(place, to)
    if (metres < least) [best, least] = [at, metres]
  }
  return best
}
