/**
 * Admission: the checks of a caller before its request is read, in a fixed order: key, environment, organization,
 * enrolment, permission, rate. Source: reservations contract, authentication and errors.
 */

import { Layer, Either } from "effect"
import type { Environment, Partner, Permission } from "../../model/caller.ts"
import { TurnedAway } from "../../model/values/errors.ts"
import type { Refused } from "../../model/values/errors.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { isValid } from "./api-keys.ts"
import { bearerIn, hashOf, isHashOf } from "./bearer.ts"
import { KeyUses } from "./key-uses.ts"
import { RateCounter, readBudget, takeFromBudget } from "./rate-limits.ts"
import type { Budget, BudgetHolder, BudgetName, KeyedRequest } from "./rate-limits.ts"
import { AccessRows, isEnrolled } from "./rows.ts"
import type { ApiKey, KeyHolder } from "./rows.ts"

/** The data of a request that is known before its body is read. */
export interface Arrival {
  /** The `Authorization` header as sent. */
  readonly authorization: string | undefined
  /** Environment of the requested host. */
  readonly environment: Environment
  /** All of them are required. */
  readonly permissions: readonly Permission[]
  readonly budget: BudgetName
  readonly isForFleetPartners: boolean
}

/** The result; budget and organization are known once the key is known. */
export type Verdict = { readonly organizationId: string | null; readonly key: KeyName | null } & (
  | {
      readonly type: "admitted"
      readonly partner: Partner
      readonly budget: Budget
      /** The clock under which its command runs; null: real time. The checks here are in real time. */
      readonly clock: ClockState | null
    }
  | { readonly type: "refused"; readonly refusal: Refused | TurnedAway; readonly budget: Budget | null }
)

/** A key as notes and logs name it. */
export type KeyName = Pick<ApiKey, "keyId" | "lastFour">

export class Admission extends service<Admission>()("Admission", () => ({ judge, recheck })) {}

/** With the notes of uses, which a host writes afterwards. */
export const layerAdmission = Admission.layer.pipe(Layer.provideMerge(KeyUses.layer))

const judge = Routine.fn(function* (arrival: Arrival) {
  const found = yield* holderOf(arrival)
  if (found === null) {
    return refused(new TurnedAway({ code: "INVALID_API_KEY" }), null, UNKNOWN)
  }
  const { holder, count } = found
  const { environment, budget } = arrival
  const { organizationId } = holder.organization
  yield* noteUse(holder)
  const account: BudgetHolder = { organizationId, environment, budget }
  const partner = partnerOf(holder, environment)
  const refusal = yield* refusalOf(arrival, holder, partner)
  const known = { organizationId, key: keyName(holder) }
  if (refusal !== null) return refused(refusal, yield* readBudget(account), known)
  const taken = yield* takeFromBudget(account, count)
  if (taken.isSpent) return refused(new TurnedAway({ code: "RATE_LIMITED" }), taken.budget, known)
  const { clock } = holder
  return { type: "admitted", partner, budget: taken.budget, clock, ...known } satisfies Verdict
})

/** For a request that was admitted and has waited: why it would be refused now, or null. Counts no request. */
const recheck = Routine.fn(function* (arrival: Arrival) {
  const value = bearerIn(arrival.authorization)
  const holder = value === null ? null : yield* (yield* AccessRows).holder(hashOf(value))
  const nowMs = yield* Routine.nowMs
  if (holder === null || !isValid(holder.key, nowMs)) return new TurnedAway({ code: "INVALID_API_KEY" })
  return yield* refusalOf(arrival, holder, partnerOf(holder, arrival.environment))
})

function partnerOf({ key, organization }: KeyHolder, environment: Environment): Partner {
  const { organizationId } = organization
  return { type: "partner", organizationId, environment, permissions: key.permissions }
}

/** The holder of the key, or null when the key is absent, unknown, revoked, expired, or of another scheme. */
const holderOf = Routine.fn(function* ({ authorization, ...arrival }: Arrival) {
  const value = bearerIn(authorization)
  if (value === null) return null
  const nowMs = yield* Routine.nowMs
  const found = yield* read({ ...arrival, hash: hashOf(value), nowMs })
  if (found === null || !isHashOf(value, found.holder.key.hash)) return null
  return isValid(found.holder.key, nowMs) ? found : null
})

/** A key was used even if its request is refused. */
const noteUse = Routine.fn(function* ({ key: { keyId, organizationId } }: KeyHolder) {
  const uses = yield* KeyUses
  yield* uses.note({ keyId, organizationId, usedAtMs: yield* Routine.nowMs })
})

/** Reads the holder of the key, and counts the request if both share a round trip. */
const read = Routine.fn(function* (request: KeyedRequest) {
  const rows = yield* AccessRows
  const { countKeyed } = yield* RateCounter
  if (countKeyed !== undefined) return yield* countKeyed(request)
  const holder = yield* rows.holder(request.hash)
  return holder === null ? null : { holder, count: null }
})

/** The first check of a known key that fails, or null. */
function refusalOf(
  { environment, isForFleetPartners, permissions }: Arrival,
  { key, organization }: KeyHolder,
  partner: Partner,
): Routine<Refused | TurnedAway | null> {
  const turnedAway = (code: TurnedAway["code"]): Routine<TurnedAway> =>
    Routine.succeed(new TurnedAway({ code }))
  if (key.environment !== environment) return turnedAway("WRONG_ENV_KEY")
  if (!organization.isActive || !organization.environments.includes(environment)) {
    return turnedAway("ORG_INACTIVE")
  }
  if (isForFleetPartners && !isEnrolled(organization, environment)) return turnedAway("NOT_FLEET_PARTNER")
  const checking = Routine.forEach(permissions, (permission) => requirePermission(partner, permission))
  return Routine.map(Routine.either(checking), (checked) => Either.getOrNull(Either.flip(checked)))
}

const UNKNOWN = { organizationId: null, key: null }

function keyName({ key: { keyId, lastFour } }: KeyHolder): KeyName {
  return { keyId, lastFour }
}

function refused(
  refusal: Refused | TurnedAway,
  budget: Budget | null,
  known: Pick<Verdict, "key" | "organizationId">,
): Verdict {
  return { type: "refused", refusal, budget, ...known }
}
