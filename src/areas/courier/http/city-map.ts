/**
 * A sketch of the city with the vehicle, a few known places and the river. It is drawn here, so that no map server
 * learns who waits where. The text beside it has the same information.
 */

import type { Place } from "../../../model/place.ts"

const WIDTH = 320
const HEIGHT = 240
const MARGIN = 24

/** Approximately the service area. */
const BOX = { north: 30.45, south: 30.15, west: -97.95, east: -97.55 }

const KNOWN: readonly (Place & { readonly name: string })[] = [
  { name: "The Domain", latitude: 30.402, longitude: -97.725 },
  { name: "Capitol", latitude: 30.2747, longitude: -97.7404 },
  { name: "Zilker Park", latitude: 30.267, longitude: -97.7729 },
  { name: "Airport", latitude: 30.1975, longitude: -97.6664 },
  { name: "Mueller", latitude: 30.2986, longitude: -97.7056 },
  { name: "Oak Hill", latitude: 30.2346, longitude: -97.8594 },
]

/** The Colorado River through the city, by eye. */
const RIVER: readonly Place[] = [
  { latitude: 30.33, longitude: -97.86 },
  { latitude: 30.295, longitude: -97.79 },
  { latitude: 30.268, longitude: -97.765 },
  { latitude: 30.252, longitude: -97.735 },
  { latitude: 30.248, longitude: -97.69 },
  { latitude: 30.215, longitude: -97.6 },
]

/** A vehicle outside the box is drawn at its edge. */
export function cityMap(vehicle: Place): string {
  const { x, y } = pointOf(vehicle)
  const river = RIVER.map(pointOf).map((point) => `${point.x},${point.y}`)
  return [
    `<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Sketch of the city with the vehicle, ${sideOf(vehicle)}">`,
    `<rect class="land" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<polyline class="water" points="${river.join(" ")}"/>`,
    ...KNOWN.map((place) => {
      const at = pointOf(place)
      return `<circle class="mark" cx="${at.x}" cy="${at.y}" r="2"/><text x="${at.x + 5}" y="${at.y + 3}">${place.name}</text>`
    }),
    `<circle class="vehicle" cx="${x}" cy="${y}" r="7"/>`,
    "</svg>",
  ].join("\n")
}

/** A text for people who do not see the sketch. */
function sideOf({ latitude, longitude }: Place): string {
  const capitol = { latitude: 30.2747, longitude: -97.7404 }
  const across = latitude >= capitol.latitude ? "north" : "south"
  return `${across}${longitude >= capitol.longitude ? "east" : "west"} of the Capitol`
}

function pointOf({ latitude, longitude }: Place): { readonly x: number; readonly y: number } {
  const across = (longitude - BOX.west) / (BOX.east - BOX.west)
  const down = (BOX.north - latitude) / (BOX.north - BOX.south)
  return { x: placed(across, WIDTH), y: placed(down, HEIGHT) }
}

function placed(share: number, length: number): number {
  const at = MARGIN + share * (length - 2 * MARGIN)
  return Math.round(Math.min(length - MARGIN / 2, Math.max(MARGIN / 2, at)) * 10) / 10
}
