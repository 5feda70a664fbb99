/** The search of operations: an order number, an id, or the last four digits of a phone number. `/` leads to it. */

import type { JSX, RefObject } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Icon } from "../design/icon.tsx"
import { asFault } from "../faults.ts"
import { read } from "./api.ts"
import { inspectorPath, mayCall } from "./session.ts"

interface Found {
  readonly kind: "delivery" | "errand" | "reservation"
  readonly id: string
  readonly order_number: string
  readonly status: string
  readonly site_id: string | null
  readonly phone_last_four: string
  readonly created_at: string
}

const GROUPS = [
  ["reservation", "Reservations"],
  ["delivery", "Deliveries"],
  ["errand", "Errands"],
] as const

/** ms of rest until what was typed is searched for */
const REST_MS = 250

interface Search {
  /** The text that was searched for. */
  readonly text: string
  /** Null while nothing was searched for. */
  readonly found: readonly Found[] | null
  readonly said: string
}

const NOTHING: Search = { text: "", found: null, said: "" }

export function SearchBox(): JSX.Element {
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const [isShown, setShown] = useState(false)
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { search, entered } = useEntered(text, () => setAt(0))
  const show = (isNow: boolean): void => {
    setShown(isNow)
    input.current?.focus()
    // The field of a narrow screen appears with the next drawing.
    window.setTimeout(() => input.current?.focus())
  }
  useSlash(() => show(true))
  const rows = inGroups(search.found ?? [])
  const isListed = isOpen && text.trim() !== "" && search.found !== null
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      setOpen(false)
      setShown(false)
    }
    const chosen = rows[at]
    if (event.key === "Enter") {
      const isCurrent = search.text === text.trim()
      entered.current = isCurrent ? null : text.trim()
      if (isCurrent && isListed && chosen !== undefined) follow(chosen)
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || rows.length === 0) return
    event.preventDefault()
    setOpen(true)
    setAt((at + step + rows.length) % rows.length)
  }
  const hasRows = isListed && rows.length > 0
  return (
    <search class={`ops-search${isShown ? " shown" : ""}`}>
      <Toggle isShown={isShown} onPress={() => show(!isShown)} />
      <span class="search-field">
        <Icon name="search" />
        <SearchField
          input={input}
          listId={`${id}-list`}
          chosenId={hasRows ? `${id}-${at}` : null}
          text={text}
          onText={(typed) => {
            entered.current = null
            setText(typed)
            setOpen(true)
          }}
          onOpen={setOpen}
          onKey={move}
        />
        <kbd aria-hidden="true">/</kbd>
      </span>
      <span role="status" class="visually-hidden">
        {isListed ? search.said : ""}
      </span>
      <div class="found" hidden={!isListed}>
        {rows.length === 0 ? <p class="faint">{search.said}</p> : null}
        <Results rows={rows} at={at} id={id} onAt={setAt} />
      </div>
    </search>
  )
}

/** What the text finds, and the text that was entered before its answer came: what an earlier text found is not meant. */
function useEntered(text: string, onFound: () => void) {
  const entered = useRef<string | null>(null)
  const search = useFound(text, ({ text: of, found }) => {
    onFound()
    const [first] = inGroups(found ?? [])
    if (first !== undefined && entered.current === of) follow(first)
  })
  return { search, entered }
}

interface SearchFieldProps {
  readonly input: RefObject<HTMLInputElement | null>
  readonly listId: string
  /** Of the chosen row; null without rows. */
  readonly chosenId: string | null
  readonly text: string
  readonly onText: (text: string) => void
  readonly onOpen: (isOpen: boolean) => void
  readonly onKey: (event: KeyboardEvent) => void
}

function SearchField({
  input,
  listId,
  chosenId,
  text,
  onText,
  onOpen,
  onKey,
}: SearchFieldProps): JSX.Element {
  return (
    <input
      ref={input}
      type="text"
      role="combobox"
      aria-label="Search by order number, last four digits or id"
      aria-expanded={chosenId !== null}
      aria-controls={listId}
      aria-autocomplete="list"
      aria-activedescendant={chosenId ?? undefined}
      placeholder="Order number, last four, id"
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onFocus={() => onOpen(true)}
      onBlur={() => onOpen(false)}
      onKeyDown={onKey}
    />
  )
}

