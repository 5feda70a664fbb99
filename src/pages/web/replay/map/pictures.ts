/** Small pictures that a frame copies many times, because to draw their outlines takes longer: an arrow in each direction, and a door. */

import type { Palette } from "../seen/palette.ts"
import type { DoorMark, VehicleLook } from "./marks.ts"
import type { Px } from "./viewport.ts"

export type Canvas = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

export interface Sized {
  readonly palette: Palette
  readonly scale: number
}

export interface ArrowLook extends Sized {
  readonly look: VehicleLook
  readonly color: string
}

export function colorOf(look: VehicleLook, isLate: boolean, palette: Palette): string {
  if (look === "broken") return palette["ink-2"]
  if (isLate) return palette.bad
  return look === "free" ? palette.edge : palette["k-vehicle"]
}

/** Arrows in a row, each turned a little further. */
export const HEADINGS = 72

/** The place of the arrow in its row. Unit of the heading: radians. */
export function arrowNumber(heading: number): number {
  return (Math.round((heading / (2 * Math.PI)) * HEADINGS) + HEADINGS) % HEADINGS
}

/** px of a picture, with the arrow's halo. */
export function arrowPx(scale: number): number {
  return 2 * Math.ceil(ARROW_RADIUS_PX * scale + haloPx(scale) / 2)
}

function haloPx(scale: number): number {
  return 4 * scale + 1
}

const ARROW_RADIUS_PX = 9.6

/** The arrows of a look side by side. */
export function arrowsOf({ look, color, palette, scale }: ArrowLook): ImageBitmap {
  const px = arrowPx(scale)
  const key = [look, color, palette.land, palette.surface, scale].join()
  return pictureOf(key, { width: HEADINGS * px, height: px }, (canvas) => {
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
  })
}

/** The same picture for a key. */
function pictureOf(
  key: string,
  { width, height }: { readonly width: number; readonly height: number },
  draw: (canvas: Canvas) => void,
): ImageBitmap {
  const ratio = window.devicePixelRatio
  const known = pictures.get(`${key} ${ratio}`)
  if (known !== undefined) return known
  const [columns, side] = [width / height, Math.ceil(height * ratio)]
  const drawn = new OffscreenCanvas(columns * side, side)
  const canvas = drawn.getContext("2d")
  if (canvas === null) throw new Error("the browser draws on no canvas")
  canvas.scale(side / height, side / height)
  draw(canvas)
  const picture = drawn.transferToImageBitmap()
  pictures.set(`${key} ${ratio}`, picture)
  return picture
}

/** Few: a colour scheme has seven looks of vehicles and three of doors, at two scales. */
const pictures = new Map<string, ImageBitmap>()

const ARROW: readonly Px[] = [
  [-7, -6.5],
  [9, 0],
  [-7, 6.5],
  [-3.5, 0],
]

export function addArrow(canvas: CanvasPath, [x, y]: Px, heading: number, size: number): void {
  const [across, down] = [Math.cos(heading) * size, Math.sin(heading) * size]
  for (const [at, [along, aside]] of ARROW.entries()) {
    const point: Px = [x + along * across - aside * down, y + along * down + aside * across]
    if (at === 0) canvas.moveTo(...point)
    else canvas.lineTo(...point)
  }
  canvas.closePath()
}

/** px of a picture, with the ring of a late one. */
export function doorPx(scale: number): number {
  return 2 * Math.ceil(8 * scale + 1)
}

export function doorOf(look: DoorMark["look"], { palette, scale }: Sized): ImageBitmap {
  const px = doorPx(scale)
  const key = ["door", look, palette.ok, palette.surface, palette.bad, palette["ink-2"], scale].join()
  return pictureOf(key, { width: px, height: px }, (canvas) => {
    const circle = (radius: number): void => {
      canvas.beginPath()
      canvas.arc(px / 2, px / 2, radius, 0, 2 * Math.PI)
    }
    canvas.fillStyle = look === "delivered" ? palette.ok : palette.surface
    circle((look === "delivered" ? 4 : 4.2) * scale)
    canvas.fill()
    if (look === "delivered") return
    canvas.strokeStyle = look === "late" ? palette.bad : palette["ink-2"]
    canvas.lineWidth = 2 * scale
    canvas.stroke()
    if (look === "waits") return
    canvas.lineWidth = 1.6
    canvas.setLineDash([2.5, 2.5])
    circle(8 * scale)
    canvas.stroke()
  })
}
