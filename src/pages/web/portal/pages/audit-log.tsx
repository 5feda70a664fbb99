/** The organization's audit log: who did what, and when. */

import type { JSX } from "preact"
import { ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useResource } from "../../resource.ts"
import { dayTime, inZone } from "../times.ts"
import { FilterPaging, PAGE, useFilters } from "./filters.tsx"
import { ReadProblem } from "./problem.tsx"

type Line = Schemas["AuditLine"]

export function AuditLog(): JSX.Element {
  const filters = useFilters()
  const { cursor } = filters
  const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/audit-log", { params: { query } })),
    [cursor],
  )
  return (
    <div class="content">
      <Head
        title="Audit log"
        lead="What members, keys and operations changed, kept a year. It holds ids alone."
      />
      {fault !== null && data === null ? (
        <ReadProblem what="The audit log" fault={fault} onAgain={reload} />
      ) : data?.lines.length === 0 ? (
        <Empty title="Nothing was changed yet">Every command of the portal writes a line here.</Empty>
      ) : (
        <>
          <Table
            label="Audit log"
            hasTwoLines
            rows={data?.lines ?? null}
            keyOf={({ at, action, subject_id: subject }) => `${at} ${action} ${subject ?? ""}`}
            columns={[
              {
                name: inZone("When"),
                cell: ({ at }) => <time dateTime={at}>{dayTime(at)}</time>,
              },
              { name: "Who", cell: whoOf },
              {
                name: "What",
                cell: ({ action, environment }) => (
                  <>
                    <span class="main">{inWords(action)}</span>
                    <span class="under">{environment}</span>
                  </>
                ),
              },
              {
                name: "About",
                cell: ({ subject_id: subject }) =>
                  subject === null ? null : <ShortId id={subject} label="Copy the id" />,
              },
              {
                name: "Facts",
                isEnd: true,
                cell: ({ facts }) =>
                  Object.entries(facts)
                    .map(([name, value]) => `${name.replace("_", " ")} ${value}`)
                    .join(", "),
              },
            ]}
          />
          <FilterPaging filters={filters} count={data?.lines.length ?? 0} next={data?.next_cursor ?? null} />
        </>
      )}
    </div>
  )
}

function whoOf({ actor: { type, name } }: Line): string {
  if (type === "operator") return "Operations"
  if (type === "key") return `Key …${name ?? ""}`
  return name ?? "Somebody who has left"
}

/** `makeApiKey` becomes "Make API key". */
function inWords(action: string): string {
  const text = action
    .replaceAll(/([A-Z])/g, " $1")
    .toLowerCase()
    .replaceAll(/\b(?:api|url)\b/g, (short) => short.toUpperCase())
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
