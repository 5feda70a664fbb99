/** How the portal says no. */

import { Data } from "effect"
import { Refused, TurnedAway } from "../../model/errors.ts"

/** An edge answers `RATE_LIMITED` and says when to come back. */
export class TooManyAttempts extends Data.TaggedError("TooManyAttempts")<{
  readonly retryAfterSeconds: number
}> {
  override get message(): string {
    return `too many attempts; again in ${this.retryAfterSeconds} s`
  }
}

export type PortalRefusal = Refused | TooManyAttempts | TurnedAway

/** One field, one sentence. */
export function invalidField(field: string, message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] })
}

/** Whatever is wrong with a code or link, the answer is one. */
export function invalidCode(): TurnedAway {
  return new TurnedAway({ code: "INVALID_CODE" })
}

export function notFound(): Refused {
  return new Refused({ code: "NOT_FOUND" })
}
