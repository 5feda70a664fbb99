/**
 * Random numbers: one seeded stream for each named source, so that adding a source does not change the numbers of
 * another. The generator is xoroshiro128+ from pure-rand; its state is derived from SHA-256 of seed and name.
 */

import { sha256 } from "#digest"
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"

/** The positions of every stream, as plain JSON. */
export type StreamPositions = { readonly [name: string]: readonly number[] }

export class Streams {
  readonly seed: number
  #generatorByName = new Map<string, RandomGenerator>()

  constructor(seed: number) {
    this.seed = seed
  }

  /** A whole number in [-2^31, 2^31). */
  int32(name: string): number {
    return this.#generator(name).next()
  }

  /** A number in [0, 1) with 53 bits. */
  fraction(name: string): number {
    const generator = this.#generator(name)
    const high = generator.next() >>> 5
    const low = generator.next() >>> 6
    return (high * 67_108_864 + low) / 9_007_199_254_740_992
  }

  /** A whole number in [from, to], both included. */
  between(name: string, range: { readonly from: number; readonly to: number }): number {
    return range.from + Math.floor(this.fraction(name) * (range.to - range.from + 1))
  }

  /** 128 bits as 32 hex digits, from which the ids of a turn are derived. */
  nonce(name: string): string {
    const generator = this.#generator(name)
    let digits = ""
    for (let word = 0; word < 4; word += 1) digits += (generator.next() >>> 0).toString(16).padStart(8, "0")
    return digits
  }

  /** The position of every stream, sorted by name. */
  positions(): StreamPositions {
    const names = [...this.#generatorByName.keys()].toSorted()
    return Object.fromEntries(
      names.map((name) => [name, [...(this.#generatorByName.get(name)?.getState() ?? [])]]),
    )
  }

  /** Sets every stream to its saved position; streams without one start from the beginning. */
  restore(positions: StreamPositions): void {
    this.#generatorByName = new Map(
      Object.entries(positions).map(([name, state]) => [name, xoroshiro128plusFromState(state)]),
    )
  }

  #generator(name: string): RandomGenerator {
    const known = this.#generatorByName.get(name)
    if (known !== undefined) return known
    const bytes = sha256(`${this.seed}\n${name}`)
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    const state = [0, 4, 8, 12].map((at) => view.getInt32(at, true))
    const fresh = xoroshiro128plusFromState(state)
    this.#generatorByName.set(name, fresh)
    return fresh
  }
}
