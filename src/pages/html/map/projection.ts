/** From degrees to px: equirectangular around the middle of what is shown, exact enough for a city. */

export interface MapPoint {
  readonly latitude: number
  readonly longitude: number
}

export type Px = readonly [x: number, y: number]

export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export interface Projection {
  readonly pointOf: (place: MapPoint) => Px
  readonly placeOf: (point: Px) => MapPoint
  readonly metresPerPx: number
}

/** m in a degree of latitude */
const DEGREE_M = 111_320
/** A single place is shown with a neighbourhood, not with its doorstep. */
const METRES_PER_PX_MIN = 2

interface Frame {
  readonly width: number
  readonly height: number
  /** px kept free on each side. */
  readonly margin: number
}

/** Fits all of the places into the frame. */
export function projectionOf(places: readonly MapPoint[], { width, height, margin }: Frame): Projection {
  const latitudes = places.map(({ latitude }) => latitude)
  const longitudes = places.map(({ longitude }) => longitude)
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 }
  const across = DEGREE_M * Math.max(0.01, Math.cos((middle.latitude * Math.PI) / 180))
  const metresPerPx = Math.max(
    ((north - south) * DEGREE_M) / (height - 2 * margin),
    ((east - west) * across) / (width - 2 * margin),
    METRES_PER_PX_MIN,
  )
  return {
    metresPerPx,
    pointOf: ({ latitude, longitude }) => [
      width / 2 + ((longitude - middle.longitude) * across) / metresPerPx,
      height / 2 - ((latitude - middle.latitude) * DEGREE_M) / metresPerPx,
    ],
    placeOf: ([x, y]) => ({
      latitude: middle.latitude - ((y - height / 2) * metresPerPx) / DEGREE_M,
      longitude: middle.longitude + ((x - width / 2) * metresPerPx) / across,
    }),
  }
}

/** What the whole frame shows. */
export function boxOf({ placeOf }: Projection, { width, height }: Omit<Frame, "margin">): Box {
  const [first, last] = [placeOf([0, height]), placeOf([width, 0])]
  return { west: first.longitude, south: first.latitude, east: last.longitude, north: last.latitude }
}

/** To a tenth of a pixel: further digits cannot be seen. */
export function roundPx(px: number): number {
  return Math.round(px * 10) / 10
}
