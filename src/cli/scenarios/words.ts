/** `curbline words`: the words of the scenario language, all with a line each, or one with its fields and an example. */

import { subjectOf } from "../../simulation/scenario/invariants.ts"
import { nearest } from "../../simulation/scenario/language/problems.ts"
import { WORD_GROUPS, wordsNamed, wordsOf } from "../../simulation/scenario/words/words.ts"
import type { Word, WordField, WordGroup } from "../../simulation/scenario/words/words.ts"
import { swarmSentences } from "../../simulation/swarm/catalogue.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { languageNames } from "./scenario-files.ts"
import { err, out, styled } from "../kit/terminal.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface WordsFlags {
  readonly json?: boolean
}

const ALL = "npx curbline words"

/** Prints every word, or those with this name and what they take; without such a word those that speak of it. */
export function wordsCommand(name: string, { json }: WordsFlags): ExitStatus {
  const words = allWords()
  const { named, taken: others } = name === "" ? { named: [], taken: words } : wordsNamed(name, words)
  const isFound = named.length + others.length > 0
  const taken = isFound ? others : words.filter((word) => speaksOf(word, name))
  if (named.length + taken.length === 0) throw new UsageError(unknownWord(name, words))
  if (!isFound) err(`the language has no word "${name}"; these speak of it:`)
  if (json === true) {
    out(JSON.stringify({ words: [...named, ...taken].map((word) => wordJson(word)) }, null, 2))
    return EXIT.passed
  }
  out([...named.map((word) => detailsOf(word)), ...listOf(taken)].join("\n"))
  return EXIT.passed
}

/** Every word of the language, and the sentences that only the swarm checks. */
export function allWords(): readonly Word[] {
  return wordsOf(languageNames(), { subjectOf, swarm: swarmSentences() })
}

/** Whether one of a word's texts has the name in it, however its parts are joined. */
function speaksOf({ word, says, fields, example }: Word, name: string): boolean {
  const texts = [word, says, example, ...fields.flatMap((field) => [field.name, field.says, field.type])]
  return texts.some((text) => plainly(text).includes(plainly(name)))
}

function plainly(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_.]+/g, " ")
}

function unknownWord(name: string, words: readonly Word[]): string {
  const meant = nearest(
    name,
    words.map(({ word }) => word),
  )
  const suggestion = meant === undefined ? "" : `, did you mean "${meant}"?`
  return `the language has no word "${name}"${suggestion || ";"} "${ALL}" lists all`
}

/** One line for each word, by group. */
function listOf(words: readonly Word[]): readonly string[] {
  return (Object.keys(WORD_GROUPS) as WordGroup[]).flatMap((group) => {
    const own = words.filter((word) => word.group === group)
    if (own.length === 0) return []
    const width = Math.max(...own.map(({ word }) => word.length))
    // A sentence explains itself.
    const lines = own.map(({ word, says }) =>
      SENTENCES.includes(group) ? `  ${word}` : `  ${word.padEnd(width)}  ${styled("dim", says)}`,
    )
    return [styled("bold", WORD_GROUPS[group]), ...lines, ...exampleOf(group, own), ""]
  })
}

const SENTENCES: readonly WordGroup[] = ["always", "swarm"]

/** How one of the sentences is explained. */
function exampleOf(group: WordGroup, [first]: readonly Word[]): readonly string[] {
  if (!SENTENCES.includes(group) || first === undefined) return []
  return [styled("dim", `  one with an example: ${ALL} "${first.word}"`)]
}

function detailsOf({ word, group, says, fields, example }: Word): string {
  const width = Math.max(...fields.map(({ name }) => name.length), 0)
  const lines = fields.flatMap((field) => fieldLines(field, width))
  return [
    `${styled("bold", word)}  ${styled("dim", WORD_GROUPS[group])}`,
    `  ${says}`,
    "",
    ...(lines.length === 0 ? [] : [styled("bold", "Fields"), ...lines, ""]),
    styled("bold", "Example"),
    ...example.trimEnd().split("\n"),
    "",
  ].join("\n")
}

function fieldLines(
  { name, type, unit, isRequired, usual, says }: WordField,
  width: number,
): readonly string[] {
  const marks = [
    ...(isRequired ? ["required"] : []),
    ...(unit === null ? [] : [`in ${unit}`]),
    ...(usual === null ? [] : [`${usual} by default`]),
  ]
  const more = marks.length === 0 ? "" : ` (${marks.join(", ")})`
  return [`  ${name.padEnd(width)}  ${says}${more}`, `  ${" ".repeat(width)}  ${styled("dim", type)}`]
}

function wordJson({ word, group, says, fields, example }: Word): object {
  return {
    word,
    group,
    says,
    fields: fields.map(({ isRequired, usual, ...field }) => ({
      ...field,
      required: isRequired,
      default: usual,
    })),
    example,
  }
}
