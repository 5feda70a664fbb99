/** One site: its reservations as a plain list. */

import type { JSX } from "preact"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useRefresh, useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"

interface Board {
  readonly name: string
  readonly reservations: readonly {
    readonly reservation_id: string
    readonly order_number: string
    readonly stall_label: string | null
    readonly column: string
    readonly due_at: string
    readonly is_late: boolean
  }[]
}

const REFRESH_MS = 5_000

export function BoardPage({ siteId }: { readonly siteId: string }): JSX.Element {
  const path = `/internal/v1/sites/${encodeURIComponent(siteId)}/board`
  const { data, fault, reload } = useResource(async () => (await read<{ board: Board }>(path)).board, [path])
  useRefresh(reload, REFRESH_MS)
  if (data === null) {
    return fault === null ? (
      <Skeleton lines={8} />
    ) : (
      <ReadProblem what="The site" fault={fault} onAgain={reload} />
    )
  }
  const { name, reservations } = data
  const late = reservations.filter(({ is_late: isLate }) => isLate).length
  return (
    <>
      <Head title={name} lead={`${reservations.length} open reservations, ${late} late.`} />
      {reservations.length === 0 ? (
        <Empty title="Nothing is booked here">A reservation appears as soon as a partner books one.</Empty>
      ) : (
        <Table
          label="Reservations"
          rows={reservations}
          keyOf={({ reservation_id: id }) => id}
          columns={[
            { name: "Order", cell: ({ order_number: order }) => order },
            { name: "Stall", cell: ({ stall_label: stall }) => stall ?? "none" },
            { name: "State", cell: ({ column }) => column },
            {
              name: "Due",
              cell: ({ due_at: due }) => <time dateTime={due}>{new Date(due).toLocaleTimeString()}</time>,
            },
          ]}
        />
      )}
    </>
  )
}
