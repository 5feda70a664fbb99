/** The part of the ground that the map shows: metres to px, and what wheel, pinch, drag and keys do to it. */

import type { Spot } from "../seen/ground.ts"

export type Px = readonly [x: number, y: number]

export interface Viewport {
  readonly width: number
  readonly height: number
  /** The ground in the middle of the picture. */
  readonly middle: Spot
  readonly metresPerPx: number
}

const METRES_PER_PX_MIN = 0.4
const METRES_PER_PX_MAX = 80
/** A single site is shown with what is around it. */
const NEIGHBORHOOD_M_PER_PX = 3
/** px kept free around what is fitted. */
const MARGIN_PX = 56

export function pxOf({ width, height, middle, metresPerPx }: Viewport, { east, north }: Spot): Px {
  return [width / 2 + (east - middle.east) / metresPerPx, height / 2 - (north - middle.north) / metresPerPx]
}

export function spotOfPx({ width, height, middle, metresPerPx }: Viewport, [x, y]: Px): Spot {
  return {
    east: middle.east + (x - width / 2) * metresPerPx,
    north: middle.north - (y - height / 2) * metresPerPx,
  }
}

/** All of the spots, with a neighbourhood around a single one. */
export function fitted(
  spots: readonly Spot[],
  { width, height }: Pick<Viewport, "height" | "width">,
): Viewport {
  const range = (values: readonly number[]): readonly [number, number] =>
    values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)]
  const [west, eastmost] = range(spots.map(({ east }) => east))
  const [south, northmost] = range(spots.map(({ north }) => north))
  const margin = Math.min(MARGIN_PX, width / 8, height / 8)
  const metresPerPx = Math.max(
    (eastmost - west) / Math.max(1, width - 2 * margin),
    (northmost - south) / Math.max(1, height - 2 * margin),
    NEIGHBORHOOD_M_PER_PX,
  )
  return {
    width,
    height,
    middle: { east: (west + eastmost) / 2, north: (south + northmost) / 2 },
    metresPerPx: within(metresPerPx),
  }
}

/** The spot under the pointer stays there. */
export function zoomed(view: Viewport, factor: number, at: Px = [view.width / 2, view.height / 2]): Viewport {
  const metresPerPx = within(view.metresPerPx / factor)
  const [under, next] = [spotOfPx(view, at), spotOfPx({ ...view, metresPerPx }, at)]
  return {
    ...view,
    metresPerPx,
    middle: {
      east: view.middle.east + under.east - next.east,
      north: view.middle.north + under.north - next.north,
    },
  }
}

export function dragged(view: Viewport, [x, y]: Px): Viewport {
  const { middle, metresPerPx } = view
  return {
    ...view,
    middle: { east: middle.east - x * metresPerPx, north: middle.north + y * metresPerPx },
  }
}

export function centred(view: Viewport, middle: Spot): Viewport {
  return { ...view, middle }
}

/** With another size of the picture, around the same middle. */
export function resized(view: Viewport, { width, height }: Pick<Viewport, "height" | "width">): Viewport {
  return { ...view, width, height }
}

function within(metresPerPx: number): number {
  return Math.min(METRES_PER_PX_MAX, Math.max(METRES_PER_PX_MIN, metresPerPx))
}

/** m that the bar of the scale stands for: at most a fifth of the width. */
export function scaleMetres({ width, metresPerPx }: Viewport): number {
  const steps = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
  return steps.findLast((metres) => metres / metresPerPx <= Math.min(160, width / 5)) ?? 20
}
