/** The request log: the last calls of the organization's keys, with masked bodies. */

import type { JSX } from "preact"
import { useCallback, useState } from "preact/hooks"
import { ShortId } from "../../design/button.tsx"
import { Code, prettyJson } from "../../design/code.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { withNextStep } from "../../next-steps.ts"
import { useRefresh, useResource } from "../../resource.ts"
import { useOpened } from "../opened.ts"
import type { Addresses } from "../opened.ts"
import type { PageProps } from "../session.ts"
import { clockTime, clockTimeIn, fromRealNow, inZone } from "../times.ts"
import { environmentName } from "../words.tsx"
import { FilterBar, FilteredList, instantsOf, PAGE, useFilters } from "./filters.tsx"
import { ReadProblem } from "./problem.tsx"

type Call = Schemas["LoggedCall"]

const REFRESH_MS = 4000
const CLASSES = ["2xx", "4xx", "5xx"] as const

/** The link of an error's answer names the environment of the call, whatever the switch says. */
function environmentInAddress(): PageProps["environment"] | null {
  const named = new URLSearchParams(window.location.search).get("environment")
  return named === "production" || named === "sandbox" ? named : null
}

const OPENED: Addresses = {
  idNow: () => {
    const id = window.location.pathname.split("/")[3]
    return id === undefined || id === "" ? null : decodeURIComponent(id)
  },
  addressOf: (id) =>
    `/portal/requests${id === null ? "" : `/${encodeURIComponent(id)}`}${window.location.search}`,
}

