/** Passwords: a port for hashing, and the check for weak ones. */

import { Context, Effect } from "effect"
import { SERVICE_NAME } from "../../../model/linking.ts"
import { invalidField } from "../refusals.ts"
import type { TooManyAttempts } from "../../../engine/services/rate-limits/attempts.ts"

/** An estimate of the guesses that a password takes. */
export interface Strength {
  /** 0 to 4, as in zxcvbn: 3 is 10^8 guesses, 4 is 10^10. */
  readonly score: number
  /** Why it is weak, as a sentence; null without a special reason. */
  readonly warning: string | null
}

export type PasswordStrength = (password: string, known: readonly string[]) => Strength

export class Passwords extends Context.Tag("Passwords")<
  Passwords,
  {
    /** How easily an attacker who knows these words about the person can guess it. */
    readonly strength: (password: string, known: readonly string[]) => Effect.Effect<Strength>
    /** Fails when too many requests wait already. */
    readonly hash: (password: string) => Effect.Effect<string, TooManyAttempts>
    /** Null: there is no account. The answer is false and takes the usual time. */
    readonly verify: (kept: string | null, password: string) => Effect.Effect<boolean, TooManyAttempts>
  }
>() {}

/** The lowest accepted score of a new password: about a hundred million guesses. */
const SCORE_MIN = 3

/**
 * Fails with the problem of a new password. `about` are the person's names and addresses, which attackers try first.
 */
export const requireStrong = Effect.fnUntraced(function* (password: string, about: readonly string[]) {
  const passwords = yield* Passwords
  const parts = about.flatMap((one) => [one, ...one.split(/[^\p{L}\p{N}]+/u)])
  const known = [SERVICE_NAME, ...parts].filter((one) => one !== "")
  const { score, warning } = yield* passwords.strength(password, known)
  if (score >= SCORE_MIN) return
  const why = warning === null ? "" : `: ${warning.replace(/\.$/, "")}`
  return yield* invalidField("password", `is guessed too easily${why}; use more words or characters`)
})
