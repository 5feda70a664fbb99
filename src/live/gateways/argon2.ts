/** Passwords under Argon2id. Source: RFC 9106; OWASP, Password Storage. */

import { hash, verify } from "@node-rs/argon2"
import { Effect, Layer } from "effect"
import { PASSWORDS_WAITING_MAX, PASSWORD_MEMORY_KIB, PASSWORD_PASSES } from "../../model/values/limits.ts"
import { Passwords } from "../../apps/portal/people/passwords.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { besideDatabase } from "../../engine/services/presence.ts"
import { TooManyAttempts } from "../../engine/services/rate-limits/attempts.ts"
import { makeWorkLine } from "../../engine/services/work-line.ts"
import { loadPasswordStrength } from "./password-strength.ts"

const OPTIONS = {
  // Argon2id. The package's constant is a `const enum`, which cannot be imported when Node runs TypeScript directly.
  algorithm: 2,
  memoryCost: PASSWORD_MEMORY_KIB,
  timeCost: PASSWORD_PASSES,
  parallelism: 1,
}

/**
 * Compared for an unknown account, so that its sign-in takes as long as any. It is written, not made: a hash takes a start some
 * hundredths of a second.
 */
const NO_ACCOUNT = `$argon2id$v=19$m=${PASSWORD_MEMORY_KIB},t=${PASSWORD_PASSES},p=1$${"A".repeat(22)}$${"A".repeat(43)}`

/** Hashing runs in Node's thread pool, a few at a time, so that a flood of sign-ins uses bounded memory and threads. */
export const layerArgon2 = (atOnceMax: number): Layer.Layer<Passwords> =>
  Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const line = yield* makeWorkLine({ atOnceMax, waitingMax: PASSWORDS_WAITING_MAX })
      const strength = Effect.promise(madeOnce(loadPasswordStrength))
      const inTurn = <A>(work: () => Promise<A>): Effect.Effect<A, TooManyAttempts> =>
        besideDatabase(line(Effect.promise(work), new TooManyAttempts({ retryAfterSeconds: 1 })))
      return {
        strength: (password, about) => Effect.map(strength, (judge) => judge(password, about)),
        hash: (password) => inTurn(() => hash(password, OPTIONS)),
        verify: (kept, password) =>
          inTurn(async () => {
            const isRight = await verify(kept ?? NO_ACCOUNT, password)
            return kept !== null && isRight
          }),
      }
    }),
  )
