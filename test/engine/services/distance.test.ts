/** Distances are those of `@turf/distance`, to the metre. */

import { distance } from "@turf/distance"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import type { Place } from "../../../src/model/place.ts"

const anywhere: fc.Arbitrary<Place> = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})

/** Two places of one town. */
const near: fc.Arbitrary<readonly [Place, Place]> = fc
  .tuple(
    anywhere,
    fc.double({ min: -0.05, max: 0.05, noNaN: true }),
    fc.double({ min: -0.05, max: 0.05, noNaN: true }),
  )
  .map(([one, north, east]) => [
    one,
    {
      latitude: Math.max(-90, Math.min(90, one.latitude + north)),
      longitude: Math.max(-180, Math.min(180, one.longitude + east)),
    },
  ])

function byTurf(one: Place, other: Place): number {
  const metres = distance([one.longitude, one.latitude], [other.longitude, other.latitude], {
    units: "meters",
  })
  return Math.round(metres)
}

test("two places are as far apart as by @turf/distance", () => {
  fc.assert(
    fc.property(fc.oneof(near, fc.tuple(anywhere, anywhere)), ([one, other]) => {
      expect(metresBetween(one, other)).toBe(byTurf(one, other))
    }),
    { numRuns: 5_000 },
  )
})

test("places on both sides of the date line, and the poles", () => {
  const west = { latitude: 0, longitude: -180 }
  const east = { latitude: 0, longitude: 180 }
  const [north, south] = [
    { latitude: 90, longitude: 0 },
    { latitude: -90, longitude: 0 },
  ]
  expect(metresBetween(west, east)).toBe(byTurf(west, east))
  expect(metresBetween(north, south)).toBe(byTurf(north, south))
  expect(metresBetween(north, south)).toBe(20_015_114)
})
