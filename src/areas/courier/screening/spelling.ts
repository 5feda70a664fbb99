/**
 * Corrects misspelt words towards the words of the lists, so that "Budwieser" is found. A word is corrected only if it is neither in
 * a list nor a common English word. Pure. Source: src/DECISIONS.md §79.
 */

import { distance } from "fastest-levenshtein"
import { CORRECTED_WORDS_MAX } from "../../../model/values/limits.ts"
import { isCommonEnglish } from "./common-english.ts"
import { wordsOf } from "./words.ts"

/** One edit is tolerated in words of so many letters, two in longer ones. */
const ONE_EDIT_LENGTH_MIN = 6
const TWO_EDITS_LENGTH_MIN = 9
const EDITS_MAX = 2
const CONSONANTS_MIN = 4
/** A short word counts as misspelt only if the rest of its entry is there: "Jim Beem". */
const SHORT_LENGTH_MIN = 4
const PHRASE_LENGTH_MIN = 7
/** A longer entry is meant also if the misspelt word is a common English one: "Grand Mariner". */
const DISTINCT_LENGTH_MIN = 9
const PHRASE_WORDS_MAX = 4
/** No entry is longer, and comparing longer words would cost more than their length. */
const LENGTH_MAX = 24

const DOUBLES = /(.)\1+/g

interface Target {
  readonly word: string
  /** As it sounds. */
  readonly sound: string
  readonly isRestricted: boolean
}

/**
 * Words of one length with the same first or the same last letter: a misspelt word keeps one of them. Their letters are apart, so that
 * most words are passed over without a look at them.
 */
interface Bucket {
  readonly targets: Target[]
  readonly letters: number[]
}

interface Missing {
  readonly word: string
  readonly isLongEntry: boolean
  /** The other words of the entry. */
  readonly others: readonly string[]
  readonly editsMax: number
}

export class Spelling {
  readonly #known = new Set<string>()
  readonly #buckets = new Map<string, Bucket>()
  /** Short restricted words without double letters: they are too short for an edit, but not for "Sojju". */
  readonly #shortBySingle = new Map<string, string>()
  /** By an entry with one word replaced by `*`. */
  readonly #missingByPhrase = new Map<string, Missing[]>()

  /** Entries are separated by commas. `harmless` are the words to keep although they resemble restricted ones. */
  constructor(lists: { readonly restricted: readonly string[]; readonly harmless: readonly string[] }) {
    for (const words of entriesOf(lists.restricted)) this.#add(words, true)
    for (const words of entriesOf(lists.harmless)) this.#add(words, false)
  }

  /** The same words, the misspelt ones corrected. `nearestByWord` has the words of the same order that were looked up before. */
  corrected(words: readonly string[], nearestByWord: Map<string, string>): readonly string[] {
    const alone = words.map((word) => this.#nearest(this.#withoutHiss(word), nearestByWord))
    return alone.map((word, at) => this.#completed(alone, at, words[at] ?? word) ?? word)
  }

  #add(words: readonly string[], isRestricted: boolean): void {
    for (const word of words) this.#addWord(word, isRestricted)
    const joined = words.join("")
    if (words.length === 2) this.#addWord(joined, isRestricted)
    if (!isRestricted || words.length < 2 || words.length > PHRASE_WORDS_MAX) return
    if (joined.length < PHRASE_LENGTH_MIN) return
    for (const [at, word] of words.entries()) {
      if (!isPlain(word)) continue
      const others = words.filter((_, index) => index !== at)
      const isLongEntry = joined.length >= DISTINCT_LENGTH_MIN
      const isLong = word.length >= ONE_EDIT_LENGTH_MIN && joined.length >= TWO_EDITS_LENGTH_MIN
      const missing = { word, isLongEntry, others, editsMax: isLong ? EDITS_MAX : 1 }
      const key = words.with(at, "*").join(" ")
      this.#missingByPhrase.set(key, [...(this.#missingByPhrase.get(key) ?? []), missing])
    }
  }

  #addWord(word: string, isRestricted: boolean): void {
    if (this.#known.has(word)) return
    this.#known.add(word)
    if (!isPlain(word)) return
    if (isRestricted && word.length >= SHORT_LENGTH_MIN && word.length < ONE_EDIT_LENGTH_MIN) {
      this.#shortBySingle.set(withoutDoubles(word), word)
    }
    if (word.length < ONE_EDIT_LENGTH_MIN - 1) return
    const sound = soundOf(word)
    for (const key of keysOf(sound, word.length)) {
      const bucket = this.#buckets.get(key) ?? { targets: [], letters: [] }
      bucket.targets.push({ word, sound, isRestricted })
      bucket.letters.push(lettersOf(sound))
      this.#buckets.set(key, bucket)
    }
  }

  /** "Adamss" is "Adams": only one of the two letters was taken for a plural. */
  #withoutHiss(word: string): string {
    const stem = word.endsWith("ss") ? word.slice(0, -2) : word
    return this.#known.has(stem) && !this.#known.has(word) && !isCommonEnglish(word) ? stem : word
  }

  /** The nearest word of the lists within the tolerance; with equal distances a restricted one. */
  #nearest(word: string, nearestByWord: Map<string, string>): string {
    const isTried = isPlain(word) && word.length >= ONE_EDIT_LENGTH_MIN - 1 && word.length <= LENGTH_MAX
    if (!isTried || this.#known.has(word) || isCommonEnglish(word)) return word
    const known = nearestByWord.get(word)
    if (known !== undefined) return known
    // Each look-up compares the word with hundreds of others.
    if (nearestByWord.size >= CORRECTED_WORDS_MAX) return word
    const nearest = this.#looked(word)
    nearestByWord.set(word, nearest)
    return nearest
  }

