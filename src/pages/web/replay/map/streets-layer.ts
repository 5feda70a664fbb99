/** The ground of the map: streets with their names along them, and the areas of the sites. Drawn again when the view changes, not in each frame. */

import type { CourseHead, CourseUnconnected } from "../../../../model/replay/course.ts"
import { madeUpTown } from "../../../html/map/made-up-town.ts"
import { streetsOf } from "../../../html/map/streets.ts"
import type { Streets } from "../../../html/map/streets.ts"
import { overlap } from "../../../html/map/labels.ts"
import type { Rectangle } from "../../../html/map/labels.ts"
import type { Ground, Spot } from "../seen/ground.ts"
import type { Palette } from "../seen/palette.ts"
import { pxOf } from "./viewport.ts"
import type { Px, Viewport } from "./viewport.ts"

interface Way {
  readonly name: string | null
  readonly isMain: boolean
  readonly spots: readonly Spot[]
}

export interface StreetMap {
  readonly ways: readonly Way[]
  /** Those that no vehicle uses, because they do not lead to the sites and back. */
  readonly loose: readonly (readonly Spot[])[]
  readonly credit: string
}

/** A city and its outskirts, in degrees around the sites. */
const AROUND = 0.2

/** The streets beside the model; else those of a town that does not exist, without names. What was recorded has no made-up town. */
export function streetMap(
  head: CourseHead,
  beside: Readonly<Record<string, string>>,
  ground: Ground,
): StreetMap {
  if (head.isRecord === true) return { ways: [], loose: [], credit: "Without streets" }
  const found = head.isOnStreets ? besideStreets(beside) : null
  const [latitude, longitude] = head.sites[0]?.at ?? [0, 0]
  const made = streetsOf(madeUpTown({ latitude, longitude }))
  const streets = found ?? (typeof made === "string" ? null : made)
  if (streets === null) return { ways: [], loose: [], credit: "" }
  const box = {
    west: Math.min(...head.sites.map(({ at }) => at[1])) - AROUND,
    east: Math.max(...head.sites.map(({ at }) => at[1])) + AROUND,
    south: Math.min(...head.sites.map(({ at }) => at[0])) - AROUND,
    north: Math.max(...head.sites.map(({ at }) => at[0])) + AROUND,
  }
  return {
    credit: found === null ? "Made-up streets; vehicles drive straight" : found.credit,
    loose: (head.unconnected?.lines ?? []).map((line) => line.map((place) => ground.spotOf(place))),
    ways: streets.within(box).map(({ name, isMain, points }) => ({
      name: found === null ? null : name,
      isMain,
      spots: points.map((point) => ground.spotOf([point.latitude, point.longitude])),
    })),
  }
}

