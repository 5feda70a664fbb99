/** Random choices over one named stream of a seed. */

import type { Streams } from "../../engine/kernel/random.ts"

export class Chance {
  readonly #streams: Streams
  readonly #name: string

  constructor(streams: Streams, name: string) {
    this.#streams = streams
    this.#name = name
  }

  /** A whole number in [from, to], both included. */
  between(from: number, to: number): number {
    return this.#streams.between(this.#name, { from, to })
  }

  /** True this many times in a thousand. */
  happens(permille: number): boolean {
    return this.between(0, 999) < permille
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.between(0, list.length - 1)] ?? list[0]
  }

  /** A value by weights, which are whole numbers. */
  weighted<T>(choices: readonly [readonly [number, T], ...(readonly [number, T])[]]): T {
    const sum = choices.reduce((all, [weight]) => all + weight, 0)
    let rest = this.between(0, sum - 1)
    for (const [weight, value] of choices) {
      if (rest < weight) return value
      rest -= weight
    }
    return choices[0][1]
  }

  /** Each of them with this probability, at least one. */
  some<T>(list: readonly [T, ...T[]], permille: number): readonly T[] {
    const chosen = list.filter(() => this.happens(permille))
    return chosen.length > 0 ? chosen : [this.of(list)]
  }

  shuffled<T>(list: readonly T[]): readonly T[] {
    const items = [...list]
    for (let at = items.length - 1; at > 0; at -= 1) {
      const other = this.between(0, at)
      const moved = items[at] as T
      items[at] = items[other] as T
      items[other] = moved
    }
    return items
  }
}
