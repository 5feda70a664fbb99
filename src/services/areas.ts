/** What the areas bring to every host: their decision functions, observers and performers. */

import { Effect, Layer } from "effect"
import type { Decision } from "../kernel/program.ts"
import type { ActorHost } from "./host.ts"
import { Areas } from "./host.ts"
import type { OutboundHttp } from "./outbound/outbound-http.ts"
import type { UrlPolicy } from "./outbound/url-policy.ts"
import type { PhotoLinks } from "./photos/photo-links.ts"
import type { Policies } from "./policies.ts"
import { forgetReservation, observeReservation } from "./reservations/announcements.ts"
import { book, moveWindow } from "./reservations/booking-rules.ts"
import { callOpenLink } from "./reservations/open-links.ts"
import type { ReservationRows } from "./reservations/rows.ts"
import { forgetDelivery } from "./webhooks/fan-out.ts"
import { sendWebhook } from "./webhooks/send.ts"
import type { WebhookStore } from "./webhooks/store.ts"

/** Decision functions by name and version; a kept journal may name any of them. */
export const decisions: Readonly<Record<string, Decision>> = { "book@1": book, "move-window@1": moveWindow }

type Needs = ActorHost | OutboundHttp | PhotoLinks | Policies | ReservationRows | UrlPolicy | WebhookStore

/** What the areas do beside the machines, bound to the ports. */
export const layerAreas: Layer.Layer<Areas, never, Needs> = Layer.effect(
  Areas,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      observers: [
        {
          kind: "reservation",
          observe: (result) => Effect.provide(observeReservation(result), context),
          forget: (group) => Effect.provide(forgetReservation(group), context),
        },
        {
          kind: "webhook-delivery",
          observe: () => Effect.void,
          forget: (group) => Effect.provide(forgetDelivery(group), context),
        },
      ],
      performers: [
        { call: "open_link", perform: (call) => Effect.provide(callOpenLink(call), context) },
        { call: "webhook", perform: (call) => Effect.provide(sendWebhook(call), context) },
      ],
    }
  }),
)
