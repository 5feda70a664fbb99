/**
 * Screening of store items: which of them a vehicle does not carry. Pure. A name is read as words; the longest known
 * entries are found in it, and the words around them decide whether they are meant ("beer") or describe a dish
 * ("beer-battered cod"). Source: courier connector contract, restricted items; src/DECISIONS.md §79.
 */

import type { CourierItem } from "../../../model/requests/courier-requests.ts"
import {
  COOKED_THROUGH,
  COOKED_WITH,
  DISHES,
  HARMLESS_PHRASES,
  HEADS,
  INGREDIENTS,
  KEEPSAKES,
  LEADING_FOODS,
  LOOKALIKES,
  NO_ALCOHOL,
  PAIRINGS,
  QUALIFIERS,
  SERVINGS,
} from "./harmless-words.ts"
import { Lexicon } from "./lexicon.ts"
import { RESTRICTED_WORDS } from "./restricted-words.ts"
import type { RestrictedKind, RestrictedWords } from "./restricted-words.ts"
import { Spelling } from "./spelling.ts"
import { isBreak, isSize, wordsOf } from "./words.ts"

type Meaning = Pick<RestrictedWords, "kind" | "strength"> | "harmless"

const known = new Lexicon<Meaning>()
for (const { words, kind, strength } of RESTRICTED_WORDS) known.add(words, { kind, strength })
known.add(HARMLESS_PHRASES, "harmless")

const heads = Lexicon.of(HEADS)
const dishes = Lexicon.of(DISHES)
const leadingFoods = Lexicon.of(LEADING_FOODS)
const cookedWith = Lexicon.of(COOKED_WITH)
const cookedThrough = Lexicon.of(COOKED_THROUGH)
const ingredients = Lexicon.of(INGREDIENTS)
const qualifiers = Lexicon.of(QUALIFIERS)
const keepsakes = Lexicon.of(KEEPSAKES)
const pairings = Lexicon.of(PAIRINGS)
const noAlcohol = Lexicon.of(NO_ALCOHOL)
let spelling: Spelling | null = null
const servings: Partial<Record<RestrictedKind, Lexicon<true>>> = {
  alcohol: Lexicon.of(SERVINGS.alcohol),
  tobacco: Lexicon.of(SERVINGS.tobacco),
  cannabis: Lexicon.of(SERVINGS.cannabis),
  lottery: Lexicon.of(SERVINGS.lottery),
}

/** Names of the restricted items, as the agent sent them; a restricted modifier makes its item restricted. */
export function restrictedAmong(items: readonly CourierItem[]): readonly string[] {
  const nearestByWord = new Map<string, string>()
  return items
    .filter(({ name, modifiers = [] }) =>
      [name, ...modifiers].some((text) => restrictedKindOf(text, nearestByWord) !== null),
    )
    .map(({ name }) => name)
}

/** The kind of restricted goods that a name means, or null. */
export function restrictedKindOf(
  text: string,
  nearestByWord = new Map<string, string>(),
): RestrictedKind | null {
  const words = speltAsKnown(wordsOf(text), nearestByWord)
  if (keepsakes.isIn(words)) return null
  const isWithoutAlcohol = noAlcohol.isIn(words)
  const mentions = mentionsIn(words)
  const meant = mentions.find(
    (mention) =>
      !(isWithoutAlcohol && mention.kind === "alcohol") &&
      !isRefused(words, mention) &&
      isMeant(words, mention, mentions),
  )
  if (meant !== undefined) return meant.kind
  return !isWithoutAlcohol && /\b([1-9]\d?|\d?\d\.[1-9]) ?%? ?(abv|alc)\b|\b\d{2,3} proof\b/i.test(text)
    ? "alcohol"
    : null
}

/** The lists of spellings are made at the first use: a service without errands never needs them. */
function speltAsKnown(words: readonly string[], nearestByWord: Map<string, string>): readonly string[] {
  spelling ??= new Spelling({
    restricted: RESTRICTED_WORDS.map((one) => one.words),
    harmless: [
      HARMLESS_PHRASES,
      LOOKALIKES,
      HEADS,
      DISHES,
      LEADING_FOODS,
      COOKED_WITH,
      COOKED_THROUGH,
      INGREDIENTS,
      QUALIFIERS,
      KEEPSAKES,
      PAIRINGS,
      NO_ALCOHOL,
      ...Object.values(SERVINGS),
    ],
  })
  return spelling.corrected(words, nearestByWord)
}

interface Mention {
  readonly from: number
  /** The index after its last word. */
  readonly until: number
  readonly kind: RestrictedKind
  readonly strength: RestrictedWords["strength"]
}

