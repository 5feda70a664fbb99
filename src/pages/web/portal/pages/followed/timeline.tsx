/** What happened to one thing, step by step, from its journal; read when it is opened. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Table } from "../../../design/table.tsx"
import type { Schemas } from "../../api.ts"
import { useResource } from "../../../resource.ts"
import { clockTime, inZone } from "../../times.ts"
import { ReadProblem } from "../problem.tsx"

type Line = Schemas["TimelineLine"]

interface TimelineProps {
  /** "delivery" */
  readonly what: string
  readonly zone: string | null
  readonly read: () => Promise<{ readonly timeline: readonly Line[] }>
}

export function Timeline(props: TimelineProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Timeline</strong> <span class="quiet small">every step of this {props.what}</span>
      </summary>
      {isOpen ? <Lines {...props} /> : null}
    </details>
  )
}

function Lines({ zone, read }: TimelineProps): JSX.Element {
  const { data, fault, reload } = useResource(read)
  if (fault !== null && data === null)
    return <ReadProblem what="The timeline" fault={fault} onAgain={reload} />
  return (
    <Table
      label="Timeline"
      rows={data?.timeline ?? null}
      keyOf={({ revision, event }) => `${revision} ${event}`}
      columns={[
        { name: inZone("At", zone), cell: ({ at }) => clockTime(at, zone) },
        { name: "What", cell: ({ label }) => label },
        { name: "Then", cell: changeOf },
        { name: "By", isEnd: true, cell: ({ by }) => by },
      ]}
    />
  )
}

function changeOf({ before, after, refused }: Line): string {
  if (refused !== null) return `refused: ${refused}`
  return before === after ? after : `${before ?? "new"} → ${after}`
}
