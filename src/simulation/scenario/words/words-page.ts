/** The page of words, `scenarios/WORDS.md`: every word of the scenario language with its fields and an example. */

import { WORD_GROUPS } from "./words.ts"
import type { Word, WordField, WordGroup } from "./words.ts"

const HEAD = `<!-- Generated from src/simulation/scenario by \`npm run generate\`; do not edit. -->

# Words of scenarios

Every word that a scenario file can use, with its fields and an example. [Scenarios](README.md) explains how they work together.
\`npx curbline words\` prints the same: \`npx curbline words do\` lists the commands, and \`npx curbline words bot.report\` describes one.
The first lines of each example are those of \`npx curbline words\`; here only what follows \`clock\` is shown.
`

/** Groups whose words have neither fields nor a meaning beyond one line. */
const IN_A_TABLE: readonly WordGroup[] = ["key", "refuse", "exception", "promises"]

/** Groups whose words are sentences. */
const SENTENCES: readonly WordGroup[] = ["always", "swarm"]

export function wordsPage(words: readonly Word[]): string {
  const groups = (Object.keys(WORD_GROUPS) as WordGroup[]).map((group) => {
    const own = words.filter((word) => word.group === group)
    const parts = IN_A_TABLE.includes(group)
      ? [tableOf(own)]
      : SENTENCES.includes(group)
        ? sentencesOf(own)
        : own.map((word) => sectionOf(word))
    return [`## ${WORD_GROUPS[group]}\n`, ...parts].join("\n")
  })
  return [HEAD, ...groups].join("\n")
}

/** By what they are about, each list with the example of its first sentence. */
function sentencesOf(words: readonly Word[]): readonly string[] {
  const parts = Map.groupBy(words, ({ says }) => says)
  return [...parts].map(([says, own]) =>
    [
      `${sentence(says)}\n`,
      `${own.map(({ word }) => `- ${word}`).join("\n")}\n`,
      ...own.slice(0, 1).map(({ example }) => `\`\`\`yaml\n${afterHead(example)}\`\`\`\n`),
    ].join("\n"),
  )
}

function tableOf(words: readonly Word[]): string {
  return `${["| Word | Meaning |", "| --- | --- |", ...words.map(({ word, says }) => `| \`${word}\` | ${cell(says)} |`)].join("\n")}\n`
}

function sectionOf({ word, says, fields, example }: Word): string {
  const table = [
    "| Field | Meaning | Values | Default |",
    "| --- | --- | --- | --- |",
    ...fields.map((field) => fieldRow(field)),
  ]
  return [
    `### ${word}\n`,
    `${sentence(says)}\n`,
    ...(fields.length === 0 ? [] : [`${table.join("\n")}\n`]),
    `\`\`\`yaml\n${afterHead(example)}\`\`\`\n`,
  ].join("\n")
}

function fieldRow({ name, type, unit, isRequired, usual, says }: WordField): string {
  const inUnit = unit === null ? "" : `, in ${unit}`
  return `| \`${name}\` | ${cell(says)} | ${cell(type)}${inUnit} | ${isRequired ? "required" : cell(usual ?? "")} |`
}

/** What follows the title, the reason and the clock, which are the same in all examples. */
function afterHead(example: string): string {
  return example.split("\n").slice(3).join("\n")
}

function sentence(says: string): string {
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}.`
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|")
}
