/** One delivery: where it is, what comes next, what was sent, and to whom. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Stepper } from "../../design/steps.tsx"
import type { Step } from "../../design/steps.tsx"
import { Facts } from "../../design/table.tsx"
import { TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { isSending, useLive } from "../live.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { Command } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, clockTimeIn, fromNow, zonedTime } from "../times.ts"
import { DeliveryPill, money } from "../words.tsx"
import { useAutoRun } from "./auto-run.ts"
import { useMakeItFail } from "./make-it-fail.tsx"
import { Events } from "./sent-events.tsx"
import { PlaceMap } from "../../components/place-map.tsx"
import { CommandProblem, Opening } from "./problem.tsx"
import { RequestsMade } from "./requests-made.tsx"
import { Timeline } from "./timeline.tsx"

type Detail = Schemas["PortalDeliveryDetail"]

/** ms between two looks at a delivery under way. */
const REFRESH_MS = 3000
const OVER: readonly Detail["delivery"]["status"][] = ["COMPLETED", "CANCELLED"]

export function DeliveryPage({ id, environment }: PageProps): JSX.Element {
  const params = { path: { id }, query: { environment } }
  const state = useResource(() => dataOf(api.GET("/portal/api/deliveries/{id}", { params })), [id])
  const events = useResource(() => dataOf(api.GET("/portal/api/deliveries/{id}/events", { params })), [id])
  const texts = useResource(() => dataOf(api.GET("/portal/api/deliveries/{id}/messages", { params })), [id])
  const reload = async (): Promise<void> => {
    await Promise.all([state.reload(), events.reload(), texts.reload()])
  }
  useLive(reload, { concerns: (group) => group === `delivery/${id}` || isSending(group), ms: REFRESH_MS })
  if (state.data === null)
    return <Opening resource={state} noun="delivery" id={id} list={["Deliveries", "/portal/deliveries"]} />
  const { delivery: detail } = state.data
  const zone = detail.site?.timezone ?? null
  return (
    <div class="content">
      <Head
        crumbs={[["Deliveries", "/portal/deliveries"]]}
        here={detail.delivery.external_delivery_id}
        title={
          <>
            {detail.delivery.external_delivery_id} <DeliveryPill status={detail.delivery.status} isLarge />
          </>
        }
        lead={sentenceOf(detail, zone)}
      >
        <Cancel detail={detail} environment={environment} onDone={reload} />
      </Head>
      <Stepper label="Steps of the delivery" steps={stepsOf(detail, zone)} />
      {environment === "sandbox" ? <Moves detail={detail} onMoved={reload} /> : null}
      <div class="split-page">
        <div class="stack">
          <Events
            product="deliveries"
            isOver={OVER.includes(detail.delivery.status)}
            events={events.data?.events ?? null}
            zone={zone}
            environment={environment}
            onSent={events.reload}
          />
          <Texts
            messages={texts.data?.messages ?? null}
            zone={zone}
            phone={environment === "sandbox" ? detail.delivery.customer.phone : null}
            onPlayed={reload}
          />
          <Timeline
            what="delivery"
            zone={zone}
            read={() => dataOf(api.GET("/portal/api/deliveries/{id}/timeline", { params }))}
          />
          <RequestsMade path={apiPathOf(detail)} environment={environment} />
        </div>
        <aside class="stack" aria-label="The delivery">
          <Where detail={detail} zone={zone} />
          <DeliveryFacts detail={detail} zone={zone} />
        </aside>
      </div>
    </div>
  )
}

/** The end of the delivery's path in the API. */
function apiPathOf({ delivery }: Detail): string {
  return `/deliveries/${encodeURIComponent(delivery.external_delivery_id)}`
}

function sentenceOf(
  { delivery, status_label: label, steps, site }: Detail,
  zone: string | null,
): JSX.Element {
  const reached = steps.findLast(({ reached_at: at }) => at !== null)
  const sinceAt = reached?.reached_at ?? null
  const since = sinceAt === null ? "" : ` since ${clockTimeIn(sinceAt, zone)}`
  if (delivery.status === "COMPLETED")
    return (
      <>Delivered{delivery.completed_at === null ? "" : ` at ${zonedTime(delivery.completed_at, zone)}`}.</>
    )
  if (delivery.status === "CANCELLED")
    return <>Cancelled{delivery.cancellation_reason === null ? "" : `: ${delivery.cancellation_reason}`}.</>
  const door = delivery.estimated_delivery_at ?? delivery.delivery_eta
  return (
    <>
      {label}
      {since}
      {site === null ? "" : `, from ${site.name}`}. Estimated at the door at{" "}
      <strong class="strong">{zonedTime(door, zone)}</strong>.
    </>
  )
}

