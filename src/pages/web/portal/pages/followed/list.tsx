/** A list of one environment, newest first, with its filters, its pages, and what the sandbox can add to it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../../design/button.tsx"
import { Empty } from "../../../design/feedback.tsx"
import { Table } from "../../../design/table.tsx"
import type { Column } from "../../../design/table.tsx"
import { Head } from "../../frame.tsx"
import { groupsOf, useLive } from "../../live.ts"
import { useResource } from "../../../resource.ts"
import type { Environment, PageProps } from "../../session.ts"
import { FilterBar, FilteredList, queryOf, useFilters } from "../filters.tsx"
import type { Days } from "../filters.tsx"
import { pathOf } from "./noun.ts"
import type { Noun } from "./noun.ts"

/** What a list asks for, without its days, which each names in its own way. */
export type ListQuery<Status extends string> = ReturnType<typeof queryOf<Status>> & {
  readonly environment: Environment
}

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly next_cursor: string | null
}

/** What a list is made of. */
export interface ListKind<Row, Status extends string> {
  readonly noun: Noun
  readonly leadIn: Readonly<Record<Environment, string>>
  readonly read: (query: ListQuery<Status>, days: Days) => Promise<ListPage<Row>>
  /** "External id", as a placeholder and for a screen reader. */
  readonly searches: string
  /** The first is "All", without statuses. */
  readonly states: readonly (readonly [name: string, statuses: readonly Status[]])[]
  /** "Created", as in "Created from". */
  readonly dated: string
  readonly keyOf: (row: Row) => string
  readonly columnsOf: () => readonly Column<Row>[]
  readonly hasTwoLines?: boolean
  /** What one is, in a list of the sandbox that has none. */
  readonly about: string
  /** "New test delivery": the button of the sandbox that opens the form. */
  readonly makes: string
  readonly form: (onClose: () => void) => JSX.Element
}

interface MemberListProps<Row, Status extends string> {
  readonly kind: ListKind<Row, Status>
  readonly page: PageProps
  /** Above the list. */
  readonly notice?: JSX.Element
  /** False when the service would refuse what the form makes. */
  readonly canMake?: boolean
}

/** ms between reads of the first page without a stream */
const REFRESH_MS = 5000

export function MemberList<Row, Status extends string>({
  kind,
  page,
  notice,
  canMake = true,
}: MemberListProps<Row, Status>): JSX.Element {
  const { noun, states, keyOf } = kind
  const { environment } = page
  const filters = useFilters()
  const { choice, cursor, days, isFiltered } = filters
  const query = { environment, ...queryOf(filters, states[choice]?.[1] ?? []) }
  const list = useResource(() => kind.read(query, days), [environment, ...filters.keys])
  useLive(list.reload, { concerns: groupsOf(noun.one), ms: cursor === undefined ? REFRESH_MS : null })
  const rows = list.data?.rows ?? null
  // The form is the page's own: the first row replaces what stands in the empty list.
  const [isMaking, setMaking] = useState(false)
  const make =
    environment === "sandbox" && canMake ? (
      <MakeButton name={kind.makes} onPress={() => setMaking(true)} />
    ) : null
  return (
    <div class="content">
      <Head title={noun.name} lead={kind.leadIn[environment]}>
        {rows?.length === 0 && !isFiltered ? null : make}
      </Head>
      <div class="notice">{notice}</div>
      <FilterBar
        filters={filters}
        searches={kind.searches}
        choices={states.map(([name]) => name)}
        dated={kind.dated}
      />
      <FilteredList
        filters={filters}
        what={noun.name}
        resource={list}
        count={rows?.length ?? 0}
        empty={<Nothing kind={kind} page={page} isFiltered={isFiltered} make={make} />}
      >
        <Table
          label={noun.name}
          hasTwoLines={kind.hasTwoLines === true}
          rows={rows}
          keyOf={keyOf}
          onPress={(row) => window.location.assign(pathOf(noun, keyOf(row)))}
          columns={kind.columnsOf()}
        />
      </FilteredList>
      {isMaking ? kind.form(() => setMaking(false)) : null}
    </div>
  )
}

interface MakeButtonProps {
  readonly name: string
  readonly onPress: () => void
}

export function MakeButton({ name, onPress }: MakeButtonProps): JSX.Element {
  return (
    <Button look="primary" icon="plus" onPress={onPress}>
      {name}
    </Button>
  )
}

interface NothingProps<Row, Status extends string> extends MemberListProps<Row, Status> {
  readonly isFiltered: boolean
  readonly make: JSX.Element | null
}

function Nothing<Row, Status extends string>({
  kind: { noun, about },
  page: { environment, urls },
  isFiltered,
  make,
}: NothingProps<Row, Status>): JSX.Element {
  if (isFiltered)
    return (
      <Empty title={`No ${noun.one} matches`}>
        Search for another id, or choose another state or other days.
      </Empty>
    )
  const title = `No ${noun.many} yet`
  return environment === "sandbox" ? (
    <Empty title={title} action={make}>
      {about}
    </Empty>
  ) : (
    <Empty title={title} action={<ButtonLink href={`${urls.production}/docs`}>Read the API</ButtonLink>}>
      Your program makes them with a production key.
    </Empty>
  )
}
