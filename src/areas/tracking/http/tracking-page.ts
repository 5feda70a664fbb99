/**
 * What the customer reads: when it arrives, five steps, the way on a map, what changed, how to take the order out, what was
 * ordered, help and the receipt. Plain HTML in the classes of the design, which the page's script replaces part by part.
 */

import { html, raw } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { boxOfMap, placeMap } from "../../../pages/html/map/place-map.ts"
import type { MapParts } from "../../../pages/html/map/place-map.ts"
import type { Streets } from "../../../pages/html/map/streets.ts"
import { MARK } from "../../../pages/html/tokens.ts"
import type { Environment } from "../../../model/caller.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import type { Receipt, TrackingAnswer, TrackingView } from "../tracking.ts"
import { compartmentAtDoor, doorOf, spokenOf } from "./door.ts"
import { DOWNLOAD } from "./icons.ts"
import { RECEIPT_PATH } from "./receipt.ts"
import {
  CHANGES,
  REASONS,
  STEP_WORDS,
  WORDS,
  dollars,
  feeText,
} from "../../../model/requests/tracking-words.ts"
import { timesIn } from "../../../model/values/zoned-times.ts"
import type { Times } from "../../../model/values/zoned-times.ts"

interface Around {
  readonly environment: Environment
  /** Of the page itself. */
  readonly path: string
  readonly streets: Streets | null
}

export interface TrackingPage {
  readonly status: number
  readonly title: string
  readonly body: Html
}

export function trackingPage(answer: TrackingAnswer, around: Around): TrackingPage {
  switch (answer.type) {
    case "found":
      return { status: 200, title: titleOf(answer), body: found(answer, around) }
    case "expired":
      return alone(410, "This link has expired", "The delivery ended more than a day ago.", around)
    case "unknown":
      return alone(404, "No such tracking link", "Check that the link is complete.", around)
  }
}

function alone(status: number, title: string, text: string, { environment }: Around): TrackingPage {
  const body = html`${bar(environment)}
    <main class="tracking alone">
      ${raw(MARK)}
      <h1>${title}</h1>
      <p>${text}</p>
    </main>`
  return { status, title, body }
}

/** Production has no bar. */
function bar(environment: Environment): Html {
  return environment === "production"
    ? html``
    : html`<div class="environment-bar">
        <strong class="badge">SANDBOX</strong> A test delivery: no vehicle comes.
      </div>`
}

/** Minutes further ahead than these are said as a time of day. */
const MINUTES_SAID_MAX = 90

function titleOf({ state, arrival, nowMs, endedAtMs, timeZone }: TrackingView): string {
  const times = timesIn(timeZone)
  if (state === "completed" && endedAtMs !== null) return `Delivered at ${times.time(endedAtMs)}`
  if (arrival === null) return WORDS[state]
  const [from, to] = [arrival.fromMs, arrival.toMs].map((atMs) =>
    Math.max(0, Math.ceil((atMs - nowMs) / MINUTE_MS)),
  )
  if (from === undefined || to === undefined || to > MINUTES_SAID_MAX)
    return `Arrives at ${times.range(arrival.fromMs, arrival.toMs)}`
  if (from < 1) return to <= 1 ? "Arrives in a minute" : `Arrives within ${to} min`
  return from === to ? `Arrives in ${to} min` : `Arrives in ${from} to ${to} min`
}