function stepsOf({ steps, delivery }: Detail, zone: string | null): readonly Step[] {
  const last = steps.findLastIndex(({ reached_at: at }) => at !== null)
  return steps.map(({ label, status, reached_at: at, estimated_at: estimated }, place) => ({
    name: label,
    state:
      at === null
        ? "next"
        : status === "CANCELLED"
          ? "failed"
          : place === last && !OVER.includes(delivery.status)
            ? "now"
            : "done",
    ...(at !== null
      ? { note: clockTime(at, zone) }
      : estimated === null
        ? {}
        : { note: `${zonedTime(estimated, zone).split(" ")[0] ?? ""} est.` }),
  }))
}

interface MovesProps {
  readonly detail: Detail
  readonly onMoved: () => Promise<void>
}

/** Buttons that advance a delivery of the sandbox; its vehicle does not move by itself. */
function Moves({ detail, onMoved }: MovesProps): JSX.Element | null {
  const { id, next_steps: next } = detail
  const advance = async (times: number): Promise<void> => {
    for (let done = 0; done < times; done += 1)
      await dataOf(api.POST("/portal/api/deliveries/{id}/advance", { params: { path: { id } } }))
    await onMoved()
  }
  const { one, auto } = useAutoRun(() => advance(1), next.length)
  const several = useCommand(advance)
  const failing = useMakeItFail({
    kind: "delivery",
    id,
    status: detail.delivery.status,
    handoff: null,
    title: `What may go wrong from ${detail.status_label}`,
    zone: detail.site?.timezone ?? null,
    isDisabled: one.isBusy || several.isBusy || auto.isBusy,
    onPlayed: onMoved,
  })
  const [first] = next
  if (first === undefined) return failing.result
  const isBusy = one.isBusy || several.isBusy || auto.isBusy || failing.isBusy
  return (
    <div class="column" style={{ margin: "24px 0" }}>
      <div class="row">
        <span class="split">
          <Button look="primary" icon="step-forward" isBusy={isBusy} onPress={one.send}>
            {auto.isBusy ? "Running…" : `Advance to ${first.label}`}
          </Button>
          <Menu
            label="Advance to…"
            isDisabled={isBusy}
            icon="chevron-down"
            look="primary"
            title={`From ${detail.status_label}`}
            items={next.map(({ label, advances }) => ({
              name: `Advance to ${label}`,
              about: advances === 1 ? "One step" : `${advances} steps`,
              onChoose: () => several.send(advances),
            }))}
          />
        </span>
        <Button icon="skip" isDisabled={isBusy} onPress={auto.send}>
          Auto-run
        </Button>
        {failing.menu}
        <span class="small quiet">{sendsText(first.sends)}</span>
      </div>
      <CommandProblem fault={one.fault ?? several.fault ?? auto.fault ?? failing.fault} />
      {failing.result}
    </div>
  )
}

