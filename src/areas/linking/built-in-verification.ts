/**
 * Verification without a provider: the code is made here and not sent. Operators read it with `curbline phones code`,
 * to try the connector on one machine.
 *
 * Differs from the street: every number can receive texts, and nothing is late or lost.
 */

import { Effect, Layer } from "effect"
import { SMS_CODE_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { isSame } from "../../engine/services/constant-time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { LinkingKeys, digestOfPhone, testCodeOf } from "./linking-keys.ts"
import { LinkedUserRows, SmsCodeRows } from "./rows.ts"
import type { SmsCode } from "./rows.ts"
import { newSmsCode } from "./secrets.ts"
import { SmsVerification, VerificationDown } from "./sms-verification.ts"
import type { CheckOutcome } from "./sms-verification.ts"

type Needs = ActorHost | LinkingKeys | SmsCodeRows

export const layerBuiltInVerification = verificationWith(() => newSmsCode)

/** For the sandbox's test numbers, which are no one's. */
export const layerTestVerification = verificationWith(
  Routine.fn(function* (phoneDigest: string) {
    const user = yield* (yield* LinkedUserRows).userOf(phoneDigest)
    return user === null ? yield* newSmsCode : testCodeOf(yield* LinkingKeys, user.userId)
  }),
)

function verificationWith<R>(
  newCode: (phoneDigest: string) => Routine<string, never, R>,
): Layer.Layer<SmsVerification, never, Needs | R> {
  return Layer.effect(
    SmsVerification,
    Effect.gen(function* () {
      const context = yield* Effect.context<Needs | R>()
      return {
        canText: () => Routine.succeed(true),
        send: (phone) => Effect.provide(send(phone, newCode), context),
        check: (phone, code) => Effect.provide(check(phone, code), context),
      }
    }),
  )
}

/** For a service with neither a provider nor a permission to show codes. */
export const layerNoVerification: Layer.Layer<SmsVerification> = Layer.succeed(SmsVerification, {
  canText: () => Routine.fail(new VerificationDown({ reason: "no_provider" })),
  send: () => Routine.fail(new VerificationDown({ reason: "no_provider" })),
  check: () => Routine.fail(new VerificationDown({ reason: "no_provider" })),
})

/** True while the code is valid. Our choice A10. */
export function isLive({ createdAtMs }: SmsCode, nowMs: EpochMs): boolean {
  return nowMs - createdAtMs < SMS_CODE_MS
}

function send<R>(phone: string, newCode: (phoneDigest: string) => Routine<string, never, R>) {
  return Routine.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* SmsCodeRows
    const phoneDigest = digestOfPhone(yield* LinkingKeys, phone)
    const code = yield* newCode(phoneDigest)
    yield* host.run({
      name: "send a code",
      locks: { key: lockOf(phoneDigest) },
      body: () =>
        Routine.flatMap(Transaction, ({ nowMs }) => rows.put({ phoneDigest, code, createdAtMs: nowMs })),
    })
    return "sent" as const
  })
}

/** Under a lock, so that of two concurrent right answers the second finds the code used. */
const check = Routine.fn(function* (phone: string, typed: string) {
  const host = yield* ActorHost
  const rows = yield* SmsCodeRows
  const phoneDigest = digestOfPhone(yield* LinkingKeys, phone)
  return yield* host.run({
    name: "check a code",
    locks: { key: lockOf(phoneDigest) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const sent = yield* rows.code(phoneDigest)
      if (sent === null || !isLive(sent, nowMs)) return "over" satisfies CheckOutcome
      if (!isSame(sent.code, typed)) return "wrong" satisfies CheckOutcome
      yield* rows.delete(phoneDigest)
      return "right" satisfies CheckOutcome
    }),
  })
})

function lockOf(phoneDigest: string): string {
  return `linking/sms/${phoneDigest}`
}
