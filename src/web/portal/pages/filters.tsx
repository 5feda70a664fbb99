/** What chooses the rows of a list: a search, a choice among states, and pages. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import { Paging } from "../../design/table.tsx"
import type { Resource } from "../resource.ts"
import { ReadProblem } from "./problem.tsx"

/** ms of a pause in typing before the list is read */
const TYPING_MS = 250
export const PAGE = 50

export interface Filters {
  readonly search: string
  readonly setSearch: (text: string) => void
  /** The search once typing has paused. */
  readonly q: string
  /** The chosen state, by its place among the chips. */
  readonly choice: number
  readonly setChoice: (place: number) => void
  /** Of the shown page; undefined for the first. */
  readonly cursor: string | undefined
  readonly turn: (to: "newer" | "older", next: string | null) => void
  /** Pages before the shown one. */
  readonly pagesBefore: number
}

export function useFilters(): Filters {
  const [search, setSearch] = useState("")
  const [q, setQ] = useState("")
  const [choice, setChoice] = useState(0)
  const [cursors, setCursors] = useState<readonly string[]>([])
  useEffect(() => {
    const timer = window.setTimeout(() => setQ(search.trim()), TYPING_MS)
    return () => window.clearTimeout(timer)
  }, [search])
  return {
    search,
    setSearch: (text) => {
      setSearch(text)
      setCursors([])
    },
    q,
    choice,
    setChoice: (place) => {
      setChoice(place)
      setCursors([])
    },
    cursor: cursors.at(-1),
    turn: (to, next) => {
      if (to === "newer") setCursors(cursors.slice(0, -1))
      else if (next !== null) setCursors([...cursors, next])
    },
    pagesBefore: cursors.length,
  }
}

interface FilterBarProps {
  readonly filters: Filters
  /** "External id", as a placeholder and for a screen reader. */
  readonly searches: string
  readonly choices: readonly string[]
  readonly children?: JSX.Element
}

export function FilterBar({ filters, searches, choices, children }: FilterBarProps): JSX.Element {
  const { search, setSearch, choice, setChoice } = filters
  return (
    <div class="filters">
      <label class="search">
        <span class="visually-hidden">Search by {searches.toLowerCase()}</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder={searches}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </label>
      <div class="chips" role="group" aria-label="State">
        {choices.map((name, at) => (
          <button
            key={at}
            type="button"
            class="chip"
            aria-pressed={at === choice}
            onClick={() => setChoice(at)}
          >
            {name}
          </button>
        ))}
      </div>
      {children}
    </div>
  )
}

interface FilterPagingProps {
  readonly filters: Filters
  readonly count: number
  readonly next: string | null
}

export function FilterPaging({
  filters: { turn, pagesBefore },
  count,
  next,
}: FilterPagingProps): JSX.Element {
  return (
    <Paging
      text={count === 0 ? "" : `${pagesBefore * PAGE + 1}–${pagesBefore * PAGE + count}`}
      onNewer={pagesBefore === 0 ? null : () => turn("newer", null)}
      onOlder={next === null ? null : () => turn("older", next)}
    />
  )
}

interface FilteredListProps {
  readonly filters: Filters
  /** "Deliveries", as in "Deliveries could not be read". */
  readonly what: string
  readonly resource: Resource<{ readonly next_cursor: string | null }>
  readonly count: number
  /** Shown instead of an empty table. */
  readonly empty: JSX.Element
  /** The table, also while it is loading. */
  readonly children: JSX.Element
}

/** A list in its states: failed, empty, loading or full, with its pages. */
export function FilteredList({
  filters,
  what,
  resource,
  count,
  empty,
  children,
}: FilteredListProps): JSX.Element {
  const { data, fault, reload } = resource
  if (fault !== null && data === null) return <ReadProblem what={what} fault={fault} onAgain={reload} />
  const next = data?.next_cursor ?? null
  if (data !== null && count === 0 && next === null && filters.pagesBefore === 0) return empty
  return (
    <>
      {children}
      <FilterPaging filters={filters} count={count} next={next} />
    </>
  )
}

/** The part of a list's query that its filters choose. */
export function queryOf<Status extends string>(
  { q, cursor }: Filters,
  status: readonly Status[],
): { limit: number; q?: string; status?: Status[]; cursor?: string } {
  return {
    limit: PAGE,
    ...(q === "" ? {} : { q }),
    ...(status.length === 0 ? {} : { status: [...status] }),
    ...(cursor === undefined ? {} : { cursor }),
  }
}
