/** Rows of a noun, as the operations API has them. */

import type { Noun } from "../../../../model/nouns/noun.ts"
import { everyPage } from "../api.ts"
import type { operations } from "../api-types.ts"

/** Values of fields by their names on the wire. */
export type NounRow = Readonly<Record<string, boolean | number | string | null>>

export function pathOf({ many }: Noun, id?: string): string {
  return `/internal/v1/${many}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`
}

/** Every row; `of` narrows them, as `{ zone_id }` does. */
export function readNoun<Row extends NounRow>(
  noun: Noun,
  of: Readonly<Record<string, string>> = {},
): Promise<readonly Row[]> {
  return everyPage<Row>(pathOf(noun), noun.many, of)
}

/** The name of an operation on it: `addRetailer`. */
export function operationOf(verb: "add" | "change", { one }: Noun): keyof operations {
  return `${verb}${one.charAt(0).toUpperCase()}${one.slice(1)}` as keyof operations
}
