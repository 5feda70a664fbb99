/** What ends: a delivery with its receipt, one that did not take place, an offer that ran out, a refusal. */

import type { JSX } from "preact"
import { Pill } from "../design/pill.tsx"
import { REASONS, WORDS, dollars, feeText } from "../../../model/requests/tracking-words.ts"
import { Actions, Head, isOfTest } from "./frame.tsx"
import type { Action, Shown } from "./frame.tsx"
import { SAYS, nameOf, priceOf, titleOf } from "./words.ts"

export function DeliveredCard(shown: Shown): JSX.Element {
  const { envelope, data, times } = shown
  const { delivery_id: id = "", completed_at: at, payment_status: payment = "pending" } = envelope
  const { fee_cents: cents = 0, tracking_url: url } = envelope
  const fee = dollars(cents, envelope.price?.currency ?? "usd")
  const store = nameOf(envelope)
  const isCharged = payment === "captured"
  return (
    <>
      <Head title={titleOf(envelope)} isTest={isOfTest({ data })}>
        <Pill tone="ok" icon="check">
          {at === undefined ? "Delivered" : `Delivered ${times.time(Date.parse(at))}`}
        </Pill>
      </Head>
      <dl class="card-lines">
        <div>
          <dt>Delivery from {store}</dt>
          <dd>{fee}</dd>
        </div>
        <div class="sum">
          <dt>{isCharged ? "Charged to your card" : "Charged"}</dt>
          <dd>{isCharged ? fee : dollars(0, envelope.price?.currency ?? "usd")}</dd>
        </div>
      </dl>
      <p class="card-note">
        Your order is paid apart, to {store}. Delivery <span class="mono wrap">{id}</span>
      </p>
      <Actions
        actions={[
          ...(url === undefined
            ? []
            : ([{ name: "Receipt", look: "secondary", icon: "receipt", opens: `${url}/receipt` }] as const)),
          { name: "Something is wrong", look: "quiet", says: SAYS.isWrong(id) },
        ]}
      />
    </>
  )
}

interface PlainProps {
  readonly shown: Shown
  readonly head: string
  readonly pill: string
  readonly title: string
  readonly text: string
  readonly notes?: readonly string[]
  readonly action?: Action | null
}

/** One thing to know, and at most one way on. */
function Plain({ shown, head, pill, title, text, notes = [], action = null }: PlainProps): JSX.Element {
  return (
    <>
      <Head title={head} isTest={isOfTest(shown)}>
        <Pill tone="idle" icon="clock">
          {pill}
        </Pill>
      </Head>
      <h2 class="minutes">{title}</h2>
      <p class="quiet">{text}</p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {action === null ? null : <Actions actions={[action]} />}
    </>
  )
}

export function DeclinedCard(shown: Shown): JSX.Element {
  const { envelope, times } = shown
  const { delivery_id: id = "", next_pickup_window: next, restricted_items: restricted = [] } = envelope
  const { store_matches: matches = [] } = envelope
  const when = next === undefined ? null : times.date(Date.parse(next.start))
  const isOver = envelope.order_number !== undefined
  return (
    <Plain
      shown={shown}
      head={nameOf(envelope)}
      pill="Not now"
      title={when === null ? "No delivery" : `From ${when}`}
      text={envelope.user_message}
      notes={[
        ...(restricted.length === 0 ? [] : [`Leave out: ${restricted.join(", ")}.`]),
        ...matches.map(({ retailer_name: name, street }) => `Meant ${name}, ${street}?`),
        isOver ? "No vehicle comes for the order." : "Do not place the store order for this delivery.",
      ]}
      action={
        when === null
          ? null
          : { name: `Ask for ${times.time(Date.parse(next?.start ?? ""))}`, says: SAYS.askAt(id, when) }
      }
    />
  )
}

export function RanOutCard(shown: Shown): JSX.Element {
  const { envelope, times } = shown
  const { delivery_id: id = "", quote_expires_at: at } = envelope
  return (
    <Plain
      shown={shown}
      head={`Delivery from ${nameOf(envelope)}`}
      pill="Ran out"
      title={at === undefined ? "The price ran out" : `The price ran out at ${times.time(Date.parse(at))}`}
      text="Prices hold for a while, then they are asked anew."
      notes={["Nothing was charged."]}
      action={{ name: "Ask for the price again", says: SAYS.askAgain(id) }}
    />
  )
}

export function HoldRanOutCard(shown: Shown): JSX.Element {
  const { envelope } = shown
  const { delivery_id: id = "", payment_status: payment = "pending" } = envelope
  return (
    <Plain
      shown={shown}
      head={`Delivery from ${nameOf(envelope)}`}
      pill="Hold ran out"
      title="The vehicle is not held any more"
      text={`The offer of ${priceOf(envelope) ?? "the delivery"} still stands; it is held again when you ask.`}
      notes={[feeText(payment)]}
      action={{ name: "Hold a vehicle again", says: SAYS.holdAgain(id) }}
    />
  )
}

export function EndedCard(shown: Shown): JSX.Element {
  const { envelope, times, data } = shown
  const { state = "cancelled", failure_reason: reason, payment_status: payment = "pending" } = envelope
  const cancelled = envelope.cancelled_at
  const at = cancelled === undefined ? (data?.endedAtMs ?? null) : Date.parse(cancelled)
  return (
    <Plain
      shown={shown}
      head={nameOf(envelope)}
      pill={WORDS[state]}
      title={at === null ? WORDS[state] : `${WORDS[state]} at ${times.time(at)}`}
      text={reason === undefined ? feeText(payment) : `${REASONS[reason]} ${feeText(payment)}`}
      notes={["An order at the store is not cancelled by this."]}
    />
  )
}

export function RefusedCard(shown: Shown): JSX.Element {
  return (
    <Plain
      shown={shown}
      head="Delivery"
      pill="Nothing changed"
      title="That was not possible"
      text={shown.envelope.user_message}
    />
  )
}
