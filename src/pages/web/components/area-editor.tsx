/**
 * An area drawn on the map: a press adds a corner, a corner is dragged to another place. The same corners stand in a table of
 * fields, for the keyboard and for exact degrees.
 */

import type { JSX, TargetedPointerEvent } from "preact"
import { useState } from "preact/hooks"
import { drawnMap } from "../../html/map/place-map.ts"
import type { MapPlace } from "../../html/map/place-map.ts"
import type { MapPoint, Px } from "../../html/map/projection.ts"
import { Button } from "../design/button.tsx"
import { PlaceMap } from "./place-map.tsx"

const SIZE = { width: 376, height: 320 }
/** km from the place to the edge of the picture. */
const REACHES_KM = [1, 2, 5, 10, 20, 40, 80]
const DEGREE_KM = 111.32
/** Digits after the point: 0.1 m. */
const DIGITS = 6

interface AreaEditorProps {
  readonly place: MapPlace
  readonly corners: readonly MapPoint[]
  readonly onChange: (corners: readonly MapPoint[]) => void
  /** Areas of other sites, drawn for comparison. */
  readonly others?: readonly OtherArea[]
}

export interface OtherArea {
  /** Stands in it, and in a list beside the map. */
  readonly letter: string
  readonly corners: readonly MapPoint[]
}

export function AreaEditor({ place, corners, onChange, others = [] }: AreaEditorProps): JSX.Element {
  const [reach, setReach] = useState(() => reachOf(place, corners))
  /** The corners before each change on the map. */
  const [past, setPast] = useState<readonly (readonly MapPoint[])[]>([])
  const remember = (): void => setPast([...past, corners])
  return (
    <div class="area-editor">
      <Canvas
        place={place}
        corners={corners}
        onChange={onChange}
        onBegin={remember}
        others={others}
        km={REACHES_KM[reach] ?? 10}
      />
      <div class="row">
        <Button
          isSmall
          isDisabled={reach === 0}
          label="Show less around the site"
          onPress={() => setReach(reach - 1)}
        >
          Closer
        </Button>
        <Button
          isSmall
          isDisabled={reach === REACHES_KM.length - 1}
          label="Show more around the site"
          onPress={() => setReach(reach + 1)}
        >
          Farther
        </Button>
        <Button
          isSmall
          icon="undo"
          isDisabled={past.length === 0}
          onPress={() => {
            onChange(past.at(-1) ?? corners)
            setPast(past.slice(0, -1))
          }}
        >
          Undo
        </Button>
        <Button
          isSmall
          look="danger quiet"
          isDisabled={corners.length === 0}
          onPress={() => {
            remember()
            onChange([])
          }}
        >
          Start again
        </Button>
      </div>
      <Corners corners={corners} place={place} onChange={onChange} />
    </div>
  )
}

interface CanvasProps extends AreaEditorProps {
  /** Before a corner is added or dragged. */
  readonly onBegin: () => void
  /** From the place to the edge of the picture. */
  readonly km: number
}

function Canvas({ place, corners, onChange, onBegin, others = [], km }: CanvasProps): JSX.Element {
  const [dragged, setDragged] = useState<number | null>(null)
  const around = squareAround(place, km)
  const shown = { label: `The service area of ${place.name}`, places: [place], around, size: SIZE }
  const projection = drawnMap(shown)?.projection
  if (projection === undefined) return <p class="small quiet">There is nothing to draw on.</p>
  const { pointOf, placeOf } = projection
  const points = corners.map(pointOf)
  const press = (event: Pointer): void => {
    const here = pxOf(event)
    const near = points.findIndex((point) => distance(point, here) <= GRASP_PX)
    const at = near === -1 ? placeFor(points, here) : near
    event.currentTarget.setPointerCapture(event.pointerId)
    onBegin()
    if (near === -1) onChange([...corners.slice(0, at), rounded(placeOf(here)), ...corners.slice(at)])
    setDragged(at)
  }
  const drag = (event: Pointer): void => {
    const to = rounded(placeOf(pxOf(event)))
    if (dragged !== null) onChange(corners.map((corner, at) => (at === dragged ? to : corner)))
  }
  return (
    <div class="area-canvas">
      <PlaceMap {...shown} hasTable={false} />
      <svg
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        aria-hidden="true"
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={() => setDragged(null)}
        onPointerCancel={() => setDragged(null)}
      >
        {others.map((other) => (
          <OtherShape key={other.letter} letter={other.letter} points={other.corners.map(pointOf)} />
        ))}
        {points.length < 2 ? null : <polygon points={listed(points)} />}
        {points.map(([x, y], at) => (
          <circle key={at} cx={x} cy={y} r={at === dragged ? 8 : 6} />
        ))}
      </svg>
    </div>
  )
}

