/** Calls about one thing, from the request log; read when they are opened. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import { useResource } from "../../resource.ts"
import type { Environment } from "../session.ts"
import { clockTime, inZone } from "../times.ts"
import { environmentName } from "../words.tsx"
import { ReadProblem } from "./problem.tsx"

interface RequestsMadeProps {
  /** The part of a path that names the thing: `/deliveries/order-8841`. */
  readonly path: string
  readonly environment: Environment
}

export function RequestsMade(props: RequestsMadeProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Requests</strong> <span class="quiet small">of your programs, with this id in the path</span>
      </summary>
      {isOpen ? <Calls {...props} /> : null}
    </details>
  )
}

function Calls({ path, environment }: RequestsMadeProps): JSX.Element {
  const query = { environment, path, limit: 50 }
  const { data, fault, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/requests", { params: { query } })),
  )
  if (fault !== null && data === null)
    return <ReadProblem what="The requests" fault={fault} onAgain={reload} />
  if (data?.requests.length === 0)
    return <p class="small quiet">None among the last 1,000 calls to {environmentName(environment)}.</p>
  return (
    <Table
      label="Requests of programs"
      rows={data?.requests ?? null}
      keyOf={({ request_id: id }) => id}
      columns={[
        {
          name: "Request",
          cell: ({ request_id: id, method, path: sent }) => (
            <a class="mono tiny main" href={`/portal/requests/${encodeURIComponent(id)}`}>
              <span class="quiet">{method}</span> {sent}
            </a>
          ),
        },
        {
          name: "Status",
          cell: ({ status, code }) => (
            <>
              <span class={`status ${status < 400 ? "good" : "failed"}`}>{status}</span>{" "}
              {code === null ? "" : <span class="mono tiny bad">{code}</span>}
            </>
          ),
        },
        { name: inZone("At"), isEnd: true, cell: ({ at }) => clockTime(at) },
      ]}
    />
  )
}