  #looked(word: string): string {
    const found = this.#nearestTo(word) ?? this.#shortBySingle.get(withoutDoubles(word)) ?? null
    if (found !== null) return found
    // Its last letter may have been taken for a plural: "Artios".
    return (/[eiou]$/.test(word) ? this.#nearestTo(`${word}s`) : null) ?? word
  }

  #nearestTo(word: string): string | null {
    const sound = soundOf(word)
    const letters = lettersOf(sound)
    let best: Target | null = null
    let fewest = Number.POSITIVE_INFINITY
    for (const length of lengthsAround(word)) {
      const max = Math.max(length, word.length) < TWO_EDITS_LENGTH_MIN ? 1 : EDITS_MAX
      for (const key of keysOf(sound, length)) {
        for (const target of this.#similar(key, letters, max)) {
          const edits = editsBetween({ word, sound }, target, max)
          const isBetter =
            edits < fewest || (edits === fewest && target.isRestricted && best?.isRestricted !== true)
          if (edits < max + 1 && isBetter) [best, fewest] = [target, edits]
        }
      }
    }
    return best?.word ?? null
  }

  /** An edit changes two letters at most; three where two letters are one sound. */
  #similar(key: string, letters: number, edits: number): readonly Target[] {
    const bucket = this.#buckets.get(key)
    return bucket?.targets.filter((_, at) => bitsOf(letters ^ (bucket.letters[at] ?? 0)) <= edits + 2) ?? []
  }

  /** The word of an entry whose other words are beside this one. */
  #completed(words: readonly string[], at: number, word: string): string | null {
    if (!isPlain(word) || word.length < SHORT_LENGTH_MIN || word.length > LENGTH_MAX) return null
    const isBesideKnown = [words[at - 1], words[at + 1]].some(
      (one) => one !== undefined && this.#known.has(one),
    )
    if (!isBesideKnown) return null
    const isCommon = this.#known.has(word) || isCommonEnglish(word)
    for (let length = PHRASE_WORDS_MAX; length > 1; length -= 1) {
      for (let from = Math.max(0, at - length + 1); from <= at; from += 1) {
        const phrase = words.slice(from, from + length)
        if (phrase.length < length) continue
        const missing = this.#missingByPhrase.get(phrase.with(at - from, "*").join(" ")) ?? []
        const found = missing.find(
          (one) => (!isCommon || isDistinct(one)) && isWithin(one.editsMax, word, one.word),
        )
        if (found !== undefined) return found.word
      }
    }
    return null
  }
}

/** The entry is long, or another word of it is no common English word: "swisher". */
function isDistinct({ isLongEntry, others }: Missing): boolean {
  return isLongEntry || others.some((other) => other.length >= SHORT_LENGTH_MIN && !isCommonEnglish(other))
}

function* entriesOf(lists: readonly string[]) {
  for (const list of lists) for (const entry of list.split(",")) yield wordsOf(entry)
}

function keysOf(sound: string, length: number): readonly string[] {
  return [`${length}^${sound.charAt(0)}`, `${length}$${sound.at(-1) ?? ""}`]
}

/** The lengths of words that it can be a slip for; one of the two has six letters. */
function lengthsAround({ length }: string): readonly number[] {
  const lengths = [length - 2, length - 1, length, length + 1, length + 2]
  return lengths.filter((other) => Math.max(other, length) >= ONE_EDIT_LENGTH_MIN)
}

function isPlain(word: string): boolean {
  return /^[a-z]{3,}$/.test(word)
}

type Spelt = Pick<Target, "sound" | "word">

/**
 * Edits from one word to the other. Swapped neighbours are one edit, and so are another spelling of the same sound and two wrong vowels
 * between the right consonants, which count a half more: "Tylonel".
 */
function editsBetween(one: Spelt, other: Spelt, max: number): number {
  const apart = distance(one.word, other.word)
  const edits = Math.min(apart, 1 + distance(one.sound, other.sound))
  if (edits === 2 && max === 1 && consonantsOf(one.sound) === consonantsOf(other.sound)) return 1.5
  return edits === max + 1 && isWithin(max, one.word, other.word) ? max : edits
}

/** With the first letter; the whole word when it has few consonants. */
function consonantsOf(sound: string): string {
  const consonants = sound.charAt(0) + sound.slice(1).replace(/[aeiou]/g, "")
  return consonants.length < CONSONANTS_MIN ? sound : consonants
}

function isWithin(max: number, word: string, other: string): boolean {
  const edits = distance(word, other)
  return edits <= max || (edits === max + 1 && isOneSwapNearer(word, other, max))
}

function isOneSwapNearer(word: string, other: string, max: number): boolean {
  return Array.from({ length: word.length - 1 }, (_, at) => at).some((at) => {
    const swapped = `${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`
    return distance(swapped, other) < max
  })
}

/** One form for letters that sound alike, without double letters: "Tekila" and "tequila". */
function soundOf(word: string): string {
  return word
    .replace(/qu|ck|[cq]/g, "k")
    .replace(/ph/g, "f")
    .replace(/wh/g, "w")
    .replace(/y/g, "i")
    .replace(DOUBLES, "$1")
}

function withoutDoubles(word: string): string {
  return word.replace(DOUBLES, "$1")
}

/** A bit for each letter of the word: words with few letters in common are not compared. */
function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) - 97)
  return letters
}

/** How many bits are set, counted in pairs, fours and bytes. */
function bitsOf(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
