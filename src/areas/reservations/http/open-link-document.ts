/** The call that asks a partner to open its bot, for the OpenAPI document. Source: reservations contract, open link callback; choices O1 to O6. */

import { Schema } from "effect"
import {
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_TIMEOUT_MS,
} from "../../../model/values/limits.ts"
import { listed } from "../../../model/values/listed.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import { USER_AGENT } from "../../../http/webhook-document.ts"
import type { Callback } from "../../../http/webhook-document.ts"
import { DateTimeMicros, RESERVATION_SIGNATURE } from "./events.ts"

const WAITS = listed(OPEN_LINK_BACKOFF_MS.map((ms) => String(ms / SECOND_MS)))

const OpenLinkCall = Schema.Struct({
  attempt_id: Schema.UUID.annotations({
    description:
      "The idempotency key: the same on every attempt of this opening, another one when the runner tries again.",
  }),
  reservation_id: Schema.String,
  order_number: Schema.String,
  zone_id: Schema.String,
  stall_id: Schema.String,
  stall_label: Schema.NullOr(Schema.String),
  bot_label: Schema.NullOr(Schema.String),
  occurred_at: DateTimeMicros.annotations({
    description: "When the opening was asked for; the same on every attempt.",
  }),
})

export const openLinkCallback: Callback = {
  field: "open_link_url",
  operationId: "openLink",
  summary: "The runner stands at the bot, and the bot is ready: open it",
  description:
    "A POST to the reservation's `open_link_url`, once the runner is at the bot and the bot has reported `READY_FOR_HANDOFF`. " +
    `It succeeds with any status of 200 to 299 within ${OPEN_LINK_TIMEOUT_MS / SECOND_MS} seconds. There are up to ` +
    `${OPEN_LINK_ATTEMPTS_MAX} attempts, ${WAITS} seconds after a failure; then the runner's task is flagged, and ` +
    "`reservation.exception` says `access_failed`. The body is byte for byte the same on every attempt: answer a repeated " +
    "`attempt_id` as you answered it first, and open nothing twice. Attempts that are left are dropped when the reservation ends.",
  headers: [
    {
      name: "X-Service-Attempt-Id",
      description: "`attempt_id` of the body.",
      schema: { type: "string", format: "uuid" },
    },
    {
      ...RESERVATION_SIGNATURE,
      description:
        "Only if your organization has a secret for open links; made like the signature of an event.",
      isOptional: true,
    },
    USER_AGENT,
  ],
  body: OpenLinkCall,
  example: {
    attempt_id: "6f1d1c0e-2b7a-4c8e-9a41-3f0d5c2e7b16",
    reservation_id: "res_h68z25eyZKrNuPAPbcOBrs",
    order_number: "A-1001",
    zone_id: "zone_market_curb",
    stall_id: "stall_market_1",
    stall_label: "A1",
    bot_label: null,
    occurred_at: "2026-03-02T17:46:10.000000Z",
  } satisfies typeof OpenLinkCall.Encoded,
  failure: "Not opened: the attempt failed. Redirects are not followed and count as failures.",
}
