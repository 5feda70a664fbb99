/** The courier connector for agents: whether it answers, its fleet's vehicles, and where clients may return to. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { Form } from "../../design/form.tsx"
import { AddVehicle } from "./site-fleet.tsx"

export function Connector(): JSX.Element {
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/internal/v1/connector")))
  const [isAsking, setAsking] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const isPaused = data?.connector.is_paused ?? false
  const set = async (pause: boolean): Promise<void> => {
    await dataOf(pause ? api.POST("/internal/v1/connector/pause") : api.POST("/internal/v1/connector/resume"))
    setAsking(false)
    toast(pause ? "Paused on every node" : "It answers again")
    await reload()
  }
  return (
    <>
      <Head title="Connector" lead="How agents order couriers for linked users, over MCP.">
        {mayCall("addVehicle") ? (
          <Button icon="plus" onPress={() => setAdding(true)}>
            Add a vehicle
          </Button>
        ) : null}
        {data === null || !mayCall("pauseConnector") ? null : (
          <Button look={isPaused ? "primary" : "danger quiet"} onPress={() => setAsking(true)}>
            {isPaused ? "Resume…" : "Pause…"}
          </Button>
        )}
      </Head>
      {data === null ? (
        fault === null ? (
          <Skeleton />
        ) : (
          <ReadProblem what="The connector" fault={fault} onAgain={reload} />
        )
      ) : (
        <section>
          <Banner tone={isPaused ? "wait" : "ok"}>
            {isPaused
              ? `It is paused since ${dayTime(data.connector.paused_at ?? "", null, Date.now())}: its paths answer 404.`
              : "It answers agents."}
          </Banner>
          <Facts
            facts={[
              ["Numbers that may link", String(data.connector.enabled_phones)],
              ["Allowed redirect URIs", String(data.connector.allowed_redirects)],
            ]}
          />
        </section>
      )}
      {mayCall("listAllowedRedirects") ? <Redirects onAllowed={reload} /> : null}
      {isAsking ? (
        <Confirm
          title={isPaused ? "Resume the connector?" : "Pause the connector?"}
          happens={isPaused ? RESUMING : PAUSING}
          action={isPaused ? "Resume it" : "Pause it"}
          busy={isPaused ? "Resuming…" : "Pausing…"}
          isSafe={isPaused}
          onConfirm={() => set(!isPaused)}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {isAdding ? (
        <AddVehicle fleetId="" onClose={() => setAdding(false)} onAdded={() => setAdding(false)} />
      ) : null}
    </>
  )
}

const PAUSING = [
  "Agents get 404 on every node, from the next request on: they can neither link users nor order.",
  "Errands on their way go on, and their checkout and tracking pages still open.",
  "Users stay linked. Agents work again when the connector is resumed.",
]
const RESUMING = ["Agents get answers again, with the links and tokens that they had."]

/** An exact redirect URI can be allowed; the service has no command to take one back. */
function Redirects({ onAllowed }: { readonly onAllowed: () => Promise<void> }): JSX.Element {
  const { data, fault, reload } = useResource(() =>
    everyRow(
      (query) => api.GET("/internal/v1/connector/redirects", { params: { query } }),
      (page) => page.redirects,
    ),
  )
  return (
    <section aria-labelledby="redirects">
      <div>
        <h2 id="redirects">Redirect URIs</h2>
        <p class="small quiet">
          Where a client may send a user back after linking. They are compared character by character.
        </p>
      </div>
      {data === null && fault !== null ? (
        <ReadProblem what="The redirect URIs" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <p class="small quiet">None yet: no client can register.</p>
      ) : (
        <Table
          label="Redirect URIs"
          rows={data}
          keyOf={({ redirect_uri: uri }) => uri}
          columns={[
            { name: "URI", cell: ({ redirect_uri: uri }) => <span class="mono tiny breaks">{uri}</span> },
            {
              name: "Allowed",
              isEnd: true,
              cell: ({ allowed_at: at }) => dayTime(at, null, Date.now()),
            },
          ]}
        />
      )}
      {mayCall("allowRedirect") ? (
        <AllowRedirect
          onAllowed={async () => {
            await Promise.all([reload(), onAllowed()])
          }}
        />
      ) : null}
    </section>
  )
}

function AllowRedirect({ onAllowed }: { readonly onAllowed: () => Promise<void> }): JSX.Element {
  const [uri, setUri] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = { redirect_uri: uri.trim() }
    await dataOf(api.POST("/internal/v1/connector/redirects", { body }))
    setUri("")
    toast("Clients may register it")
    await onAllowed()
  })
  return (
    <Form look="inline-form" onSend={send}>
      <TextField
        label="One more redirect URI"
        type="url"
        hint="https, without a fragment."
        value={uri}
        onChange={setUri}
        error={fault === null ? null : (fault.fields["redirect_uri"] ?? fault.message)}
      />
      <Button icon="plus" type="submit" isBusy={isBusy} isDisabled={uri.trim() === ""}>
        Allow
      </Button>
    </Form>
  )
}
