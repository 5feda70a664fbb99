/**
 * The catalogue of refusals: one row for each code, with its HTTP status and a message for people. Source: reservations
 * and direct delivery contracts, errors; the codes that complete their tables are ours (src/DECISIONS.md §5, §31).
 */

import { Data } from "effect"
import { isoMs } from "./time.ts"
import type { EpochMs } from "./time.ts"

export const REFUSALS = {
  BOT_STATUS_REGRESSION: { status: 409, message: "the reported bot status is behind the current one" },
  COMPARTMENT_LOCKED: {
    status: 409,
    message: "five wrong tries have locked the compartment; operations can open it",
  },
  DELIVERY_ALREADY_EXISTS: { status: 409, message: "this external_delivery_id already has a delivery" },
  DELIVERY_NOT_FOUND: { status: 404, message: "there is no such delivery" },
  GEOCODE_FAILED: { status: 422, message: "the address cannot be located; send delivery_location with it" },
  GEOCODING_UNAVAILABLE: {
    status: 503,
    message:
      "addresses cannot be located right now; send the same request again, or delivery_location with it",
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: "this idempotency key was used for another reservation" },
  INVALID_OPEN_LINK: { status: 422, message: "open_link_url must be an https URL on a public host" },
  INVALID_READY_BY: { status: 400, message: "ready_by must be in the future" },
  INVALID_STATE: { status: 409, message: "the current state does not allow this" },
  INVALID_WEBHOOK_URL: { status: 400, message: "url must be an https URL on a public host" },
  NOT_FOUND: { status: 404, message: "there is no such resource" },
  NO_CAPACITY: { status: 409, message: "every vehicle has one active and one queued run, or is offline" },
  PERMISSION_DENIED: { status: 403, message: "the key lacks a permission" },
  QUOTE_EXPIRED: { status: 410, message: "the quote has expired; ask for a new one" },
  QUOTE_NOT_FOUND: { status: 404, message: "there is no quote for this external_delivery_id" },
  QUOTE_UNAVAILABLE: { status: 422, message: "no delivery can be made from this quote" },
  RETAILER_INACTIVE: { status: 403, message: "the site is deactivated" },
  RETAILER_NOT_CONFIGURED: { status: 503, message: "the site has no service area or no delivery price" },
  RETAILER_NOT_FOUND: { status: 404, message: "there is no such site" },
  RETAILER_NOT_SUPPORTED_IN_ZONE: { status: 422, message: "the retailer is not supported in this zone" },
  URL_VALIDATION_UNAVAILABLE: {
    status: 503,
    message: "the URL cannot be checked right now; send the same request again",
  },
  VALIDATION_ERROR: { status: 400, message: "the request is not valid" },
  WEBHOOK_LIMIT_REACHED: { status: 422, message: "the organization already has 10 webhook endpoints" },
  WINDOW_IN_PAST: { status: 422, message: "the arrival window must start in the future" },
  WINDOW_TOO_FAR_OUT: { status: 422, message: "the arrival window starts too far ahead" },
  WINDOW_TOO_LONG: { status: 422, message: "the arrival window is too long" },
  WINDOW_TOO_SHORT: { status: 422, message: "the arrival window is too short" },
  WRONG_DIGITS: {
    status: 403,
    message: "these are not the last four digits of the customer's phone number",
  },
  ZONE_HAS_NO_STALLS: { status: 422, message: "the zone has no active stall" },
  ZONE_NOT_FOUND: { status: 422, message: "there is no such zone" },
} as const

/**
 * Refusals that no step of a scenario can meet: those of operations' commands, of people's sign-ins, of analytics, of two calls at once (a step
 * waits for the step before it), and of the errand machines, whose tools answer with codes of their own (`courier.ts`).
 */
const UNSCRIPTED_REFUSALS = {
  ALREADY_EXISTS: { status: 409, message: "there is one with this id already" },
  CLOCK_IS_MOVING: { status: 409, message: "the organization's clock is being moved" },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: "a request with this idempotency key is still running" },
  HOLD_EXPIRED: { status: 409, message: "the hold has run out; reserve again" },
  MEMBERSHIP_ENDED: { status: 403, message: "this account ended with its last membership" },
  PAYMENT_FAILED: { status: 402, message: "the payment did not go through" },
  SITE_NOT_FOUND: { status: 404, message: "there is no such site" },
  TIMING_NOT_FEASIBLE: { status: 422, message: "no pickup is possible at that time" },
} as const

/** A stable code that callers branch on. */
export type RefusalCode = keyof typeof REFUSALS | keyof typeof UNSCRIPTED_REFUSALS

export function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code) || Object.hasOwn(UNSCRIPTED_REFUSALS, code)
}