function found(view: TrackingView, { environment, path, streets }: Around): Html {
  const { storeName, orderNumber, endedAtMs, arrival, steps } = view
  const times = timesIn(view.timeZone)
  const step = steps.findLast(({ atMs }) => atMs !== null)?.step ?? "booked"
  const arrives = arrival === null ? "" : String(Math.round((arrival.fromMs + arrival.toMs) / 2))
  return html`${bar(environment)}
    <header class="tracking-head">
      ${raw(MARK)}
      <span class="order">${storeName}${orderNumber === null ? "" : `, order ${orderNumber}`}</span>
      <a class="link" href="#help">Help</a>
    </header>
    <main
      class="tracking"
      id="tracking"
      data-state="${view.state}"
      data-step="${STEP_WORDS[step]}"
      data-arrives-ms="${arrives}"
      data-door="${spokenOf(view)}"
      ${compartmentAtDoor(view)?.state === "opening" ? "data-soon" : ""}
      ${endedAtMs === null ? "" : "data-over"}
    >
      <p class="visually-hidden" role="status" id="spoken"></p>
      <div class="text">
        <div id="answer">
          <h1>${titleOf(view)}</h1>
          <p class="told">${toldText(view, times)} <span id="age"></span></p>
        </div>
        <div id="steps">${stepsOf(view, times)}</div>
        <div id="open">${doorOf(view, path)}</div>
        ${endedAtMs === null ? html`<p id="refresh"><a class="button" href="${path}">Refresh</a></p>` : html``}
        <div id="how">${howOf(view)}</div>
        <section id="order">${orderOf(view, times, path)}</section>
        <section id="help" class="help">${helpOf(view)}</section>
        <p class="tiny quiet" id="end">${endText(view, times)}</p>
      </div>
      <div class="aside">
        <div id="map">${mapOf(view, streets)}</div>
        <div id="change">${changeOf(view, times)}</div>
      </div>
    </main>`
}

/** The clock time under the answer. */
function toldText(view: TrackingView, times: Times): string {
  const { state, arrival, city, steps, endedAtMs, nowMs, failureReason } = view
  if (arrival !== null) {
    const place = city === null ? "" : ` in ${city}`
    return `${times.range(arrival.fromMs, arrival.toMs)}${place}. ${WORDS[state]}, as of ${times.time(nowMs)}.`
  }
  if (state === "arrived_at_customer") {
    const sinceMs = steps.find(({ step }) => step === "at_the_door")?.atMs ?? nowMs
    return `Since ${times.time(sinceMs)}. Please take your order out.`
  }
  if (failureReason !== null) return REASONS[failureReason]
  if (endedAtMs === null) return `As of ${times.time(nowMs)}.`
  return state === "completed" ? times.date(endedAtMs) : `${WORDS[state]} on ${times.date(endedAtMs)}.`
}

function stepsOf({ steps, endedAtMs }: TrackingView, times: Times): Html {
  const now = steps.findLastIndex(({ atMs }) => atMs !== null)
  const state = (at: number, atMs: number | null): "done" | "next" | "now" =>
    at === now && endedAtMs === null ? "now" : atMs !== null || at < now ? "done" : "next"
  const said = { done: "done", now: "now", next: "to come" }
  return html`<ol class="tracking-steps" aria-label="Steps of the delivery">
    ${steps.map(({ step, atMs }, at) => {
      const is = state(at, atMs)
      return html`<li class="${is}" ${is === "now" ? raw('aria-current="step"') : ""}>
        <span class="name">${STEP_WORDS[step]}<span class="visually-hidden">, ${said[is]}</span></span>
        ${atMs === null ? html`` : html`<span class="number">${times.time(atMs)}</span>`}
      </li>`
    })}
  </ol>`
}

function mapOf({ map, storeName, vehicle, state }: TrackingView, streets: Streets | null): Html {
  // At the door only the way to take the order out counts.
  if (map === null || state === "arrived_at_customer") return html``
  const parts: MapParts = {
    label:
      map.vehicle === null
        ? "The way from the store to your door"
        : "The way of your order, and the vehicle on it",
    places: [
      { kind: "store", name: storeName, ...map.store },
      { kind: "door", name: "Your door", ...map.door },
      ...(map.vehicle === null
        ? []
        : [{ kind: "vehicle" as const, name: vehicle?.label ?? "Vehicle", ...map.vehicle }]),
    ],
    trail: map.trail,
    size: { width: 460, height: 304 },
  }
  const box = boxOfMap(parts)
  const known =
    streets === null || box === null ? {} : { streets: streets.within(box), credit: streets.credit }
  return raw(placeMap({ ...parts, ...known }))
}

function changeOf({ change }: TrackingView, times: Times): Html {
  if (change === null) return html``
  const { byMinutes, firstToldMs, why } = change
  const minutes = Math.abs(byMinutes)
  return html`<p class="change">
    <strong>${minutes} min ${byMinutes > 0 ? "later" : "earlier"} than first told.</strong>
    ${why === null ? "" : CHANGES[why]} At the booking it was ${times.time(firstToldMs)}.
  </p>`
}

