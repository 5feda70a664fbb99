/** Draws what stands still on the time line: the ribbon of what broke, the charts of waits and use, and the lanes. */

import type { BreakKind } from "../../../../model/replay/course.ts"
import type { Palette } from "../seen/palette.ts"
import { mixed } from "../seen/palette.ts"
import type { Scene } from "../seen/scene.ts"
import { PHASE_LOOKS, wordsOf } from "../seen/state-words.ts"
import type { Axis } from "./time-axis.ts"
import { xOf } from "./time-axis.ts"

type Canvas = CanvasRenderingContext2D

interface Box {
  readonly top: number
  readonly height: number
}

interface Drawing {
  readonly axis: Axis
  readonly palette: Palette
}

/** Late orders at once; 1 when none is. */
export function mostLate(scene: Scene): number {
  return scene.totals().late.reduce((one, other) => Math.max(one, other), 1)
}

/** Its ground is redder the more orders are late at that half minute, up to `most`. */
export function drawRibbon(
  canvas: Canvas,
  scene: Scene,
  { axis, palette, top, height, most }: Drawing & Box & { readonly most: number },
): void {
  canvas.fillStyle = palette.sunken
  canvas.fillRect(0, top, axis.width, height)
  const { late, stepMs } = scene.totals()
  for (const [step, count] of late.entries()) {
    if (count === 0) continue
    canvas.fillStyle = mixed(palette.bad, palette.sunken, 0.1 + 0.32 * (count / most))
    const x = xOf(axis, step * stepMs)
    canvas.fillRect(x, top, Math.max(1, xOf(axis, stepMs)), height)
  }
  // Marks that would cover each other take the second row.
  const ends = [-Infinity, -Infinity]
  for (const { kind, atMs } of scene.breaks) {
    const x = xOf(axis, atMs)
    const row = x - (ends[0] ?? 0) < MARK_PX + 1 && x - (ends[1] ?? 0) >= MARK_PX + 1 ? 1 : 0
    ends[row] = x
    drawBreak(canvas, kind, { x, y: top + height * (row === 0 ? 0.3 : 0.72), palette })
  }
}

const MARK_PX = 7

/** Square, diamond, ring and cross: the shape says it before the colour. */
function drawBreak(
  canvas: Canvas,
  kind: BreakKind,
  { x, y, palette }: { readonly x: number; readonly y: number; readonly palette: Palette },
): void {
  const half = MARK_PX / 2
  canvas.lineWidth = 1.8
  canvas.beginPath()
  switch (kind) {
    case "broken promise":
      canvas.fillStyle = palette.bad
      canvas.fillRect(x - half, y - half, MARK_PX, MARK_PX)
      break
    case "declined":
      canvas.fillStyle = palette.wait
      canvas.moveTo(x, y - half - 1)
      canvas.lineTo(x + half + 1, y)
      canvas.lineTo(x, y + half + 1)
      canvas.lineTo(x - half - 1, y)
      canvas.fill()
      break
    case "no-show":
      canvas.strokeStyle = palette["ink-2"]
      canvas.fillStyle = palette.surface
      canvas.arc(x, y, half, 0, 2 * Math.PI)
      canvas.fill()
      canvas.stroke()
      break
    case "fault":
      canvas.strokeStyle = palette["k-open-link"]
      canvas.moveTo(x - half, y - half)
      canvas.lineTo(x + half, y + half)
      canvas.moveTo(x + half, y - half)
      canvas.lineTo(x - half, y + half)
      canvas.stroke()
      break
  }
}

/** Colour of a count over time. */
export type LineToken = "accent" | "ink" | "k-runner" | "k-vehicle" | "wait"

/** A count over time as steps with a filled ground; over another one the steps alone. */
export function drawSteps(
  canvas: Canvas,
  line: readonly number[],
  {
    axis,
    palette,
    top,
    height,
    stepMs,
    most,
    token,
    isOver,
  }: Drawing &
    Box & {
      readonly stepMs: number
      readonly most: number
      readonly token: LineToken
      readonly isOver: boolean
    },
): void {
  const base = top + height - 0.5
  if (!isOver) {
    canvas.fillStyle = palette.sunken
    canvas.fillRect(0, top, axis.width, height)
  }
  if (line.length > 0 && most > 0) {
    const y = (value: number): number => base - (value / most) * (height - 3)
    canvas.beginPath()
    canvas.moveTo(0, base)
    for (const [step, value] of line.entries()) {
      canvas.lineTo(xOf(axis, step * stepMs), y(value))
      canvas.lineTo(xOf(axis, (step + 1) * stepMs), y(value))
    }
    canvas.lineTo(xOf(axis, line.length * stepMs), base)
    canvas.fillStyle = mixed(palette[token], palette.sunken, 0.24)
    if (!isOver) canvas.fill()
    canvas.beginPath()
    for (const [step, value] of line.entries()) {
      if (step === 0) canvas.moveTo(0, y(value))
      else canvas.lineTo(xOf(axis, step * stepMs), y(value))
      canvas.lineTo(xOf(axis, (step + 1) * stepMs), y(value))
    }
    canvas.strokeStyle = palette[token]
    canvas.lineWidth = 1.3
    canvas.stroke()
  }
  canvas.fillStyle = mixed(palette[token], palette.sunken, 0.7)
  canvas.fillRect(0, base - 0.5, axis.width, 1)
}

/** One actor's day; pieces after the promise of its order are red. */
export function drawLane(
  canvas: Canvas,
  scene: Scene,
  { actor, axis, palette, top, height }: Drawing & Box & { readonly actor: number },
): void {
  canvas.fillStyle = palette.sunken
  canvas.fillRect(0, top, axis.width, height)
  const kind = scene.actors[actor]?.kind ?? "runner"
  for (const { fromMs, untilMs, state, order } of scene.stretchesOf(actor)) {
    const { token, share } = PHASE_LOOKS[wordsOf(kind, state).phase]
    if (share === 0) continue
    const color = token in palette ? palette[token as keyof Palette] : palette.line
    fill(canvas, mixed(color, palette.sunken, share), { axis, top, height, fromMs, untilMs })
    const seen = scene.order(order)
    if (seen === null) continue
    const lateUntil = Math.min(untilMs, seen.metMs ?? Infinity, seen.endMs ?? Infinity)
    fill(canvas, palette.bad, {
      axis,
      top,
      height,
      fromMs: Math.max(fromMs, seen.order.promisedMs),
      untilMs: lateUntil,
    })
  }
}

function fill(
  canvas: Canvas,
  color: string,
  {
    axis,
    top,
    height,
    fromMs,
    untilMs,
  }: Box & { readonly axis: Axis; readonly fromMs: number; readonly untilMs: number },
): void {
  if (untilMs <= fromMs) return
  const [from, until] = [xOf(axis, fromMs), xOf(axis, untilMs)]
  canvas.fillStyle = color
  // A hair between two pieces tells them apart.
  canvas.fillRect(from, top, Math.max(0.7, until - from - (until - from > 3 ? 0.6 : 0)), height)
}
