/** The keys of a file beside its steps and what is there before: tags, seed, fragments, invariants, rows of the matrix and promises. */

import { languageNames } from "../scenarios/scenario-files.ts"
import { PROMISED } from "../../simulation/scenario/language/language.ts"
import type { PromisedName } from "../../simulation/scenario/language/language.ts"
import { SCENARIO_KEYS } from "../../simulation/scenario/language/read.ts"
import type { Written, WrittenMap } from "../../simulation/scenario/language/source.ts"
import type {
  FormChoice,
  FormField,
  FormGiven,
  FormPart,
  FormValue,
} from "../../pages/web/studio/form/form-contract.ts"
import { entriesOf, entryIn, formValue, isOneLine, listText, sourceOf } from "./form-fields.ts"
import { withItem, withKey } from "./yaml-edit.ts"

/** With what a key begins; a key without it is not offered. */
const HEAD: Readonly<Record<string, { readonly hint: string; readonly start: string | null }>> = {
  tags: { hint: "what --tag selects, with commas", start: "[new]" },
  seed: { hint: "the seed of the run's chances", start: "1" },
  uses: { hint: "files with fragments, with commas", start: null },
  always: {
    hint: "the invariants that are checked, with commas; without this, all are",
    start: `[${languageNames().invariants[0] ?? ""}]`,
  },
}

const PROMISE_START = '"< 1000"'

export interface HeadForm {
  readonly more: FormPart
  /** Rows of the matrix, and promises. */
  readonly rest: readonly FormGiven[]
  readonly addable: readonly FormChoice[]
  /** The keys that are in it. */
  readonly shown: readonly string[]
}

export function headForm(root: WrittenMap): HeadForm {
  const values = Object.entries(HEAD).flatMap(
    ([key, { hint }]): readonly (readonly [string, FormValue])[] => {
      const value = entryIn(root, key)
      const text = value === undefined ? null : key === "seed" && !isOneLine(value) ? null : listText(value)
      if (value === undefined || text === null) return []
      const kind = key === "seed" ? "word" : "items"
      return [[key, formValue({ label: key, hint, value, kind, text, path: [key] })]]
    },
  )
  const missing = Object.entries(HEAD).flatMap(([key, { hint, start }]): readonly FormField[] =>
    entryIn(root, key) !== undefined || start === null
      ? []
      : [{ label: key, hint, path: [key], value: start }],
  )
  const [rows, promises] = [rowsOf(entryIn(root, "matrix")), promisesOf(root)]
  return {
    more: { values: values.map(([, value]) => value), missing, others: [] },
    rest: [...(rows ?? []), ...(promises === null ? [] : [promises])],
    addable: [
      ...(lastRow(entryIn(root, "matrix")) === null ? [] : [{ key: "matrix", label: "Row of the matrix" }]),
      ...(entryIn(root, "promises") === undefined ? [{ key: "promises", label: "Promises" }] : []),
    ],
    shown: [
      ...values.map(([key]) => key),
      ...(rows === null ? [] : ["matrix"]),
      ...(promises === null ? [] : ["promises"]),
    ],
  }
}

/** Null for a matrix that is no list of maps. */
function rowsOf(value: Written | undefined): readonly FormGiven[] | null {
  if (value?.type !== "list" || value.items.some((item) => item.type !== "map")) return null
  return value.items.map((item, at) => {
    const cells = entriesOf(item)
    const name = cells.find(({ key }) => key === "name")?.value
    const shown = cells.filter((cell) => isOneLine(cell.value))
    return {
      title: name !== undefined && isOneLine(name) ? `Row ${name.text}` : `Row ${at + 1}`,
      line: item.span.place.line,
      path: ["matrix", at],
      values: shown.map(({ key, value: cell }) =>
        formValue({ label: key, value: cell, kind: kindOf(key, cell) }),
      ),
      missing: [],
      others: cells.filter((cell) => !shown.includes(cell)).map(({ key }) => key),
    }
  })
}

/** A value in quotes stays a text, also when it is a number. */
function kindOf(key: string, cell: Written): FormValue["kind"] {
  return key === "name" || /^["']/.test(sourceOf(cell)) ? "text" : "word"
}

/** Null without promises, or for ones that are no map. */
function promisesOf(root: WrittenMap): FormGiven | null {
  const entry = root.entries.find(({ key }) => key === "promises")
  if (entry?.value.type !== "map") return null
  const there = entry.value.entries
  const says = (key: string): string => PROMISED[key as PromisedName] ?? ""
  const shown = there.filter(({ value }) => isOneLine(value))
  return {
    title: "Promises",
    line: entry.keySpan.place.line,
    path: ["promises"],
    values: shown.map(({ key, value }) =>
      formValue({ label: labelOf(key), hint: says(key), value, kind: "text", path: ["promises", key] }),
    ),
    missing: Object.keys(PROMISED)
      .filter((name) => there.every(({ key }) => key !== name))
      .map((name) => ({
        label: labelOf(name),
        hint: says(name),
        path: ["promises", name],
        value: PROMISE_START,
      })),
    others: there.filter((one) => !shown.includes(one)).map(({ key }) => key),
  }
}

function labelOf(key: string): string {
  return key.replaceAll("_", " ")
}

interface LastRow {
  readonly rows: number
  /** In braces and one line. */
  readonly source: string
  readonly name: string
}

/** The row that another one begins as; null when it is not written in one line with a name. */
function lastRow(value: Written | undefined): LastRow | null {
  const row = value?.type === "list" ? value.items.at(-1) : undefined
  if (value?.type !== "list" || row?.type !== "map") return null
  const name = entryIn(row, "name")
  const source = sourceOf(row)
  if (name === undefined || !isOneLine(name) || !/^\{.*\}$/.test(source)) return null
  return { rows: value.items.length, source, name: sourceOf(name) }
}

/** The text with another row, or with promises; null when the text does not allow it. */
export function withRest(text: string, key: "matrix" | "promises", root: WrittenMap): string | null {
  if (key === "promises")
    return withKey(text, { path: ["promises", "events"], value: PROMISE_START, order: SCENARIO_KEYS })
  const last = lastRow(entryIn(root, "matrix"))
  if (last === null) return null
  const { source, name, rows } = last
  const another = JSON.stringify(`another row ${rows + 1}`)
  const value = source.replace(/(\bname:\s*)/, "$1\u0000").replace(`\u0000${name}`, () => another)
  return withItem(text, ["matrix"], { at: rows, value })
}
