/**
 * What fits at a place of a scenario's text: words of the language's own tables. The place is found in the text itself, which
 * is not valid while it is written.
 */

import type { Completion, Field, Words } from "../contract.ts"

export interface Offer {
  /** Where the word begins that an option replaces. */
  readonly from: number
  readonly options: readonly Completion[]
  /** Whether the options are keys, after which a colon and a value follow. */
  readonly isKey: boolean
}

export interface KnownNames {
  readonly words: Words
  /** Tags of all files of the folder. */
  readonly tags: readonly string[]
}

/** Null where nothing of a table fits. */
export function offerAt(text: string, position: number, { words, tags }: KnownNames): Offer | null {
  const lineStart = text.lastIndexOf("\n", position - 1) + 1
  const before = text.slice(lineStart, position)
  if (before.includes("#")) return null
  const word = /(?<![\w.-])[\w.-]*$/.exec(before)?.[0] ?? ""
  const from = position - word.length
  const lead = before.slice(0, before.length - word.length)
  const options = optionsFor({ text, from, lead }, { words, tags })
  if (options === null || options.length === 0) return null
  const isValue = keyBefore(lead) !== null || ["always", "tags"].includes(sectionAt(text, from) ?? "")
  return { from, options, isKey: !isValue || lead === "" }
}

interface Place {
  readonly text: string
  readonly from: number
  /** The line up to the word. */
  readonly lead: string
}

function optionsFor(place: Place, known: KnownNames): readonly Completion[] | null {
  const { words, tags } = known
  const { text, from, lead } = place
  const key = keyBefore(lead)
  const section = sectionAt(text, from)
  if (key === "tags" || (section === "tags" && /^\s+- $/.test(lead)))
    return tags.map((label) => ({ label, detail: "a tag of this folder" }))
  if (key !== null) return valuesOf(key, stepAt(text, from), place, words)
  if (/^\s*- +$/.test(lead)) {
    if (section === "always") return words.invariants
    if (section === "steps") return [...words.verbs, ...words.stepKeys]
  }
  if (/^ *$/.test(lead) && !isInBraces(text, from)) {
    if (lead === "") return words.keys
    if (section === "given")
      return lead.length <= 2 ? words.given : (words.fields[keyAbove(text, from)] ?? [])
    if (section === "promises") return words.promises
  }
  if (section === "given" && isInBraces(text, from)) return words.fields[keyOfBraces(text, from)] ?? null
  return section === "steps" ? keysAt(place, words) : null
}

/** The key whose value the word is, in the same line. */
function keyBefore(lead: string): string | null {
  // After a comma the word is one of a list, which no bracket has closed.
  const list = lead.trimEnd().endsWith(",") ? lead.slice(Math.max(0, lead.lastIndexOf("]"))) : null
  const found =
    list === null
      ? /(?:^|[\s{,[])([\w.]+):\s+(?:\[\s*)?$/.exec(lead)
      : /(?:^|[\s{,[])([\w.]+):\s+\[/.exec(list)
  return found?.[1] ?? null
}

/** The top-level key whose value the position is in. */
function sectionAt(text: string, position: number): string | null {
  const before = text.slice(0, position)
  return [...before.matchAll(/^([a-z]+):/gm)].at(-1)?.[1] ?? null
}

/** From the dash of its list item up to the next one. */
function stepAt(text: string, position: number): string {
  const dashes = [...text.matchAll(/^ *- /gm)].map(({ index }) => index)
  const start = dashes.findLast((dash) => dash <= position) ?? 0
  const end = dashes.find((dash) => dash > position) ?? text.length
  return text.slice(start, end)
}

function valuesOf(
  key: string,
  step: string,
  { text, from }: Place,
  words: Words,
): readonly Completion[] | null {
  switch (key) {
    case "do":
      return words.commands
    case "inject":
      return words.faults
    case "code":
      if (/\brefuse:/.test(step)) return words.codes
      break
    default:
      break
  }
  const field = fieldsOf(step, from === 0 ? "" : text, words).find(({ label }) => label === key)
  const values = field?.values ?? []
  if (values.length > 0) return values.map((label) => ({ label, detail: `${key} of this step` }))
  return NAMED.has(key) ? namesIn(text) : null
}

/** Keys whose value is a name that the file gives with `as`, unless the field of a step has values of its own. */
const NAMED: ReadonlySet<string> = new Set([
  "actor",
  "believes",
  "by",
  "compartment",
  "deliveries",
  "delivery",
  "endpoint",
  "errand",
  "for",
  "open_link",
  "reservation",
  "signature",
  "to",
  "vehicle",
])

/** Names that the file gives with `as`. */
function namesIn(text: string): readonly Completion[] {
  const names = new Set([...text.matchAll(/\bas: *([\w-]+)/g)].map(([, name]) => name ?? ""))
  return [...names].map((label) => ({ label, detail: "a name of this file" }))
}

/** The fields of the command, fact or fault of a step. */
function fieldsOf(step: string, _text: string, words: Words): readonly Field[] {
  const command = /\b(?:do|inject): *([\w.]+)/.exec(step)?.[1]
  if (command !== undefined) return words.fields[command] ?? []
  const fact = words.facts.find(({ label }) => new RegExp(`[{\\s]${label}:`).test(step))
  return fact === undefined ? [] : (words.fields[fact.label] ?? [])
}

/** Keys of a step, of its arguments, or of a fact. */
function keysAt({ text, from }: Place, words: Words): readonly Completion[] {
  const step = stepAt(text, from)
  const fields = fieldsOf(step, text, words)
  switch (isInBraces(text, from) ? keyOfBraces(text, from) : keyAbove(text, from)) {
    case "with":
      return fields
    case "expect":
    case "never":
    case "at_most":
      return fields.length > 0 ? fields : words.facts
    case "refuse":
      return [
        { label: "do", detail: "the command that is refused" },
        { label: "code", detail: "the code with which it is refused" },
        ...words.stepKeys.filter(({ label }) => label === "for" || label === "with"),
      ]
    default:
      return /\b(?:do|expect|refuse|inject|wait|never|at_most):/.test(step)
        ? words.stepKeys
        : [...words.verbs, ...words.stepKeys]
  }
}

function openBrace(text: string, position: number): number {
  let depth = 0
  for (let at = position - 1; at >= 0; at -= 1) {
    const letter = text[at]
    if (letter === "}") depth += 1
    if (letter === "{" && depth === 0) return at
    if (letter === "{") depth -= 1
    if (letter === "\n" && /^ *- |^[a-z]+:/.test(text.slice(at + 1, at + 20)) && depth === 0) return -1
  }
  return -1
}

function isInBraces(text: string, position: number): boolean {
  return openBrace(text, position) !== -1
}

/** The key whose value the innermost braces are; empty for the braces of a step. */
function keyOfBraces(text: string, position: number): string {
  const before = text.slice(0, Math.max(0, openBrace(text, position)))
  return /(?<![a-z_])([a-z_]+):\s*(?:\[\s*)?$/.exec(before)?.[1] ?? ""
}

/** The nearest key above that is indented less, in a text without braces. */
function keyAbove(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n")
  const indent = /^ */.exec(lines.at(-1) ?? "")?.[0].length ?? 0
  const above = lines
    .slice(0, -1)
    .findLast((line) => line.trim() !== "" && line.replace(/- /, "  ").search(/\S/) < indent)
  return /(?<![a-z_])([a-z_]+):\s*$/.exec(above ?? "")?.[1] ?? ""
}
