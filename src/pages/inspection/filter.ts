/**
 * The log's filter language: terms separated by blanks, all of which must match. `key:pattern` with `*` for anything
 * and commas for "or"; a minus negates a term; a word without a key is searched in the row's text.
 *
 *   actor:bot/* event:call.* -event:call.succeeded reason:status_5* state:open.* is:refused lunch
 */

import { eventName } from "./event-name.ts"
import { labelOfGroup } from "./group-names.ts"
import { DEEDS, NONE, WAYS, at, eventSentBy, rowCount } from "./run-index.ts"
import type { IndexedMark, RunIndex } from "./run-index.ts"
import { activePaths } from "./state-value.ts"
import { rowText } from "./row-text.ts"
import { upTo } from "../../model/values/text-ends.ts"

export const FILTER_KEYS = ["actor", "kind", "event", "state", "by", "reason", "is"] as const
export type FilterKey = (typeof FILTER_KEYS)[number]

const IS_WORDS = ["refused", "failed", "ignored", "moved", "mark", "entry"] as const

type Pattern = (text: string) => boolean

interface Term {
  readonly key: FilterKey | null
  readonly isNegated: boolean
  readonly patterns: readonly Pattern[]
  readonly words: readonly string[]
}

export interface Filter {
  readonly terms: readonly Term[]
  /** The problem as a sentence; an invalid term is left out. */
  readonly problem: string | null
}

export function filterOf(text: string): Filter {
  const terms: Term[] = []
  let problem: string | null = null
  for (const word of text.split(/\s+/).filter((one) => one !== "" && one !== "-")) {
    const isNegated = word.startsWith("-")
    const bare = isNegated ? word.slice(1) : word
    const colon = bare.indexOf(":")
    const key = colon === -1 ? null : bare.slice(0, colon)
    const values = (colon === -1 ? bare : bare.slice(colon + 1)).split(",").filter((value) => value !== "")
    const unknown = key === "is" ? values.find((value) => !IS_WORDS.some((one) => one === value)) : undefined
    if (key !== null && !isKey(key)) problem = `there is no key "${key}"; there are ${FILTER_KEYS.join(", ")}`
    else if (unknown !== undefined) problem = `nothing is "${unknown}"; there are ${IS_WORDS.join(", ")}`
    else if (values.length > 0) terms.push({ key, isNegated, patterns: values.map(patternOf), words: values })
  }
  return { terms, problem }
}

function isKey(key: string): key is FilterKey {
  return FILTER_KEYS.some((known) => known === key)
}

/** `*` matches anything; all other characters match themselves, ignoring case. */
function patternOf(value: string): Pattern {
  const parts = value.toLowerCase().split("*")
  return (text) => consistsOf(text.toLowerCase(), parts)
}

/** Each part at its first place behind the one before: a pattern of several stars would try every place of each. */
function consistsOf(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let end = first.length
  for (const part of rest) {
    const from = text.indexOf(part, end)
    if (from < 0) return false
    end = from + part.length
  }
  return text.length - last.length >= end && text.endsWith(last)
}

/** The rows that match, in order. Cost: about 1 µs for each row and term. */
export function rowsPassing(index: RunIndex, { terms }: Filter): readonly number[] {
  const all = Array.from({ length: rowCount(index) }, (_, row) => row)
  if (terms.length === 0) return all
  const markByRow = new Map(index.marks.map((mark) => [mark.row, mark]))
  const tests = terms.map((term) => testOf(index, term, markByRow))
  return all.filter((row) => tests.every((test) => test(row)))
}

type RowTest = (row: number) => boolean

function testOf(index: RunIndex, term: Term, markByRow: ReadonlyMap<number, IndexedMark>): RowTest {
  const positive = positiveTest(index, term, markByRow)
  return term.isNegated ? (row) => !positive(row) : positive
}

function positiveTest(
  index: RunIndex,
  { key, patterns, words }: Term,
  markByRow: ReadonlyMap<number, IndexedMark>,
): RowTest {
  const matches = (text: string): boolean => patterns.some((pattern) => pattern(text))
  const ofActors = index.actors.map(
    ({ address }) => matches(address) || matches(`${address.split("/")[0]}/*`),
  )
  switch (key) {
    case "actor":
      return (row) => actorsIn(index, row).some((actor) => ofActors[actor] === true)
    case "kind": {
      const kinds = index.actors.map(({ address, machine }) =>
        [address.split("/")[0] ?? "", address.split("/")[2] ?? "", upTo(machine ?? "", "@")].some(matches),
      )
      return (row) => actorsIn(index, row).some((actor) => kinds[actor] === true)
    }
    case "event": {
      const named = index.words.map((word) => matches(word) || matches(eventName(word, null)))
      return (row) =>
        named[at(index.event, row)] === true ||
        stepsIn(index, row).some((step) => named[at(index.stepEvent, step)])
    }
    case "state": {
      const valued = index.values.map((value) => activePaths(value).some(matches))
      return (row) => stepsIn(index, row).some((step) => valued[at(index.stepValue, step)])
    }
    case "by":
      return (row) => matches(WAYS[at(index.by, row)] ?? "")
    case "reason":
      return (row) => {
        const answer = index.calls[at(index.answered, row)]?.answer ?? null
        return answer !== null && matches(answer)
      }
    case "is":
      return (row) => words.some((word) => isIt(index, { row, word, mark: markByRow.get(row) }))
    case null: {
      const needles = words.map((word) => word.toLowerCase())
      return (row) => {
        const sent = eventSentBy(index, at(index.group, row)) ?? ""
        const label = labelOfGroup(index, at(index.group, row)) ?? ""
        const text = `${rowText(index, row, markByRow.get(row))} ${sent} ${label}`.toLowerCase()
        return needles.some((needle) => text.includes(needle))
      }
    }
  }
}

function isIt(
  index: RunIndex,
  {
    row,
    word,
    mark,
  }: { readonly row: number; readonly word: string; readonly mark: IndexedMark | undefined },
): boolean {
  const did = (deed: string): boolean =>
    stepsIn(index, row).some((step) => DEEDS[at(index.stepDid, step)] === deed)
  switch (word) {
    case "refused":
      return at(index.refused, row) !== NONE
    case "failed":
      return mark?.level === "fail"
    case "mark":
      return mark !== undefined
    case "entry":
      return mark === undefined
    default:
      return did(word)
  }
}

function stepsIn(index: RunIndex, row: number): readonly number[] {
  const from = at(index.firstStep, row)
  return Array.from({ length: at(index.firstStep, row + 1) - from }, (_, offset) => from + offset)
}

/** The actors that stepped, and the addressee of the input: in a refused turn no actor steps. */
function actorsIn(index: RunIndex, row: number): readonly number[] {
  return [at(index.to, row), ...stepsIn(index, row).map((step) => at(index.stepActor, step))]
}
