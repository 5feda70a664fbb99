/**
 * Sends a code to a number and checks it, with all limits. A refused number is not sent to the provider and counts for
 * no limit. Source: courier connector contract, section 5; our choices A10 to A13, A16.
 */

import { Effect } from "effect"
import type { StepProblemCode } from "../../model/linking.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { LimitReached } from "./attempt-limits.ts"
import { lookForOne, takeOne } from "./attempt-limits.ts"
import { LinkingKeys, digestOfPhone } from "./linking-keys.ts"
import { inAscii, phoneNumberIn } from "./phone-number.ts"
import { LinkedUserRows } from "./rows.ts"
import { SmsVerification } from "./sms-verification.ts"
import type { CheckOutcome, VerificationDown } from "./sms-verification.ts"

/** `typed` is the content of the field, `network` the caller's network. */
export const sendCode = Effect.fnUntraced(function* (typed: string, network: string) {
  const phone = phoneNumberIn(typed)
  if (phone === null) return problem("number_not_valid")
  const user = yield* (yield* LinkedUserRows).userOf(digestOfPhone(yield* LinkingKeys, phone))
  if (user?.isEnabled !== true) return problem("number_not_enabled")
  return yield* sendTo({ userId: user.userId, phone }, network)
})

/** Sends another code to a user's number. A problem without a phone can only be solved with another number. */
export const resendCode = Effect.fnUntraced(function* (userId: string, network: string) {
  const phone = yield* enabledPhoneOf(userId)
  if (phone === null) return { ...problem("number_not_enabled"), phone }
  return { ...(yield* sendTo({ userId, phone }, network)), phone }
})

/** Null for a user who is not enabled any more. */
export const enabledPhoneOf = Routine.fn(function* (userId: string) {
  const user = yield* (yield* LinkedUserRows).user(userId)
  return user?.isEnabled === true ? user.phone : null
})

interface Addressee {
  readonly userId: string
  readonly phone: string
}

const sendTo = Effect.fnUntraced(function* ({ userId, phone }: Addressee, network: string) {
  const sending = Effect.gen(function* () {
    const verification = yield* SmsVerification
    // Checked first, so that look-ups at the provider are limited too.
    yield* lookForOne("codes/number", userId)
    yield* lookForOne("codes/address", network)
    if (!(yield* verification.canText(phone))) return problem("number_not_textable")
    yield* takeBoth(userId, network)
    const outcome = yield* verification.send(phone)
    if (outcome === "sent") return { type: "sent", userId } as const
    return problem(outcome === "too-many" ? "too_many_codes_to_number" : "number_not_textable")
  })
  return yield* Effect.catchTags(sending, {
    LimitReached: (reached) =>
      Routine.succeed(problem(CODE_LIMITS[reached.limit] ?? "too_many_checks", reached)),
    VerificationDown: (down) => Routine.as(told(down), problem("verification_down_sending")),
  })
})

/** Takes both or none, so that a code that is not sent because of its address does not count for the number. */
const takeBoth = Routine.fn(function* (userId: string, network: string) {
  const host = yield* ActorHost
  yield* host.run({
    name: "count a code",
    locks: {},
    body: () => Routine.zipRight(takeOne("codes/number", userId), takeOne("codes/address", network)),
  })
})

/**
 * The answer of the code page. If the problem has a phone, another attempt may succeed; null asks for the number again.
 */
export const checkCode = Effect.fnUntraced(function* (userId: string, typed: string) {
  const phone = yield* enabledPhoneOf(userId)
  if (phone === null) return { ...problem("number_not_enabled"), phone }
  const code = inAscii(typed).replace(/\s/gu, "")
  if (!/^\d{6}$/.test(code)) return { ...problem("code_wrong"), phone }
  const checking = Effect.gen(function* () {
    yield* takeOne("code-checks/number", userId)
    return answerOf(yield* (yield* SmsVerification).check(phone, code), phone)
  })
  return yield* Effect.catchTags(checking, {
    LimitReached: (reached) => Routine.succeed({ ...problem("too_many_checks", reached), phone }),
    VerificationDown: (down) => Routine.as(told(down), { ...problem("verification_down_checking"), phone }),
  })
})

function answerOf(outcome: CheckOutcome, phone: string) {
  switch (outcome) {
    case "right":
      return { type: "right" } as const
    case "wrong":
      return { ...problem("code_wrong"), phone }
    case "over":
      return { ...problem("code_expired"), phone: null }
  }
}

const CODE_LIMITS: Partial<Record<LimitReached["limit"], StepProblemCode>> = {
  "codes/address": "too_many_codes_from_here",
  "codes/number": "too_many_codes_to_number",
}

function problem(code: StepProblemCode, reached?: LimitReached) {
  return {
    type: "problem",
    problem: { code, retryAfterSeconds: reached?.retryAfterSeconds ?? null },
  } as const
}

/** A log line for operators, without the number. */
function told({ reason }: VerificationDown): Effect.Effect<void> {
  return Effect.annotateLogs(Effect.logWarning("a verification code failed at its provider"), { reason })
}
