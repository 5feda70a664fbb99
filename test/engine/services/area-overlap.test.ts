/** Sizes of service areas, and what two of them share. */

import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isInside, squareAround } from "../../../src/areas/dispatch/geography.ts"
import { overlapSquareMetres, squareMetresOf } from "../../../src/areas/dispatch/overlap.ts"
import type { Place, Polygon } from "../../../src/model/place.ts"

const HERE: Place = { latitude: 30.25, longitude: -97.75 }

/** As far as two squares of a reach apart, in shares of the reach. */
function square(reachM: number, { north = 0, east = 0 } = {}): Polygon {
  const degree = 111_195
  return squareAround(
    {
      latitude: HERE.latitude + (north * reachM) / degree,
      longitude: HERE.longitude + (east * reachM) / degree / Math.cos((HERE.latitude * Math.PI) / 180),
    },
    reachM,
  )
}

/** In shares of a square with this reach. */
function share(found: number, reachM: number): number {
  return found / (2 * reachM) ** 2
}

describe("areas that overlap", () => {
  test("a square of 2 km to each side has 16 km², with itself and with one that contains it", () => {
    const area = square(2000)
    expect(share(squareMetresOf(area), 2000)).toBeCloseTo(1, 3)
    expect(overlapSquareMetres(area, square(5000))).toBe(squareMetresOf(area))
  })

  test("shares are those of geometry: a quarter, a half of the height, none", () => {
    const area = square(2000)
    expect(share(overlapSquareMetres(area, square(2000, { north: 1, east: 1 })), 2000)).toBeCloseTo(0.25, 2)
    expect(share(overlapSquareMetres(area, square(2000, { north: 1 })), 2000)).toBeCloseTo(0.5, 2)
    expect(overlapSquareMetres(area, square(2000, { north: 2.01 }))).toBe(0)
    expect(overlapSquareMetres(area, square(2000, { east: 2.01 }))).toBe(0)
  })

  test("areas that share a border alone do not overlap", () => {
    const [west, east] = [
      [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
          [0, 0],
        ],
      ],
      [
        [
          [1, 0],
          [2, 0],
          [2, 1],
          [1, 1],
          [1, 0],
        ],
      ],
    ] as unknown as readonly [Polygon, Polygon]
    expect(overlapSquareMetres(west, east)).toBe(0)
  })

  test("a hole is not served, so it is not shared", () => {
    const [outline = []] = square(4000)
    const [hole = []] = square(2000)
    const ring: Polygon = [outline, hole]
    expect(share(squareMetresOf(ring), 4000)).toBeCloseTo(0.75, 2)
    expect(overlapSquareMetres(ring, square(1900))).toBe(0)
  })

  test("an outline that crosses itself is measured as quotes read it: every second part is outside", () => {
    // Two triangles that meet in the middle.
    const [[south, , north] = []] = square(2000)
    const [[west, low] = [0, 0], [east, high] = [0, 0]] = [south, north]
    const area: Polygon = [
      [
        [west, low],
        [east, low],
        [west, high],
        [east, high],
        [west, low],
      ],
    ]
    expect(isInside({ latitude: HERE.latitude, longitude: west + (east - west) / 8 }, area)).toBe(false)
    expect(share(squareMetresOf(area), 2000)).toBeCloseTo(0.5, 2)
  })

  const corner = fc.tuple(
    fc.double({ min: -98, max: -97, noNaN: true }),
    fc.double({ min: 30, max: 31, noNaN: true }),
  )
  const anyArea = fc
    .array(corner, { minLength: 3, maxLength: 12 })
    .map((corners): Polygon => [[...corners, ...corners.slice(0, 1)]])

  test("what two areas share is the same from both sides, and never more than the smaller one", () => {
    fc.assert(
      fc.property(anyArea, anyArea, (one, other) => {
        const shared = overlapSquareMetres(one, other)
        expect(overlapSquareMetres(other, one)).toBe(shared)
        const smaller = Math.min(squareMetresOf(one), squareMetresOf(other))
        // Each is measured along lines of its own.
        expect(shared).toBeLessThanOrEqual(smaller + 0.02 * areaOfBounds(one, other))
      }),
    )
  })

  test("a place that is in both areas is found: areas with a common inside share ground", () => {
    fc.assert(
      fc.property(anyArea, anyArea, (one, other) => {
        const places = Array.from({ length: 100 }, (_, at) => ({
          latitude: 30.05 + 0.1 * Math.floor(at / 10),
          longitude: -97.95 + 0.1 * (at % 10),
        }))
        const common = places.filter((place) => isInside(place, one) && isInside(place, other)).length
        const shared = overlapSquareMetres(one, other)
        if (common >= 5) expect(shared).toBeGreaterThan(0)
      }),
    )
  })
})

function areaOfBounds(one: Polygon, other: Polygon): number {
  const positions = [...one.flat(), ...other.flat()]
  const across = Math.max(...positions.map(([x]) => x)) - Math.min(...positions.map(([x]) => x))
  const up = Math.max(...positions.map(([, y]) => y)) - Math.min(...positions.map(([, y]) => y))
  return across * up * 111_195 ** 2
}
