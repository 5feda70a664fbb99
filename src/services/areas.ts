/** What the areas bring to every host: their decision functions, observers and performers. */

import { Effect, Layer } from "effect"
import type { Context } from "effect"
import { idOf } from "../model/address.ts"
import type { DecisionFunction, DecisionName } from "../../machines/contracts.ts"
import {
  OPEN_LINK_LEASE_MS,
  OPEN_LINK_TIMEOUT_MS,
  RESOLUTION_TIMEOUT_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_TIMEOUT_MS,
} from "../model/limits.ts"
import type { SessionRows } from "./analytics/rows.ts"
import type { MeasuredSites } from "./analytics/sites.ts"
import { forgetStay, observeStay } from "./analytics/stays.ts"
import { forgetDeliveryRow, observeDelivery, observeVehicle } from "./direct-delivery/announcements.ts"
import { forgetCharge, observeCharge } from "./direct-delivery/charges.ts"
import type { ChargeRows } from "./direct-delivery/charges.ts"
import { errandRows } from "./courier/commands.ts"
import { forgetErrand, observeErrandDelivery, observeOrder } from "./courier/announcements.ts"
import { authorizePayment, capturePayment, refundPayment, voidPayment } from "./courier/payment-calls.ts"
import type { Payments } from "./courier/payments.ts"
import type { CourierClaims, CourierRows } from "./courier/rows.ts"
import { checkErrand, confirmErrand, reserveErrand, stageErrand } from "./courier/rules.ts"
import type { CourierSettings } from "./courier/settings.ts"
import {
  checkErrandFromAll,
  checkErrandWithoutItems,
  confirmErrandFromAll,
  reserveErrandFromAll,
} from "./courier/whole-pool-rules.ts"
import { promote } from "./direct-delivery/assignment.ts"
import type { DeliveryRows, DeliverySites, VehicleRows } from "./direct-delivery/rows.ts"
import { observeDeliveryStay } from "./direct-delivery/stays.ts"
import { promoteBeyondPlaces, promoteFromAll } from "./direct-delivery/whole-pool.ts"
import type { ActorHost, Receiver } from "./host.ts"
import { Areas } from "./host.ts"
import type { OutboundHttp } from "./outbound/outbound-http.ts"
import type { UrlPolicy } from "./outbound/url-policy.ts"
import type { MessageNotices } from "./messages/notices.ts"
import type { PhotoLinks } from "./photos/photo-links.ts"
import type { PhotoStore } from "./photos/photo-store.ts"
import type { Policies } from "./policies.ts"
import { observeAcknowledgement, observeRegistration } from "./portal/milestones.ts"
import type { MilestoneRows } from "./portal/milestones.ts"
import { provided } from "./provided.ts"
import { forgetReservation, observeReservation } from "./reservations/announcements.ts"
import { book, moveWindow } from "./reservations/booking-rules.ts"
import type { OpenLinkSecretRows } from "./reservations/open-link-secrets.ts"
import { callOpenLink, prepareOpenLink } from "./reservations/open-links.ts"
import type { ReservationRows } from "./reservations/rows.ts"
import { observeEndpoint } from "./webhooks/endpoints.ts"
import { forgetDelivery } from "./webhooks/fan-out.ts"
import type { Notices } from "./webhooks/notices.ts"
import { sendWebhook, prepareWebhook } from "./webhooks/send.ts"
import type { WebhookStore } from "./webhooks/store.ts"

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
}

type Needs =
  | ActorHost
  | ChargeRows
  | CourierClaims
  | CourierRows
  | CourierSettings
  | DeliveryRows
  | DeliverySites
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
  | SessionRows
  | UrlPolicy
  | VehicleRows
  | WebhookStore

/** What the areas do beside the machines, bound to the ports. */
export const layerAreas: Layer.Layer<Areas, never, Needs> = Layer.effect(
  Areas,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      observers: [
        {
          kind: "reservation",
          observe: (result) => provided(observeReservation(result), context),
          forget: (group) => provided(forgetReservation(group), context),
        },
        {
          kind: "reservation",
          observe: (result) => provided(observeStay(result), context),
          forget: (group) => provided(forgetStay(group), context),
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeDelivery(result), context),
          forget: (group) => provided(forgetDeliveryRow(group), context),
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeDeliveryStay(result), context),
          forget: (group) => provided(forgetStay(group), context),
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeCharge(result), context),
          forget: (group) => provided(forgetCharge(group), context),
        },
        {
          kind: "delivery",
          observe: (result) => provided(observeErrandDelivery(result), context),
          forget: () => Effect.void,
        },
        {
          kind: "courier-order",
          observe: (result) => provided(observeOrder(result), context),
          ahead: (group) => provided(errandRows(idOf(group)), context),
          forget: (group) => provided(forgetErrand(group), context),
        },
        {
          kind: "vehicle",
          observe: (result) => provided(observeVehicle(result), context),
          forget: () => Effect.void,
        },
        {
          kind: "webhook-endpoint",
          observe: (result) => provided(observeEndpoint(result), context),
          forget: () => Effect.void,
        },
        {
          kind: "webhook-endpoint",
          observe: (result) => provided(observeRegistration(result), context),
          forget: () => Effect.void,
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

/** Calls to the outside, and how each is prepared inside a transaction. */
function performersIn(context: Context.Context<Needs>): Areas["Type"]["performers"] {
  const bound = <A>(ready: {
    readonly receiver: Receiver | null
    readonly perform: Effect.Effect<A, never, Needs>
  }) => ({
    ...ready,
    perform: provided(ready.perform, context),
  })
  return [
    { call: "authorize_payment", perform: (call) => provided(authorizePayment(call), context) },
    { call: "capture_payment", perform: (call) => provided(capturePayment(call), context) },
    { call: "refund_payment", perform: (call) => provided(refundPayment(call), context) },
    { call: "void_payment", perform: (call) => provided(voidPayment(call), context) },
    {
      call: "open_link",
      perform: (call) => provided(callOpenLink(call), context),
      turn: {
        prepare: (call) => Effect.map(provided(prepareOpenLink(call), context), bound),
        waitMsMax: OPEN_LINK_LEASE_MS - OPEN_LINK_TIMEOUT_MS,
      },
    },
    {
      call: "webhook",
      perform: (call) => provided(sendWebhook(call), context),
      turn: {
        prepare: (call) => Effect.map(provided(prepareWebhook(call), context), bound),
        waitMsMax: WEBHOOK_LEASE_MS - WEBHOOK_TIMEOUT_MS - RESOLUTION_TIMEOUT_MS,
      },
    },
  ]
}
