/**
 * Draws what moves over the streets. Vehicles are copies of pictures, other shapes have one path for each look, ended after a hundred: the
 * work of a frame grows with what is in sight alone.
 */

import { overlap } from "../../../html/map/labels.ts"
import type { Rectangle } from "../../../html/map/labels.ts"
import { mixed } from "../seen/palette.ts"
import type { Palette } from "../seen/palette.ts"
import type { DoorMark, Marks, VehicleLook, VehicleMark } from "./marks.ts"
import type { Px, Viewport } from "./viewport.ts"

type Canvas = CanvasRenderingContext2D

interface Drawn {
  readonly marks: Marks
  readonly view: Viewport
  readonly palette: Palette
  readonly picked: number | null
  /** What no label may cover, such as the plates of the sites. */
  readonly taken: readonly Rectangle[]
  /** Vehicles of another day that are elsewhere there. */
  readonly ghosts: readonly VehicleMark[]
  /** Those that differ from the other day. */
  readonly ringed: readonly VehicleMark[]
}

/** A path with thousands of shapes costs more than their sum. */
const SHAPES_OF_PATH = 100
const LABELS_MAX = 24
const LABEL_FONT = '500 11.5px "Inter Variable", system-ui, sans-serif'

export function drawMarks(
  canvas: Canvas,
  { marks, view, palette, picked, taken, ghosts, ringed }: Drawn,
): void {
  canvas.clearRect(0, 0, view.width, view.height)
  canvas.lineJoin = "round"
  canvas.lineCap = "round"
  const scale = view.metresPerPx > 14 || marks.vehicles.length > 300 ? 0.7 : 1
  drawTrails(canvas, marks.vehicles, palette)
  drawDoors(canvas, marks.doors, { palette, scale })
  drawRings(canvas, ringed, { palette, scale })
  drawGhosts(canvas, ghosts, { palette, scale })
  const groups = Map.groupBy(marks.vehicles, ({ look, isLate }) => keyOf(look, isLate))
  for (const look of LOOKS)
    for (const isLate of [false, true])
      drawVehicles(canvas, groups.get(keyOf(look, isLate)) ?? [], {
        look,
        color: colorOf(look, isLate, palette),
        palette,
        scale,
      })
  ringPicked(canvas, marks, { picked, palette })
  writeLabels(canvas, marks, { view, palette, picked, taken })
}

function keyOf(look: VehicleLook, isLate: boolean): string {
  return isLate ? `late ${look}` : look
}

const LOOKS: readonly VehicleLook[] = ["free", "broken", "called", "loaded"]

function colorOf(look: VehicleLook, isLate: boolean, palette: Palette): string {
  if (look === "broken") return palette["ink-2"]
  if (isLate) return palette.bad
  return look === "free" ? palette.edge : palette["k-vehicle"]
}

/** Strokes or fills a path for each hundred shapes. */
function inPaths<Shape>(
  canvas: Canvas,
  shapes: readonly Shape[],
  add: (shape: Shape) => void,
  paint: () => void,
): void {
  for (let from = 0; from < shapes.length; from += SHAPES_OF_PATH) {
    canvas.beginPath()
    for (const shape of shapes.slice(from, from + SHAPES_OF_PATH)) add(shape)
    paint()
  }
}

/** Fades in three pieces. */
function drawTrails(canvas: Canvas, vehicles: readonly VehicleMark[], palette: Palette): void {
  const trailed = vehicles.filter(({ trail, look }) => trail.length > 1 && look !== "free")
  canvas.lineWidth = 3.2
  for (const isLate of [false, true]) {
    canvas.strokeStyle = isLate ? palette.bad : palette["k-vehicle"]
    const own = trailed.filter((mark) => mark.isLate === isLate)
    for (const [piece, alpha] of TRAIL_ALPHAS.entries()) {
      canvas.globalAlpha = alpha
      inPaths(
        canvas,
        own,
        ({ trail }) =>
          addPiece(canvas, trail, piece / TRAIL_ALPHAS.length, (piece + 1) / TRAIL_ALPHAS.length),
        () => canvas.stroke(),
      )
    }
  }
  canvas.globalAlpha = 1
}

const TRAIL_ALPHAS = [0.62, 0.4, 0.22, 0.1]

/** The part of a line between two shares of its length. */
function addPiece(canvas: Canvas, points: readonly Px[], from: number, until: number): void {
  const lengths = points
    .slice(1)
    .map(([x, y], at) => Math.hypot(x - (points[at]?.[0] ?? x), y - (points[at]?.[1] ?? y)))
  const whole = lengths.reduce((sum, length) => sum + length, 0)
  const [begin, end] = [from * whole, until * whole]
  let before = 0
  let isDown = false
  for (const [at, length] of lengths.entries()) {
    const [one, other] = [points[at], points[at + 1]]
    if (one === undefined || other === undefined || length === 0) continue
    const [low, high] = [Math.max(begin, before), Math.min(end, before + length)]
    if (high > low) {
      const point = (along: number): Px => {
        const share = (along - before) / length
        return [one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])]
      }
      if (!isDown) canvas.moveTo(...point(low))
      canvas.lineTo(...point(high))
      isDown = true
    }
    before += length
  }
}

