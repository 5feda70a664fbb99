/** What was sent to the endpoints of an environment: every event with its attempts, and sending again. */

import type { JSX } from "preact"
import { useCallback } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Code, prettyJson } from "../../design/code.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { attemptText } from "../attempt-text.ts"
import { isSending, useLive } from "../live.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, dayTime, inZone } from "../times.ts"
import { OutcomePill } from "../words.tsx"
import type { Outcome } from "../words.tsx"
import { FilterPaging, PAGE, useFilters } from "./filters.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"
import { AnswerOf } from "./sent-events.tsx"

type Environment = PageProps["environment"]
type Detail = Schemas["SentEventDetail"]

const GROUPS: readonly (readonly [name: string, outcomes: readonly NonNullable<Outcome>[]])[] = [
  ["All", []],
  ["Delivered", ["delivered"]],
  ["Retrying", ["waiting", "sending", "queued"]],
  ["Dropped", ["dropped", "discarded"]],
]
const REFRESH_MS = 5000

interface WebhookLogProps {
  readonly environment: Environment
  readonly chosen: string | null
  readonly onChoose: (id: string | null) => void
}

export function WebhookLog({ environment, chosen, onChoose }: WebhookLogProps): JSX.Element {
  const filters = useFilters()
  const { choice, cursor } = filters
  const outcomes = GROUPS[choice]?.[1] ?? []
  const query = {
    environment,
    limit: PAGE,
    ...(outcomes.length === 0 ? {} : { outcome: [...outcomes] }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/webhook-events", { params: { query } })),
    [environment, choice, cursor],
  )
  useLive(reload, { concerns: isSending, ms: cursor === undefined ? REFRESH_MS : null })
  return (
    <section>
      <div class="section-head">
        <h2>
          Events sent, <span class="quiet">last 30 days</span>
        </h2>
      </div>
      <div class="chips" role="group" aria-label="Outcome">
        {GROUPS.map(([name], at) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={at === choice}
            onClick={() => filters.setChoice(at)}
          >
            {name}
          </button>
        ))}
      </div>
      {fault !== null && data === null ? (
        <ReadProblem what="The log" fault={fault} onAgain={reload} />
      ) : data?.events.length === 0 && data.next_cursor === null ? (
        <p class="small quiet">{choice === 0 ? "Nothing was sent yet." : "No event matches."}</p>
      ) : (
        <>
          <LogTable rows={data?.events ?? null} chosen={chosen} onChoose={onChoose} />
          <FilterPaging filters={filters} count={data?.events.length ?? 0} next={data?.next_cursor ?? null} />
        </>
      )}
    </section>
  )
}

interface LogTableProps {
  readonly rows: readonly Schemas["SentEvent"][] | null
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
}

function LogTable({ rows, chosen, onChoose }: LogTableProps): JSX.Element {
  return (
    <Table
      label="Events sent"
      hasTwoLines
      rows={rows}
      keyOf={({ sending_id: id }) => id}
      selected={chosen}
      onPress={({ sending_id: id }) => onChoose(id)}
      columns={[
        {
          name: "Event",
          cell: ({ sending_id: id, event, status, external_delivery_id: order, subject_id: subject }) => (
            <>
              <button type="button" class="link-button mono tiny" onClick={() => onChoose(id)}>
                {event}
              </button>
              <span class="under">
                {[order ?? subject, status].filter((part) => part !== null).join(" · ")}
              </span>
            </>
          ),
        },
        {
          name: "Outcome",
          cell: ({ outcome, next_attempt_at: next }) => <OutcomePill outcome={outcome} nextAt={next} />,
        },
        { name: "Answer", isEnd: true, cell: (event) => <AnswerOf event={event} /> },
        {
          name: "Tries",
          isEnd: true,
          cell: ({ attempts, attempts_max: max }) => `${attempts.length} of ${max}`,
        },
        { name: inZone("Sent"), isEnd: true, cell: ({ created_at: at }) => dayTime(at) },
      ]}
    />
  )
}

