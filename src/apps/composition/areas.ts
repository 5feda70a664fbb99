/** What the areas provide to every host: their decision functions, observers and performers. */

import { Effect, Layer } from "effect"
import type { Context } from "effect"
import type { DecisionFunction, DecisionName } from "../../../machines/contracts.ts"
import {
  COURIER_PAYMENT_LEASE_MS,
  OPEN_LINK_LEASE_MS,
  OPEN_LINK_TIMEOUT_MS,
  RESOLUTION_TIMEOUT_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_TIMEOUT_MS,
} from "../../model/values/limits.ts"
import type { SessionRows } from "../../areas/analytics/rows.ts"
import type { MeasuredSites } from "../../areas/analytics/sites.ts"
import { forgetStay } from "../../areas/analytics/stays.ts"
import { observeCompartment } from "../../areas/compartments/compartments.ts"
import { callOpenCompartment, prepareOpenCompartment } from "../../areas/compartments/open-calls.ts"
import type { FleetSettingsRows } from "../../areas/dispatch/fleet-settings.ts"
import { observeVehicle } from "../../areas/dispatch/vehicles.ts"
import type { GroupAddress } from "../../model/address.ts"
import { forgetDeliveryRow, observeDelivery } from "../../areas/direct-delivery/announcements.ts"
import { forgetCharge } from "../../areas/direct-delivery/charges.ts"
import type { ChargeRows } from "../../areas/direct-delivery/charges.ts"
import {
  errandAhead,
  forgetErrand,
  observeErrandDelivery,
  observeOrder,
} from "../../areas/courier/announcements.ts"
import {
  authorizePayment,
  capturePayment,
  performPayment,
  readyPayment,
  refundPayment,
  voidPayment,
} from "../../areas/courier/payment-calls.ts"
import type { PaymentCall } from "../../areas/courier/payment-calls.ts"
import type { Payments } from "../../areas/courier/payments.ts"
import type { ErrandMemory } from "../../areas/courier/errand-memory.ts"
import type { CourierClaims, CourierRows } from "../../areas/courier/rows.ts"
import {
  checkErrand,
  confirmErrand,
  reserveErrand,
  stageDropoff,
  stageErrand,
} from "../../areas/courier/rules.ts"
import type { CourierSettings } from "../../areas/courier/settings.ts"
import {
  checkErrandFromAll,
  checkErrandWithoutItems,
  confirmErrandFromAll,
  reserveErrandFromAll,
} from "../../areas/courier/whole-pool-rules.ts"
import { promote } from "../../areas/direct-delivery/promotion.ts"
import type { VehicleRows } from "../../areas/dispatch/rows.ts"
import type { DeliveryRows, DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { promoteBeyondPlaces, promoteFromAll } from "../../areas/direct-delivery/earlier-promotions.ts"
import type { Runs } from "../../areas/dispatch/runs.ts"
import type { ActorHost, Observer, Performer, Receiver } from "../../engine/services/host.ts"
import { Areas } from "../../engine/services/host.ts"
import type { OutboundHttp } from "../../engine/services/outbound/outbound-http.ts"
import type { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import type { MessageNotices } from "../../areas/messages/notices.ts"
import type { PhotoLinks } from "../../engine/services/photos/photo-links.ts"
import type { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import type { Policies } from "../../engine/services/policies.ts"
import {
  observeAcknowledgement,
  observeCompletion,
  observeRegistration,
  observeVisit,
} from "../portal/milestones.ts"
import type { MilestoneRows } from "../portal/milestones.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { forgetReservation, observeReservation } from "../../areas/reservations/announcements.ts"
import { book, moveWindow } from "../../areas/reservations/booking-rules.ts"
import type { OpenLinkSecretRows } from "../../areas/reservations/open-link-secrets.ts"
import { callOpenLink, prepareOpenLink } from "../../areas/reservations/open-links.ts"
import type { ReservationRows } from "../../areas/reservations/rows.ts"
import { observeReservationStay } from "../../areas/reservations/stays.ts"
import { observeEndpoint } from "../../areas/webhooks/endpoints.ts"
import { forgetDelivery, forgetEvents } from "../../areas/webhooks/fan-out.ts"
import type { Notices } from "../../areas/webhooks/notices.ts"
import { sendWebhook, prepareWebhook } from "../../areas/webhooks/send.ts"
import type { WebhookStore } from "../../areas/webhooks/store.ts"
import type { TrackingLinks } from "../../areas/direct-delivery/tracking-links.ts"

/** Decision functions by name and version; a kept journal may name any of them. */
export const decisions: { readonly [Name in DecisionName]: DecisionFunction<Name> } = {
  "book@1": book,
  "check-errand@1": checkErrandWithoutItems,
  "check-errand@2": checkErrandFromAll,
  "check-errand@3": checkErrand,
  "confirm-errand@1": confirmErrandFromAll,
  "confirm-errand@2": confirmErrand,
  "move-window@1": moveWindow,
  "promote@1": promoteBeyondPlaces,
  "promote@2": promoteFromAll,
  "promote@3": promote,
  "reserve-errand@1": reserveErrandFromAll,
  "reserve-errand@2": reserveErrand,
  "stage-errand@1": stageErrand,
  "stage-errand@2": stageDropoff,
}

type Needs =
  | ActorHost
  | ChargeRows
  | CourierClaims
  | CourierRows
  | CourierSettings
  | DeliveryRows
  | DeliverySites
  | ErrandMemory
  | FleetSettingsRows
  | MeasuredSites
  | MessageNotices
  | MilestoneRows
  | Notices
  | OpenLinkSecretRows
  | OutboundHttp
  | Payments
  | PhotoLinks
  | PhotoStore
  | Policies
  | ReservationRows
  | Runs
  | SessionRows
  | UrlPolicy
  | TrackingLinks
  | VehicleRows
  | WebhookStore

/** The rows of a reservation, and the sandbox's events about it. */
const forgetVisit = (group: GroupAddress) => Routine.zipRight(forgetReservation(group), forgetEvents(group))

/** The same of a delivery, with its stay and its charge. */
const forgetOrder = Routine.fn(function* (group: GroupAddress) {
  yield* forgetDeliveryRow(group)
  yield* forgetEvents(group)
  yield* forgetStay(group)
  yield* forgetCharge(group)
})

/** It needs no port. */
const COMPARTMENTS: Observer = {
  kind: "compartment",
  observe: observeCompartment,
  forget: () => Routine.void,
}

/** The areas' observers and performers, bound to the ports. */
export const layerAreas: Layer.Layer<Areas, never, Needs> = Layer.effect(
  Areas,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      observers: [
        {
          kind: "reservation",
          observe: (result) => provided(observeReservation(result), context),
          forget: (group) => provided(forgetVisit(group), context),
        },
        {
          kind: "reservation",
          observe: (result) => provided(observeReservationStay(result), context),
          forget: (group) => provided(forgetStay(group), context),
        },
        {
          kind: "reservation",
          observe: (result) => provided(observeVisit(result), context),
          forget: () => Routine.void,
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeDelivery(result), context),
          forget: (group) => provided(forgetOrder(group), context),
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeErrandDelivery(result), context),
          forget: () => Routine.void,
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeCompletion(result), context),
          forget: () => Routine.void,
        },
        COMPARTMENTS,
        {
          kind: "courier-order",
          observe: (result) => provided(observeOrder(result), context),
          ahead: (group) => provided(errandAhead(group), context),
          forget: (group) => provided(forgetErrand(group), context),
        },
        {
          kind: "vehicle",
          observe: (result) => provided(observeVehicle(result), context),
          forget: () => Routine.void,
        },
        {
          kind: "webhook-endpoint",
          observe: (result) => provided(observeEndpoint(result), context),
          forget: () => Routine.void,
        },
        {
          kind: "webhook-endpoint",
          observe: (result) => provided(observeRegistration(result), context),
          forget: () => Routine.void,
        },
        {
          kind: "webhook-delivery",
          observe: (result) => provided(observeAcknowledgement(result), context),
          forget: (group) => provided(forgetDelivery(group), context),
        },
      ],
      performers: performersIn(context),
    }
  }),
)