function besideStreets(beside: Readonly<Record<string, string>>): Streets | null {
  for (const [name, text] of Object.entries(beside)) {
    if (!/\.((geo)?json|pbf)$/i.test(name)) continue
    const streets = streetsOf(parsed(text))
    if (typeof streets !== "string") return streets
  }
  return null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** `3 parts not connected, 1.2 km`. */
export function unconnectedWords({ parts, metres }: CourseUnconnected): string {
  const length = metres < 1000 ? `${metres} m` : `${(metres / 1000).toFixed(1)} km`
  return `${parts} ${parts === 1 ? "part" : "parts"} not connected, ${length}`
}

/** A map of a larger part of a city shows main streets alone, if there are any. */
const SIDE_STREETS_M_PER_PX_MAX = 16

export function drawStreets(
  canvas: CanvasRenderingContext2D,
  {
    streets: { ways, loose },
    view,
    palette,
  }: { readonly streets: StreetMap; readonly view: Viewport; readonly palette: Palette },
): void {
  const { width, height, metresPerPx } = view
  canvas.fillStyle = palette.land
  canvas.fillRect(0, 0, width, height)
  const hasSide = metresPerPx <= SIDE_STREETS_M_PER_PX_MAX || !ways.some(({ isMain }) => isMain)
  const drawn = ways
    .filter(({ isMain }) => isMain || hasSide)
    .map((way) => ({ ...way, points: way.spots.map((spot) => pxOf(view, spot)) }))
    .filter(({ points }) => isInSight(points, view))
  canvas.lineCap = "round"
  canvas.lineJoin = "round"
  canvas.strokeStyle = palette.street
  const wide = Math.min(7, Math.max(2.4, 16 / metresPerPx))
  for (const isMain of [false, true]) {
    canvas.lineWidth = isMain ? wide : Math.max(1, wide / 2.6)
    canvas.beginPath()
    for (const { points } of drawn.filter((way) => way.isMain === isMain)) trace(canvas, points)
    canvas.stroke()
  }
  drawLoose(
    canvas,
    loose.map((spots) => spots.map((spot) => pxOf(view, spot))).filter((points) => isInSight(points, view)),
    palette,
  )
  writeNames(canvas, drawn, { view, palette })
}

/** Dashed, so that the colour alone does not say it. */
function drawLoose(
  canvas: CanvasRenderingContext2D,
  lines: readonly (readonly Px[])[],
  palette: Palette,
): void {
  if (lines.length === 0) return
  canvas.strokeStyle = palette.bad
  canvas.lineWidth = 1.6
  canvas.setLineDash([4, 4])
  canvas.beginPath()
  for (const points of lines) trace(canvas, points)
  canvas.stroke()
  canvas.setLineDash([])
}

function trace(canvas: CanvasRenderingContext2D, points: readonly Px[]): void {
  for (const [at, [x, y]] of points.entries()) {
    if (at === 0) canvas.moveTo(x, y)
    else canvas.lineTo(x, y)
  }
}

function isInSight(points: readonly Px[], { width, height }: Viewport): boolean {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return Math.max(...xs) >= 0 && Math.min(...xs) <= width && Math.max(...ys) >= 0 && Math.min(...ys) <= height
}

const NAMES_MAX = 14
const NAME_FONT = '400 10.5px "Inter Variable", system-ui, sans-serif'

interface Named {
  readonly name: string | null
  readonly isMain: boolean
  readonly points: readonly Px[]
}

/** Each name once, along its longest piece in sight, and none over another. */
function writeNames(
  canvas: CanvasRenderingContext2D,
  streets: readonly Named[],
  { view, palette }: { readonly view: Viewport; readonly palette: Palette },
): void {
  const byName = new Map<string, { readonly at: Px; readonly turn: number; readonly length: number }>()
  for (const { name, points, isMain } of streets) {
    if (name === null) continue
    for (const [at, to] of points.slice(1).entries()) {
      const piece = clipped(points[at] ?? to, to, view)
      if (piece === null) continue
      const length = piece.length * (isMain ? 1.5 : 1)
      if (length > (byName.get(name)?.length ?? 0)) byName.set(name, { ...piece, length })
    }
  }
  const taken: Rectangle[] = [{ x: 0, y: 0, width: 400, height: 44 }]
  canvas.font = NAME_FONT
  canvas.textAlign = "center"
  canvas.textBaseline = "middle"
  let written = 0
  for (const [name, { at, turn, length }] of [...byName].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )) {
    const width = canvas.measureText(name).width
    const [across, down] = [Math.abs(Math.cos(turn)) * width, Math.abs(Math.sin(turn)) * width]
    const box = { x: at[0] - across / 2 - 6, y: at[1] - down / 2 - 8, width: across + 12, height: down + 16 }
    if (length < width * 0.8 || taken.some((other) => overlap(box, other))) continue
    taken.push(box)
    canvas.save()
    canvas.translate(...at)
    canvas.rotate(turn)
    canvas.strokeStyle = palette.land
    canvas.lineWidth = 3.5
    canvas.strokeText(name, 0, 0)
    canvas.fillStyle = palette["ink-2"]
    canvas.fillText(name, 0, 0)
    canvas.restore()
    written += 1
    if (written === NAMES_MAX) break
  }
}

/** The part of a piece inside of the picture: its middle, its turn so that text is upright, and its length; null outside. */
function clipped(
  [x0, y0]: Px,
  [x1, y1]: Px,
  { width, height }: Viewport,
): { readonly at: Px; readonly turn: number; readonly length: number } | null {
  let [begin, end] = [0, 1]
  for (const [from, way, limit] of [
    [x0, x1 - x0, width],
    [y0, y1 - y0, height],
  ] as const) {
    if (way === 0) {
      if (from < 0 || from > limit) return null
      continue
    }
    const [one, other] = [-from / way, (limit - from) / way]
    begin = Math.max(begin, Math.min(one, other))
    end = Math.min(end, Math.max(one, other))
  }
  if (begin >= end) return null
  const middle = (begin + end) / 2
  const turn = Math.atan2(y1 - y0, x1 - x0)
  return {
    at: [x0 + middle * (x1 - x0), y0 + middle * (y1 - y0)],
    turn: turn > Math.PI / 2 ? turn - Math.PI : turn <= -Math.PI / 2 ? turn + Math.PI : turn,
    length: (end - begin) * Math.hypot(x1 - x0, y1 - y0),
  }
}