interface Look {
  readonly look: VehicleLook
  readonly color: string
  readonly palette: Palette
  readonly scale: number
}

/** An arrow along its heading: filled with an order on board, hollow on the way to one. */
function drawVehicles(canvas: Canvas, vehicles: readonly VehicleMark[], of: Look): void {
  if (vehicles.length === 0) return
  const strip = stripOf(of)
  const [side, px] = [strip.height, arrowPx(of.scale)]
  for (const { at, heading } of vehicles) {
    const cell = (Math.round((heading / (2 * Math.PI)) * HEADINGS) + HEADINGS) % HEADINGS
    canvas.drawImage(strip, cell * side, 0, side, side, at[0] - px / 2, at[1] - px / 2, px, px)
  }
  if (of.look === "broken") drawCrosses(canvas, vehicles, of.palette)
}

/** Pictures of an arrow, each turned a little further. */
const HEADINGS = 72

/** px of a picture, with the arrow's halo. */
function arrowPx(scale: number): number {
  return 2 * Math.ceil(ARROW_RADIUS_PX * scale + haloPx(scale) / 2)
}

function haloPx(scale: number): number {
  return 4 * scale + 1
}

const ARROW_RADIUS_PX = 9.6

/** The arrows of a look side by side: a frame copies them, because to draw the outlines of a thousand takes longer. */
function stripOf({ look, color, palette, scale }: Look): ImageBitmap {
  const ratio = window.devicePixelRatio
  const key = [look, color, palette.land, palette.surface, scale, ratio].join()
  const known = strips.get(key)
  if (known !== undefined) return known
  const px = arrowPx(scale)
  const side = Math.ceil(px * ratio)
  const drawn = new OffscreenCanvas(HEADINGS * side, side)
  const canvas = drawn.getContext("2d")
  if (canvas === null) throw new Error("the browser draws on no canvas")
  canvas.scale(side / px, side / px)
  canvas.lineJoin = "round"
  canvas.fillStyle = look === "loaded" || look === "broken" ? color : palette.surface
  for (let cell = 0; cell < HEADINGS; cell += 1) {
    canvas.beginPath()
    const at: Px = [(cell + 0.5) * px, px / 2]
    addArrow(canvas, at, (cell / HEADINGS) * 2 * Math.PI, (look === "free" ? 0.8 : 1) * scale)
    canvas.strokeStyle = palette.land
    canvas.lineWidth = haloPx(scale)
    canvas.stroke()
    canvas.fill()
    canvas.strokeStyle = color
    canvas.lineWidth = (look === "free" ? 1.4 : 1.9) * Math.sqrt(scale)
    canvas.stroke()
  }
  // A bitmap is copied faster than a canvas, of which each copy asks for a snapshot.
  const strip = drawn.transferToImageBitmap()
  strips.set(key, strip)
  return strip
}

/** Few: a colour scheme has seven looks, at two scales. */
const strips = new Map<string, ImageBitmap>()

const ARROW: readonly Px[] = [
  [-7, -6.5],
  [9, 0],
  [-7, 6.5],
  [-3.5, 0],
]

function addArrow(canvas: CanvasPath, [x, y]: Px, heading: number, size: number): void {
  const [across, down] = [Math.cos(heading) * size, Math.sin(heading) * size]
  for (const [at, [along, aside]] of ARROW.entries()) {
    const point: Px = [x + along * across - aside * down, y + along * down + aside * across]
    if (at === 0) canvas.moveTo(...point)
    else canvas.lineTo(...point)
  }
  canvas.closePath()
}

function drawCrosses(canvas: Canvas, vehicles: readonly VehicleMark[], palette: Palette): void {
  canvas.strokeStyle = palette.bad
  canvas.lineWidth = 2.2
  const add = ({ at: [x, y] }: VehicleMark): void => {
    canvas.moveTo(x - 5, y - 15)
    canvas.lineTo(x + 5, y - 25)
    canvas.moveTo(x + 5, y - 15)
    canvas.lineTo(x - 5, y - 25)
  }
  inPaths(canvas, vehicles, add, () => canvas.stroke())
}

interface Sized {
  readonly palette: Palette
  readonly scale: number
}

/** Lighter, dashed and hollow: where a vehicle is on the other day. */
function drawGhosts(canvas: Canvas, ghosts: readonly VehicleMark[], { palette, scale }: Sized): void {
  canvas.setLineDash([2.5, 2])
  canvas.lineWidth = 1.6
  canvas.fillStyle = palette.land
  for (const look of LOOKS) {
    canvas.strokeStyle = mixed(colorOf(look, false, palette), palette.land, GHOST_SHARE)
    inPaths(
      canvas,
      ghosts.filter((mark) => mark.look === look),
      ({ at, heading }) => addArrow(canvas, at, heading, (look === "free" ? 0.8 : 1) * scale),
      () => {
        canvas.fill()
        canvas.stroke()
      },
    )
  }
  canvas.setLineDash([])
}

