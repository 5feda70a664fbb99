/** One delivery: where it is, what comes next, what was sent, and to whom. */

import type { JSX } from "preact"
import { isFinal } from "../../../../model/delivery.ts"
import { Button, ShortId } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { Pill } from "../../design/pill.tsx"
import { Stepper } from "../../design/steps.tsx"
import type { Step } from "../../design/steps.tsx"
import { Facts } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, clockTimeIn, fromNow, zonedTime } from "../times.ts"
import { DeliveryPill, money } from "../words.tsx"
import { PlaceMap } from "../../components/place-map.tsx"
import { DetailPage, useDetail } from "./followed/detail.tsx"
import { DELIVERY } from "./followed/noun.ts"
import { CommandProblem } from "./problem.tsx"
import { Walk } from "./followed/walk.tsx"

type Detail = Schemas["PortalDeliveryDetail"]

export function DeliveryPage(page: PageProps): JSX.Element {
  const { id, environment } = page
  const params = { path: { id }, query: { environment } }
  const texts = useResource(() => dataOf(api.GET("/portal/api/deliveries/{id}/messages", { params })), [id])
  const read = () => dataOf(api.GET("/portal/api/deliveries/{id}", { params }))
  const shown = useDetail(DELIVERY, page, read, [texts])
  if (shown.data === null) return shown.opening
  const { delivery: detail } = shown.data
  const { external_delivery_id: name, status, customer } = detail.delivery
  const zone = detail.site?.timezone ?? null
  const isSandbox = environment === "sandbox"
  return (
    <DetailPage
      detail={shown}
      name={name}
      pill={<DeliveryPill status={status} isLarge />}
      lead={sentenceOf(detail, zone)}
      isOver={isFinal(status)}
      zone={zone}
      cancel={{
        title: name,
        typed: name,
        happens: `The vehicle's run ends and your endpoints get the event. ${
          isSandbox
            ? "Nothing is charged in the sandbox."
            : "This cannot be undone, and the customer gets no text of it."
        }`,
        hint: "Optional. Your events carry it.",
      }}
      above={
        <>
          <Stepper label="Steps of the delivery" steps={stepsOf(detail, zone)} />
          {isSandbox ? <Moves detail={detail} onMoved={shown.reload} /> : null}
        </>
      }
      idInApi={name}
      aside={
        <>
          <Where detail={detail} zone={zone} />
          <DeliveryFacts detail={detail} zone={zone} />
        </>
      }
    >
      <Texts
        messages={texts.data?.messages ?? null}
        zone={zone}
        phone={isSandbox ? customer.phone : null}
        onPlayed={shown.reload}
      />
    </DetailPage>
  )
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
    return <>Cancelled{delivery.cancellation_reason ? `: ${delivery.cancellation_reason}` : ""}.</>
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
          : place === last && !isFinal(delivery.status)
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

/** Advances a delivery of the sandbox; its vehicle does not move by itself. */
function Moves({ detail, onMoved }: MovesProps): JSX.Element {
  const { id, next_steps: next, status_label: statusLabel, delivery, site } = detail
  const advance = async (times: number): Promise<void> => {
    for (let done = 0; done < times; done += 1)
      await dataOf(api.POST("/portal/api/deliveries/{id}/advance", { params: { path: { id } } }))
    await onMoved()
  }
  const several = useCommand(advance)
  const [first] = next
  return (
    <Walk
      of={{ kind: "delivery", id, status: delivery.status, handoff: null, zone: site?.timezone ?? null }}
      statusLabel={statusLabel}
      next={next}
      advance={() => advance(1)}
      other={several}
      jumps={next.map(({ label, advances }) => ({
        name: `Advance to ${label}`,
        about: advances === 1 ? "One step" : `${advances} steps`,
        onChoose: () => several.send(advances),
      }))}
      note={first === undefined ? "" : sendsText(first.sends)}
      margin="24px 0"
      onPlayed={onMoved}
    />
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
                    {`${status.charAt(0).toUpperCase()}${status.slice(1)}${reason ? `: ${reason}` : ""}`}
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
  const name = [customer.first_name, customer.last_name].filter(Boolean).join(" ")
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
