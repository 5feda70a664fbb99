/** The newest mails and texts, and what became of each. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Empty } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useRefresh, useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"
import { MessageText, StateCell } from "../lists/messages.tsx"
import type { MessageRow } from "../lists/records.ts"

type Channel = MessageRow["channel"]

/** ms */
const REFRESH_MS = 10_000
const LIMIT = 100

export function Outbox(): JSX.Element {
  const [channel, setChannel] = useState<Channel>("mail")
  const path = `/internal/v1/messages?channel=${channel}&limit=${LIMIT}`
  const { data, fault, reload } = useResource(
    () => read<{ readonly messages: readonly MessageRow[] }>(path),
    [path],
  )
  useRefresh(reload, REFRESH_MS)
  return (
    <section class="settings-part">
      <Head
        title="Mails and texts"
        lead="The newest messages, and what became of each. A mail that waits opens at its subject; a text is deleted once it was sent."
      />
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
          Each message to a person appears here.
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
              cell: (message) => (
                <>
                  <MessageText row={message} />
                  <span class="under">{message.purpose.replaceAll("-", " ")}</span>
                </>
              ),
            },
            { name: "State", isEnd: true, cell: (message) => <StateCell row={message} /> },
          ]}
        />
      )}
    </section>
  )
}