/** How to meet the vehicle and open it; the vehicle's look not before it has the order, and nothing after the end. */
function howOf(view: TrackingView): Html {
  const { street, vehicle, endedAtMs, items } = view
  if (endedAtMs !== null || street === null) return html``
  const looks =
    vehicle === null
      ? "It is small and drives by itself."
      : `It is small and ${vehicle.look}, with ${vehicle.label} on it.`
  const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
  return html`<section>
    <h2>How to open it</h2>
    <ol class="how">
      <li>
        <p><strong>Meet it at the curb</strong> in front of ${street}. ${looks}</p>
      </li>
      <li>
        <p>${openingOf(view)}</p>
      </li>
      <li>
        <p>
          <strong>Take everything out and close the lid.</strong>
          ${count === 0 ? "" : `Your order has ${count} ${count === 1 ? "item" : "items"}.`}
        </p>
      </li>
    </ol>
  </section>`
}

/** A vehicle that cannot be opened from here has its fleet's own words. */
function openingOf({ opening, state }: TrackingView): Html {
  const isThere = state === "arrived_at_customer"
  const { instruction = null, compartment = null } = opening ?? {}
  switch (compartment?.state) {
    case undefined:
      if (instruction !== null) return html`<strong>Open it.</strong> ${instruction}`
      return html`<strong>Lift the lid.</strong>
        ${isThere ? "It is unlocked while the vehicle stands here." : "It unlocks when the vehicle has stopped at your door."}`
    case "closed":
    case "opening":
      return isThere
        ? html`<strong>Stand beside it and press the button above.</strong>
            ${instruction || "The lid unlocks within some seconds."}`
        : html`<strong>Open it from this page.</strong> A button shows here once it is at your door.`
    case "opened":
      return html`<strong>Lift the lid.</strong> It is unlocked.`
    case "failed":
    case "locked":
      return html`<strong>Stay beside it.</strong> Operations open it for you.`
  }
}

function orderOf(view: TrackingView, times: Times, path: string): Html {
  const { items, fee, storeName, endedAtMs, receipt } = view
  const rows = items.map(({ name, quantity }) => html`<li><span>${quantity} × ${name}</span></li>`)
  const charge =
    fee === null
      ? html`<li class="sum"><span>Order and delivery</span><span>billed by ${storeName}</span></li>`
      : html`<li class="sum">
          <span>Delivery fee, charged apart from the order</span>
          <strong>${dollars(fee.cents, fee.currency)}</strong>
        </li>`
  return html`<h2>${receipt === null ? "Your order" : "Receipt"}</h2>
    <ul class="lines">
      ${[...rows, charge]}
    </ul>
    ${fee === null ? html`` : html`<p class="small quiet">${feeText(fee.status)}</p>`}
    ${receipt === null ? html`` : receiptOf(receipt, times, path)}
    ${receipt === null && endedAtMs !== null ? html`<p class="small quiet">${times.date(endedAtMs)}</p>` : html``}`
}

/** Without the customer's address, which only the downloaded receipt has: the page may stay open where others see it. */
function receiptOf({ from, bookedAtMs, deliveredAtMs }: Receipt, times: Times, path: string): Html {
  const row = (term: string, lines: readonly string[]): Html =>
    html`<dt>${term}</dt>
      <dd>${lines.map((line) => html`<span>${line}</span>`)}</dd>`
  return html`<dl class="receipt">
      ${from.length === 0 ? "" : row("From", from)} ${row("Booked", [times.date(bookedAtMs)])}
      ${row("Delivered", [times.date(deliveredAtMs)])}
    </dl>
    <p class="two">
      <a class="button" href="${path}/${RECEIPT_PATH}">${DOWNLOAD}Receipt</a>
      <a class="button" href="#help">Something wrong</a>
    </p>`
}

function helpOf({ storeName, environment }: TrackingView): Html {
  return html`<h2>Help</h2>
    <p class="small">
      Something missing or wrong with the order: ask ${storeName}.
      ${environment === "production" ? "About the delivery, reply HELP to the text that brought you here; reply STOP to end texts." : ""}
    </p>`
}

function endText({ endedAtMs }: TrackingView, times: Times): string {
  return endedAtMs === null
    ? "This page works until 24 hours after the delivery."
    : `Map and trail are no longer shown. This page ends a day later, at ${times.time(endedAtMs)}.`
}
