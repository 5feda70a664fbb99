/** Webhook endpoints of both products in one environment: registered, tested, changed, switched off. */

import type { JSX } from "preact"
import { useCallback, useState } from "preact/hooks"
import { Button, hasCopied } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { CheckList, SelectField, TextField } from "../../design/field.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
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
import { Fields } from "./form.tsx"
import { CheckSignature } from "./check-signature.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"
import { ResendSince } from "./resend-since.tsx"
import { EventDrawer, WebhookLog } from "./webhook-log.tsx"

type Product = "deliveries" | "reservations"
type Environment = PageProps["environment"]

/** An endpoint of either product. */
interface Endpoint {
  readonly id: string
  readonly product: Product
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Null where the contract counts none. */
  readonly failures: number | null
  readonly disabledReason: string | null
  readonly createdAt: string
}

const PRODUCT_NAMES: Readonly<Record<Product, string>> = {
  deliveries: "Direct Delivery",
  reservations: "Reservations",
}

const EVENTS = {
  deliveries: ["pickup_status.changed", "pickup.vehicle_location.changed"],
  reservations: ["reservation.status_changed", "reservation.handoff_updated", "reservation.exception"],
} as const
type EventName = (typeof EVENTS)[Product][number]

async function endpointsIn(environment: Environment): Promise<readonly Endpoint[]> {
  const params = { query: { environment } }
  const [deliveries, reservations] = await Promise.all([
    dataOf(api.GET("/portal/api/delivery-webhooks", { params })),
    dataOf(api.GET("/portal/api/webhooks", { params })),
  ])
  return [
    ...deliveries.webhooks.map((one) => ({
      id: one.webhook_id,
      product: "deliveries" as const,
      url: one.url,
      events: one.events,
      isActive: one.is_active,
      failures: one.consecutive_failures,
      disabledReason: one.disabled_reason,
      createdAt: one.created_at,
    })),
    ...reservations.webhooks.map((one) => ({
      id: one.webhook_id,
      product: "reservations" as const,
      url: one.url,
      events: one.subscribed_events,
      isActive: one.is_active,
      failures: null,
      disabledReason: null,
      createdAt: one.created_at,
    })),
  ]
}

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
  const [typed, setTyped] = useState("")
  return (
    <Dialog title={`Rotate the secret of ${host}?`} onClose={onClose}>
      <p class="quiet small">
        The old secret ends at once. Until your receiver has the new one, it cannot verify our events.
      </p>
      {isReal ? (
        <div class="fields">
          <TextField label={`Type ${host} to rotate it`} value={typed} onChange={setTyped} isFirst />
        </div>
      ) : null}
      <div class="actions">
        <Button onPress={onClose}>Keep it</Button>
        <Button look="danger" isDisabled={isReal && typed !== host} onPress={onRotate}>
          Rotate the secret
        </Button>
      </div>
    </Dialog>
  )
}

interface Change {
  readonly is_active?: boolean
  readonly rotate_secret?: boolean
}

/** The secret of the answer: whole after a rotation, otherwise masked. */
async function changed({ id, product }: Endpoint, environment: Environment, body: Change): Promise<string> {
  const params = { path: { id }, query: { environment } }
  const { webhook } =
    product === "deliveries"
      ? await dataOf(api.PUT("/portal/api/delivery-webhooks/{id}", { params, body }))
      : await dataOf(api.PUT("/portal/api/webhooks/{id}", { params, body }))
  return webhook.secret
}

interface NewEndpointProps {
  readonly environment: Environment
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

function NewEndpoint({ environment, onClose, onMade }: NewEndpointProps): JSX.Element {
  const [product, setProduct] = useState<Product>("deliveries")
  const [url, setUrl] = useState("https://")
  const [events, setEvents] = useState<readonly EventName[]>(EVENTS.deliveries)
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { query: { environment } }
    const { webhook } =
      product === "deliveries"
        ? await dataOf(
            api.POST("/portal/api/delivery-webhooks", {
              params,
              body: { url, events: EVENTS.deliveries.filter((one) => events.includes(one)) },
            }),
          )
        : await dataOf(
            api.POST("/portal/api/webhooks", {
              params,
              body: { url, subscribed_events: EVENTS.reservations.filter((one) => events.includes(one)) },
            }),
          )
    onMade(webhook.secret)
  })
  return (
    <Dialog title="Register an endpoint" onClose={onClose}>
      <Fields
        onSend={send}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {isBusy ? "Registering…" : "Register"}
            </Button>
          </>
        }
      >
        {fault !== null && fault.fields["url"] === undefined ? <CommandProblem fault={fault} /> : null}
        <TextField
          label="URL"
          type="url"
          hint="An https URL that is reachable from the internet."
          value={url}
          onChange={setUrl}
          isFirst
          error={fault?.fields["url"] ?? null}
        />
        <SelectField
          label="Product"
          value={product}
          onChange={(chosen) => {
            setProduct(chosen)
            setEvents(EVENTS[chosen])
          }}
          options={[
            ["deliveries", PRODUCT_NAMES.deliveries],
            ["reservations", PRODUCT_NAMES.reservations],
          ]}
        />
        <CheckList
          label="Events"
          chosen={events}
          onChange={setEvents}
          options={EVENTS[product].map((value) => ({ value, name: value }))}
        />
      </Fields>
    </Dialog>
  )
}

function SecretOnce({
  secret,
  onClose,
}: {
  readonly secret: string
  readonly onClose: () => void
}): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => setCopied(await hasCopied(secret))
  return (
    <Dialog title="Copy the signing secret now" onClose={onClose} isKept>
      <p class="quiet">It is shown this once. With it your receiver verifies that an event is ours.</p>
      <div class="fields">
        <div class="row">
          <code class="code grow secret" data-secret="true">
            {secret}
          </code>
          <Button look="primary" icon={isCopied ? "check" : "copy"} onPress={() => void copy()}>
            {isCopied ? "Copied" : "Copy secret"}
          </Button>
        </div>
      </div>
      <div class="actions">
        <Button onPress={onClose}>I have saved it</Button>
      </div>
    </Dialog>
  )
}

interface RemoveProps {
  readonly endpoint: Endpoint
  readonly environment: Environment
  readonly onClose: () => void
  readonly onDone: () => void
}

function Remove({ endpoint, environment, onClose, onDone }: RemoveProps): JSX.Element {
  const [typed, setTyped] = useState("")
  const { host } = new URL(endpoint.url)
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: endpoint.id }, query: { environment } }
    await dataOf(api.DELETE("/portal/api/delivery-webhooks/{id}", { params }))
    onDone()
  })
  return (
    <Dialog title={`Remove ${host}?`} onClose={onClose}>
      <p class="quiet small">Events for it are discarded at once, and its secret is gone.</p>
      <div class="fields">
        <CommandProblem fault={fault} />
        <TextField label={`Type ${host} to remove it`} value={typed} onChange={setTyped} isFirst />
      </div>
      <div class="actions">
        <Button onPress={onClose}>Keep it</Button>
        <Button look="danger" isDisabled={typed !== host} isBusy={isBusy} onPress={send}>
          {isBusy ? "Removing…" : "Remove endpoint"}
        </Button>
      </div>
    </Dialog>
  )
}