/** Outbound calls, and how each is prepared inside a transaction. */
function performersIn(context: Context.Context<Needs>): Areas["Type"]["performers"] {
  const bound = <A>(ready: {
    readonly receiver: Receiver | null
    readonly perform: Effect.Effect<A, never, Needs>
  }) => ({
    ...ready,
    perform: provided(ready.perform, context),
  })
  const payment = (call: string, job: PaymentCall, leaseMs = COURIER_PAYMENT_LEASE_MS): Performer => ({
    call,
    leaseMs,
    perform: (made) => provided(performPayment(job, made), context),
    ready: (made) => Routine.map(provided(readyPayment(job, made), context), bound),
  })
  return [
    payment("authorize_payment", authorizePayment),
    payment("capture_payment", capturePayment),
    payment("refund_payment", refundPayment, 3 * COURIER_PAYMENT_LEASE_MS),
    payment("void_payment", voidPayment, 3 * COURIER_PAYMENT_LEASE_MS),
    {
      call: "open_compartment",
      leaseMs: OPEN_LINK_LEASE_MS,
      perform: (call) => provided(callOpenCompartment(call), context),
      turn: {
        prepare: (call) => Routine.map(provided(prepareOpenCompartment(call), context), bound),
        waitMsMax: OPEN_LINK_LEASE_MS - OPEN_LINK_TIMEOUT_MS,
      },
    },
    {
      call: "open_link",
      leaseMs: OPEN_LINK_LEASE_MS,
      perform: (call) => provided(callOpenLink(call), context),
      turn: {
        prepare: (call) => Routine.map(provided(prepareOpenLink(call), context), bound),
        waitMsMax: OPEN_LINK_LEASE_MS - OPEN_LINK_TIMEOUT_MS,
      },
    },
    {
      call: "webhook",
      leaseMs: WEBHOOK_LEASE_MS,
      perform: (call) => provided(sendWebhook(call), context),
      turn: {
        prepare: (call) => Routine.map(provided(prepareWebhook(call), context), bound),
        waitMsMax: WEBHOOK_LEASE_MS - WEBHOOK_TIMEOUT_MS - RESOLUTION_TIMEOUT_MS,
      },
    },
  ]
}
