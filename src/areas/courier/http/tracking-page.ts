/**
 * The page behind a `tracking_url`: the state of the delivery, its expected time, and the position of the vehicle once
 * the order is on board. No name, no address, no phone number. Source: courier connector contract §1 and §3; open
 * choices 2.3 and C5.
 */

import type { CourierState, FailureReason } from "../../../model/courier.ts"
import type { TrackingView } from "../tracking.ts"
import { cityMap } from "./city-map.ts"
import { shortDate, shortTime } from "./local-time.ts"
import { escaped } from "../../../html/markup.ts"
import type { Page } from "./page.ts"
import { FOLLOWING } from "./tracking-script.ts"

export interface ShownTracking {
  readonly status: number
  readonly page: Page
}

type View = TrackingView | { readonly type: "expired" } | { readonly type: "unknown" }

/** `path` is the path of the page itself. */
export function shownTracking(view: View, path: string): ShownTracking {
  switch (view.type) {
    case "found":
      return { status: 200, page: foundPage(view, path) }
    case "expired":
      return ended(410, "This link has expired", "The delivery ended more than a day ago.")
    case "unknown":
      return ended(404, "No such tracking link", "Check that the link is complete.")
  }
}

function ended(status: number, title: string, text: string): ShownTracking {
  return { status, page: { title, body: [`<h1>${title}</h1>`, `<p>${text}</p>`] } }
}

const WORDS: Record<CourierState, string> = {
  quoted: "Not booked yet",
  declined: "Not taken",
  expired: "Not booked",
  held: "Vehicle held",
  confirmed: "Booked",
  assigned: "A vehicle is assigned",
  en_route_to_store: "On the way to the store",
  arrived_at_store: "At the store",
  waiting_for_load: "Waiting for the order",
  loaded: "Order on board",
  en_route_to_customer: "On the way to you",
  arrived_at_customer: "At your door: please take your order out",
  completed: "Delivered",
  cancelled: "Cancelled",
  failed: "Not delivered",
}

const REASONS: Record<FailureReason, string> = {
  store_no_handover: "The store did not hand the order over.",
  items_not_carriable: "The vehicle could not carry the items.",
  customer_unavailable: "The order was not taken out of the vehicle.",
  vehicle_fault: "The vehicle had a fault.",
}

/** The page's script replaces the parts that have an id. */
function foundPage(view: TrackingView, path: string): Page {
  const { state, retailerName, failureReason, updatedAtMs } = view
  const isOver = view.endedAtMs !== null
  return {
    title: WORDS[state],
    body: [
      `<h1>Your order from ${escaped(retailerName)}</h1>`,
      '<div id="state" role="status">',
      `<p class="big">${WORDS[state]}</p>`,
      ...(failureReason === null ? [] : [`<p>${REASONS[failureReason]}</p>`]),
      "</div>",
      '<div id="times">',
      "<dl>",
      ...timesOf(view).map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`),
      "</dl>",
      "</div>",
      '<div id="place">',
      ...placeOf(view),
      "</div>",
      `<p class="quiet" id="fresh"${isOver ? " data-over" : ""}>As of ${shortDate(updatedAtMs)}.</p>`,
      ...(isOver ? [] : following(path)),
    ],
    ...(isOver ? {} : { script: FOLLOWING }),
  }
}

/** The link is for browsers without script, the sentence for those with it. */
function following(path: string): readonly string[] {
  return [
    '<div id="following">',
    `<a class="action" href="${escaped(path)}">Refresh</a>`,
    '<p class="quiet" hidden>This page updates automatically.</p>',
    "</div>",
  ]
}

function timesOf({
  plannedPickupAtMs,
  window,
  endedAtMs,
}: TrackingView): readonly (readonly [string, string])[] {
  if (endedAtMs !== null) return [["Ended", shortDate(endedAtMs)]]
  return [
    ...(plannedPickupAtMs === null ? [] : [["Pickup", shortTime(plannedPickupAtMs)] as const]),
    ...(window === null
      ? []
      : [["Delivery", `${shortTime(window.startMs)} to ${shortTime(window.endMs)}`] as const]),
  ]
}

function placeOf({ vehicle }: TrackingView): readonly string[] {
  if (vehicle === null) return []
  const { latitude, longitude, recordedAtMs } = vehicle
  const place = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
  const elsewhere = `https://www.openstreetmap.org/?mlat=${latitude}&amp;mlon=${longitude}#map=16/${latitude}/${longitude}`
  return [
    "<h2>Where the vehicle is</h2>",
    cityMap(vehicle),
    `<p>At ${place}, seen at ${shortTime(recordedAtMs)}.</p>`,
    `<a class="action" href="${elsewhere}" rel="noreferrer noopener" target="_blank">Streets around it (opens OpenStreetMap)</a>`,
  ]
}
