/**
 * Draws what moves over the streets. Vehicles are copies of pictures, and doors one picture that is made a few times a second; other
 * shapes have one path for each look, ended after a hundred. The work of a frame grows with the vehicles in sight alone.
 */

import { overlap } from "../../../html/map/labels.ts"
import type { Rectangle } from "../../../html/map/labels.ts"
import { mixed } from "../seen/palette.ts"
import type { Palette } from "../seen/palette.ts"
import { HEADINGS, addArrow, arrowNumber, arrowPx, arrowsOf, colorOf, doorOf, doorPx } from "./pictures.ts"
import type { ArrowLook, Canvas, Sized } from "./pictures.ts"
import type { DoorMark, Marks, VehicleLook, VehicleMark } from "./marks.ts"
import type { Px, Viewport } from "./viewport.ts"

interface Drawn {
  readonly marks: Marks
  /** Null without doors. */
  readonly doors: OffscreenCanvas | null
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
  { marks, doors, view, palette, picked, taken, ghosts, ringed }: Drawn,
): void {
  canvas.clearRect(0, 0, view.width, view.height)
  canvas.lineJoin = "round"
  canvas.lineCap = "round"
  const isCrowd = marks.vehicles.length > CROWD_MIN
  const scale = scaleOf(marks, view)
  drawTrails(canvas, marks.vehicles, palette)
  if (doors !== null) canvas.drawImage(doors, 0, 0, view.width, view.height)
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
        isCrowd,
      })
  ringPicked(canvas, marks, { picked, palette })
  writeLabels(canvas, marks, { view, palette, picked, taken })
}

function scaleOf({ vehicles }: Marks, { metresPerPx }: Viewport): number {
  return metresPerPx > 14 || vehicles.length > CROWD_MIN ? 0.7 : 1
}

/** So many vehicles are smaller, and stand on whole pixels: those are copied faster, and one that covers another is copied once. */
const CROWD_MIN = 300

function keyOf(look: VehicleLook, isLate: boolean): string {
  return isLate ? `late ${look}` : look
}

const LOOKS: readonly VehicleLook[] = ["free", "broken", "called", "loaded"]

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

/** An arrow along its heading: filled with an order on board, hollow on the way to one. */
function drawVehicles(
  canvas: Canvas,
  vehicles: readonly VehicleMark[],
  { isCrowd, ...look }: ArrowLook & { readonly isCrowd: boolean },
): void {
  if (vehicles.length === 0) return
  const [px, ratio] = [arrowPx(look.scale), window.devicePixelRatio]
  const copied = new Set<number>()
  const strip = arrowsOf(look)
  for (const { at, heading } of vehicles) {
    const number = arrowNumber(heading)
    let [left, top] = [at[0] - px / 2, at[1] - px / 2]
    if (isCrowd) {
      const [x, y] = [Math.round(left * ratio), Math.round(top * ratio)]
      const key = (x * PLACES + y) * HEADINGS + number
      if (copied.has(key)) continue
      copied.add(key)
      ;[left, top] = [x / ratio, y / ratio]
    }
    canvas.drawImage(strip, number * strip.height, 0, strip.height, strip.height, left, top, px, px)
  }
  if (look.look === "broken") drawCrosses(canvas, vehicles, look.palette)
}

/** Above the px of a screen. */
const PLACES = 2 ** 16

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

/** The doors as a picture of the size of the map. */
export class DoorsPicture {
  #picture: OffscreenCanvas | null = null

  drawn(marks: Marks, { view, palette }: Pick<Drawn, "palette" | "view">): OffscreenCanvas | null {
    if (marks.doors.length === 0) return null
    const ratio = window.devicePixelRatio
    const [wide, high] = [Math.round(view.width * ratio), Math.round(view.height * ratio)]
    if (this.#picture?.width !== wide || this.#picture.height !== high)
      this.#picture = new OffscreenCanvas(wide, high)
    const canvas = this.#picture.getContext("2d")
    canvas?.setTransform(ratio, 0, 0, ratio, 0, 0)
    canvas?.clearRect(0, 0, view.width, view.height)
    if (canvas !== null) drawDoors(canvas, marks.doors, { palette, scale: scaleOf(marks, view) })
    return this.#picture
  }
}

/** On whole pixels: a door stands still. */
function drawDoors(canvas: Canvas, doors: readonly DoorMark[], sizes: Sized): void {
  const [px, ratio] = [doorPx(sizes.scale), window.devicePixelRatio]
  for (const look of DOOR_LOOKS) {
    const picture = doorOf(look, sizes)
    for (const { at, look: own } of doors)
      if (own === look) {
        const [left, top] = [at[0] - px / 2, at[1] - px / 2]
        canvas.drawImage(picture, Math.round(left * ratio) / ratio, Math.round(top * ratio) / ratio, px, px)
      }
  }
}

/** Those that matter more lie above. */
const DOOR_LOOKS: readonly DoorMark["look"][] = ["delivered", "waits", "late"]

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