function sendsText({ deliveries, endpoints, texts }: Detail["next_steps"][number]["sends"]): string {
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`
  const events =
    deliveries === 0
      ? "Sends no event"
      : `Sends ${count(deliveries, "event")} to ${count(endpoints, "endpoint")}`
  return texts === 0 ? events : `${events} and ${count(texts, "text")}`
}

interface CancelProps {
  readonly detail: Detail
  readonly environment: PageProps["environment"]
  readonly onDone: () => Promise<void>
}

function Cancel({ detail, environment, onDone }: CancelProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const [typed, setTyped] = useState("")
  const { id, delivery } = detail
  const command: Command = useCommand(async () => {
    const body = reason === "" ? {} : { reason }
    await dataOf(
      api.POST("/portal/api/deliveries/{id}/cancel", {
        params: { path: { id }, query: { environment } },
        body,
      }),
    )
    setOpen(false)
    toast({ text: "Cancelled", icon: "ban" })
    await onDone()
  })
  if (OVER.includes(delivery.status)) return null
  const isReal = environment === "production"
  return (
    <>
      <Button look="danger quiet" icon="ban" onPress={() => setOpen(true)}>
        Cancel delivery
      </Button>
      {isOpen ? (
        <Dialog title={`Cancel ${delivery.external_delivery_id}?`} onClose={() => setOpen(false)}>
          <p class="quiet small">
            The vehicle's run ends and your endpoints get the event.{" "}
            {isReal
              ? "This cannot be undone, and the customer gets no text of it."
              : "Nothing is charged in the sandbox."}
          </p>
          <div class="fields">
            <CommandProblem fault={command.fault} />
            <TextField
              label="Reason"
              hint="Optional. Your events carry it."
              value={reason}
              onChange={setReason}
              isFirst
            />
            {isReal ? (
              <TextField
                label={`Type ${delivery.external_delivery_id} to cancel it`}
                value={typed}
                onChange={setTyped}
              />
            ) : null}
          </div>
          <div class="actions">
            <Button onPress={() => setOpen(false)}>Keep it</Button>
            <Button
              look="danger"
              isBusy={command.isBusy}
              isDisabled={isReal && typed !== delivery.external_delivery_id}
              onPress={command.send}
            >
              {command.isBusy ? "Cancelling…" : "Cancel delivery"}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

interface TextsProps {
  readonly messages: readonly Schemas["CustomerMessage"][] | null
  readonly zone: string | null
  /** The customer's number, where replies can be played. */
  readonly phone: string | null
  readonly onPlayed: () => Promise<void>
}

function Texts({ messages, zone, phone, onPlayed }: TextsProps): JSX.Element {
  const play = useCommand(async (word: string) => {
    await dataOf(api.POST("/portal/api/inbound-sms", { body: { from: phone ?? "", text: word } }))
    toast({ text: `The customer replied ${word}`, icon: "smartphone" })
    await onPlayed()
  })
  return (
    <section>
      <div class="section-head">
        <h2>
          Texts to the customer <span class="quiet">{messages?.length ?? ""}</span>
        </h2>
        {phone === null ? null : (
          <span class="row">
            <span class="small quiet">Reply as the customer</span>
            {["STOP", "START", "HELP"].map((one) => (
              <Button key={one} isSmall isDisabled={play.isBusy} onPress={() => play.send(one)}>
                {one}
              </Button>
            ))}
          </span>
        )}
      </div>
      <CommandProblem fault={play.fault} />
      {messages === null ? (
        <Skeleton lines={2} />
      ) : messages.length === 0 ? (
        <p class="small quiet">None yet.</p>
      ) : (
        <table class="table stacks" aria-label="Texts to the customer">
          <tbody>
            {messages.map(({ message_id: key, created_at: at, text, status, reason }) => (
              <tr key={key}>
                <td>{clockTime(at, zone)}</td>
                <td class="sentence">
                  {text ?? <span class="quiet">Its text is not kept after it was sent.</span>}
                </td>
                <td class="end">
                  <Pill
                    tone={
                      status === "sent"
                        ? "ok"
                        : status === "failed"
                          ? "bad"
                          : status === "pending"
                            ? "move"
                            : "idle"
                    }
                    icon={status === "sent" ? "check" : status === "failed" ? "circle-x" : "ban"}
                  >
                    {`${status.charAt(0).toUpperCase()}${status.slice(1)}${reason === null ? "" : `: ${reason}`}`}
                  </Pill>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Where({
  detail,
  zone,
}: {
  readonly detail: Detail
  readonly zone: string | null
}): JSX.Element | null {
  const { vehicle_location: vehicle, site, delivery } = detail
  const store = site?.location ?? null
  const places = [
    ...(store === null ? [] : [{ kind: "store", name: site?.name ?? "Store", ...store } as const]),
    { kind: "door", name: delivery.delivery_address.street, ...delivery.delivery_location } as const,
    ...(vehicle === null ? [] : [{ kind: "vehicle", name: "Vehicle", ...vehicle } as const]),
  ]
  return (
    <section>
      <div class="section-head">
        <h2>Where it is</h2>
        {vehicle === null ? null : (
          <span class="small quiet">
            fix of {clockTimeIn(vehicle.recorded_at, zone)}, {fromNow(vehicle.recorded_at)}
          </span>
        )}
      </div>
      <PlaceMap label="The way of the delivery" places={places} />
    </section>
  )
}

function DeliveryFacts({
  detail,
  zone,
}: {
  readonly detail: Detail
  readonly zone: string | null
}): JSX.Element {
  const { delivery, site, site_id: siteId } = detail
  const { customer, delivery_address: to } = delivery
  const name = [customer.first_name, customer.last_name].filter((part) => part !== null).join(" ")
  return (
    <Facts
      facts={[
        ["Customer", `${name === "" ? "" : `${name}, `}${customer.phone}`],
        ["Drop-off", `${to.street}, ${to.city} ${to.state} ${to.zip}`],
        ["Items", delivery.order_items.map((item) => `${item.quantity} × ${item.name}`).join(", ")],
        ["Ready by", `${zonedTime(delivery.ready_by, zone)} ${fromNow(delivery.ready_by)}`],
        ["Fee", money(delivery.delivery_fee_cents, delivery.currency)],
        [
          "Site",
          <>
            {site === null ? null : <a href={`/portal/sites/${siteId}`}>{site.name}</a>}{" "}
            <ShortId id={siteId} label="Copy the site's id" />
          </>,
        ],
        ["Status in API", <span class="mono">{delivery.status}</span>],
        [
          "Customer sees",
          delivery.tracking_url === null ? null : <a href={delivery.tracking_url}>Tracking page</a>,
        ],
      ]}
    />
  )
}
