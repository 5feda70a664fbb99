/**
 * The streets of a town that does not exist, for the demo and for tests: a grid that is slightly turned and bent, with main
 * streets. The same middle gives the same town.
 */

import type { MapPoint } from "./projection.ts"

const STREETS = 70
const APART_M = 400
/** Each of so many streets is a main one. */
const MAIN_EVERY = 5
const DEGREE_M = 111_320
/** Degrees by which the grid is turned. */
const TURN = 14

const ACROSS = [
  "Lantern",
  "Heron",
  "Juniper",
  "Millstone",
  "Foxglove",
  "Harbor",
  "Pecan",
  "Saddler",
  "Willow",
  "Copper",
  "Orchard",
]
const UP = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th", "11th"]
const SIDES = ["", "North ", "Upper ", "Old ", "New ", "Low ", "South "]

/** GeoJSON of streets around the middle, 14 km to each side. */
export function madeUpTown({ latitude, longitude }: MapPoint): unknown {
  const turn = (TURN * Math.PI) / 180
  const place = (east: number, north: number): readonly [number, number] => {
    const [x, y] = [
      east * Math.cos(turn) - north * Math.sin(turn),
      east * Math.sin(turn) + north * Math.cos(turn),
    ]
    return [
      round(longitude + x / (DEGREE_M * Math.cos((latitude * Math.PI) / 180))),
      round(latitude + y / DEGREE_M),
    ]
  }
  const half = Math.floor(STREETS / 2)
  const lines = Array.from({ length: STREETS * 2 }, (_, number) => {
    const isAcross = number < STREETS
    const at = (number % STREETS) - half
    const bend = (step: number): number => Math.sin((step + at) / 3) * 40
    const points = Array.from({ length: STREETS + 1 }, (__, step) => {
      const [along, aside] = [(step - half) * APART_M, at * APART_M + bend(step)]
      return isAcross ? place(along, aside) : place(aside, along)
    })
    const names = isAcross ? ACROSS : UP
    const again = Math.floor((at + half) / names.length)
    const name = `${names[(at + half) % names.length] ?? "High"} ${isAcross ? "Ave" : "St"}`
    return { name: `${SIDES[again % SIDES.length] ?? ""}${name}`, isMain: at % MAIN_EVERY === 0, points }
  })
  return {
    type: "FeatureCollection",
    attribution: "Made-up streets of the demo",
    features: lines.map(({ name, isMain, points }) => ({
      type: "Feature",
      properties: { name, kind: isMain ? "main" : "street" },
      geometry: { type: "LineString", coordinates: points },
    })),
  }
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
