/** The route of a vehicle: where it is at which time between two places. */

import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { toDecimetre } from "../../../areas/dispatch/driving.ts"
import type { Place } from "../../../model/place.ts"

/** A corner of a route. */
export interface Corner {
  readonly place: Place
  /** Milliseconds from the departure. */
  readonly atMs: number
  /** Metres from the departure. */
  readonly metres: number
}

/** The first corner is the departure, the last one the destination; in between the vehicle drives straight. */
export interface Route {
  readonly corners: readonly [Corner, ...Corner[], Corner]
}

export function endOf({ corners }: Route): Corner {
  return corners.at(-1) ?? corners[0]
}

/** The route without a corner in between. */
export function straightRoute(
  { from, to }: { readonly from: Place; readonly to: Place },
  { ms, metres }: { readonly ms: number; readonly metres: number },
): Route {
  return {
    corners: [
      { place: from, atMs: 0, metres: 0 },
      { place: to, atMs: ms, metres },
    ],
  }
}

/** Where the vehicle is so long after its departure. */
export function placeAt({ corners }: Route, ms: number): Place {
  const { before, after } = around(corners, ms)
  return between(before.place, after.place, shareAt({ before, after }, ms))
}

/** The same route in two parts: until so long after the departure, and from there on. */
export function partsAt(route: Route, ms: number): readonly [Route, Route] {
  const { before, after } = around(route.corners, ms)
  const share = shareAt({ before, after }, ms)
  const metres = before.metres + (after.metres - before.metres) * share
  const here: Corner = { place: placeAt(route, ms), atMs: ms, metres }
  const earlier = route.corners.filter(({ atMs }, at) => at === 0 || atMs < ms)
  const later = route.corners.filter(({ atMs }, at) => atMs > ms || at === route.corners.length - 1)
  const moved = later.map((one) => ({ ...one, atMs: one.atMs - ms, metres: one.metres - metres }))
  const [departure = here] = earlier
  return [
    { corners: [departure, ...earlier.slice(1), here] },
    { corners: [{ ...here, atMs: 0, metres: 0 }, ...moved.slice(0, -1), moved.at(-1) ?? here] },
  ]
}

/** When the vehicle is first so far from its departure as the crow flies; null when it never is. */
export function leftRadiusAtMs(route: Route, metres: number): number | null {
  const [departure, ...corners] = route.corners
  const isGone = (place: Place): boolean => metresBetween(departure.place, place) >= metres
  let before: Corner = departure
  for (const corner of corners) {
    if (isGone(corner.place)) {
      let [near, far] = [before.atMs, corner.atMs]
      while (far - near > 1) {
        const middle = Math.floor((near + far) / 2)
        if (isGone(placeAt(route, middle))) far = middle
        else near = middle
      }
      return far
    }
    before = corner
  }
  return null
}

interface Stretch {
  readonly before: Corner
  readonly after: Corner
}

function around([departure, ...corners]: Route["corners"], ms: number): Stretch {
  let before: Corner = departure
  for (const after of corners) {
    if (after.atMs >= ms) return { before, after }
    before = after
  }
  return { before: corners.at(-2) ?? departure, after: corners.at(-1) ?? departure }
}

function shareAt({ before, after }: Stretch, ms: number): number {
  return after.atMs === before.atMs ? 1 : Math.min(1, (ms - before.atMs) / (after.atMs - before.atMs))
}

/** The place at a share of the straight line. */
export function between(from: Place, to: Place, share: number): Place {
  const part = (one: number, other: number): number => toDecimetre(one + (other - one) * share)
  return { latitude: part(from.latitude, to.latitude), longitude: part(from.longitude, to.longitude) }
}
