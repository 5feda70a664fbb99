/** Rows whose columns are typed arrays that grow: what a recorder writes and a reader collects. */

export type Column = Int32Array | Uint8Array | Uint16Array | Uint32Array

/** Columns of equal length, by name. */
type ColumnsOf<T> = { readonly [Name in keyof T]: Column }

/** Rows that fit before the columns grow for the first time. */
const FIRST_ROOM = 64

export class GrowingRows<T extends ColumnsOf<T>> {
  readonly #columns: { [Name in keyof T]: Column }
  readonly #names: readonly (keyof T)[]
  #length = 0
  #room = 0

  /** `empty`: columns without rows, of the wanted types. */
  constructor(empty: T) {
    this.#columns = { ...empty }
    this.#names = Object.keys(empty) as (keyof T)[]
  }

  get length(): number {
    return this.#length
  }

  /** Longer than the rows: the rest is room for more. Not to be kept, because columns move when they grow. */
  get columns(): T {
    return this.#columns as unknown as T
  }

  add(row: { readonly [Name in keyof T]: number }): void {
    this.#makeRoom(this.#length + 1)
    for (const name of this.#names) this.#columns[name][this.#length] = row[name]
    this.#length += 1
  }

  append(rows: T): void {
    const [first] = this.#names
    const count = first === undefined ? 0 : rows[first].length
    this.#makeRoom(this.#length + count)
    for (const name of this.#names) this.#columns[name].set(rows[name], this.#length)
    this.#length += count
  }

  /** Removes all rows and returns them in columns of their exact length. */
  take(): T {
    const taken = Object.fromEntries(
      this.#names.map((name) => [name, this.#columns[name].slice(0, this.#length)]),
    )
    this.#length = 0
    return taken as unknown as T
  }

  #makeRoom(wanted: number): void {
    if (wanted <= this.#room) return
    this.#room = Math.max(wanted, 2 * this.#room, FIRST_ROOM)
    for (const name of this.#names) {
      const column = this.#columns[name]
      const larger = new (column.constructor as new (length: number) => Column)(this.#room)
      larger.set(column.subarray(0, this.#length))
      this.#columns[name] = larger
    }
  }
}
