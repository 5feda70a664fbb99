/** A table with a field that narrows its rows. It draws a part of a long list: a browser is slow with thousands of rows. */

import type { JSX } from "preact"
import { useId, useState } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import { Table } from "../../design/table.tsx"
import type { Column } from "../../design/table.tsx"

const SHOWN_MAX = 200
/** Fewer rows are seen at a glance. */
const SEARCHED_FROM = 8

interface SearchedTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Null while they are loading. */
  readonly rows: readonly Row[] | null
  readonly keyOf: (row: Row) => string
  /** What the field looks into. */
  readonly textOf: (row: Row) => string
  readonly selected?: string | null
  readonly onPress?: (row: Row) => void
  readonly hasTwoLines?: boolean
}

export function SearchedTable<Row>({ rows, textOf, ...table }: SearchedTableProps<Row>): JSX.Element {
  const [text, setText] = useState("")
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const found =
    rows?.filter((row) => {
      const content = textOf(row).toLowerCase()
      return words.every((word) => content.includes(word))
    }) ?? null
  const shown = found?.slice(0, SHOWN_MAX) ?? null
  return (
    <>
      {rows === null || rows.length < SEARCHED_FROM ? null : (
        <Narrowing label={table.label} value={text} onChange={setText} />
      )}
      {found !== null && found.length === 0 ? (
        <p class="small quiet" role="status">
          None has “{text.trim()}”.
        </p>
      ) : (
        <Table {...table} rows={shown} />
      )}
      {found === null || found.length <= SHOWN_MAX ? null : (
        <p class="small quiet">
          {SHOWN_MAX} of {found.length} are shown. More letters narrow the list.
        </p>
      )}
    </>
  )
}

interface NarrowingProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

function Narrowing({ label, value, onChange }: NarrowingProps): JSX.Element {
  const id = useId()
  return (
    <div class="search narrowing">
      <Icon name="search" />
      <label class="visually-hidden" for={id}>
        Narrow the list: {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder="Name or id"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}