/** For narrow screens. */
function Toggle({
  isShown,
  onPress,
}: {
  readonly isShown: boolean
  readonly onPress: () => void
}): JSX.Element {
  return (
    <button
      type="button"
      class="search-toggle"
      aria-label="Search"
      aria-expanded={isShown}
      onClick={() => onPress()}
    >
      <Icon name="search" isLarge />
    </button>
  )
}

interface ResultsProps {
  readonly rows: readonly Found[]
  readonly at: number
  readonly id: string
  readonly onAt: (at: number) => void
}

function Results({ rows, at, id, onAt }: ResultsProps): JSX.Element {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Results">
      {GROUPS.map(([kind, name]) => {
        const own = rows.filter((row) => row.kind === kind)
        if (own.length === 0) return null
        return (
          <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
            <p id={`${id}-${kind}`} class="found-kind" role="presentation">
              {name}
            </p>
            {own.map((row) => {
              const place = rows.indexOf(row)
              return (
                <div
                  key={row.id}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === at}
                  aria-disabled={hrefOf(row) === null}
                  class="found-row"
                  onPointerEnter={() => onAt(place)}
                  // The field keeps the focus until the press is over.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => follow(row)}
                >
                  <strong>{row.order_number}</strong>
                  <span>{row.status.toLowerCase().replaceAll("_", " ")}</span>
                  <span class="faint">
                    ···{row.phone_last_four}, {new Date(row.created_at).toLocaleDateString("en-GB")}
                  </span>
                </div>
              )
            })}
          </div>
        )
      })}
    </div>
  )
}

/** In the order in which they are shown. */
function inGroups(found: readonly Found[]): readonly Found[] {
  return GROUPS.flatMap(([kind]) => found.filter((row) => row.kind === kind))
}

/** An errand on its page; others on the board of their site, else in the inspector; null where there is neither. */
function hrefOf({ kind, id, site_id: siteId }: Found): string | null {
  if (kind === "errand") return mayCall("readErrand") ? `/ops/errands/${encodeURIComponent(id)}` : null
  if (siteId !== null)
    return `/ops/sites/${encodeURIComponent(siteId)}?${new URLSearchParams({ [kind]: id }).toString()}`
  return inspectorPath(`${kind}/${encodeURIComponent(id)}`)
}

function follow(row: Found): void {
  const href = hrefOf(row)
  if (href !== null) window.location.assign(href)
}

/** Searches when the typing rests; an answer that is overtaken is dropped. */
function useFound(text: string, onFound: (search: Search) => void): Search {
  const [search, setSearch] = useState(NOTHING)
  useEffect(() => {
    const tell = (next: Search): void => {
      setSearch(next)
      onFound(next)
    }
    const wanted = text.trim()
    if (wanted === "") {
      tell(NOTHING)
      return
    }
    let isOvertaken = false
    const timer = window.setTimeout(async () => {
      const answer = await searchFor(wanted)
      if (!isOvertaken) tell(answer)
    }, REST_MS)
    return () => {
      isOvertaken = true
      window.clearTimeout(timer)
    }
  }, [text])
  return search
}

async function searchFor(text: string): Promise<Search> {
  try {
    const path = `/internal/v1/search?q=${encodeURIComponent(text)}`
    const { results, next_cursor: next } = await read<{
      readonly results: readonly Found[]
      readonly next_cursor: string | null
    }>(path)
    if (results.length === 0)
      return { text, found: [], said: "Nothing has this number. Parts of numbers and ids are not found." }
    return { text, found: results, said: `${results.length}${next === null ? "" : " or more"} found` }
  } catch (cause) {
    return { text, found: [], said: asFault(cause).message }
  }
}

/** `/` outside of fields. */
function useSlash(onPress: () => void): void {
  const latest = useRef(onPress)
  latest.current = onPress
  // Before the box is painted: who sees it can use the key.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isField =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null
      if (event.key !== "/" || isField || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [])
}
