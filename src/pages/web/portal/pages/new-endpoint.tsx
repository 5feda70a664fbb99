/** A new webhook endpoint, and its secret, which is shown once. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, hasCopied } from "../../design/button.tsx"
import { CheckList, SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../../resource.ts"
import { EVENTS, PRODUCT_NAMES } from "./endpoints.ts"
import type { Environment, EventName, Product } from "./endpoints.ts"
import { Fields } from "./form.tsx"
import { CommandProblem } from "./problem.tsx"

interface NewEndpointProps {
  readonly environment: Environment
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

export function NewEndpoint({ environment, onClose, onMade }: NewEndpointProps): JSX.Element {
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

export function SecretOnce({
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