interface EventDrawerProps {
  readonly id: string
  readonly environment: Environment
  readonly onClose: () => void
}

export function EventDrawer({ id, environment, onClose }: EventDrawerProps): JSX.Element {
  const params = { path: { id }, query: { environment } }
  const read = useCallback(() => dataOf(api.GET("/portal/api/webhook-events/{id}", { params })), [id])
  const { data, fault, reload } = useResource(read, [id])
  useLive(reload, { concerns: isSending, ms: REFRESH_MS })
  if (data === null) {
    return (
      <Drawer title="An event" onClose={onClose}>
        {fault === null ? (
          <Skeleton lines={6} />
        ) : (
          <ReadProblem what="The event" fault={fault} onAgain={reload} />
        )}
      </Drawer>
    )
  }
  const { event } = data
  return (
    <Drawer title={titleOf(event)} onClose={onClose}>
      <div class="stack">
        <ResendEvent event={event} environment={environment} onSent={reload} />
        <Attempts event={event} />
        <section>
          <h3>What we sent</h3>
          <Code label="the event's body" text={readable(event.body)} copies={event.body} />
        </section>
        <Facts
          facts={[
            ["Endpoint", event.url === null ? "deleted since" : <span class="mono tiny">{event.url}</span>],
            ["Delivery id", <ShortId id={event.delivery_id} label="Copy the delivery id" />],
            ["About", event.external_delivery_id ?? event.subject_id],
          ]}
        />
      </div>
    </Drawer>
  )
}

function titleOf({ status, event, outcome }: Detail): string {
  const what = status ?? event
  if (outcome === "delivered") return `${what} delivered`
  return outcome === "dropped" || outcome === "discarded" ? `${what} not delivered` : `${what} on its way`
}

function readable(body: string): string {
  try {
    return prettyJson(JSON.parse(body) as unknown)
  } catch {
    return body
  }
}

function Attempts({ event }: { readonly event: Detail }): JSX.Element {
  const { attempts, attempts_max: max, next_attempt_at: next } = event
  return (
    <ol class="attempts" aria-label="Attempts">
      {attempts.map(({ attempt, sent_at: at, ms, status, error }) => {
        const isGood = status !== null && status < 300
        return (
          <li key={attempt} class={isGood ? "ok" : "bad"}>
            <Icon name={isGood ? "circle-check" : "circle-x"} />
            <strong>Attempt {attempt}</strong>
            <span>{clockTime(at)}</span>
            <span class="under">
              {[attemptText({ status, error }), ms === null ? "" : `${ms} ms`]
                .filter((part) => part !== "")
                .join(", ")}
            </span>
          </li>
        )
      })}
      {next === null ? null : (
        <li class="wait">
          <Icon name="clock" />
          <strong>
            Attempt {attempts.length + 1} of {max}
          </strong>
          <span>{clockTime(next)}</span>
          <span class="under">due</span>
        </li>
      )}
    </ol>
  )
}

interface ResendEventProps {
  readonly event: Detail
  readonly environment: Environment
  readonly onSent: () => Promise<void>
}

/** Only at its end, and only where the contract has a redelivery. */
function ResendEvent({ event, environment, onSent }: ResendEventProps): JSX.Element | null {
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: event.sending_id }, query: { environment } }
    await dataOf(api.POST("/portal/api/webhook-events/{id}/resend", { params }))
    toast({ text: "Sent again", icon: "send" })
    await onSent()
  })
  const isOver = event.outcome === "delivered" || event.outcome === "dropped"
  if (!isOver || event.event.startsWith("reservation.")) return null
  return (
    <div class="column">
      <div class="row">
        <Button look="primary" icon="send" isBusy={isBusy} onPress={send}>
          Resend
        </Button>
      </div>
      <CommandProblem fault={fault} />
    </div>
  )
}
