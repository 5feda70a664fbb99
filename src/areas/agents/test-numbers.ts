/**
 * Test numbers: the numbers with which an organization's agents link at the sandbox's connector. Only numbers that North American
 * numbering keeps for fiction, so that none is a person's; each belongs to one organization.
 */

import { Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import { newId } from "../../model/ids.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { TEST_NUMBERS_MAX } from "../../model/values/limits.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { inRealTime } from "../../engine/services/organization-clock.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { notFound } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { LinkingKeys, digestOfPhone, testCodeOf } from "../linking/linking-keys.ts"
import { phoneNumberIn } from "../linking/phone-number.ts"
import { LinkedUserRows } from "../linking/rows.ts"
import type { LinkedUser } from "../linking/rows.ts"
import { ensureTestVehicle } from "./test-vehicle.ts"

export interface TestNumber extends Pick<LinkedUser, "enabledAtMs" | "linkedAtMs" | "phone" | "userId"> {
  /** Six digits, which are typed when an agent links it. */
  readonly code: string
}

/** An area code of North America, 555, and 0100 to 0199. */
const FICTIONAL = /^\+1[2-9]\d{2}55501\d{2}$/

export class TestNumbers extends service<TestNumbers>()("TestNumbers", () => ({
  list: (caller: Partner) => permitted(caller, list(caller)),
  add: (caller: Partner, typed: string) => permitted(caller, inRealTime(add(caller, typed))),
  remove: (caller: Partner, userId: string) => permitted(caller, inRealTime(remove(caller, userId))),
})) {}

export function permitted<A, E, R>(caller: Partner, effect: Effect.Effect<A, E, R>) {
  return Routine.zipRight(requirePermission(caller, "sandbox:manage"), effect)
}

const list = Routine.fn(function* ({ organizationId }: Partner) {
  const rows = yield* LinkedUserRows
  const keys = yield* LinkingKeys
  return (yield* rows.testUsersOf(organizationId)).map((user) => withCode(user, keys))
})

/** May be repeated. The organization's test vehicle comes with its first number. */
const add = Effect.fnUntraced(function* ({ organizationId }: Partner, typed: string) {
  const phone = phoneNumberIn(typed)
  if (phone === null || !FICTIONAL.test(phone))
    return yield* invalid("must be a number for fiction: +1, an area code, and 555-0100 to 555-0199")
  const host = yield* ActorHost
  const keys = yield* LinkingKeys
  const phoneDigest = digestOfPhone(keys, phone)
  const userId = newId("user", yield* host.nonce)
  yield* ensureTestVehicle(organizationId)
  return yield* host.run({
    name: "add a test number",
    // Of two organizations that add one number at once, the second is refused.
    locks: { key: LOCK },
    body: Routine.fn(function* () {
      const rows = yield* LinkedUserRows
      const { nowMs } = yield* Transaction
      const known = yield* rows.userOf(phoneDigest)
      if (known?.organizationId === organizationId) return withCode(known, keys)
      if (known !== null) return yield* invalid("is a test number of another organization; choose another")
      const { length } = yield* rows.testUsersOf(organizationId)
      if (length >= TEST_NUMBERS_MAX) return yield* new TurnedAway({ code: "LIMIT_REACHED" })
      const user = {
        userId,
        organizationId,
        phoneDigest,
        phone,
        isEnabled: true,
        enabledAtMs: nowMs,
        disabledAtMs: null,
        linkedAtMs: null,
      }
      yield* rows.put(user)
      return withCode(user, keys)
    }),
  })
})

/** Its tokens are valid no longer. The number is free: added again, it is another user, without the errands of this one. */
const remove = Effect.fnUntraced(function* ({ organizationId }: Partner, userId: string) {
  const host = yield* ActorHost
  yield* host.run({
    name: "remove a test number",
    locks: { key: LOCK },
    body: Routine.fn(function* () {
      const rows = yield* LinkedUserRows
      const user = yield* rows.user(userId)
      if (user?.organizationId !== organizationId) return yield* notFound("test number", userId)
      yield* rows.delete(userId)
    }),
  })
})

function withCode(user: LinkedUser, keys: LinkingKeys["Type"]): TestNumber {
  const { userId, phone, enabledAtMs, linkedAtMs } = user
  return { userId, phone, enabledAtMs, linkedAtMs, code: testCodeOf(keys, userId) }
}

const LOCK = "linking/test-numbers"

function invalid(message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "phone", message }] })
}
