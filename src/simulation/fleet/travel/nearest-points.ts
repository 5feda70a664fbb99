/** Finds the nearest of many points, in cells of a grid. Coordinates are whole metres, so that all machines find the same one. */

/** A cell has about so many points. */
const POINTS_IN_CELL = 2

export interface Spot {
  readonly x: number
  readonly y: number
}

export class NearestPoints {
  readonly #spots: readonly Spot[]
  readonly #cellM: number
  readonly #columns: number
  readonly #rows: number
  readonly #west: number
  readonly #south: number
  /** Numbers of points by cell. */
  readonly #cells: readonly number[][]

  /** `among` has numbers of spots, one or more. */
  constructor(spots: readonly Spot[], among: readonly number[]) {
    this.#spots = spots
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const { x, y } of among.map((number) => spots[number] ?? NOWHERE)) {
      ;[west, south] = [Math.min(west, x), Math.min(south, y)]
      ;[east, north] = [Math.max(east, x), Math.max(north, y)]
    }
    const [width, height] = [east - west + 1, north - south + 1]
    this.#cellM = Math.max(1, Math.ceil(Math.sqrt((width * height * POINTS_IN_CELL) / among.length)))
    this.#columns = Math.floor(width / this.#cellM) + 1
    this.#rows = Math.floor(height / this.#cellM) + 1
    ;[this.#west, this.#south] = [west, south]
    const cells = Array.from({ length: this.#columns * this.#rows }, (): number[] => [])
    for (const number of among) {
      const { x, y } = spots[number] ?? NOWHERE
      cells[this.#column(x) + this.#row(y) * this.#columns]?.push(number)
    }
    this.#cells = cells
  }

  /** Of points that are equally near, the lowest number. */
  nearest({ x, y }: Spot): number {
    const [column, row] = [this.#column(x), this.#row(y)]
    let [best, least] = [-1, Infinity]
    for (let ring = 0; ring <= Math.max(this.#columns, this.#rows); ring += 1) {
      // All further rings are beyond this distance from the cell's edge, and so from the place.
      const beyond = this.#beyond({ x, y }, ring)
      if (best !== -1 && beyond * beyond > least) break
      for (const cell of this.#ring(column, row, ring)) {
        for (const number of cell) {
          const spot = this.#spots[number] ?? NOWHERE
          const squared = (spot.x - x) ** 2 + (spot.y - y) ** 2
          if (squared < least || (squared === least && number < best)) [best, least] = [number, squared]
        }
      }
    }
    return best
  }

  /** Metres that every point of this ring of cells is away at least. */
  #beyond({ x, y }: Spot, ring: number): number {
    if (ring === 0) return 0
    const [column, row] = [this.#column(x), this.#row(y)]
    const [west, south] = [this.#west + column * this.#cellM, this.#south + row * this.#cellM]
    const inner = (ring - 1) * this.#cellM
    const sides = [x - west, west + this.#cellM - x, y - south, south + this.#cellM - y]
    // A place outside of the grid is beside its nearest cell: the sides that it is beyond do not bound it.
    return inner + Math.max(0, Math.min(...sides))
  }

  *#ring(column: number, row: number, ring: number): Iterable<readonly number[]> {
    for (let y = row - ring; y <= row + ring; y += 1) {
      if (y < 0 || y >= this.#rows) continue
      const isWhole = y === row - ring || y === row + ring
      const step = isWhole || ring === 0 ? 1 : 2 * ring
      for (let x = column - ring; x <= column + ring; x += step) {
        if (x < 0 || x >= this.#columns) continue
        yield this.#cells[x + y * this.#columns] ?? []
      }
    }
  }

  #column(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor((x - this.#west) / this.#cellM)))
  }

  #row(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor((y - this.#south) / this.#cellM)))
  }
}

const NOWHERE: Spot = { x: 0, y: 0 }
