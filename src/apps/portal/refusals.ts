/** Refusals of the portal. */

import { Refused, TurnedAway } from "../../model/values/errors.ts"
import type { TooManyAttempts } from "../../engine/services/rate-limits/attempts.ts"

export type PortalRefusal = Refused | TooManyAttempts | TurnedAway

/** One field, one sentence. */
export function invalidField(field: string, message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] })
}

/** The same answer for every problem of a code or link. */
export function invalidCode(): TurnedAway {
  return new TurnedAway({ code: "INVALID_CODE" })
}

export function notFound(): Refused {
  return new Refused({ code: "NOT_FOUND" })
}
