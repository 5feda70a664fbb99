/** The audit log of operations: who changed what. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Pill } from "../../design/pill.tsx"
import { Paging, Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { clockTime, inZone } from "../../portal/times.ts"
import { useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"

interface Action {
  readonly number: number
  readonly at: string
  readonly actor_type: "account" | "customer" | "phone" | "token"
  readonly actor: string
  readonly action: string
  readonly subject_id: string | null
  readonly outcome: string
}

const PAGE = 50

/** `27 Nov 2026, 22:08:53`: lines are kept for a year. */
function dayAndTime(iso: string): string {
  const day = { day: "numeric", month: "short", year: "numeric" } as const
  return `${new Intl.DateTimeFormat("en-GB", day).format(new Date(iso))}, ${clockTime(iso)}`
}

export function AuditLog(): JSX.Element {
  /** Numbers before which the pages so far began; the last one is shown. */
  const [places, setPlaces] = useState<readonly number[]>([])
  const before = places.at(-1)
  const { data, fault, reload } = useResource(async () => {
    const place = before === undefined ? "" : `&before=${before}`
    const page = await read<{ actions: readonly Action[] }>(`/internal/v1/audit-log?limit=${PAGE}${place}`)
    return page.actions
  }, [before])
  const last = data?.at(-1)
  return (
    <>
      <Head
        title="Audit log"
        lead="What operators and runners changed or tried to change in this environment, and who tried to open a compartment. It holds ids alone, for a year."
      />
      {fault !== null && data === null ? (
        <ReadProblem what="The audit log" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title="Nothing was changed yet">
          Every change at these pages and at runners' phones writes a line here.
        </Empty>
      ) : (
        <>
          <Table
            label="Audit log"
            rows={data}
            keyOf={({ number }) => String(number)}
            columns={[
              { name: inZone("When"), cell: ({ at }) => <time dateTime={at}>{dayAndTime(at)}</time> },
              {
                name: "Who",
                cell: ({ actor, actor_type: type }) =>
                  `${actor}${type === "phone" || type === "token" ? ` (${type})` : ""}`,
              },
              { name: "What", cell: ({ action }) => inWords(action) },
              {
                name: "About",
                cell: ({ subject_id: id }) => (id === null ? null : <ShortId id={id} label="Copy the id" />),
              },
              {
                name: "Result",
                cell: ({ outcome }) =>
                  outcome === "done" ? (
                    <Pill tone="ok" icon="check">
                      Done
                    </Pill>
                  ) : (
                    <Pill tone="bad" icon="ban">
                      {outcome}
                    </Pill>
                  ),
              },
            ]}
          />
          <Paging
            text={`Page ${places.length + 1}`}
            onNewer={places.length === 0 ? null : () => setPlaces(places.slice(0, -1))}
            onOlder={
              last === undefined || (data?.length ?? 0) < PAGE
                ? null
                : () => setPlaces([...places, last.number])
            }
          />
        </>
      )}
    </>
  )
}

/** `changeOperator` as "Change operator". */
function inWords(action: string): string {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
