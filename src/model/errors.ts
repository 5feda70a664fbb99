/**
 * The catalogue of refusals: one row a code, with the HTTP status that an edge answers and a sentence for people.
 * Source: reservations contract, errors; the codes that complete its table are ours (src/DECISIONS.md §5).
 */

import { Data } from "effect"

export const REFUSALS = {
  ALREADY_EXISTS: { status: 409, message: "there is one with this id already" },
  BOT_STATUS_REGRESSION: { status: 409, message: "the reported bot status is behind the current one" },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: "a request with this idempotency key is still running" },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: "this idempotency key was used for another reservation" },
  INTERNAL_ERROR: { status: 500, message: "something failed on our side" },
  INVALID_OPEN_LINK: { status: 422, message: "open_link_url must be an https URL on a public host" },
  INVALID_STATE: { status: 409, message: "the current state does not allow this" },
  INVALID_WEBHOOK_URL: { status: 400, message: "url must be an https URL on a public host" },
  NOT_FOUND: { status: 404, message: "there is no such resource" },
  PERMISSION_DENIED: { status: 403, message: "the key lacks a permission" },
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
  ZONE_HAS_NO_STALLS: { status: 422, message: "the zone has no active stall" },
  ZONE_NOT_FOUND: { status: 422, message: "there is no such zone" },
} as const

/** A stable code that callers branch on. */
export type RefusalCode = keyof typeof REFUSALS

/**
 * What an edge answers before any command is reached: no scenario, machine or decision can refuse with these. They stand
 * in a table of their own for that reason.
 */
export const EDGE_REFUSALS = {
  INVALID_API_KEY: { status: 401, message: "the API key is missing or not valid" },
  INVALID_OPERATOR_TOKEN: { status: 401, message: "the operator token is missing or not valid" },
  METHOD_NOT_ALLOWED: { status: 405, message: "the resource does not offer this method" },
  MISDIRECTED_REQUEST: { status: 421, message: "this host is not served here" },
  NOT_FLEET_PARTNER: { status: 403, message: "the organization is not enrolled as a fleet partner" },
  ORG_INACTIVE: { status: 403, message: "the organization is not active in this environment" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "the body is larger than this endpoint reads" },
  RATE_LIMITED: { status: 429, message: "too many requests; wait as long as Retry-After says" },
  WRONG_ENV_KEY: { status: 403, message: "the API key belongs to the other environment" },
} as const

export type EdgeRefusalCode = keyof typeof EDGE_REFUSALS

/** Every code that a caller may meet. */
export type ErrorCode = RefusalCode | EdgeRefusalCode

/** The HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return code in REFUSALS
    ? REFUSALS[code as RefusalCode].status
    : EDGE_REFUSALS[code as EdgeRefusalCode].status
}

/** One field of a request that did not hold. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** A command was refused: nothing that it asked for happened. `detail` and `problems` narrow the code. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly code: RefusalCode
  readonly detail?: string
  readonly problems?: readonly FieldProblem[]
}> {
  override get message(): string {
    const where = (this.problems ?? []).map((problem) => `${problem.field}: ${problem.message}`).join("; ")
    const more = [this.detail, where].filter((part) => part !== undefined && part !== "").join("; ")
    return more === "" ? REFUSALS[this.code].message : `${REFUSALS[this.code].message} (${more})`
  }
}

/** A request was turned away before any command was reached. */
export class TurnedAway extends Data.TaggedError("TurnedAway")<{ readonly code: EdgeRefusalCode }> {
  override get message(): string {
    return EDGE_REFUSALS[this.code].message
  }
}
