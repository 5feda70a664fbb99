/** Passwords: hashing as a port, and which ones nobody should choose. */

import { Context } from "effect"
import type { Effect } from "effect"
import { invalidField } from "./refusals.ts"
import type { TooManyAttempts } from "./refusals.ts"
import type { Refused } from "../../model/errors.ts"

export class Passwords extends Context.Tag("Passwords")<
  Passwords,
  {
    /** Fails when too many wait already. */
    readonly hash: (password: string) => Effect.Effect<string, TooManyAttempts>
    /** Null is nobody's hash: the answer is false and takes as long as any other. */
    readonly verify: (kept: string | null, password: string) => Effect.Effect<boolean, TooManyAttempts>
  }
>() {}

/** What a guesser tries first among passwords that are long enough. */
const COMMON = [
  "123456789012",
  "1234567890123",
  "administrator",
  "iloveyouiloveyou",
  "letmeinletmein",
  "passw0rd1234",
  "password1234",
  "password12345",
  "password123456",
  "passwordpassword",
  "qwertyqwerty",
  "qwertyuiop12",
  "qwertyuiop123",
  "qwertyuiopasdf",
  "welcomewelcome",
]

/** Null, or what is wrong with a new password: repeated, well known, or one's own name. */
export function weaknessOf(password: string, about: readonly string[]): Refused | null {
  const plain = password.toLowerCase()
  if (new Set(plain).size < 4) return invalidField("password", "repeats too few characters")
  if (COMMON.includes(plain)) return invalidField("password", "is one of those that are tried first")
  const isOwn = about.some((one) => one !== "" && plain === one.toLowerCase())
  return isOwn ? invalidField("password", "must not be a name or address of yours") : null
}