const GHOST_SHARE = 0.72

function drawRings(canvas: Canvas, ringed: readonly VehicleMark[], { palette, scale }: Sized): void {
  const radius = 13 * Math.sqrt(scale)
  canvas.fillStyle = palette["accent-soft"]
  canvas.strokeStyle = palette.accent
  canvas.lineWidth = 1.5
  inPaths(
    canvas,
    ringed,
    ({ at: [x, y] }) => {
      canvas.moveTo(x + radius, y)
      canvas.arc(x, y, radius, 0, 2 * Math.PI)
    },
    () => {
      canvas.globalAlpha = 0.7
      canvas.fill()
      canvas.globalAlpha = 1
      canvas.stroke()
    },
  )
}

function drawDoors(canvas: Canvas, doors: readonly DoorMark[], { palette, scale }: Sized): void {
  const circle =
    (radius: number) =>
    ({ at: [x, y] }: DoorMark): void => {
      canvas.moveTo(x + radius, y)
      canvas.arc(x, y, radius, 0, 2 * Math.PI)
    }
  const of = (look: DoorMark["look"]): readonly DoorMark[] => doors.filter((door) => door.look === look)
  canvas.fillStyle = palette.ok
  inPaths(canvas, of("delivered"), circle(4 * scale), () => canvas.fill())
  canvas.fillStyle = palette.surface
  canvas.lineWidth = 2 * scale
  for (const [look, color] of [
    ["waits", palette["ink-2"]],
    ["late", palette.bad],
  ] as const) {
    canvas.strokeStyle = color
    inPaths(canvas, of(look), circle(4.2 * scale), () => {
      canvas.fill()
      canvas.stroke()
    })
  }
  canvas.lineWidth = 1.6
  canvas.setLineDash([2.5, 2.5])
  inPaths(canvas, of("late"), circle(8 * scale), () => canvas.stroke())
  canvas.setLineDash([])
}

function ringPicked(
  canvas: Canvas,
  { vehicles, doors }: Marks,
  { picked, palette }: Pick<Drawn, "palette" | "picked">,
): void {
  const found = picked === null ? undefined : [...vehicles, ...doors].find(({ actor }) => actor === picked)
  if (found === undefined) return
  canvas.strokeStyle = palette.accent
  canvas.lineWidth = 2
  canvas.beginPath()
  canvas.arc(...found.at, 16, 0, 2 * Math.PI)
  canvas.stroke()
}

/** Numbers of orders: of the picked vehicle first, then of late ones, then of those on board. */
function writeLabels(
  canvas: Canvas,
  { vehicles }: Marks,
  { view, palette, picked, taken }: Pick<Drawn, "palette" | "picked" | "taken" | "view">,
): void {
  const rank = (mark: VehicleMark): number => (mark.actor === picked ? 0 : mark.isLate ? 1 : 2)
  const wanted = vehicles
    .filter((mark) => mark.order !== null && (mark.look === "loaded" || mark.isLate || mark.actor === picked))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, 2 * LABELS_MAX)
  const boxes = [...taken]
  canvas.font = LABEL_FONT
  canvas.textAlign = "left"
  canvas.textBaseline = "middle"
  let written = 0
  for (const { at, order, isLate } of wanted) {
    const box = freeBox(at, canvas.measureText(order ?? "").width + 12, { view, boxes })
    if (box === null) continue
    boxes.push(box)
    canvas.beginPath()
    canvas.roundRect(box.x, box.y, box.width, box.height, 4)
    canvas.fillStyle = palette.surface
    canvas.fill()
    canvas.strokeStyle = isLate ? palette.bad : palette.line
    canvas.lineWidth = 1
    canvas.stroke()
    canvas.fillStyle = isLate ? palette.bad : palette.ink
    canvas.fillText(order ?? "", box.x + 6, box.y + box.height / 2 + 0.5)
    written += 1
    if (written === LABELS_MAX) break
  }
}

const LABEL_PX = 19

/** Beside the place where it covers nothing; null when there is no room. */
function freeBox(
  [x, y]: Px,
  width: number,
  { view, boxes }: { readonly view: Viewport; readonly boxes: readonly Rectangle[] },
): Rectangle | null {
  const away = 14
  for (const [left, top] of [
    [x + away, y - away - LABEL_PX / 2],
    [x - away - width, y - away - LABEL_PX / 2],
    [x + away, y + away - LABEL_PX / 2],
    [x - away - width, y + away - LABEL_PX / 2],
  ] as const) {
    const box = { x: left, y: top, width, height: LABEL_PX }
    const isInside =
      left >= 4 && top >= 4 && left + width <= view.width - 4 && top + LABEL_PX <= view.height - 4
    if (isInside && boxes.every((other) => !overlap(box, other))) return box
  }
  return null
}