export function Requests({ environment, id }: PageProps): JSX.Element {
  const filters = useFilters()
  const { q, choice, cursor, days } = filters
  const [chosen, open] = useOpened(OPENED)
  const [linked] = useState(() => ({ id, environment: environmentInAddress() ?? environment }))
  const status = CLASSES[choice - 1]
  const query = {
    environment,
    limit: PAGE,
    ...(q === "" ? {} : { q }),
    ...(status === undefined ? {} : { status }),
    ...instantsOf(days),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const list = useResource(
    () => dataOf(api.GET("/portal/api/requests", { params: { query } })),
    [environment, ...filters.keys],
  )
  const { data } = list
  // Rows stand still while one is read, and on older pages.
  const isLive = cursor === undefined && chosen === null
  useRefresh(list.reload, isLive ? REFRESH_MS : null)
  const close = useCallback(() => open(null), [open])
  return (
    <div class={chosen === null ? "" : "with-drawer"}>
      <div class="content">
        <Head
          title="Requests"
          lead={`The last 1,000 calls to ${environmentName(environment)}, kept 7 days. Secrets and personal data are masked.`}
        />
        <FilterBar
          filters={filters}
          searches="Path, code or request id"
          dated="Sent"
          choices={["All", ...CLASSES.map((one) => `${one} ${data?.counts[one] ?? ""}`)]}
        >
          <span class="small quiet">{isLive ? "Live" : "Paused"}</span>
        </FilterBar>
        <FilteredList
          filters={filters}
          what="Requests"
          resource={list}
          count={data?.requests.length ?? 0}
          empty={<NoCalls isFiltered={filters.isFiltered} />}
        >
          <CallTable rows={data?.requests ?? null} chosen={chosen} onOpen={open} />
        </FilteredList>
      </div>
      {chosen === null ? null : (
        <CallDrawer
          key={chosen}
          id={chosen}
          environment={chosen === linked.id ? linked.environment : environment}
          onClose={close}
        />
      )}
    </div>
  )
}

function NoCalls({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return (
    <Empty title="No calls">
      {isFiltered
        ? "No call matches."
        : "Calls appear here as soon as a program sends one with a key of this environment."}
    </Empty>
  )
}

interface CallTableProps {
  readonly rows: readonly Call[] | null
  readonly chosen: string | null
  readonly onOpen: (id: string) => void
}

function CallTable({ rows, chosen, onOpen }: CallTableProps): JSX.Element {
  return (
    <Table
      label="Requests"
      rows={rows}
      keyOf={({ request_id: id }) => id}
      selected={chosen}
      onPress={({ request_id: id }) => onOpen(id)}
      columns={[
        {
          name: "Request",
          cell: ({ request_id: id, method, path }) => (
            <a
              class="mono tiny main"
              href={`/portal/requests/${encodeURIComponent(id)}`}
              onClick={(event) => {
                event.preventDefault()
                onOpen(id)
              }}
            >
              <span class="quiet">{method}</span> {path}
            </a>
          ),
        },
        { name: "Status", cell: ({ status }) => <StatusText status={status} /> },
        {
          name: "About",
          cell: ({ code }) => (code === null ? "" : <span class="mono tiny bad">{code}</span>),
        },
        {
          name: "Took",
          isEnd: true,
          sortBy: ({ duration_ms: ms }) => ms,
          cell: ({ duration_ms: ms }) => `${ms} ms`,
        },
        { name: "Key", isEnd: true, cell: ({ key }) => <span class="mono">…{key.last_four}</span> },
        { name: inZone("At"), isEnd: true, cell: ({ at }) => clockTime(at) },
      ]}
    />
  )
}

function StatusText({ status }: { readonly status: number }): JSX.Element {
  return <span class={`status ${status < 400 ? "good" : "failed"}`}>{status}</span>
}

interface CallDrawerProps {
  readonly id: string
  readonly environment: PageProps["environment"]
  readonly onClose: () => void
}

function CallDrawer({ id, environment, onClose }: CallDrawerProps): JSX.Element {
  const params = { path: { id }, query: { environment } }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/requests/{id}", { params })),
    [id],
  )
  if (fault !== null) {
    return (
      <Drawer title="The call could not be read" onClose={onClose}>
        <ReadProblem
          what="The call"
          fault={fault}
          onAgain={reload}
          named={{ noun: "call", id, list: ["Requests", "/portal/requests"] }}
        />
      </Drawer>
    )
  }
  if (data === null) {
    return (
      <Drawer title="Reading the call" onClose={onClose}>
        <Skeleton lines={6} />
      </Drawer>
    )
  }
  const { request: call } = data
  const error = (call.answered as { readonly error?: unknown } | null)?.error
  return (
    <Drawer title={titleOf(call)} onClose={onClose}>
      <div class="stack">
        {typeof error === "string" ? <p class="small quiet">{withNextStep(error, call.code)}</p> : null}
        <Facts
          facts={[
            [
              "Request",
              <span class="mono tiny">
                <strong>{call.method}</strong> {call.path}
              </span>,
            ],
            [
              "Status",
              <>
                <StatusText status={call.status} /> <span class="mono tiny">{call.code}</span>
              </>,
            ],
            ["At", `${clockTimeIn(call.at)}, ${fromRealNow(call.at)}`],
            ["Took", `${call.duration_ms} ms`],
            ["Key", <span class="mono">…{call.key.last_four}</span>],
            ["Request id", <ShortId id={call.request_id} label="Copy the request id" />],
          ]}
        />
        {call.sent === null ? null : (
          <section>
            <h3>You sent</h3>
            <Code label="the request's body" text={prettyJson(call.sent)} />
          </section>
        )}
        {call.answered === null ? null : (
          <section>
            <h3>We answered</h3>
            <Code label="the answer's body" text={prettyJson(call.answered)} />
          </section>
        )}
        {call.is_cut ? <p class="small quiet">Parts of the bodies are left out.</p> : null}
      </div>
    </Drawer>
  )
}

/** What it meant, in words. */
function titleOf({ method, status, code }: Call): string {
  if (code !== null) return `${code.charAt(0)}${code.slice(1).toLowerCase().replaceAll("_", " ")}`
  if (status < 300) return method === "GET" ? "Read" : "Done"
  return `Answered ${status}`
}
