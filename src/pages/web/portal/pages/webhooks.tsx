/** Webhook endpoints of both products in one environment: registered, tested, changed, switched off. */

import type { JSX } from "preact"
import { useCallback, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { Menu } from "../../design/overlay.tsx"
import type { MenuItem } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import { Head } from "../frame.tsx"
import { isSending, useLive } from "../live.ts"
import { useCommand, useResource } from "../../resource.ts"
import { useOpened } from "../opened.ts"
import type { Addresses } from "../opened.ts"
import type { PageProps } from "../session.ts"
import { dayTime } from "../times.ts"
import { CheckSignature } from "./check-signature.tsx"
import { Danger } from "./danger.tsx"
import { PRODUCT_NAMES, changed, endpointsIn } from "./endpoints.ts"
import type { Endpoint, Environment } from "./endpoints.ts"
import { NewEndpoint, SecretOnce } from "./new-endpoint.tsx"
import { ReadProblem } from "./problem.tsx"
import { ResendSince } from "./resend-since.tsx"
import { EventDrawer, WebhookLog } from "./webhook-log.tsx"

/** The event that is open, after the filters of the log. */
const OPENED: Addresses = {
  idNow: () => new URLSearchParams(window.location.hash.slice(1)).get("event"),
  addressOf: (id) => {
    const { pathname, search } = window.location
    return `${pathname}${search}${id === null ? "" : `#event=${encodeURIComponent(id)}`}`
  },
}

export function Webhooks({ environment }: PageProps): JSX.Element {
  const [chosen, setChosen] = useOpened(OPENED)
  const close = useCallback(() => setChosen(null), [setChosen])
  return (
    <div class={chosen === null ? "" : "with-drawer"}>
      <div class="content stack">
        <Endpoints environment={environment} />
        <WebhookLog environment={environment} chosen={chosen} onChoose={setChosen} />
      </div>
      {chosen === null ? null : (
        <EventDrawer key={chosen} id={chosen} environment={environment} onClose={close} />
      )}
    </div>
  )
}

function Endpoints({ environment }: { readonly environment: Environment }): JSX.Element {
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [removing, setRemoving] = useState<Endpoint | null>(null)
  const { data, fault, reload } = useResource(() => endpointsIn(environment))
  useLive(reload, { concerns: isSending, ms: REFRESH_MS })
  const make = (
    <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
      Register an endpoint
    </Button>
  )
  const shown = (value: string | null): void => {
    setMaking(false)
    setSecret(value)
    void reload()
  }
  return (
    <div>
      <Head
        title="Webhooks"
        lead="Your receivers get signed events; one that fails is tried again, after longer and longer waits."
      >
        {data?.length === 0 ? null : make}
      </Head>
      {fault !== null && data === null ? (
        <ReadProblem what="Endpoints" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title="No endpoints yet" action={make}>
          An endpoint is a URL of yours that answers 2xx to what we send.
        </Empty>
      ) : (
        <EndpointTable
          rows={data}
          environment={environment}
          onSecret={shown}
          onChanged={reload}
          onRemove={setRemoving}
        />
      )}
      {isMaking ? (
        <NewEndpoint environment={environment} onClose={() => setMaking(false)} onMade={shown} />
      ) : null}
      {secret === null ? null : <SecretOnce secret={secret} onClose={() => setSecret(null)} />}
      {removing === null ? null : (
        <Remove
          endpoint={removing}
          environment={environment}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null)
            toast("Removed")
            void reload()
          }}
        />
      )}
    </div>
  )
}

interface EndpointTableProps {
  readonly rows: readonly Endpoint[] | null
  readonly environment: Environment
  readonly onSecret: (secret: string | null) => void
  readonly onChanged: () => Promise<void>
  readonly onRemove: (endpoint: Endpoint) => void
}

function EndpointTable({
  rows,
  environment,
  onSecret,
  onChanged,
  onRemove,
}: EndpointTableProps): JSX.Element {
  return (
    <Table
      label="Endpoints"
      hasTwoLines
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Endpoint",
          cell: ({ url, product }) => (
            <>
              <span class="main">{url.replace(/^https?:\/\//, "")}</span>
              <span class="under">{PRODUCT_NAMES[product]}</span>
            </>
          ),
        },
        { name: "State", cell: (endpoint) => <StateOf endpoint={endpoint} /> },
        { name: "Events", cell: ({ events }) => <span class="mono tiny">{events.join(", ")}</span> },
        { name: "Made", isEnd: true, cell: ({ createdAt }) => dayTime(createdAt) },
        {
          name: "",
          isEnd: true,
          cell: (endpoint) => (
            <EndpointActions
              endpoint={endpoint}
              environment={environment}
              onSecret={onSecret}
              onChanged={onChanged}
              onRemove={() => onRemove(endpoint)}
            />
          ),
        },
      ]}
    />
  )
}

/** ms; a failing endpoint counts up while its page is open. */
const REFRESH_MS = 10_000

/** After so many failures in a row an endpoint of Direct Delivery is switched off. */
const FAILURES_MAX = 50

function offWords(reason: string): string {
  return reason === "consecutive_failures" ? `after ${FAILURES_MAX} failures in a row` : reason
}

