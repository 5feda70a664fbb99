/** The fields of a map in a file as values of a form, and the fields that can be added to it. */

import { plainly } from "../../simulation/scenario/words/json-schema.ts"
import type { Field, Fields } from "../../simulation/scenario/language/language.ts"
import type {
  Written,
  WrittenEntry,
  WrittenMap,
  WrittenScalar,
} from "../../simulation/scenario/language/source.ts"
import { shapeOf } from "../../simulation/scenario/language/value.ts"
import type {
  FormField,
  FormPart,
  FormPath,
  FormValue,
  ValueKind,
} from "../../pages/web/studio/form/form-contract.ts"
import type { Known } from "./form-names.ts"
import { startValue } from "./new-step.ts"

export const NO_PART: FormPart = { values: [], missing: [], others: [] }

/** A value that stands in one line: the place of another one is its first line alone. */
export function isOneLine(value: Written | undefined): value is WrittenScalar {
  if (value?.type !== "scalar") return false
  const written = sourceOf(value)
  return written === value.text || /^"[^]*"$|^'[^]*'$/.test(written)
}

export function sourceOf({ span: { line, start, length } }: Written): string {
  return line.slice(start, start + length)
}

interface ShownValue {
  readonly label: string
  readonly value: Written
  readonly kind: ValueKind
  readonly text?: string
  readonly hint?: string
  readonly options?: readonly string[]
  readonly path?: FormPath | null
}

export function formValue({ label, value, kind, hint = "", options = [], ...more }: ShownValue): FormValue {
  const { place, length } = value.span
  const text = more.text ?? (value.type === "scalar" ? value.text : sourceOf(value))
  return {
    label,
    hint,
    text,
    kind,
    options,
    line: place.line,
    column: place.column,
    length,
    path: more.path ?? null,
  }
}

export function joined(...parts: readonly FormPart[]): FormPart {
  return {
    values: parts.flatMap(({ values }) => values),
    missing: parts.flatMap(({ missing }) => missing),
    others: parts.flatMap(({ others }) => others),
  }
}

export interface Table {
  readonly fields: Fields
  /** Of the map. */
  readonly path: FormPath
  readonly known: Known
  /** What fields begin with that are added, when it is not the usual example. */
  readonly starts?: Readonly<Record<string, string>>
}

/** The entries as values, in their order; a map or a list that is no field is named. */
export function partOf(entries: readonly WrittenEntry[], table: Table): FormPart {
  const shown = entries.map(({ key, value }) => shownEntry(key, value, table))
  return { ...joined(...shown), missing: missingOf(entries, table) }
}

export function entriesOf(value: Written | undefined): readonly WrittenEntry[] {
  return value?.type === "map" ? value.entries : []
}

export function entryIn(map: WrittenMap, key: string): Written | undefined {
  return map.entries.find((entry) => entry.key === key)?.value
}

function labelOf(key: string): string {
  return key.replaceAll("_", " ")
}

function hintOf(field: Field | undefined): string {
  return field === undefined ? "" : `${plainly(field.says)}: ${shapeOf(field).words}`
}

const LISTS: readonly Field["is"][] = ["answers", "breaks", "dimensions", "enums"]

function shownEntry(key: string, value: Written, { fields, path: around, known }: Table): FormPart {
  const field = fields[key]
  const path = field?.required === true ? null : [...around, key]
  const shown = { label: labelOf(key), hint: hintOf(field), path }
  const others: FormPart = { ...NO_PART, others: [key] }
  if (field !== undefined && LISTS.includes(field.is)) {
    const text = listText(value)
    return text === null ? others : one({ ...shown, value, kind: "list", text })
  }
  if (isOneLine(value)) {
    const kind = field?.is === "text" && value.value !== null ? "text" : "word"
    return one({ ...shown, value, kind, options: optionsOf(field, known) })
  }
  const [from, to, ...more] = value.type === "list" ? value.items : []
  if (field?.is !== "window" || !isOneLine(from) || !isOneLine(to) || more.length > 0) return others
  const label = labelOf(key)
  return {
    ...NO_PART,
    values: [
      formValue({ ...shown, label: `${label} from`, value: from, kind: "word" }),
      formValue({ ...shown, label: `${label} to`, value: to, kind: "word", path: null }),
    ],
  }
}

function one(value: ShownValue): FormPart {
  return { ...NO_PART, values: [formValue(value)] }
}

function optionsOf(field: Field | undefined, known: Known): readonly string[] {
  if (field?.is === "boolean") return ["true", "false"]
  if (field?.is === "name") return [...(field.words ?? []), ...known(field.of)]
  return field?.is === "enum" ? field.of : []
}

/** A list in one line without its brackets, or its only value; null for another one. */
export function listText(value: Written): string | null {
  const source = sourceOf(value)
  if (value.type === "scalar") return isOneLine(value) ? value.text : null
  if (value.type === "map") return /^\{.*\}$/.test(source) ? source : null
  return /^\[.*\]$/.test(source) ? source.slice(1, -1).trim() : null
}

/** Fields with names are offered once there is something to name. */
function missingOf(
  entries: readonly WrittenEntry[],
  { fields, path, known, starts = {} }: Table,
): readonly FormField[] {
  const has = (key: string): boolean => entries.some((entry) => entry.key === key)
  return Object.entries(fields).flatMap(([key, field]) => {
    const isExcluded = (key === "at" && has("within")) || (key === "within" && has("at"))
    if (has(key) || isExcluded) return []
    const value =
      starts[key] ??
      (field.is === "name"
        ? [...(field.words ?? []), ...known(field.of)][0]
        : startValue(field, { name: key, fields }))
    return value === undefined
      ? []
      : [{ label: labelOf(key), hint: hintOf(field), path: [...path, key], value }]
  })
}
