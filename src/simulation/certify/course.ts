/**
 * What a certification sends: the requests of two simulated visits, or of two deliveries, as the service wrote them. The commands and
 * machines that answer the API made every body, id and order.
 */

import type { WebhookArea } from "../../model/webhook.ts"
import { isEventType } from "../../model/webhook.ts"
import type { EventType } from "../../model/webhook.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import { openedBy } from "../outside-world.ts"
import { scenario } from "../scenario/builder.ts"
import type { Scenario } from "../scenario/language/language.ts"
import { runScenario } from "../scenario/run.ts"

/** An event of the course. Its signature is made when it is sent. */
export interface CourseEvent {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly body: string
  /** The reservation's id, or the delivery's external id. */
  readonly subject: string
  /** The status in the body; null if it has none. */
  readonly status: string | null
  /** Sorts the events of a subject in the order of the contract: `occurred_at`, then `event_id`. */
  readonly place: string
}

export interface Course {
  readonly api: WebhookArea
  /** In the order in which they happened. */
  readonly events: readonly CourseEvent[]
  /** The call that opens the bot; null for direct delivery. */
  readonly opening: { readonly attemptId: string; readonly body: string } | null
}

export interface CourseOptions {
  readonly api: WebhookArea
  /** Another seed has other ids. */
  readonly seed: number
  readonly nowMs: EpochMs
}

/** A course that has just ended. */
export function courseOf({ api, seed, nowMs }: CourseOptions): Course {
  // The clock of a scenario has whole minutes.
  const clock = `${new Date(nowMs - COURSE_MS).toISOString().slice(0, 16)} UTC`
  const received: ReceivedRequest[] = []
  const run = runScenario(api === "reservations" ? visits(clock) : deliveries(clock, seed), {
    seed,
    watch: ({ world }) => {
      world.onReceived((request) => received.push(request))
      return {}
    },
  })
  const [failure] = run.failures
  if (failure !== undefined) throw new Error(`the course of a certification fails: ${failure.message}`)
  const opening = received.find((request) => openedBy(request) === "open link")
  return {
    api,
    events: received.flatMap((request) => {
      const event = api === "reservations" ? reservationEvent(request) : deliveryEvent(request)
      return event === null ? [] : [event]
    }),
    opening:
      opening === undefined
        ? null
        : { attemptId: opening.headers["X-Service-Attempt-Id"] ?? "", body: opening.body },
  }
}

/** From the first step to the last, and the minute that was cut off. */
const COURSE_MS = 41 * MINUTE_MS

const BECAUSE = "A receiver sees what a partner's receiver sees."

/** A whole visit with every optional field, and one without, which is canceled. */
function visits(clock: string): Scenario {
  return scenario("Two visits for a receiver", {
    because: BECAUSE,
    clock,
    given: { webhooks: [{ as: "partner", events: "all" }] },
  })
    .do("reservation.create", {
      as: "visit",
      with: {
        window: ["+15m", "+45m"],
        order_number: "A-1187",
        end_user_name: "Zoë O’Neill 李",
        retailer_pickup_ref: "Käse & “Brot” <3>",
        max_weight_kg: 12.5,
        max_dimensions_cm: [60, 40, 35],
      },
    })
    .do("reservation.create", { as: "bare", with: { window: ["+15m", "+45m"], retailer_pickup_ref: null } })
    .at("+5m")
    .do("runner.assign", { for: "visit" })
    .at("+3m")
    .do("runner.at_store", { for: "visit" })
    .at("+3m")
    .do("runner.order_in_hand", { for: "visit" })
    .at("+3m")
    .do("bot.report", { for: "visit", with: { status: "INBOUND", label: "Robo 7" } })
    .at("+3m")
    .do("bot.report", { for: "visit", with: { status: "ARRIVED" } })
    .at("+3m")
    .do("runner.at_unit", { for: "visit" })
    .at("+3m")
    .do("bot.report", { for: "visit", with: { status: "READY_FOR_HANDOFF" } })
    .at("+3m")
    .do("runner.load", { for: "visit", with: { photo: true } })
    .at("+3m")
    .do("reservation.cancel", { for: "bare" })
    .at("+3m")
    .do("bot.report", { for: "visit", with: { status: "DEPARTED" } })
    .build()
}

/** A delivery that is walked to its end, and one that is cancelled. */
function deliveries(clock: string, seed: number): Scenario {
  const [whole, short] = [`order-${seed}-a`, `order-${seed}-b`]
  let course = scenario("Two deliveries for a receiver", {
    because: BECAUSE,
    clock,
    environment: "sandbox",
    given: { vehicles: [{ as: "van" }], pickup_webhooks: [{ as: "shop", events: "all" }] },
  })
    .do("delivery.quote", { as: whole })
    .do("delivery.create", { for: whole })
    .do("delivery.quote", { as: short })
    .do("delivery.create", { for: short })
    .at("+3m")
    .do("delivery.cancel", { for: short })
  for (let step = 0; step < 8; step += 1) course = course.at("+3m").do("delivery.advance", { for: whole })
  return course.build()
}

function reservationEvent({ headers, body }: ReceivedRequest): CourseEvent | null {
  const { "X-Service-Delivery-Id": deliveryId, "X-Service-Event-Type": eventType = "" } = headers
  if (deliveryId === undefined || !isEventType(eventType)) return null
  const read = JSON.parse(body) as {
    readonly event_id: string
    readonly occurred_at: string
    readonly data: { readonly reservation: { readonly reservation_id: string; readonly status: string } }
  }
  const { event_id: eventId, data, occurred_at } = read
  const { reservation_id: subject, status } = data.reservation
  return { deliveryId, eventId, eventType, body, subject, status, place: `${occurred_at} ${eventId}` }
}

function deliveryEvent({ headers, body }: ReceivedRequest): CourseEvent | null {
  const { "X-Service-Delivery-Id": deliveryId } = headers
  if (deliveryId === undefined) return null
  const read = JSON.parse(body) as {
    readonly event: EventType
    readonly timestamp: string
    readonly data: { readonly external_delivery_id: string; readonly status?: string }
  }
  const { event: eventType, data, timestamp: place } = read
  const { external_delivery_id: subject, status = null } = data
  return { deliveryId, eventId: deliveryId, eventType, body, subject, status, place }
}
