/**
 * Problems of a scenario file, reported like a compiler: what, where, what was expected and what was probably meant.
 */

import { distance } from "fastest-levenshtein"
import type { Place } from "./language.ts"

/** A part of one line of a source. */
export interface Span {
  readonly place: Place
  /** The whole line. */
  readonly line: string
  /** Where the part begins in `line`, 0-based; derived from `place` unless a program built the line. */
  readonly start: number
  readonly length: number
}

/** One problem. */
export interface Problem extends Span, Advice {
  readonly message: string
}

export interface Advice {
  /** What would have been valid, in words. */
  readonly expected?: string
  /** The word that was probably meant. */
  readonly suggestion?: string
  /** What to do about it, as a phrase. */
  readonly help?: string
}

/** Records one problem; reading continues. */
export type Report = (span: Span, message: string, advice?: Advice) => void

/** A line is shown up to this many characters around the mistake. */
const SHOWN_LINE_LENGTH_MAX = 160

/** An enumeration up to this length is shown in full. */
const SHOWN_WORDS_MAX = 12

const WORDS_SHOWN_OF_MANY = 6

/** When no word is similar, a longer enumeration is also shown in full, up to this many characters. */
const SHOWN_WHOLE_LENGTH_MAX = 500

/** Longest words in which swapped neighbours are searched. */
const SWAPPED_LENGTH_MAX = 64

/** Problems in file order without duplicates: rows of a matrix repeat the problems of the steps they share. */
export function inFileOrder(problems: readonly Problem[]): readonly Problem[] {
  const byKey = new Map<string, Problem>()
  for (const problem of problems) {
    const key = `${problem.place.file}:${problem.place.line}:${problem.place.column}:${problem.start}:${problem.message}`
    if (!byKey.has(key)) byKey.set(key, problem)
  }
  return [...byKey.values()].toSorted(
    (a, b) => a.place.line - b.place.line || a.place.column - b.place.column || a.start - b.start,
  )
}

/**
 * A problem as lines of text, without a newline at the end:
 *
 * ```
 * error: unknown key "expct", did you mean "expect"?
 *   --> scenarios/bot-no-show.yaml:11:5
 *    |
 * 11 |     expct: { reservation: lunch, status: arrived }
 *    |     ^^^^^
 * ```
 */
export function formatProblem(problem: Problem, options: { readonly color?: boolean } = {}): string {
  const paint = options.color === true ? inColor : plainly
  const { place, message, suggestion, expected, help } = problem
  const number = String(place.line)
  const indent = " ".repeat(number.length)
  const { text, start, length } = clipped(problem)
  const meant = suggestion === undefined ? "" : `, did you mean ${JSON.stringify(suggestion)}?`
  const lines = [
    `${paint("error:", "red")} ${paint(message + meant, "bold")}`,
    `${indent}${paint("-->", "blue")} ${place.file}:${place.line}:${place.column}`,
    `${indent} ${paint("|", "blue")}`,
    `${paint(`${number} |`, "blue")} ${text}`.trimEnd(),
    `${indent} ${paint("|", "blue")} ${" ".repeat(start)}${paint("^".repeat(length), "red")}`,
  ]
  if (expected !== undefined) lines.push(`${indent} ${paint("=", "blue")} expected: ${expected}`)
  const { usedAt } = place
  if (usedAt !== undefined) {
    const used = `${usedAt.file}:${usedAt.line}:${usedAt.column}`
    lines.push(`${indent} ${paint("=", "blue")} used at: ${used}`)
  }
  if (help !== undefined) lines.push(`${indent} ${paint("=", "blue")} help: ${help}`)
  return lines.join("\n")
}

