/** Entries of one or more words, matched in a sequence of words: the longest one at each position. Pure. */

import { wordsOf } from "./words.ts"

/** "Whistle Pig" equals "WhistlePig", "budlight" equals "bud light"; shorter joined words would match by chance. */
const JOINED_LENGTH_MIN = 8

export class Lexicon<Value> {
  readonly #valueByEntry = new Map<string, Value>()
  readonly #valueByJoined = new Map<string, Value>()
  #longest = 0

  /** A set: all its entries have the same value. */
  static of(entries: string): Lexicon<true> {
    const set = new Lexicon<true>()
    set.add(entries, true)
    return set
  }

  /** Entries are separated by commas. A later entry replaces an earlier equal one. */
  add(entries: string, value: Value): void {
    for (const entry of entries.split(",")) {
      const words = wordsOf(entry)
      if (words.length === 0) continue
      this.#valueByEntry.set(words.join(" "), value)
      const joined = words.join("")
      if (words.length === 2 && joined.length >= JOINED_LENGTH_MIN) this.#valueByJoined.set(joined, value)
      this.#longest = Math.max(this.#longest, words.length)
    }
  }

  /** The longest entry that begins at this position, or null. */
  longestAt(words: readonly string[], at: number): { readonly value: Value; readonly length: number } | null {
    for (let length = Math.min(this.#longest, words.length - at); length > 0; length -= 1) {
      const found = words.slice(at, at + length)
      const joined = length <= 2 ? found.join("") : ""
      const value =
        this.#valueByEntry.get(found.join(" ")) ??
        (joined.length < JOINED_LENGTH_MIN
          ? undefined
          : length === 2
            ? this.#valueByEntry.get(joined)
            : this.#valueByJoined.get(joined))
      if (value !== undefined) return { value, length }
    }
    return null
  }

  /** True when some entry occurs anywhere in the words. */
  isIn(words: readonly string[]): boolean {
    return words.some((_, at) => this.longestAt(words, at) !== null)
  }
}