function StateOf({
  endpoint: { isActive, failures, disabledReason },
}: {
  readonly endpoint: Endpoint
}): JSX.Element {
  if (!isActive) {
    return (
      <>
        <Pill tone="bad" icon="ban">
          Switched off
        </Pill>
        {disabledReason === null ? null : <span class="under">{offWords(disabledReason)}</span>}
      </>
    )
  }
  return (failures ?? 0) > 0 ? (
    <>
      <Pill tone="bad" icon="triangle-alert">
        Failing
      </Pill>
      <span class="under">
        {failures} in a row of {FAILURES_MAX}
      </span>
    </>
  ) : (
    <Pill tone="ok" icon="circle-check">
      Active
    </Pill>
  )
}

interface EndpointActionsProps {
  readonly endpoint: Endpoint
  readonly environment: Environment
  readonly onSecret: (secret: string | null) => void
  readonly onChanged: () => Promise<void>
  readonly onRemove: () => void
}

function EndpointActions(props: EndpointActionsProps): JSX.Element {
  const { endpoint, environment, onSecret, onChanged, onRemove } = props
  const command = useCommand(async (wanted: "rotate" | "switch" | "test") => {
    if (wanted === "test") {
      const params = { path: { id: endpoint.id }, query: { environment } }
      await dataOf(api.POST("/portal/api/delivery-webhooks/{id}/test", { params }))
      toast({ text: "The test event is on its way", icon: "send" })
    } else {
      const change = wanted === "rotate" ? { rotate_secret: true } : { is_active: !endpoint.isActive }
      const secret = await changed(endpoint, environment, change)
      if (wanted === "rotate") onSecret(secret)
      else toast(endpoint.isActive ? "Switched off" : "Switched on")
    }
    await onChanged()
  })
  const [isChecking, setChecking] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const [isResending, setResending] = useState(false)
  const host = endpoint.url.replace(/^https?:\/\//, "")
  return (
    <>
      {command.fault === null ? null : <span class="bad tiny">{command.fault.message} </span>}
      <Menu
        label={`Actions of ${host}`}
        icon="ellipsis"
        isSmall
        items={actionsOf(endpoint, (chosen) => {
          if (chosen === "check") setChecking(true)
          else if (chosen === "rotate") setRotating(true)
          else if (chosen === "resend") setResending(true)
          else if (chosen === "remove") onRemove()
          else command.send(chosen)
        })}
      />
      {isRotating ? (
        <Rotate
          host={new URL(endpoint.url).host}
          isReal={environment === "production"}
          onClose={() => setRotating(false)}
          onRotate={() => {
            setRotating(false)
            command.send("rotate")
          }}
        />
      ) : null}
      {isResending ? (
        <ResendSince
          id={endpoint.id}
          host={host}
          environment={environment}
          onClose={() => setResending(false)}
          onSent={onChanged}
        />
      ) : null}
      {isChecking ? (
        <CheckSignature
          id={endpoint.id}
          host={host}
          environment={environment}
          onClose={() => setChecking(false)}
        />
      ) : null}
    </>
  )
}

type EndpointAction = "check" | "remove" | "resend" | "rotate" | "switch" | "test"

/** What can be done with an endpoint now. The reservations contract has no test event, and can only switch off. */
function actionsOf(
  { product, isActive }: Endpoint,
  choose: (action: EndpointAction) => void,
): readonly MenuItem[] {
  const isDelivery = product === "deliveries"
  const about = isActive ? "Events are discarded meanwhile" : "It gets events again"
  const all: readonly (readonly [action: EndpointAction, isThere: boolean, name: string, about: string])[] = [
    ["test", isDelivery && isActive, "Send a test event", "webhook.test, signed like every event"],
    ["resend", isDelivery && isActive, "Resend since…", "What was not delivered, oldest first"],
    ["check", true, "Check a signature", "Paste what your receiver got"],
    ["rotate", true, "Rotate the secret", "The new one is shown once"],
    ["switch", true, isActive ? "Switch off" : "Switch on", about],
    ["remove", isDelivery, "Remove…", "Events for it are discarded"],
  ]
  return all
    .filter(([, isThere]) => isThere)
    .map(([action, , name, text]) => ({ name, about: text, onChoose: () => choose(action) }))
}

interface RotateProps {
  readonly host: string
  readonly isReal: boolean
  readonly onClose: () => void
  readonly onRotate: () => void
}

/** The old secret ends at once: a receiver that does not have the new one refuses every event. */
function Rotate({ host, isReal, onClose, onRotate }: RotateProps): JSX.Element {
  return (
    <Danger
      title={`Rotate the secret of ${host}?`}
      happens="The old secret ends at once. Until your receiver has the new one, it cannot verify our events."
      typed={isReal ? { text: host, to: "rotate it" } : null}
      action="Rotate the secret"
      busy="Rotating…"
      onConfirm={async () => onRotate()}
      onClose={onClose}
    />
  )
}

interface RemoveProps {
  readonly endpoint: Endpoint
  readonly environment: Environment
  readonly onClose: () => void
  readonly onDone: () => void
}

function Remove({ endpoint, environment, onClose, onDone }: RemoveProps): JSX.Element {
  const { host } = new URL(endpoint.url)
  return (
    <Danger
      title={`Remove ${host}?`}
      happens="Events for it are discarded at once, and its secret is gone."
      typed={environment === "production" ? { text: host, to: "remove it" } : null}
      action="Remove endpoint"
      busy="Removing…"
      onConfirm={async () => {
        const params = { path: { id: endpoint.id }, query: { environment } }
        await dataOf(api.DELETE("/portal/api/delivery-webhooks/{id}", { params }))
        onDone()
      }}
      onClose={onClose}
    />
  )
}
