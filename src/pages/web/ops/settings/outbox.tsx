/** The newest mails and texts, and what became of each. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Empty } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import type { Tone } from "../../design/pill.tsx"
import type { IconName } from "../../design/icon.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useRefresh, useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"

type Channel = "mail" | "sms"
type Status = "failed" | "pending" | "sent" | "suppressed"

interface Message {
  readonly message_id: string
  readonly purpose: string
  readonly to: string
  readonly subject: string | null
  readonly text: string
  readonly status: string
  readonly attempts: number
  readonly reason: string | null
  readonly created_at: string
}

/** ms */
const REFRESH_MS = 10_000
const LIMIT = 100

const LOOKS: Readonly<Record<Status, readonly [Tone, IconName]>> = {
  sent: ["ok", "check"],
  pending: ["move", "clock"],
  failed: ["bad", "circle-x"],
  suppressed: ["idle", "ban"],
}

export function Outbox(): JSX.Element {
  const [channel, setChannel] = useState<Channel>("mail")
  const path = `/internal/v1/messages?channel=${channel}&limit=${LIMIT}`
  const { data, fault, reload } = useResource(
    () => read<{ readonly messages: readonly Message[] }>(path),
    [path],
  )
  useRefresh(reload, REFRESH_MS)
  return (
    <section class="settings-part">
      <Head title="Mails and texts" lead="The newest messages, and what became of each." />
      <SelectField
        label="Channel"
        value={channel}
        options={[
          ["mail", "Mails"],
          ["sms", "Texts"],
        ]}
        onChange={setChannel}
      />
      {data === null && fault !== null ? (
        <ReadProblem what="The messages" fault={fault} onAgain={reload} />
      ) : data?.messages.length === 0 ? (
        <Empty title={channel === "mail" ? "No mail was written yet" : "No text was written yet"}>
          The service writes one where a person is told something.
        </Empty>
      ) : (
        <Table
          label={channel === "mail" ? "Mails" : "Texts"}
          rows={data?.messages ?? null}
          keyOf={({ message_id: id }) => id}
          hasTwoLines
          columns={[
            { name: "Written", cell: ({ created_at: at }) => dayTime(at, null, Date.now()) },
            { name: "To", cell: ({ to }) => to },
            {
              name: "What",
              cell: ({ purpose, subject, text }) => (
                <span class="sentence">
                  {subject ?? (text === "" ? purpose.replaceAll("_", " ") : text)}
                  <span class="under">{purpose.replaceAll("_", " ")}</span>
                </span>
              ),
            },
            { name: "State", isEnd: true, cell: (message) => <State message={message} /> },
          ]}
        />
      )}
    </section>
  )
}

function State({ message: { status, reason, attempts } }: { readonly message: Message }): JSX.Element {
  const [tone, icon] = status in LOOKS ? LOOKS[status as Status] : (["idle", "circle-dashed"] as const)
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {`${status.charAt(0).toUpperCase()}${status.slice(1)}`}
      </Pill>
      <span class="under">{reason ?? (attempts > 1 ? `${attempts} attempts` : "")}</span>
    </>
  )
}
