/** The hold on outbound calls, which a restored database starts with. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { Facts } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useRefresh, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"

type Held = Schemas["Calls"]

/** ms */
const REFRESH_MS = 5000

export function Calls(): JSX.Element {
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/internal/v1/calls")))
  useRefresh(reload, REFRESH_MS)
  return (
    <section class="settings-part">
      <Head title="Outbound calls" lead="One hold is for both environments, on every node." />
      {data !== null ? (
        <Hold calls={data.calls} onReleased={reload} />
      ) : fault === null ? (
        <Skeleton />
      ) : (
        <ReadProblem what="The hold on calls" fault={fault} onAgain={reload} />
      )}
    </section>
  )
}

interface HoldProps {
  readonly calls: Held
  readonly onReleased: () => Promise<void>
}

function Hold({ calls, onReleased }: HoldProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const { are_held: areHeld, held_since: since, held_by: by } = calls
  return (
    <>
      <Banner tone={areHeld ? "wait" : "ok"}>
        {areHeld
          ? `Webhooks, open links, payments, mails and texts are held since ${since === null ? "the start" : dayTime(since, null, Date.now())}, ${by === "restore" ? "because the database was restored" : "by a command"}.`
          : "Webhooks, open links, payments, mails and texts leave as they come."}
      </Banner>
      <Facts
        facts={[
          ["Calls that wait", String(calls.calls_waiting)],
          ["Mails and texts that wait", String(calls.messages_waiting)],
        ]}
      />
      {areHeld && mayCall("releaseCalls") ? (
        <div class="row">
          <Button look="primary" onPress={() => setAsking(true)}>
            Release the calls…
          </Button>
        </div>
      ) : areHeld ? null : (
        <p class="small quiet">
          A restored database starts with its calls held; the command <code>curbline restore</code> says how.
        </p>
      )}
      {isAsking ? (
        <Confirm
          title="Release the calls?"
          happens={[
            `${calls.calls_waiting} calls and ${calls.messages_waiting} mails and texts leave, on every node within a second.`,
            "What has left cannot be called back.",
            "If this database is a copy, partners and customers get every message twice: keep it held then.",
          ]}
          action="Release the calls"
          busy="Releasing…"
          onConfirm={async () => {
            await dataOf(api.POST("/internal/v1/calls/release"))
            setAsking(false)
            toast("Calls leave again")
            await onReleased()
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
