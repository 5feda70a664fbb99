/** The request log: the last calls of the organization's keys, with masked bodies. */

import type { JSX } from "preact"
import { useCallback, useState } from "preact/hooks"
import { ShortId } from "../../design/button.tsx"
import { Code, prettyJson } from "../../design/code.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts, Paging, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useRefresh, useResource } from "../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, fromNow } from "../times.ts"
import { useTyped } from "./deliveries.tsx"
import { ReadProblem } from "./problem.tsx"

type Call = Schemas["LoggedCall"]

const PAGE = 50
const REFRESH_MS = 4000
const CLASSES = ["2xx", "4xx", "5xx"] as const

export function Requests({ environment, id }: PageProps): JSX.Element {
  const [search, setSearch] = useState("")
  const [status, setStatus] = useState("")
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [chosen, setChosen] = useState<string | null>(id === "" ? null : id)
  const q = useTyped(search.trim())
  const cursor = cursors.at(-1)
  const query = {
    environment,
    limit: PAGE,
    ...(q === "" ? {} : { q }),
    ...(status === "" ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/requests", { params: { query } })),
    [environment, q, status, cursor],
  )
  // Rows stand still while one is read, and on older pages.
  const isLive = cursor === undefined && chosen === null
  useRefresh(reload, isLive ? REFRESH_MS : null)
  const close = useCallback(() => open(null), [])
  function open(requestId: string | null): void {
    setChosen(requestId)
    window.history.replaceState(
      null,
      "",
      requestId === null ? "/portal/requests" : `/portal/requests/${requestId}`,
    )
  }
  const counts = data?.counts
  const next = data?.next_cursor ?? null
  return (
    <div class={chosen === null ? "" : "with-drawer"}>
      <div class="content">
        <Head
          title="Requests"
          lead={`The last 1,000 calls to ${environment}, kept 7 days. Secrets and personal data are masked.`}
        />
        <div class="filters">
          <label class="search">
            <span class="visually-hidden">Search by path, code or request id</span>
            <Icon name="search" />
            <input
              type="search"
              placeholder="Path, code or request id"
              value={search}
              onInput={({ currentTarget }) => {
                setSearch(currentTarget.value)
                setCursors([])
              }}
            />
          </label>
          <div class="chips" role="group" aria-label="Status">
            {["", ...CLASSES].map((one) => (
              <button
                key={one}
                type="button"
                class="chip"
                aria-pressed={status === one}
                onClick={() => {
                  setStatus(one)
                  setCursors([])
                }}
              >
                {one === "" ? "All" : `${one} ${counts?.[one as (typeof CLASSES)[number]] ?? ""}`}
              </button>
            ))}
          </div>
          <span class="small quiet">{isLive ? "Live" : "Paused"}</span>
        </div>
        {fault !== null && data === null ? (
          <ReadProblem what="Requests" fault={fault} onAgain={reload} />
        ) : data !== null && data.requests.length === 0 ? (
          <Empty title="No calls">
            {q === "" && status === ""
              ? "Calls appear here as soon as a program sends one with a key of this environment."
              : "No call is like that."}
          </Empty>
        ) : (
          <>
            <CallTable rows={data?.requests ?? null} chosen={chosen} onOpen={open} />
            <Paging
              text={
                data === null
                  ? ""
                  : `${cursors.length * PAGE + 1}–${cursors.length * PAGE + data.requests.length}`
              }
              onNewer={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
              onOlder={next === null ? null : () => setCursors([...cursors, next])}
            />
          </>
        )}
      </div>
      {chosen === null ? null : (
        <CallDrawer key={chosen} id={chosen} environment={environment} onClose={close} />
      )}
    </div>
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
        { name: "At", isEnd: true, cell: ({ at }) => clockTime(at) },
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
        <ReadProblem what="The call" fault={fault} onAgain={reload} />
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
        {typeof error === "string" ? <p class="small quiet">{error}</p> : null}
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
            ["At", `${clockTime(call.at)}, ${fromNow(call.at)}`],
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
