/** A table of rows: columns that can sort, a selected row, rows that lead somewhere, and a skeleton while it loads. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "./button.tsx"
import { Icon } from "./icon.tsx"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** At the end of the column: numbers, times, actions. */
  readonly isEnd?: boolean
  /** On a narrow page, where the table has no header, the cell begins with the column's name: for bare figures. */
  readonly isNamed?: boolean
  /** Makes the column sortable, over the rows of this page. */
  readonly sortBy?: (row: Row) => number | string
}

interface TableProps<Row> {
  /** Says what the table holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Null while they are loading. */
  readonly rows: readonly Row[] | null
  readonly keyOf: (row: Row) => string
  readonly selected?: string | null
  /** A press on a row; its first cell should hold a link or button that does the same. */
  readonly onPress?: (row: Row) => void
  readonly hasTwoLines?: boolean
  /** A box before each row, and one for all rows of the page. */
  readonly choosing?: Choosing<Row>
}

export interface Choosing<Row> {
  /** Keys of the chosen rows. */
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void
  /** For a screen reader. */
  readonly nameOf: (row: Row) => string
}

interface Sort {
  readonly at: number
  readonly isDown: boolean
}

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, hasTwoLines = false } = props
  const [sort, setSort] = useState<Sort | null>(null)
  const shown =
    rows === null ? null : sorted(rows, sort === null ? undefined : columns[sort.at], sort?.isDown)
  return (
    <table
      class={`table stacks${hasTwoLines ? " two-line" : ""}`}
      aria-label={label}
      aria-busy={rows === null}
    >
      <thead>
        <tr>
          {props.choosing === undefined ? null : <ChooseAll rows={shown ?? []} table={props} />}
          {columns.map((column, at) => (
            <HeadCell
              key={column.name}
              column={column}
              order={sort?.at === at ? (sort.isDown ? "descending" : "ascending") : null}
              onSort={() => setSort({ at, isDown: sort?.at === at ? !sort.isDown : true })}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {shown === null
          ? Array.from({ length: 5 }, (_, at) => (
              <LoadingRow key={at} columns={columns} hasBox={props.choosing !== undefined} />
            ))
          : shown.map((row) => <BodyRow key={props.keyOf(row)} row={row} table={props} />)}
      </tbody>
    </table>
  )
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>
  /** Null when the rows are not sorted by this column. */
  readonly order: "ascending" | "descending" | null
  readonly onSort: () => void
}

function HeadCell<Row>({ column, order, onSort }: HeadCellProps<Row>): JSX.Element {
  const { name, isEnd = false, sortBy } = column
  return (
    <th scope="col" class={isEnd ? "end" : ""} aria-sort={order ?? undefined}>
      {sortBy !== undefined ? (
        <button type="button" onClick={onSort}>
          {name}
          {order === null ? null : <Icon name="chevron-down" />}
        </button>
      ) : name === "" ? (
        <span class="visually-hidden">Actions</span>
      ) : (
        name
      )}
    </th>
  )
}

function BodyRow<Row>({ row, table }: { readonly row: Row; readonly table: TableProps<Row> }): JSX.Element {
  const { columns, keyOf, selected = null, onPress, choosing } = table
  const isSelected = selected !== null && selected === keyOf(row)
  return (
    <tr
      class={`${onPress === undefined ? "" : "press"}${isSelected ? " selected" : ""}`}
      aria-current={isSelected ? "true" : undefined}
      onClick={(event) => {
        const isControl =
          event.target instanceof Element && event.target.closest("a, button, .choose") !== null
        if (!isControl) onPress?.(row)
      }}
    >
      {choosing === undefined ? null : (
        <td class="choose">
          <label>
            <input
              type="checkbox"
              aria-label={`Choose ${choosing.nameOf(row)}`}
              checked={choosing.chosen.has(keyOf(row))}
              onChange={({ currentTarget }) => choosing.onChoose([keyOf(row)], currentTarget.checked)}
            />
          </label>
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.name}
          class={column.isEnd === true ? "end" : ""}
          data-name={column.isNamed === true ? column.name.toLowerCase() : undefined}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

interface ChooseAllProps<Row> {
  readonly rows: readonly Row[]
  readonly table: TableProps<Row>
}

function ChooseAll<Row>({ rows, table: { keyOf, choosing } }: ChooseAllProps<Row>): JSX.Element {
  const keys = rows.map(keyOf)
  const count = keys.filter((key) => choosing?.chosen.has(key) === true).length
  return (
    <th scope="col" class="choose">
      <label>
        <input
          type="checkbox"
          aria-label="Choose all of this page"
          disabled={keys.length === 0}
          checked={count > 0 && count === keys.length}
          indeterminate={count > 0 && count < keys.length}
          onChange={({ currentTarget }) => choosing?.onChoose(keys, currentTarget.checked)}
        />
      </label>
    </th>
  )
}

interface LoadingRowProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly hasBox: boolean
}

function LoadingRow<Row>({ columns, hasBox }: LoadingRowProps<Row>): JSX.Element {
  return (
    <tr>
      {hasBox ? <td class="choose" /> : null}
      {columns.map(({ name }) => (
        <td key={name}>
          <span class="skeleton" style={{ width: "60%" }} />
        </td>
      ))}
    </tr>
  )
}

function sorted<Row>(rows: readonly Row[], column: Column<Row> | undefined, isDown = false): readonly Row[] {
  const by = column?.sortBy
  if (by === undefined) return rows
  const up = rows.toSorted((left, right) => {
    const [a, b] = [by(left), by(right)]
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))
  })
  return isDown ? up.toReversed() : up
}

interface PagingProps {
  readonly text: string
  readonly onNewer: (() => void) | null
  readonly onOlder: (() => void) | null
}

export function Paging({ text, onNewer, onOlder }: PagingProps): JSX.Element {
  return (
    <nav class="paging" aria-label="Pages">
      <span>{text}</span>
      <span class="row">
        <Button isSmall isDisabled={onNewer === null} onPress={() => onNewer?.()}>
          Newer
        </Button>
        <Button isSmall isDisabled={onOlder === null} onPress={() => onOlder?.()}>
          Older
        </Button>
      </span>
    </nav>
  )
}

/** Terms and their values. A value of null leaves the row out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [term: string, value: ComponentChildren])[]
}): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([term, value]) => (
          <FactRow key={term} term={term} value={value} />
        ))}
    </dl>
  )
}

function FactRow({ term, value }: { readonly term: string; readonly value: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </>
  )
}
