/** A list of `given` whose items have a name and fields. */

import { GIVEN_CALLERS_MAX } from "../../../model/values/limits.ts"
import { readFields } from "./fields.ts"
import { asList, asMap, readKeys } from "./keys.ts"
import type { Fields, GivenCaller, NamedKind } from "./language.ts"
import type { Written, WrittenMap } from "./source.ts"
import type { ValueContext } from "./value.ts"

export interface GivenList {
  readonly name: string
  readonly kind: NamedKind
  readonly fields: Fields
  /** An item in words, with an example. */
  readonly one: string
  /** Checks that the fields of an item fit together. */
  readonly check?: (item: GivenCaller, map: WrittenMap, context: ValueContext) => void
}

export function readGivenList(
  { name: list, kind, fields: table, one, check }: GivenList,
  value: Written | undefined,
  context: ValueContext,
): readonly GivenCaller[] {
  const { report, nameBook } = context
  const items = value === undefined ? null : asList(value, `${list}: a list, each ${one}`, report)
  if (items === null) return []
  if (items.items.length > GIVEN_CALLERS_MAX) {
    report(items.span, `${items.items.length} ${list}`, { expected: `at most ${GIVEN_CALLERS_MAX}` })
    return []
  }
  return items.items.flatMap((item) => {
    const map = asMap(item, one, report)
    if (map === null) return []
    const known = { of: `keys of ${list}`, known: ["as", ...Object.keys(table)], required: ["as"] }
    const as = readKeys(map, known, report).get("as")
    const rest = { ...map, entries: map.entries.filter(({ key }) => key in table) }
    const fields = readFields(rest, { of: `keys of ${list}`, fields: table }, context)
    const name = as === undefined ? undefined : nameBook?.give(kind, as.value)
    if (name === undefined) return []
    const read = { as: name, fields, place: map.span.place }
    check?.(read, map, context)
    return [read]
  })
}
