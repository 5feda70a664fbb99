/**
 * What an agent knows, each note in words. A property of a schema is answered by the note whose words its name and its
 * description share.
 */

import type { Fact, Value } from "./errand.ts"

/** Words that say nothing about what is meant. */
const EMPTY = new Set(
  "a an the of and or as is it its be by to at with that this for in on when who where what how may can".split(
    " ",
  ),
)

/** The words of a text, without those that say nothing, in the singular. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return new Set(words.filter((word) => word !== "" && !EMPTY.has(word)).map(stemOf))
}

/** How many words of the wanted text the other one has. */
export function sharedWords(wanted: ReadonlySet<string>, other: string): number {
  let shared = 0
  for (const word of wordsOf(other)) if (wanted.has(word)) shared += 1
  return shared
}

export class Notes {
  readonly #facts = new Map<string, Value>()

  /** A later note with the same words replaces an earlier one. */
  add({ about, value }: Fact): void {
    this.#facts.delete(about)
    this.#facts.set(about, value)
  }

  forget(about: string): void {
    this.#facts.delete(about)
  }

  get(about: string): Value | undefined {
    return this.#facts.get(about)
  }

  /** The note that shares most words with the text, at least so many, and has a fitting value; the later one of equals. */
  find(text: string, sharedMin: number, fits: (value: Value) => boolean): Value | undefined {
    const wanted = wordsOf(text)
    let [most, found]: [number, Value | undefined] = [sharedMin, undefined]
    for (const [about, value] of this.#facts) {
      const shared = sharedWords(wanted, about)
      if (shared >= most && fits(value)) [most, found] = [shared, value]
    }
    return found
  }
}

function stemOf(word: string): string {
  return word.length > 3 ? word.replace(/(?:ed|e?s)$/u, "") : word
}
