/** A list of operations in its states, with its filters, its pages, and what can be done with chosen rows. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { FilterBar, FilteredList, PAGE, instantsOf, useFilters } from "../../portal/pages/filters.tsx"
import type { Filters } from "../../portal/pages/filters.tsx"
import { useRefresh, useResource } from "../../resource.ts"
import type { Resource } from "../../resource.ts"
import { read } from "../api.ts"
import { may, opsData } from "../session.ts"
import { isProvisionedHere, readOrganizations } from "../settings/organizations/organization-names.tsx"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"
import { BulkDialog } from "./bulk-dialog.tsx"
import type { BulkAction, ListKind, ShownList } from "./list-kind.ts"

type Page<Row> = Readonly<Record<string, readonly Row[]>> & { readonly next_cursor: string | null }

/** ms between reads of the first page, while nothing is chosen */
const REFRESH_MS = 10_000

interface Doing<Row> {
  readonly action: BulkAction<Row>
  readonly rows: readonly Row[]
}

export function OperatedList<Row>({ kind }: { readonly kind: ListKind<Row> }): JSX.Element {
  const { keyOf, nameOf, field, many } = kind
  const filters = useFilters(["site", "organization"])
  const list = useResource(() => read<Page<Row>>(pathOf(kind, filters)), [kind.path, ...filters.keys])
  const sites = useResource(readSites)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [doing, setDoing] = useState<Doing<Row> | null>(null)
  const rows = list.data?.[field] ?? null
  const actions = kind.actions.filter(({ role }) => may(role))
  // Rows of another page or filter are not chosen.
  useEffect(() => setChosen(new Set()), filters.keys)
  const isResting = filters.cursor === undefined && chosen.size === 0 && doing === null
  useRefresh(list.reload, isResting ? REFRESH_MS : null)
  const chosenRows = (rows ?? []).filter((row) => chosen.has(keyOf(row)))
  const choose = (keys: readonly string[], isChosen: boolean): void => {
    const rest = [...chosen].filter((key) => !keys.includes(key))
    setChosen(new Set(isChosen ? [...rest, ...keys] : rest))
  }
  const shown = shownOf<Row>(sites.data ?? [], (action, row) => setDoing({ action, rows: [row] }))
  return (
    <section class="operated-list">
      <FilterBar
        filters={filters}
        searches={kind.searches}
        choices={kind.states.choices.map(([name]) => name)}
        {...(kind.dated === undefined ? {} : { dated: kind.dated })}
      >
        <PlaceFilters kind={kind} filters={filters} sites={sites} />
      </FilterBar>
      {actions.length === 0 || rows?.length === 0 || (rows === null && list.fault !== null) ? null : (
        <BulkBar
          count={chosenRows.length}
          many={chosenRows.length === 1 ? kind.one : many}
          actions={actions}
          onAct={(action) => setDoing({ action, rows: chosenRows })}
          onAll={() => choose((rows ?? []).map(keyOf), true)}
          onNone={() => setChosen(new Set())}
        />
      )}
      <FilteredList
        filters={filters}
        what={kind.name}
        resource={list}
        count={rows?.length ?? 0}
        empty={<Nothing kind={kind} isFiltered={filters.isFiltered} />}
      >
        <Table
          label={kind.name}
          rows={rows}
          keyOf={keyOf}
          hasTwoLines
          columns={kind.columnsOf(shown)}
          {...(actions.length === 0 ? {} : { choosing: { chosen, onChoose: choose, nameOf } })}
        />
      </FilteredList>
      {doing === null ? null : (
        <BulkDialog
          kind={kind}
          {...doing}
          onClose={(hasSent) => {
            setDoing(null)
            if (!hasSent) return
            setChosen(new Set())
            void list.reload()
          }}
        />
      )}
    </section>
  )
}

function pathOf<Row>({ readsFrom, states, always = {}, ...kind }: ListKind<Row>, filters: Filters): string {
  const { q, choice, days, more, cursor } = filters
  const { from, to } = kind.dated === undefined ? {} : instantsOf(days)
  const query = new URLSearchParams({ ...always, limit: String(PAGE) })
  const given = { q, site_id: more["site"], organization_id: more["organization"], from, until: to, cursor }
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== "") query.set(name, value)
  for (const value of states.choices[choice]?.[1] ?? []) query.append(states.parameter, value)
  return `${readsFrom}?${query.toString()}`
}

