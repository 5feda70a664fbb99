/** Mails and texts of the outbox. */

import type { JSX } from "preact"
import type { MessageStatus } from "../../../../model/message.ts"
import type { IconName } from "../../design/icon.tsx"
import { Pill } from "../../design/pill.tsx"
import type { Tone } from "../../design/pill.tsx"
import { fromRealNow } from "../../portal/times.ts"
import { send } from "../api.ts"
import { Time } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import type { MessageRow } from "./records.ts"

const sendNow: BulkAction<MessageRow> = {
  name: "Send now…",
  icon: "send",
  role: "admin",
  titleOf: (count) => `Send ${count} now`,
  happens: [
    [
      "send",
      "A message that waits for its next attempt is tried at once, with the attempts that it has left.",
    ],
    [
      "ban",
      "One that was sent, given up or suppressed is refused: its text is gone, or was never to be sent.",
    ],
  ],
  send: async ({ message_id: id }) => {
    await send("POST", `/internal/v1/messages/${encodeURIComponent(id)}/send`)
  },
  done: "tried",
}

const LOOKS: Readonly<Record<MessageStatus, readonly [Tone, IconName]>> = {
  sent: ["ok", "check"],
  pending: ["move", "clock"],
  failed: ["bad", "circle-x"],
  expired: ["bad", "clock"],
  suppressed: ["idle", "ban"],
}

function listOf(channel: MessageRow["channel"], words: { readonly one: string; readonly many: string }) {
  const name = `${words.many.charAt(0).toUpperCase()}${words.many.slice(1)}`
  return {
    ...words,
    path: words.many,
    name,
    lead: `${name} that the service wrote, newest first. A text is deleted once it was sent or given up.`,
    readsFrom: "/internal/v1/messages",
    field: "messages",
    searches: channel === "mail" ? "Address or id" : "Number or id",
    states: {
      parameter: "status",
      choices: [
        ["All", []],
        ["Waiting", ["pending"]],
        ["Sent", ["sent"]],
        ["Failed", ["failed", "expired"]],
        ["Suppressed", ["suppressed"]],
      ],
    },
    dated: "Written",
    hasSites: false,
    hasOrganizations: false,
    always: { channel },
    keyOf: ({ message_id: id }) => id,
    nameOf: ({ to, purpose }) => `${purpose.replaceAll("-", " ")} to ${to}`,
    columnsOf: () => [
      {
        name: "To",
        cell: ({ to, purpose }) => (
          <>
            <span class="main">{to}</span>
            <span class="under">{purpose.replaceAll("-", " ")}</span>
          </>
        ),
      },
      { name: "State", cell: (row) => <StateCell row={row} /> },
      {
        name: "What",
        cell: (row) => <MessageText row={row} />,
      },
      { name: "Written", isEnd: true, cell: ({ created_at: at }) => <Time at={at} /> },
    ],
    actions: [sendNow],
    nothing: "The service writes one where a person has to know something.",
  } satisfies ListKind<MessageRow>
}

export const MAILS: ListKind<MessageRow> = listOf("mail", { one: "mail", many: "mails" })

export const TEXTS: ListKind<MessageRow> = listOf("sms", { one: "text", many: "texts" })

/** A mail opens at its subject; texts are read as they stand. */
export function MessageText({
  row: { subject, text },
}: {
  readonly row: Pick<MessageRow, "subject" | "text">
}): JSX.Element {
  if (subject === null || text === "")
    return (
      <span class="sentence">{subject ?? (text === "" ? <span class="faint">deleted</span> : text)}</span>
    )
  return (
    <details class="message">
      <summary>{subject}</summary>
      <p class="small">{text}</p>
    </details>
  )
}

export function StateCell({
  row: { status, reason, attempts, due_at: due },
}: {
  readonly row: Pick<MessageRow, "attempts" | "due_at" | "reason" | "status">
}): JSX.Element {
  const [tone, icon] = LOOKS[status]
  const tried = attempts === 0 ? null : `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`
  const next = status === "pending" && attempts > 0 ? `next ${fromRealNow(due)}` : null
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {`${status.charAt(0).toUpperCase()}${status.slice(1)}`}
      </Pill>
      <span class="under">{[reason, tried, next].filter((part) => part !== null).join(", ")}</span>
    </>
  )
}
