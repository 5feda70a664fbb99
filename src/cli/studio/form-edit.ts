/** Changes of a form, made in the text itself: only the bytes of the value or of the step change. */

import { parseSource, reporter } from "../../simulation/scenario/source.ts"
import { wordsOf } from "../../simulation/scenario/words.ts"
import type { FormEdit } from "../../web/studio/contract.ts"
import { knownNames } from "./check.ts"
import { stepsOf } from "./form.ts"

/** Null when the text no longer has what the change is about. */
export function edited(file: string, text: string, edit: FormEdit): string | null {
  switch (edit.is) {
    case "set":
      return withValue(text, edit)
    case "remove":
      return withoutStep({ file, text }, edit.line)
    case "add":
      return withStep({ file, text }, edit.word)
  }
}

function withValue(
  text: string,
  { line, column, length, value, isText }: Extract<FormEdit, { is: "set" }>,
): string | null {
  const lines = text.split("\n")
  const before = lines[line - 1]
  if (before === undefined || column - 1 + length > before.length) return null
  lines[line - 1] = before.slice(0, column - 1) + scalar(value, isText) + before.slice(column - 1 + length)
  return lines.join("\n")
}

/** Words that YAML does not read as a text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|~)$/i

/** Plain where YAML reads it back as it is, else in double quotes, which take any text. */
function scalar(value: string, isText: boolean): string {
  const isPlain = isText
    ? /^[A-Za-z](?:[\w '.-]*\w)?$/.test(value) && !NO_TEXT.test(value)
    : /^[\w$+-](?:[\w .:/+-]*\w)?$/.test(value) && !value.includes(": ")
  return isPlain ? value : JSON.stringify(value)
}

interface Source {
  readonly file: string
  readonly text: string
}

/** Where each step begins, and where the list ends: the line after it. */
function linesOfSteps(source: Source): { readonly starts: readonly number[]; readonly end: number } | null {
  const root = parseSource(source, reporter([]))
  const steps = stepsOf(root)
  if (root === null || steps === null) return null
  const starts = steps.map(({ span }) => span.place.line)
  const at = root.entries.findIndex(({ key }) => key === "steps")
  const end = root.entries[at + 1]?.keySpan.place.line ?? source.text.split("\n").length + 1
  const lines = source.text.split("\n")
  // Steps in brackets, or several in one line, are for the text alone.
  const isList = starts.every((line) => /^\s*- /.test(lines[line - 1] ?? ""))
  return isList && new Set(starts).size === starts.length ? { starts, end } : null
}

/** The last line of a step: comments and empty lines before the next one are not part of it. */
function lastLine(text: string, from: number, before: number): number {
  const lines = text.split("\n")
  let last = before - 1
  while (last > from && /^\s*(?:#.*)?\r?$/.test(lines[last - 1] ?? "")) last -= 1
  return last
}

function withoutStep(source: Source, line: number): string | null {
  const found = linesOfSteps(source)
  const at = found?.starts.indexOf(line) ?? -1
  if (found === null || at === -1 || found.starts.length === 1) return null
  const last = lastLine(source.text, line, found.starts[at + 1] ?? found.end)
  return source.text
    .split("\n")
    .filter((_, index) => index + 1 < line || index + 1 > last)
    .join("\n")
}

/** Behind the last step, as the language's own example has it. */
function withStep(source: Source, word: string): string | null {
  const found = linesOfSteps(source)
  const example = exampleStep(word)
  const start = found?.starts.at(-1)
  if (found === null || start === undefined || example === null) return null
  const lines = source.text.split("\n")
  const indent = /^\s*/.exec(lines[start - 1] ?? "")?.[0] ?? ""
  const end = source.text.includes("\r\n") ? "\r" : ""
  const last = lastLine(source.text, start, found.end)
  // A file without a line end at its end gets one before the new step.
  return [...lines.slice(0, last), `${indent}${example}${end}`, ...lines.slice(last)].join("\n")
}

/** The last step that uses the word in the example of a command, fact or fault; null for another word. */
function exampleStep(word: string): string | null {
  const found = wordsOf(knownNames()).find(
    (one) => one.word === word && ["do", "expect", "inject"].includes(one.group),
  )
  const step = found?.example.split("\n").findLast((line) => line.startsWith("  - ") && line.includes(word))
  return step === undefined ? null : step.trim()
}
