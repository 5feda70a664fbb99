/** A map whose keys are the fields of a table. */

import { readKeys } from "./keys.ts"
import type { FieldValue, FieldValues, Fields } from "./language.ts"
import type { Span } from "./problems.ts"
import type { WrittenMap } from "./source.ts"
import { readValue, shapeOf } from "./value.ts"
import type { ValueContext } from "./value.ts"

export interface FieldTable {
  /** What the keys belong to, as in `arguments of reservation.create`. */
  readonly of: string
  /** The word whose description lists the fields. */
  readonly word?: string
  readonly fields: Fields
  readonly missingAt?: Span
}

/** The valid values, in the order of the table; everything else is reported. */
export function readFields(map: WrittenMap, table: FieldTable, context: ValueContext): FieldValues {
  const known = Object.keys(table.fields)
  const required = requiredOf(table.fields)
  const missingAt = table.missingAt ?? map.span
  const meanings = Object.fromEntries(
    required.flatMap((name) => {
      const field = table.fields[name]
      return field === undefined ? [] : [[name, `${name}: ${field.says}, ${shapeOf(field).words}`]]
    }),
  )
  const listing = table.word === undefined ? {} : { word: table.word }
  const entries = readKeys(
    map,
    { ...listing, of: table.of, known, required, meanings, missingAt },
    context.report,
  )
  const values: { [name: string]: FieldValue } = {}
  for (const [name, field] of Object.entries(table.fields)) {
    const entry = entries.get(name)
    const value = entry === undefined ? undefined : readValue(field, entry.value, context)
    if (value !== undefined) values[name] = value
    const { insteadOf } = field
    if (entry !== undefined && insteadOf !== undefined && entries.has(insteadOf))
      context.report(entry.keySpan, `${insteadOf} and ${name} are both given`, { expected: "one of them" })
  }
  return values
}

export function requiredOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => (field.required === true ? [name] : []))
}
