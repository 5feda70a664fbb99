/** The hold on outbound calls, which a restored database starts with. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { Facts } from "../../design/table.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { read, send } from "../api.ts"

interface Held {
  readonly calls: {
    readonly are_held: boolean
    readonly held_since: string | null
    readonly held_by: "command" | "restore" | null
    readonly calls_waiting: number
    readonly messages_waiting: number
  }
}

/** ms */
const REFRESH_MS = 5000

export function Calls(): JSX.Element {
  const { data, fault, reload } = useResource(() => read<Held>("/internal/v1/calls"))
  useRefresh(reload, REFRESH_MS)
  const release = useCommand(async () => {
    await send("POST", "/internal/v1/calls/release")
    toast("Calls leave again")
    await reload()
  })
  if (data === null) {
    return fault === null ? (
      <Skeleton />
    ) : (
      <ReadProblem what="The hold on calls" fault={fault} onAgain={reload} />
    )
  }
  const { are_held: areHeld, held_since: since, held_by: by } = data.calls
  return (
    <section class="settings-part">
      <Banner tone={areHeld ? "wait" : "ok"}>
        {areHeld
          ? `Webhooks, open links, payments, mails and texts are held since ${since === null ? "the start" : dayTime(since, null, Date.now())}, ${by === "restore" ? "because the database was restored" : "by a command"}.`
          : "Webhooks, open links, payments, mails and texts leave as they come."}
      </Banner>
      <Facts
        facts={[
          ["Calls that wait", String(data.calls.calls_waiting)],
          ["Mails and texts that wait", String(data.calls.messages_waiting)],
        ]}
      />
      <CommandProblem fault={release.fault} />
      {areHeld ? (
        <>
          <p class="small quiet">
            Released calls leave on every node within a second. Hold them while this database is a copy: a
            copy that calls out tells partners everything twice.
          </p>
          <Button look="primary" isBusy={release.isBusy} onPress={() => release.send()}>
            Release the calls
          </Button>
        </>
      ) : (
        <p class="small quiet">
          A restored database starts with its calls held; the command <code>curbline restore</code> says how.
        </p>
      )}
    </section>
  )
}