/** Refusals of a key's call before its command runs: the checks of `http/access/admission.ts`. */
export const ADMISSION_REFUSALS = {
  INVALID_API_KEY: { status: 401, message: "the API key is missing or not valid" },
  NOT_FLEET_PARTNER: { status: 403, message: "the organization is not enrolled as a fleet partner" },
  ORG_INACTIVE: { status: 403, message: "the organization is not active in this environment" },
  RATE_LIMITED: { status: 429, message: "too many requests; wait as long as Retry-After says" },
  WRONG_ENV_KEY: { status: 403, message: "the API key belongs to the other environment" },
} as const

export type AdmissionRefusalCode = keyof typeof ADMISSION_REFUSALS

/** Refusals of a call whose operator or runner is not signed in. */
export const SESSION_REFUSALS = {
  INVALID_OPERATOR_TOKEN: { status: 401, message: "the operator token is missing or not valid" },
  SIGN_IN_REQUIRED: { status: 401, message: "sign in first" },
} as const

export type SessionRefusalCode = keyof typeof SESSION_REFUSALS

/**
 * Refusals of the HTTP layer, made before a command runs or instead of its answer. They have their own table because no
 * machine or decision may use them; scenarios use only those of the admission and of sessions.
 */
const EDGE_REFUSALS = {
  ...ADMISSION_REFUSALS,
  ...SESSION_REFUSALS,
  ACCOUNT_DEACTIVATED: {
    status: 403,
    message: "this account is deactivated; an administrator can activate it again",
  },
  CROSS_SITE_REQUEST: { status: 403, message: "the request did not come from the portal's own pages" },
  INTERNAL_ERROR: { status: 500, message: "something failed on our side" },
  INVALID_CODE: { status: 400, message: "the code or link is wrong, used or expired" },
  INVALID_CREDENTIALS: { status: 401, message: "the e-mail address or the password is wrong" },
  INVALID_SIGNATURE: { status: 403, message: "the request's signature does not hold" },
  LIMIT_REACHED: { status: 422, message: "the organization already has as many of these as it may have" },
  METHOD_NOT_ALLOWED: { status: 405, message: "the resource does not offer this method" },
  MISDIRECTED_REQUEST: { status: 421, message: "this host is not served here" },
  ONBOARDING_INCOMPLETE: { status: 409, message: "not every onboarding step is done" },
  OVERLOADED: {
    status: 503,
    message: "more requests come in than can be worked on; nothing was done; try again after Retry-After",
  },
  OWNER_REQUIRED: { status: 403, message: "an owner of the organization must do this" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "the body is larger than this endpoint reads" },
  UNAVAILABLE: {
    status: 503,
    message: "the service cannot reach its database; send the same request again after Retry-After seconds",
  },
} as const

type EdgeRefusalCode = keyof typeof EDGE_REFUSALS

/** Every error code that a caller may receive. */
export type ErrorCode = RefusalCode | EdgeRefusalCode

/** Every code with its status and message. */
export const ERRORS: Readonly<Record<ErrorCode, { readonly status: number; readonly message: string }>> = {
  ...REFUSALS,
  ...UNSCRIPTED_REFUSALS,
  ...EDGE_REFUSALS,
}

/** True for a 503 after which the same request may be retried: the answer has `Retry-After`. */
export function isPassing(code: ErrorCode): boolean {
  return statusOf(code) === 503 && code !== "RETAILER_NOT_CONFIGURED"
}

/** The HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return ERRORS[code].status
}

/** A field of a request that failed its check. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/**
 * A command was refused and had no effect. `detail` and `problems` say more than the code. `earliestAtMs` comes with `NO_CAPACITY`:
 * when a place is expected to be free; null when that is not known.
 */
export class Refused extends Data.TaggedError("Refused")<{
  readonly code: RefusalCode
  readonly detail?: string
  readonly problems?: readonly FieldProblem[]
  readonly earliestAtMs?: EpochMs | null
}> {
  override get message(): string {
    const where = (this.problems ?? []).map((problem) => `${problem.field}: ${problem.message}`).join("; ")
    const { earliestAtMs = null } = this
    const earliest = earliestAtMs === null ? "" : `the next free place is expected at ${isoMs(earliestAtMs)}`
    const more = [this.detail, where, earliest].filter((part) => part !== undefined && part !== "").join("; ")
    const { message } = ERRORS[this.code]
    return more === "" ? message : `${message} (${more})`
  }
}

/**
 * The bytes of a request are not valid text: NUL, invalid UTF-8, a broken escape. Each API answers in its own format,
 * and with `VALIDATION_ERROR` if it has none.
 */
export class Malformed extends Data.TaggedError("Malformed")<FieldProblem> {}

/** A request was rejected before any command ran. */
export class TurnedAway extends Data.TaggedError("TurnedAway")<{ readonly code: EdgeRefusalCode }> {
  override get message(): string {
    return EDGE_REFUSALS[this.code].message
  }
}
