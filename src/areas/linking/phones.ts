/** Phones: the invited numbers. Operators enable and disable them; a user is a number that was enabled once. */

import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { isLive } from "./built-in-verification.ts"
import { LinkingKeys, digestOfPhone } from "./linking-keys.ts"
import { phoneNumberIn } from "./phone-number.ts"
import { LinkedUserRows, SmsCodeRows } from "./rows.ts"
import type { LinkedUser } from "./rows.ts"

/** A number as operators read it. */
export type LinkedPhone = Omit<LinkedUser, "organizationId" | "phoneDigest">

export class Phones extends service<Phones>()("Phones", () => ({
  enable,
  disable,
  /** Sorted by when they were enabled. */
  list: Routine.gen(function* () {
    return (yield* (yield* LinkedUserRows).users).map(shown)
  }),
  code: codeOf,
})) {}

/** May be repeated. A number that was disabled gets its user back, with every token that is still valid. */
const enable = Routine.fn(function* (typed: string) {
  const phone = yield* numberIn(typed)
  const host = yield* ActorHost
  const phoneDigest = digestOfPhone(yield* LinkingKeys, phone)
  const userId = newId("user", yield* host.nonce)
  return yield* host.run({
    name: "enable a phone",
    locks: { key: lockOf(phoneDigest) },
    body: Routine.fn(function* () {
      const rows = yield* LinkedUserRows
      const { nowMs } = yield* Transaction
      const known = yield* rows.userOf(phoneDigest)
      if (known?.isEnabled === true) return shown(known)
      const user: LinkedUser = {
        userId,
        organizationId: null,
        linkedAtMs: null,
        ...known,
        phoneDigest,
        phone,
        isEnabled: true,
        enabledAtMs: nowMs,
        disabledAtMs: null,
      }
      yield* rows.put(user)
      return shown(user)
    }),
  })
})

/** From now on no code is sent, and no token is accepted. May be repeated. */
const disable = Routine.fn(function* (typed: string) {
  const phone = yield* numberIn(typed)
  const host = yield* ActorHost
  const phoneDigest = digestOfPhone(yield* LinkingKeys, phone)
  return yield* host.run({
    name: "disable a phone",
    locks: { key: lockOf(phoneDigest) },
    body: Routine.fn(function* () {
      const rows = yield* LinkedUserRows
      const { nowMs } = yield* Transaction
      const known = yield* rows.userOf(phoneDigest)
      if (known === null) return yield* new Refused({ code: "NOT_FOUND", detail: "phone" })
      if (!known.isEnabled) return shown(known)
      const user: LinkedUser = { ...known, isEnabled: false, disabledAtMs: nowMs }
      yield* rows.put(user)
      return shown(user)
    }),
  })
})

/** The last code, while it is valid. Only the built-in verification stores codes. */
const codeOf = Routine.fn(function* (typed: string) {
  const phone = yield* numberIn(typed)
  const rows = yield* SmsCodeRows
  const nowMs = yield* Routine.nowMs
  const sent = yield* rows.code(digestOfPhone(yield* LinkingKeys, phone))
  if (sent !== null && isLive(sent, nowMs)) return sent.code
  return yield* new Refused({
    code: "NOT_FOUND",
    detail: "no valid code for this number; request one on the linking page",
  })
})

/** Changes of one number run one at a time. */
function lockOf(phoneDigest: string): string {
  return `linking/phone/${phoneDigest}`
}

function numberIn(typed: string): Routine<string, Refused> {
  const phone = phoneNumberIn(typed)
  if (phone !== null) return Routine.succeed(phone)
  const problems = [{ field: "phone", message: "must be a phone number, such as +15125550100" }]
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems }))
}

function shown({ phoneDigest: _, organizationId: __, ...phone }: LinkedUser): LinkedPhone {
  return phone
}
