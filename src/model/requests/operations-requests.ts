/** Requests of the runner application and of operations, as schemas. */

import { Schema } from "effect"
import { ENVIRONMENTS } from "../caller.ts"
import { TimeZone } from "../catalog.ts"
import { EXCEPTION_CODES } from "../handoff.ts"
import {
  CANCEL_REASON_LENGTH_MAX,
  CATALOG_ID_LENGTH_MAX,
  EXCEPTION_MESSAGE_LENGTH_MAX,
  KEEP_LOAD_PHOTOS_DAYS_MAX,
  KEEP_LOAD_PHOTOS_DAYS_MIN,
  MESSAGES_SHOWN_MAX,
  PAGE_SIZE_MAX,
  POLICY_TIME_MS_MAX,
  POLICY_TIME_MS_MIN,
  RUNNER_CALL_MESSAGE_LENGTH_MAX,
  RUNNER_NAME_LENGTH_MAX,
  SEARCH_LENGTH_MAX,
} from "../values/limits.ts"
import { CHANNELS, MESSAGE_STATUSES, PURPOSES } from "../message.ts"
import { Instant, text } from "../values/schema.ts"
import { SECOND_MS } from "../values/time.ts"

const TextOrNull = Schema.NullOr(Schema.String)

/** The counter may say when the order is expected to be ready. */
export const HoldRequest = Schema.Struct({ ready_estimate: Schema.optional(Schema.NullOr(Instant)) })

/** The party in whose name an operator cancels. An empty reason counts as none. */
export const CancelByOperatorRequest = Schema.Struct({
  by: Schema.Literal("runner", "ops"),
  reason: Schema.optional(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })),
})

/** The retailer reads the reason. */
export const CancelDeliveryByOperatorRequest = Schema.Struct({
  reason: Schema.optional(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })),
})

export const FlagRequest = Schema.Struct({
  reason_code: Schema.Literal(...EXCEPTION_CODES),
  message: Schema.optional(text({ min: 0, max: EXCEPTION_MESSAGE_LENGTH_MAX })),
})

export const ClearFlagRequest = Schema.Struct({ reason_code: Schema.Literal(...EXCEPTION_CODES) })

/** A runner for whom a phone is paired. Without an id, a name that had a phone at the site in this shift keeps its id. */
export const PairRunnerRequest = Schema.Struct({
  runner_name: text({ max: RUNNER_NAME_LENGTH_MAX }),
  runner_id: Schema.optional(text({ max: CATALOG_ID_LENGTH_MAX })),
})

export type PairRunnerRequest = typeof PairRunnerRequest.Type

/** A call to the runners of a site; about a task, or with words of its own, or both. */
export const CallRunnersRequest = Schema.Struct({
  reservation_id: Schema.optional(Schema.NullOr(text({ max: CATALOG_ID_LENGTH_MAX }))),
  message: Schema.optional(Schema.NullOr(text({ min: 0, max: RUNNER_CALL_MESSAGE_LENGTH_MAX }))),
})

export type CallRunnersRequest = typeof CallRunnersRequest.Type

/** The code of a pairing link. */
export const PairPhoneRequest = Schema.Struct({ code: text({ max: 100 }) })

/** A page of a list. */
export const PageRequest = Schema.Struct({
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type PageRequest = typeof PageRequest.Type

/** The bounds are half-open, and apply to the creation. */
export const ListMessagesRequest = Schema.Struct({
  channel: Schema.Literal(...CHANNELS),
  status: Schema.optional(Schema.Array(Schema.Literal(...MESSAGE_STATUSES))),
  q: Schema.optional(text({ max: SEARCH_LENGTH_MAX })),
  from: Schema.optional(Instant),
  until: Schema.optional(Instant),
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, MESSAGES_SHOWN_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type ListMessagesRequest = typeof ListMessagesRequest.Type

const chargeSpan = {
  site_id: Schema.optional(text({ max: CATALOG_ID_LENGTH_MAX })),
  from: Schema.optional(Instant),
  until: Schema.optional(Instant),
}

/** Filters of a list of charges; the bounds are times of completion. */
export const ListChargesRequest = Schema.Struct({
  ...chargeSpan,
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type ListChargesRequest = typeof ListChargesRequest.Type

export const ExportChargesRequest = Schema.Struct(chargeSpan)

export type ExportChargesRequest = typeof ExportChargesRequest.Type

export const SumChargesRequest = Schema.Struct({ ...chargeSpan, timezone: Schema.optional(TimeZone) })

export type SumChargesRequest = typeof SumChargesRequest.Type

/** A message of the outbox, as operations read it. */
export const MessageRecord = Schema.Struct({
  message_id: Schema.String,
  channel: Schema.Literal(...CHANNELS),
  purpose: Schema.Literal(...PURPOSES),
  environment: Schema.NullOr(Schema.Literal(...ENVIRONMENTS)),
  organization_id: TextOrNull,
  to: Schema.String,
  subject: TextOrNull,
  text: Schema.String,
  status: Schema.Literal(...MESSAGE_STATUSES),
  attempts: Schema.Number.pipe(Schema.int()),
  due_at: Instant,
  reason: TextOrNull,
  created_at: Instant,
  ended_at: Schema.NullOr(Instant),
}).pipe(
  Schema.rename({
    message_id: "messageId",
    organization_id: "organizationId",
    due_at: "dueAtMs",
    created_at: "createdAtMs",
    ended_at: "endedAtMs",
  }),
  Schema.annotations({
    identifier: "Message",
    description: "Its text is empty once it was sent or given up.",
  }),
)

const PolicySeconds = Schema.Number.pipe(
  Schema.int(),
  Schema.between(POLICY_TIME_MS_MIN / SECOND_MS, POLICY_TIME_MS_MAX / SECOND_MS),
)

const policyFields = {
  window_ahead_max_seconds: PolicySeconds,
  window_width_min_seconds: PolicySeconds,
  window_width_max_seconds: PolicySeconds,
  window_grace_seconds: PolicySeconds,
  bot_wait_seconds: PolicySeconds,
  staging_lead_seconds: PolicySeconds,
  photo_link_lifetime_seconds: PolicySeconds,
  photo_retention_days: Schema.Number.pipe(
    Schema.int(),
    Schema.between(KEEP_LOAD_PHOTOS_DAYS_MIN, KEEP_LOAD_PHOTOS_DAYS_MAX),
  ),
  announces_handoffs: Schema.Boolean,
}

/** An environment's policy, as operations read it. */
export const WindowPolicyRecord = Schema.Struct(policyFields)

export type WindowPolicyRecord = typeof WindowPolicyRecord.Type

const names = Object.keys(policyFields)

/** At least one field; absent fields keep their values. */
export const ChangeWindowPolicyRequest = Schema.partial(Schema.Struct(policyFields)).pipe(
  Schema.filter((change) => names.some((name) => name in change) || `must hold one of ${names.join(", ")}`),
)

export type ChangeWindowPolicyRequest = typeof ChangeWindowPolicyRequest.Type
