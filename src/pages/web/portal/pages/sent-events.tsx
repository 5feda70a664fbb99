/** Webhook events about one thing: what was sent where, what came back, and sending again. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, inZone } from "../times.ts"
import { OutcomePill } from "../words.tsx"

type Product = "deliveries" | "reservations"

interface EventsProps {
  readonly product: Product
  /** True when no step is left to send an event. */
  readonly isOver: boolean
  readonly events: readonly Schemas["SentEvent"][] | null
  readonly zone: string | null
  readonly environment: PageProps["environment"]
  readonly onSent: () => Promise<void>
}

export function Events({ product, isOver, events, zone, environment, onSent }: EventsProps): JSX.Element {
  return (
    <section>
      <div class="section-head">
        <h2>
          Events sent <span class="quiet">{events?.length ?? ""}</span>
        </h2>
        <a class="link small" href="/portal/webhooks">
          Webhook log
        </a>
      </div>
      {events?.length === 0 ? (
        <NoEvents product={product} isOver={isOver} environment={environment} />
      ) : (
        <Table
          label="Events sent"
          hasTwoLines
          rows={events}
          keyOf={({ sending_id: key }) => key}
          columns={[
            {
              name: "Event",
              cell: ({ event, status }) => (
                <span class="mono tiny">
                  {event}
                  <span class="under">{status}</span>
                </span>
              ),
            },
            {
              name: "Outcome",
              cell: ({ outcome, next_attempt_at: next }) => <OutcomePill outcome={outcome} nextAt={next} />,
            },
            { name: inZone("Sent", zone), cell: ({ created_at: at }) => clockTime(at, zone) },
            { name: "Answer", isEnd: true, cell: (event) => <AnswerOf event={event} /> },
            {
              name: "Attempt",
              isEnd: true,
              cell: ({ attempts, attempts_max: max }) => `${attempts.length} of ${max}`,
            },
            {
              name: "",
              isEnd: true,
              cell: (event) => <Resend event={event} environment={environment} onSent={onSent} />,
            },
          ]}
        />
      )}
    </section>
  )
}

/** What is missing depends on whether an endpoint of the product is there now. */
function NoEvents({
  product,
  isOver,
  environment,
}: Pick<EventsProps, "environment" | "isOver" | "product">): JSX.Element | null {
  const { data: hasEndpoint } = useResource(() => hasActiveEndpoint(product, environment))
  if (hasEndpoint === null) return null
  if (hasEndpoint && !isOver) return <p class="small quiet">No event yet: the next step sends the first.</p>
  return (
    <Empty title="No event was sent">
      {hasEndpoint
        ? "No endpoint was there for its events."
        : `Register an endpoint to get the events of ${product}.`}
    </Empty>
  )
}

async function hasActiveEndpoint(product: Product, environment: PageProps["environment"]): Promise<boolean> {
  const params = { query: { environment } }
  const { webhooks } =
    product === "deliveries"
      ? await dataOf(api.GET("/portal/api/delivery-webhooks", { params }))
      : await dataOf(api.GET("/portal/api/webhooks", { params }))
  return webhooks.some(({ is_active: isActive }) => isActive)
}

/** Status and time of the last attempt. */
export function AnswerOf({
  event: { attempts },
}: {
  readonly event: Pick<Schemas["SentEvent"], "attempts">
}): JSX.Element | null {
  const last = attempts.at(-1)
  if (last === undefined) return null
  const isGood = last.status !== null && last.status < 300
  return (
    <>
      <span class={`status ${isGood ? "good" : "failed"}`}>{last.status ?? last.error ?? "…"}</span>{" "}
      {last.ms === null ? "" : `${last.ms} ms`}
    </>
  )
}

interface ResendProps {
  readonly event: Schemas["SentEvent"]
  readonly environment: PageProps["environment"]
  readonly onSent: () => Promise<void>
}

function Resend({ event, environment, onSent }: ResendProps): JSX.Element | null {
  const { isBusy, fault, send } = useCommand(async () => {
    await dataOf(
      api.POST("/portal/api/delivery-webhooks/{id}/redeliver", {
        params: { path: { id: event.webhook_id }, query: { environment } },
        body: { delivery_id: event.delivery_id },
      }),
    )
    toast({ text: "Sent again", icon: "send" })
    await onSent()
  })
  const isOver = event.outcome === "delivered" || event.outcome === "dropped"
  // The reservations contract has no redelivery.
  if (!isOver || event.url === null || event.event.startsWith("reservation.")) return null
  return (
    <Button
      isSmall
      look="quiet"
      isBusy={isBusy}
      onPress={send}
      {...(fault === null ? {} : { label: fault.message })}
    >
      {fault === null ? "Resend" : "Refused"}
    </Button>
  )
}
