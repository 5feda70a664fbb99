/** A vehicle is held: what is left to the user, and what to do after a payment that failed. */

import type { JSX } from "preact"
import { Icon } from "../design/icon.tsx"
import type { PaymentFailure } from "../../../model/courier.ts"
import { COURIER_HOLD_MS } from "../../../model/values/limits.ts"
import { Actions, Clock, Head, Numbered, isOfTest } from "./frame.tsx"
import type { Action, Shown } from "./frame.tsx"
import { SAYS, minutesLeft, nameOf, phoneText, pickupText, priceOf } from "./words.ts"

export function HeldCard(shown: Shown): JSX.Element {
  const { envelope, data, nowMs, times } = shown
  const { pickup_profile: profile, pickup_time: pickup, payment_status: payment } = envelope
  const leftMs = leftOf(shown)
  const isPaid = payment === "authorized" || payment === "captured"
  const time = pickup === undefined ? "" : `, ${pickupText(pickup.select, times)}`
  return (
    <>
      <Head title="Held for you" isTest={isOfTest({ data })}>
        <Clock leftMs={leftMs} after=" left" isUrgent />
      </Head>
      <div class="card-bar" aria-hidden="true">
        <i ref={(bar) => bar?.style.setProperty("width", `${share(leftMs)}%`)} />
      </div>
      <Numbered
        steps={[
          {
            name: isPaid
              ? `${priceOf(envelope) ?? "The fee"} is approved`
              : `Pay ${priceOf(envelope) ?? "the fee"}`,
            isDone: isPaid,
            more: isPaid
              ? "It is taken when the order is booked."
              : "On a page of the payment processor; no card in this chat.",
          },
          {
            name: `Order at ${nameOf(envelope)}, in your own name`,
            isDone: envelope.order_number !== undefined,
            more: `Choose curbside pickup${time}.`,
          },
          {
            name: "Where it asks for the vehicle",
            more: (
              <>
                <span class="mono">{profile?.vehicle.description}</span>
                {profile?.pickup_phone === undefined ? null : (
                  <span class="line">
                    Pickup phone <span class="mono">{phoneText(profile.pickup_phone)}</span>, calls only.
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
      <Actions actions={[...payActions(shown, `Pay ${priceOf(envelope) ?? ""}`), letGo(shown)]} />
      {isPaid || envelope.payment?.checkout_url !== undefined ? null : (
        <p class="card-note">The agent says how to pay until {times.time(nowMs + leftMs)}.</p>
      )}
    </>
  )
}

function leftOf({ envelope: { hold_expires_at: until }, nowMs }: Shown): number {
  return until === undefined ? 0 : Math.max(0, Date.parse(until) - nowMs)
}

/** Of the bar, in percent. After a failed payment there may be more than a whole hold. */
function share(leftMs: number): number {
  return Math.min(100, Math.round((leftMs / COURIER_HOLD_MS) * 1000) / 10)
}

function payActions({ envelope }: Shown, name: string): readonly Action[] {
  const url = envelope.payment?.checkout_url
  return url === undefined ? [] : [{ name, opens: url }]
}

function letGo({ envelope: { delivery_id: id = "" } }: Shown): Action {
  return { name: "Let it go", look: "quiet", says: SAYS.letGo(id) }
}

const FAILURES: Readonly<Record<PaymentFailure, string>> = {
  declined: "The payment was declined.",
  expired: "The approval of the payment has expired.",
  over_limit: "The fee is over the limit of this payment.",
}

export function NotPaidCard(shown: Shown): JSX.Element {
  const { envelope, data, nowMs } = shown
  const leftMs = leftOf(shown)
  const minutes = minutesLeft(nowMs + leftMs, nowMs)
  const failure = envelope.error?.payment_failure
  const order =
    envelope.order_number === undefined
      ? `Nothing was charged. Do not order at ${nameOf(envelope)} before it is paid.`
      : `Your order at ${nameOf(envelope)} stands; it is paid apart.`
  return (
    <>
      <Head title="Not paid" isTest={isOfTest({ data })}>
        <Clock leftMs={leftMs} after=" more" isUrgent />
      </Head>
      <div class="banner bad">
        <Icon name="triangle-alert" />
        <p>
          <strong>{failure === undefined ? "The payment did not go through." : FAILURES[failure]}</strong> The
          vehicle stays held for {minutes} more {minutes === 1 ? "minute" : "minutes"}. {order}
        </p>
      </div>
      <Actions actions={[...payActions(shown, "Pay another way"), letGo(shown)]} />
    </>
  )
}
