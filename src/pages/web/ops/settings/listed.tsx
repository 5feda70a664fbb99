/** A list that is read: its rows, what stands there without rows, or why it could not be read. */

import type { ComponentChildren, JSX } from "preact"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import type { Resource } from "../../resource.ts"

interface ListedProps<Row> {
  readonly resource: Resource<readonly Row[]>
  /** "The retailers", as in "The retailers could not be read". */
  readonly what: string
  readonly empty: ComponentChildren
  /** Null while they are loading. */
  readonly table: (rows: readonly Row[] | null) => JSX.Element
}

export function Listed<Row>({ resource, what, empty, table }: ListedProps<Row>): JSX.Element {
  const { data, fault, reload } = resource
  if (data === null && fault !== null) return <ReadProblem what={what} fault={fault} onAgain={reload} />
  return data?.length === 0 ? <>{empty}</> : table(data)
}
