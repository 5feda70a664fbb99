/**
 * Limits: how often something may happen in any period of a given length. They are counted in the database, so they
 * apply to all nodes together, and exactly: no hour, wherever it begins, has a sixth code to one number. Refused
 * attempts are not counted. Source: courier connector contract, section 8; our choices A11, A12, A14, A21.
 */

import { sha256Hex } from "#digest"
import { Data } from "effect"
import {
  CLIENT_DOCUMENTS_PER_MINUTE,
  CODE_CHECKS_MAX,
  CODE_CHECK_WINDOW_MS,
  FAILED_REGISTRATIONS_PER_HOUR,
  PAGES_PER_MINUTE,
  REGISTRATIONS_PER_HOUR,
  SMS_CODES_PER_ADDRESS,
  SMS_CODES_PER_NUMBER,
  SMS_CODE_WINDOW_MS,
  TERMINAL_CODES_PER_MINUTE,
  TOKEN_REQUESTS_PER_ADDRESS,
  TOKEN_REQUESTS_PER_CLIENT,
} from "../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { LinkingLimitRows } from "./rows.ts"
import type { Taken } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

const LIMITS = {
  "client-documents/address": { max: CLIENT_DOCUMENTS_PER_MINUTE, windowMs: MINUTE_MS },
  "code-checks/number": { max: CODE_CHECKS_MAX, windowMs: CODE_CHECK_WINDOW_MS },
  "codes/address": { max: SMS_CODES_PER_ADDRESS, windowMs: SMS_CODE_WINDOW_MS },
  "codes/number": { max: SMS_CODES_PER_NUMBER, windowMs: SMS_CODE_WINDOW_MS },
  "pages/address": { max: PAGES_PER_MINUTE, windowMs: MINUTE_MS },
  "registrations-failed/address": { max: FAILED_REGISTRATIONS_PER_HOUR, windowMs: HOUR_MS },
  "registrations/address": { max: REGISTRATIONS_PER_HOUR, windowMs: HOUR_MS },
  "revoke/address": { max: TOKEN_REQUESTS_PER_ADDRESS, windowMs: MINUTE_MS },
  "revoke/client": { max: TOKEN_REQUESTS_PER_CLIENT, windowMs: MINUTE_MS },
  "terminal-codes/address": { max: TERMINAL_CODES_PER_MINUTE, windowMs: MINUTE_MS },
  "token/address": { max: TOKEN_REQUESTS_PER_ADDRESS, windowMs: MINUTE_MS },
  "token/client": { max: TOKEN_REQUESTS_PER_CLIENT, windowMs: MINUTE_MS },
} as const

export type LimitName = keyof typeof LIMITS

/** The limit is used up. */
export class LimitReached extends Data.TaggedError("LimitReached")<{
  readonly limit: LimitName
  readonly retryAfterSeconds: number
}> {
  override get message(): string {
    return `too many requests; again in ${this.retryAfterSeconds} s`
  }
}

/** Takes one, or fails. `of` is an address, a client or a user; only its hash is stored. */
export const takeOne = Routine.fn(function* (limit: LimitName, of: string) {
  const rows = yield* LinkingLimitRows
  const nowMs = yield* Routine.nowMs
  yield* refuseUnlessTaken(limit, nowMs, yield* rows.take(allowanceOf({ limit, of, nowMs })))
})

/** Fails when the limit is used up; takes nothing. */
export const lookForOne = Routine.fn(function* (limit: LimitName, of: string) {
  const rows = yield* LinkingLimitRows
  const nowMs = yield* Routine.nowMs
  yield* refuseUnlessTaken(limit, nowMs, yield* rows.look(allowanceOf({ limit, of, nowMs })))
})

function allowanceOf({
  limit,
  of,
  nowMs,
}: {
  readonly limit: LimitName
  readonly of: string
  readonly nowMs: EpochMs
}) {
  const bucket = `${limit}/${sha256Hex(`${limit}\n${of}`).slice(0, 40)}`
  return { bucket, nowMs, ...LIMITS[limit] }
}

function refuseUnlessTaken(
  limit: LimitName,
  nowMs: EpochMs,
  { isTaken, freeAtMs }: Taken,
): Routine<void, LimitReached> {
  if (isTaken) return Routine.void
  const retryAfterSeconds = Math.max(1, Math.ceil(((freeAtMs ?? nowMs) - nowMs) / 1000))
  return Routine.fail(new LimitReached({ limit, retryAfterSeconds }))
}
