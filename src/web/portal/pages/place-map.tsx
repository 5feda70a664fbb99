/** A sketch of places to scale, without streets: stores, doors and vehicles, with names, and a table of the same. */

import type { JSX } from "preact"

export interface MapPlace {
  readonly kind: "door" | "store" | "vehicle"
  readonly name: string
  readonly latitude: number
  readonly longitude: number
}

const WIDTH = 376
const HEIGHT = 260
const MARGIN = 48
/** m in a degree of latitude */
const DEGREE_M = 111_320
const SCALES_M = [50, 100, 200, 500, 1000, 2000, 5000, 10_000]

interface PlaceMapProps {
  readonly label: string
  readonly places: readonly MapPlace[]
  /** Corners of an area, drawn behind the places. */
  readonly area?: readonly { readonly latitude: number; readonly longitude: number }[]
}

export function PlaceMap({ label, places, area = [] }: PlaceMapProps): JSX.Element | null {
  const all = [...places, ...area]
  const [one] = all
  if (one === undefined) return null
  const { pointOf, metresPerPx } = projection(all)
  const scale = SCALES_M.findLast((metres) => metres / metresPerPx <= WIDTH / 4) ?? 50
  const store = places.find(({ kind }) => kind === "store")
  const way = [
    store,
    places.find(({ kind }) => kind === "vehicle"),
    places.find(({ kind }) => kind === "door"),
  ]
    .filter((place) => place !== undefined)
    .map(pointOf)
  return (
    <figure>
      <svg class="map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {area.length === 0 ? null : (
          <polygon points={area.map((corner) => pointOf(corner).join(",")).join(" ")} class="area" />
        )}
        <polyline points={way.map((point) => point.join(",")).join(" ")} class="way" />
        {places.map((place) => (
          <Marker key={`${place.kind} ${place.name}`} place={place} point={pointOf(place)} />
        ))}
        <g class="scale">
          <path d={`M16 ${HEIGHT - 14}h${scale / metresPerPx}`} />
          <text x={20 + scale / metresPerPx} y={HEIGHT - 10}>
            {scale < 1000 ? `${scale} m` : `${scale / 1000} km`}
          </text>
        </g>
      </svg>
      <details class="tiny quiet">
        <summary>Positions as a table</summary>
        <table class="table" aria-label={`${label}: positions`}>
          <tbody>
            {places.map(({ kind, name, latitude, longitude }) => (
              <tr key={`${kind} ${name}`}>
                <td>{name}</td>
                <td class="end mono">
                  {latitude.toFixed(4)}, {longitude.toFixed(4)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function Marker({
  place,
  point: [x, y],
}: {
  readonly place: MapPlace
  readonly point: readonly [number, number]
}): JSX.Element {
  // A vehicle often stands at a store or a door: its name goes above, theirs beside.
  const isAbove = place.kind === "vehicle"
  const isRight = x < WIDTH / 2
  return (
    <g class={`marker ${place.kind}`}>
      <circle cx={x} cy={y} r={place.kind === "vehicle" ? 8 : 6} />
      <text
        x={isAbove ? x : isRight ? x + 12 : x - 12}
        y={isAbove ? y - 14 : y + 4}
        text-anchor={isAbove ? "middle" : isRight ? "start" : "end"}
      >
        {place.name}
      </text>
    </g>
  )
}

interface Projection {
  readonly pointOf: (place: {
    readonly latitude: number
    readonly longitude: number
  }) => readonly [x: number, y: number]
  readonly metresPerPx: number
}

/** Equirectangular around the middle: exact enough for a city. */
function projection(
  places: readonly { readonly latitude: number; readonly longitude: number }[],
): Projection {
  const latitudes = places.map(({ latitude }) => latitude)
  const longitudes = places.map(({ longitude }) => longitude)
  const middle = {
    latitude: (Math.min(...latitudes) + Math.max(...latitudes)) / 2,
    longitude: (Math.min(...longitudes) + Math.max(...longitudes)) / 2,
  }
  const shrink = Math.cos((middle.latitude * Math.PI) / 180)
  const heightM = (Math.max(...latitudes) - Math.min(...latitudes)) * DEGREE_M
  const widthM = (Math.max(...longitudes) - Math.min(...longitudes)) * DEGREE_M * shrink
  const metresPerPx = Math.max(heightM / (HEIGHT - 2 * MARGIN), widthM / (WIDTH - 2 * MARGIN), 2)
  return {
    metresPerPx,
    pointOf: ({ latitude, longitude }) => [
      WIDTH / 2 + ((longitude - middle.longitude) * DEGREE_M * shrink) / metresPerPx,
      HEIGHT / 2 - ((latitude - middle.latitude) * DEGREE_M) / metresPerPx,
    ],
  }
}