function OtherShape({
  letter,
  points,
}: {
  readonly letter: string
  readonly points: readonly Px[]
}): JSX.Element {
  const middle = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  return (
    <g class="other">
      <polygon points={listed(points)} />
      <text x={middle(0)} y={middle(1)}>
        {letter}
      </text>
    </g>
  )
}

function listed(points: readonly Px[]): string {
  return points.map((point) => point.join(",")).join(" ")
}

type Pointer = TargetedPointerEvent<SVGSVGElement>

/** Where it is in the picture's own px. */
function pxOf({ clientX, clientY, currentTarget }: Pointer): Px {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  return [((clientX - left) / width) * SIZE.width, ((clientY - top) / height) * SIZE.height]
}

function Corners({ corners, place, onChange }: AreaEditorProps): JSX.Element {
  const change = (index: number, part: Partial<MapPoint>): void =>
    onChange(corners.map((corner, one) => (one === index ? { ...corner, ...part } : corner)))
  return (
    <details class="positions">
      <summary>Corners as a table</summary>
      <table class="table" aria-label="Corners">
        <thead>
          <tr>
            <th scope="col">Corner</th>
            <th scope="col">Latitude</th>
            <th scope="col">Longitude</th>
          </tr>
        </thead>
        <tbody>
          {corners.map(({ latitude, longitude }, index) => (
            <tr key={index}>
              <th scope="row">{index + 1}</th>
              <td>
                <input
                  type="number"
                  step="any"
                  aria-label={`Latitude of corner ${index + 1}`}
                  value={latitude}
                  onChange={({ currentTarget }) => change(index, { latitude: Number(currentTarget.value) })}
                />
              </td>
              <td>
                <input
                  type="number"
                  step="any"
                  aria-label={`Longitude of corner ${index + 1}`}
                  value={longitude}
                  onChange={({ currentTarget }) => change(index, { longitude: Number(currentTarget.value) })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button
        isSmall
        icon="plus"
        onPress={() => onChange([...corners, { latitude: place.latitude, longitude: place.longitude }])}
      >
        Add a corner
      </Button>
    </details>
  )
}

/** px around a corner in which a press takes it. */
const GRASP_PX = 14

function distance([x, y]: Px, [otherX, otherY]: Px): number {
  return Math.hypot(x - otherX, y - otherY)
}

/** Where a new corner goes: into the side that becomes longer by the least, so that sides do not cross. */
function placeFor(points: readonly Px[], added: Px): number {
  if (points.length < 3) return points.length
  const detours = points.map((from, at) => {
    const to = points[(at + 1) % points.length] ?? from
    return distance(from, added) + distance(added, to) - distance(from, to)
  })
  return detours.indexOf(Math.min(...detours)) + 1
}

function rounded({ latitude, longitude }: MapPoint): MapPoint {
  return { latitude: Number(latitude.toFixed(DIGITS)), longitude: Number(longitude.toFixed(DIGITS)) }
}

function kmEast(latitude: number): number {
  return DEGREE_KM * Math.cos((latitude * Math.PI) / 180)
}

function squareAround({ latitude, longitude }: MapPoint, km: number): readonly MapPoint[] {
  const [north, east] = [km / DEGREE_KM, km / kmEast(latitude)]
  return [
    { latitude: latitude - north, longitude: longitude - east },
    { latitude: latitude + north, longitude: longitude + east },
  ]
}

/** The first reach that shows every corner. */
function reachOf(place: MapPoint, corners: readonly MapPoint[]): number {
  const km = Math.max(
    4,
    ...corners.flatMap(({ latitude, longitude }) => [
      Math.abs(latitude - place.latitude) * DEGREE_KM,
      Math.abs(longitude - place.longitude) * kmEast(place.latitude),
    ]),
  )
  const found = REACHES_KM.findIndex((one) => one >= km)
  return found === -1 ? REACHES_KM.length - 1 : found
}
