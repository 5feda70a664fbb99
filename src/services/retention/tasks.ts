/** What is purged, and after which time. Periods are named in the model's limits. */

import { Effect } from "effect"
import {
  KEEP_LOAD_PHOTOS_MS,
  KEEP_OPEN_LINK_BODIES_MS,
  KEEP_PERSONAL_DATA_MS,
  KEEP_REQUEST_COUNTS_MS,
  KEEP_WEBHOOK_BODIES_MS,
} from "../../model/limits.ts"
import { RateCounter } from "../access/rate-limits.ts"
import { PhotoStore } from "../photos/photo-store.ts"
import { ReservationRows } from "../reservations/rows.ts"
import { WebhookStore } from "../webhooks/store.ts"
import type { RetentionTask } from "./retention.ts"

/** Rows of reservations, photos and webhooks: every host has them. Another kind of row is one more line here. */
export const serviceTasks: Effect.Effect<
  readonly RetentionTask[],
  never,
  PhotoStore | ReservationRows | WebhookStore
> = Effect.gen(function* () {
  const photos = yield* PhotoStore
  const rows = yield* ReservationRows
  const webhooks = yield* WebhookStore
  return [
    { name: "open link bodies", keepMs: KEEP_OPEN_LINK_BODIES_MS, purge: rows.purgeOpenLinks },
    { name: "webhook bodies", keepMs: KEEP_WEBHOOK_BODIES_MS, purge: webhooks.purgeBodies },
    { name: "load photos", keepMs: KEEP_LOAD_PHOTOS_MS, purge: photos.purge },
    { name: "personal data", keepMs: KEEP_PERSONAL_DATA_MS, purge: rows.blankEnded },
  ]
})

/** Counts of requests, which only a host with an edge has. */
export const requestCountTask: Effect.Effect<RetentionTask, never, RateCounter> = Effect.map(
  RateCounter,
  ({ purge }) => ({ name: "request counts", keepMs: KEEP_REQUEST_COUNTS_MS, purge }),
)