function mentionsIn(words: readonly string[]): readonly Mention[] {
  const mentions: Mention[] = []
  let at = 0
  while (at < words.length) {
    const found = known.longestAt(words, at)
    if (found !== null && found.value !== "harmless") {
      mentions.push({ from: at, until: at + found.length, ...found.value })
    }
    at += found?.length ?? 1
  }
  return mentions
}

/** "No beer", "sin cerveza", "hold the tequila". */
function isRefused(words: readonly string[], { from }: Mention): boolean {
  const [one, two] = [words[from - 1] ?? "", words[from - 2] ?? ""]
  return ["no", "sin", "without"].includes(one) || (two === "hold" && one === "the")
}

function isMeant(words: readonly string[], mention: Mention, all: readonly Mention[]): boolean {
  switch (mention.strength) {
    case "sure":
      return true
    case "plain":
      return !describesDish(words, mention)
    case "name":
      return isOfTrade(words, mention) || (!describesDish(words, mention) && isAlone(words, mention, all))
  }
}

/** The words around a mention that belong to it: from the previous break to the next. */
function clauseOf(words: readonly string[], { from, until }: Pick<Mention, "from" | "until">) {
  let start = from
  while (start > 0 && !isBreak(words[start - 1])) start -= 1
  let end = until
  while (end < words.length && !isBreak(words[end])) end += 1
  return { start, end }
}

function describesDish(words: readonly string[], mention: Mention): boolean {
  const { from, until } = mention
  const { start, end } = clauseOf(words, mention)
  if (words.slice(until, end).some((_, at, after) => isHead(after, at))) return true
  if (isJoinedToDish(words, end)) return true
  const before = words.slice(start, from)
  if (before.length === 0) return isDishWith(words, start)
  const preposition = before.findLastIndex((_, at) => cookedWith.longestAt(before, at) !== null)
  const isNear = preposition >= 0 && before.length - preposition <= 4
  if (
    isNear &&
    (leadingFoods.isIn(before.slice(0, preposition)) || dishes.isIn(before.slice(0, preposition)))
  )
    return true
  if (pairings.isIn(words.slice(start, end))) return false
  return dishes.isIn(before.slice(-1)) || (mention.strength === "name" && dishes.isIn(before))
}

/** "Gingerbread", "lemoncake": the ending names the dish. */
const HEAD_ENDINGS = /.(bread|burger|cake|fish|loaf|nut|sauce|steak|wurst)$/

function isHead(words: readonly string[], at: number): boolean {
  return HEAD_ENDINGS.test(words[at] ?? "") || heads.longestAt(words, at) !== null
}

/** "Ale & onion pie": after "and" come an ingredient and then the dish. */
function isJoinedToDish(words: readonly string[], end: number): boolean {
  if (words[end] !== "and" && words[end] !== "y") return false
  const rest = words.slice(end + 1)
  const stop = rest.findIndex(isBreak)
  const joined = stop < 0 ? rest : rest.slice(0, stop)
  const ingredient = ingredients.longestAt(joined, 0)
  return ingredient !== null && joined.some((_, at) => at >= ingredient.length && isHead(joined, at))
}

/**
 * "Lobster bisque with sherry", "pastel con ron": the drink is an ingredient, but "burger with a beer" means two
 * things.
 */
function isDishWith(words: readonly string[], start: number): boolean {
  if (words[start - 1] !== "with" && words[start - 1] !== "con") return false
  const { start: from } = clauseOf(words, { from: start - 1, until: start - 1 })
  return cookedThrough.isIn(words.slice(from, start - 1))
}

/** "Winston Red box": the name is directly followed by serving words and nothing else. */
function isOfTrade(words: readonly string[], mention: Mention): boolean {
  if (mention.kind !== "tobacco") return false
  const after = words.slice(mention.until, clauseOf(words, mention).end)
  const found = servings.tobacco?.longestAt(after, 0) ?? null
  return (
    found !== null &&
    after.slice(found.length).every((_, at) => servings.tobacco?.longestAt(after, at + found.length))
  )
}

/** A name means the drink when only sizes and flavours, or a serving word, are beside it. */
function isAlone(words: readonly string[], mention: Mention, all: readonly Mention[]): boolean {
  const { start, end } = clauseOf(words, mention)
  const others = [...words.slice(start, mention.from), "|", ...words.slice(mention.until, end)]
  const trade = servings[mention.kind]
  if (
    trade !== undefined &&
    (trade.isIn(others) || all.some((one) => one !== mention && one.kind === mention.kind))
  ) {
    return true
  }
  let at = 0
  while (at < others.length) {
    const word = others[at]
    const length = isBreak(word) || isSize(word ?? "") ? 1 : (qualifiers.longestAt(others, at)?.length ?? 0)
    if (length === 0) return false
    at += length
  }
  return true
}
