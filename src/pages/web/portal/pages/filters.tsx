/** What chooses the rows of a list: a search, a choice among states, and pages. */

import type { JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import { Paging } from "../../design/table.tsx"
import type { Resource } from "../../resource.ts"
import { ReadProblem } from "./problem.tsx"

/** ms of a pause in typing before the list is read */
const TYPING_MS = 250
export const PAGE = 50

/** Days of the reader's time zone, `2026-11-23`; empty for no limit. */
export interface Days {
  readonly from: string
  /** Included. */
  readonly to: string
}

export interface Filters {
  readonly search: string
  readonly setSearch: (text: string) => void
  /** The search once typing has paused. */
  readonly q: string
  /** The chosen state, by its place among the chips. */
  readonly choice: number
  readonly setChoice: (place: number) => void
  readonly days: Days
  readonly setDays: (days: Days) => void
  /** Further choices by their names in the address; empty for all rows. */
  readonly more: Readonly<Record<string, string>>
  readonly setMore: (name: string, value: string) => void
  /** Of the shown page; undefined for the first. */
  readonly cursor: string | undefined
  readonly turn: (to: "newer" | "older", next: string | null) => void
  /** Pages before the shown one. */
  readonly pagesBefore: number
  /** False when every row may be shown. */
  readonly isFiltered: boolean
  /** Changes when the list has to be read again. */
  readonly keys: readonly unknown[]
}

interface Chosen extends Days {
  readonly q: string
  readonly choice: number
  readonly more: Readonly<Record<string, string>>
}

const NO_DAYS: Days = { from: "", to: "" }

/** Filters are in the address, so that a reload and the way back keep them. */
function chosenInAddress(names: readonly string[]): Chosen {
  const query = new URLSearchParams(window.location.search)
  const { q, state } = Object.fromEntries(query)
  const more = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]))
  return { q: q ?? "", choice: Number(state ?? 0) || 0, more, ...daysInAddress() }
}

/** Empty for what is no day, and for days that are not in order. */
export function daysInAddress(): Days {
  const { from, to } = Object.fromEntries(new URLSearchParams(window.location.search))
  const days = { from: dayIn(from), to: dayIn(to) }
  return isReversed(days) ? NO_DAYS : days
}

/** Empty for what is no day of the calendar. */
function dayIn(text = ""): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? text : ""
}

/** True when the first day is after the last. */
function isReversed({ from, to }: Days): boolean {
  return from !== "" && to !== "" && from > to
}

/** Takes days out of the address that choose no rows. */
function dropBadDays(days: Days): void {
  const url = new URL(window.location.href)
  for (const name of ["from", "to"] as const) if (days[name] === "") url.searchParams.delete(name)
  if (url.href !== window.location.href) window.history.replaceState(null, "", url)
}

function writeAddress({ q, choice, from, to, more }: Chosen): void {
  const query = new URLSearchParams(
    Object.entries({ q, state: choice === 0 ? "" : String(choice), ...more, from, to }).filter(
      ([, value]) => value !== "",
    ),
  ).toString()
  const { pathname, hash } = window.location
  window.history.replaceState(null, "", `${pathname}${query === "" ? "" : `?${query}`}${hash}`)
}

/** `names`: further choices that the address keeps. */
export function useFilters(names: readonly string[] = []): Filters {
  const [first] = useState(() => chosenInAddress(names))
  const [search, setSearch] = useState(first.q)
  const [q, setQ] = useState(first.q)
  const [choice, setChoice] = useState(first.choice)
  const [days, setDays] = useState<Days>(first)
  const [more, setMore] = useState(first.more)
  const [cursors, setCursors] = useState<readonly string[]>([])
  useEffect(() => {
    const timer = window.setTimeout(() => setQ(search.trim()), TYPING_MS)
    return () => window.clearTimeout(timer)
  }, [search])
  const { from, to } = days
  const isFirst = useRef(true)
  useEffect(() => {
    if (isFirst.current) dropBadDays({ from, to })
    else writeAddress({ q, choice, from, to, more })
    isFirst.current = false
  }, [q, choice, from, to, more])
  const cursor = cursors.at(-1)
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
    days,
    setDays: (chosen) => {
      setDays(chosen)
      setCursors([])
    },
    more,
    setMore: (name, value) => {
      setMore({ ...more, [name]: value })
      setCursors([])
    },
    cursor,
    turn: (direction, next) => {
      if (direction === "newer") setCursors(cursors.slice(0, -1))
      else if (next !== null) setCursors([...cursors, next])
    },
    pagesBefore: cursors.length,
    isFiltered: [q, from, to, ...Object.values(more)].some((value) => value !== "") || choice !== 0,
    keys: [q, choice, from, to, ...Object.values(more), cursor],
  }
}

interface FilterBarProps {
  readonly filters: Filters
  /** "External id", as a placeholder and for a screen reader. */
  readonly searches: string
  readonly choices: readonly string[]
  /** "Created", as in "Created from"; absent where rows have no day. */
  readonly dated?: string
  readonly children?: JSX.Element
}

export function FilterBar({ filters, searches, choices, dated, children }: FilterBarProps): JSX.Element {
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
      {dated === undefined ? null : <DayRange filters={filters} dated={dated} />}
      {children}
    </div>
  )
}

interface DayRangeProps {
  readonly filters: Pick<Filters, "days" | "setDays">
  readonly dated: string
  /** Of the days; absent: the reader's. */
  readonly zone?: string
}

export function DayRange({ filters: { days, setDays }, dated, zone }: DayRangeProps): JSX.Element {
  const id = useId()
  // Kept here until they are in order; the list stays as it was.
  const [reversed, setReversed] = useState<Days | null>(null)
  const { from, to } = reversed ?? days
  const choose = (chosen: Days): void => {
    if (isReversed(chosen)) return setReversed(chosen)
    setReversed(null)
    setDays(chosen)
  }
  return (
    <div
      class="days"
      role="group"
      aria-label={`${dated}, in ${zone === undefined ? "your time zone" : `the zone ${zone}`}`}
    >
      <label for={`${id}-from`}>{dated} from</label>
      <input
        id={`${id}-from`}
        type="date"
        value={from}
        aria-invalid={reversed === null ? undefined : true}
        onChange={({ currentTarget }) => choose({ from: currentTarget.value, to })}
      />
      <label for={`${id}-to`}>to</label>
      <input
        id={`${id}-to`}
        type="date"
        value={to}
        aria-invalid={reversed === null ? undefined : true}
        onChange={({ currentTarget }) => choose({ from, to: currentTarget.value })}
      />
      {from === "" && to === "" ? null : (
        <button type="button" class="link-button small" onClick={() => choose(NO_DAYS)}>
          Any day
        </button>
      )}
      {reversed === null ? null : (
        <span class="field">
          <span class="error" role="alert">
            <Icon name="circle-alert" /> The first day is after the last.
          </span>
        </span>
      )}
    </div>
  )
}

/** The instants of a range of days: from its first midnight to the midnight after its last day. */
export function instantsOf({ from, to }: Days): { readonly from?: string; readonly to?: string } {
  return {
    ...(from === "" ? {} : { from: midnight(from, 0) }),
    ...(to === "" ? {} : { to: midnight(to, 1) }),
  }
}

/** Of a day in the reader's time zone, or of a day after it. */
function midnight(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
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
