/** SMS verification: a port that sends a code to a number and checks the user's input. */

import { Context, Data } from "effect"
import type { Effect } from "effect"

/** The provider did not answer, or its answer was not valid. The reason is a word for logs without personal data. */
export class VerificationDown extends Data.TaggedError("VerificationDown")<{ readonly reason: string }> {
  override get message(): string {
    return `the provider of codes failed: ${this.reason}`
  }
}

/** `not-textable` is a landline, invalid, or blocked; `too-many` is the provider's own limit. */
export type SendOutcome = "not-textable" | "sent" | "too-many"

/** `over`: there is no valid code to compare with. */
export type CheckOutcome = "over" | "right" | "wrong"

/** Numbers are E.164, codes six digits. */
export class SmsVerification extends Context.Tag("SmsVerification")<
  SmsVerification,
  {
    /** Whether texts can reach the number. Sends nothing. */
    readonly canText: (phone: string) => Effect.Effect<boolean, VerificationDown>
    /** Sends a code; earlier codes become invalid. */
    readonly send: (phone: string) => Effect.Effect<SendOutcome, VerificationDown>
    /** A right code cannot be used again. */
    readonly check: (phone: string, code: string) => Effect.Effect<CheckOutcome, VerificationDown>
  }
>() {}