function shownOf<Row>(sites: readonly Site[], act: ShownList<Row>["act"]): ShownList<Row> {
  return {
    act,
    boardOf: (siteId, opened) => {
      if (siteId === null) return null
      const query = new URLSearchParams(opened).toString()
      return `/ops/sites/${encodeURIComponent(siteId)}${query === "" ? "" : `?${query}`}`
    },
    siteOfFleet: (fleetId) => sites.find(({ fleet_id }) => fleet_id === fleetId)?.site_id ?? null,
  }
}

interface PlaceFiltersProps<Row> {
  readonly kind: Pick<ListKind<Row>, "hasOrganizations" | "hasSites">
  readonly filters: Filters
  readonly sites: Resource<readonly Site[]>
}

function PlaceFilters<Row>({ kind, filters, sites }: PlaceFiltersProps<Row>): JSX.Element {
  const canChooseOrganization = kind.hasOrganizations && may("manager") && opsData().me?.site_ids === null
  return (
    <>
      {kind.hasSites ? (
        <Pick
          label="Site"
          all="All sites"
          value={filters.more["site"] ?? ""}
          options={(sites.data ?? []).map(({ site_id: id, name }) => [id, name] as const)}
          onChange={(value) => filters.setMore("site", value)}
        />
      ) : null}
      {canChooseOrganization ? <OrganizationPick filters={filters} /> : null}
    </>
  )
}

function OrganizationPick({ filters }: { readonly filters: Filters }): JSX.Element {
  const organizations = useResource(readOrganizations)
  const chosen = filters.more["organization"] ?? ""
  const offered = (organizations.data ?? []).filter(
    (one) => isProvisionedHere(one) || one.organization_id === chosen,
  )
  return (
    <Pick
      label="Organization"
      all="All organizations"
      value={chosen}
      options={offered.map(({ organization_id: id, name }) => [id, name] as const)}
      onChange={(value) => filters.setMore("organization", value)}
    />
  )
}

interface PickProps {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onChange: (value: string) => void
}

function Pick({ label, all, value, options, onChange }: PickProps): JSX.Element {
  return (
    <select
      class="pick"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{all}</option>
      {/* The address may name one that is not listed. */}
      {value === "" || options.some(([one]) => one === value) ? null : <option value={value}>{value}</option>}
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  )
}

interface BulkBarProps<Row> {
  readonly count: number
  readonly many: string
  readonly actions: readonly BulkAction<Row>[]
  readonly onAct: (action: BulkAction<Row>) => void
  readonly onAll: () => void
  readonly onNone: () => void
}

function BulkBar<Row>({ count, many, actions, onAct, onAll, onNone }: BulkBarProps<Row>): JSX.Element {
  return (
    <div class={`bulk-bar${count === 0 ? " resting" : ""}`} role="group" aria-label="Chosen rows">
      <span role="status" class="grow">
        {count === 0 ? "Choose rows to act on them" : `${count} ${many} chosen`}
      </span>
      {count === 0 ? (
        <Button look="quiet" isSmall onPress={onAll}>
          Choose all of this page
        </Button>
      ) : (
        <Button look="quiet" isSmall onPress={onNone}>
          Choose none
        </Button>
      )}
      {actions.map((action) => (
        <Button
          key={action.name}
          isSmall
          look={action.isDanger === true ? "danger quiet" : "secondary"}
          isDisabled={count === 0}
          {...(action.icon === undefined ? {} : { icon: action.icon })}
          onPress={() => onAct(action)}
        >
          {action.name}
        </Button>
      ))}
    </div>
  )
}

interface NothingProps<Row> {
  readonly kind: Pick<ListKind<Row>, "many" | "nothing" | "one">
  readonly isFiltered: boolean
}

function Nothing<Row>({ kind, isFiltered }: NothingProps<Row>): JSX.Element {
  if (!isFiltered) return <Empty title={`No ${kind.many} yet`}>{kind.nothing}</Empty>
  return (
    <Empty title={`No ${kind.one} matches`}>
      Choose another state, site or time. Whole numbers and ids are found, parts of them are not.
    </Empty>
  )
}
