/** A grid of cells over the earth, with a lower bound for the distance of places beyond a ring of cells. */

import type { Place } from "../../model/place.ts"

/** A cell by its row from the south pole and its column from the antimeridian. */
export interface Cell {
  readonly row: number
  readonly column: number
}

/** Cells of a degree: a cell is 1.1 km high. */
const PER_DEGREE = 100
const COLUMNS = 360 * PER_DEGREE
const EARTH_RADIUS_M = 6_371_008.8

export function cellAt({ latitude, longitude }: Place): Cell {
  return {
    row: Math.floor((latitude + 90) * PER_DEGREE),
    column: wrapped(Math.floor((longitude + 180) * PER_DEGREE)),
  }
}

/** The number of the cell of a place. */
export function cellOf(place: Place): number {
  return numberOf(cellAt(place))
}

/**
 * The numbers of the cells at this distance, where a distance is the larger of the difference in rows and in columns.
 */
export function cellsAround({ row, column }: Cell, ring: number): readonly number[] {
  if (ring === 0) return [numberOf({ row, column })]
  const cells: number[] = []
  for (let step = -ring; step < ring; step += 1) {
    cells.push(numberOf({ row: row - ring, column: wrapped(column + step) }))
    cells.push(numberOf({ row: row + ring, column: wrapped(column - step) }))
    cells.push(numberOf({ row: row - step, column: wrapped(column - ring) }))
    cells.push(numberOf({ row: row + step, column: wrapped(column + ring) }))
  }
  return cells
}

/** The distance of two cells: the larger of the difference in rows and in columns. */
export function ringBetween({ row, column }: Cell, cell: number): number {
  const columns = Math.abs((cell % COLUMNS) - column)
  return Math.max(Math.abs(Math.floor(cell / COLUMNS) - row), Math.min(columns, COLUMNS - columns))
}

/**
 * The least distance of a place beyond that ring: across whole rows, or to the nearest point of a meridian across whole
 * columns.
 */
export function metresBeyond({ latitude }: Place, ring: number): number {
  const across = radians(ring / PER_DEGREE)
  const aside = Math.asin(Math.cos(radians(latitude)) * Math.sin(Math.min(across, Math.PI / 2)))
  return EARTH_RADIUS_M * Math.min(across, Math.max(0, aside))
}

function numberOf({ row, column }: Cell): number {
  return row * COLUMNS + column
}

function wrapped(column: number): number {
  return ((column % COLUMNS) + COLUMNS) % COLUMNS
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