/** The word that was probably meant; undefined when none is similar. */
export function nearest(written: string, words: Iterable<string>): string | undefined {
  const asked = folded(written)
  const farthest = Math.max(1, Math.floor(asked.length / 3))
  let best: { readonly word: string; readonly away: number } | undefined
  for (const word of words) {
    const known = folded(word)
    const isLastPart = asked.length > 2 && known.endsWith(`.${asked}`)
    const away = isLastPart ? 0.5 : editsBetween(asked, known, farthest)
    if (away <= farthest && (best === undefined || away < best.away)) best = { word, away }
  }
  return best?.word
}

/** Edit distance by insertions, deletions, replacements, and one swap of neighbours, which counts as one edit. */
function editsBetween(asked: string, known: string, farthest: number): number {
  const away = distance(asked, known)
  const canBeSwapped = asked.length <= SWAPPED_LENGTH_MAX && away > 1 && away <= farthest + 1
  if (!canBeSwapped) return away
  const swaps = Array.from({ length: asked.length - 1 }, (_, at) => {
    const swapped = `${asked.slice(0, at)}${asked[at + 1]}${asked[at]}${asked.slice(at + 2)}`
    return 1 + distance(swapped, known)
  })
  return Math.min(away, ...swaps)
}

/**
 * Advice for an unknown word: the most similar one, and the table. Of a long table only words with the same beginning
 * are shown; if there are none, and no similar word, the whole table if it is short enough.
 */
export function adviceFor(written: string, words: readonly string[]): Advice {
  const suggestion = nearest(written, words)
  if (suggestion !== undefined) return { expected: `one of ${shown(words)}`, suggestion }
  const asked = folded(written)
  const alike = asked === "" ? [] : words.filter((word) => folded(word).startsWith(asked))
  if (words.length > SHOWN_WORDS_MAX && alike.length > 0) return { expected: `one of ${shown(alike)}` }
  const whole = words.join(", ")
  return {
    expected: `one of ${whole.length <= SHOWN_WHOLE_LENGTH_MAX && whole !== "" ? whole : shown(words)}`,
  }
}

/** True when `shown` leaves none of the words out. */
export function isShownWhole(words: readonly string[]): boolean {
  return words.length <= SHOWN_WORDS_MAX
}

/** The command that describes a word of the scenario language and lists what belongs to it, as a help. */
export function listedBy(word: string): string {
  return `npx curbline words ${word}`.trimEnd() + " lists all"
}

/** The words of a table, shortened when there are many. */
export function shown(words: readonly string[]): string {
  if (words.length === 0) return "(there are none)"
  if (isShownWhole(words)) return words.join(", ")
  return `${words.slice(0, WORDS_SHOWN_OF_MANY).join(", ")}, … (${words.length} in all)`
}

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]+/g, "_")
}

interface Clip {
  readonly text: string
  readonly start: number
  readonly length: number
}

/** The line with tabs and control characters as blanks, cut around the problem when it is long. */
function clipped({ line, start, length }: Span): Clip {
  const text = line.replaceAll(/\p{Cc}/gu, " ")
  const shownLength = Math.max(1, Math.min(length, text.length - start))
  if (text.length <= SHOWN_LINE_LENGTH_MAX) return { text, start, length: shownLength }
  const from = Math.max(0, Math.min(start - SHOWN_LINE_LENGTH_MAX / 4, text.length - SHOWN_LINE_LENGTH_MAX))
  const part = text.slice(from, from + SHOWN_LINE_LENGTH_MAX)
  const before = from > 0 ? "…" : ""
  const after = from + SHOWN_LINE_LENGTH_MAX < text.length ? "…" : ""
  const partStart = start - from
  return {
    text: `${before}${part}${after}`,
    start: partStart + before.length,
    length: Math.max(1, Math.min(shownLength, SHOWN_LINE_LENGTH_MAX - partStart)),
  }
}

type Paint = (text: string, color: "blue" | "bold" | "red") => string

const plainly: Paint = (text) => text

const inColor: Paint = (text, color) =>
  `\u001B[${{ blue: "34", bold: "1", red: "1;31" }[color]}m${text}\u001B[0m`
