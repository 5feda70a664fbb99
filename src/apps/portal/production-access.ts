/**
 * Production access: seven steps that are computed from actual use, the request, and its review by operations. Source:
 * direct delivery contract, limits.
 */

import type { Operator } from "../../model/caller.ts"
import type { OnboardingCourse } from "../../model/requests/portal.ts"
import { Refused } from "../../model/values/errors.ts"
import type { RequestedSite } from "../../model/site.ts"
import { lockOf } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { accessCase } from "./access-case.ts"
import { requireSteps, stepsOf } from "./onboarding.ts"
import {
  DECISIONS_SHOWN,
  PENDING_SHOWN,
  decideOn,
  named,
  newRequest,
  requireProduction,
  viewOf,
} from "./reviews.ts"
import type { Decision, NamedView } from "./reviews.ts"
import { ProfileRows } from "./rows.ts"
import type { AccessRequest } from "./rows.ts"
import { notFound } from "../../engine/services/refusals.ts"

export type ReviewView = NamedView<AccessRequest>

export class ProductionAccess extends service<ProductionAccess>()("ProductionAccess", () => ({
  /** All seven, in order. */
  steps: (caller: PortalCaller, course: OnboardingCourse) =>
    stepsOf(caller.organization.organizationId, course),
  latest,
  ask,
})) {}

/** Reviews of requests by operations of production. */
export class AccessReview extends service<AccessReview>()("AccessReview", () => ({
  pending: (caller: Operator) => Routine.zipRight(requireProduction(caller), pending),
  decided: (caller: Operator) => Routine.zipRight(requireProduction(caller), decided),
  read: (caller: Operator, requestId: string) => Routine.zipRight(requireProduction(caller), read(requestId)),
  decide: (caller: Operator, decision: Decision) =>
    Routine.zipRight(requireProduction(caller), decide(decision)),
})) {}

/** The organization's latest request, or null. */
const latest = Routine.fn(function* ({ organization }: PortalCaller) {
  const rows = yield* ProfileRows
  const [request] = yield* rows.requests(organization.organizationId)
  return request === undefined ? null : viewOf(request, yield* Routine.nowMs)
})

/** `sites` are the production sites that the approval creates. */
const ask = Routine.fn(function* (
  caller: PortalCaller,
  { sites, course }: { readonly sites: readonly RequestedSite[]; readonly course: OnboardingCourse },
) {
  yield* requireOwner(caller)
  const { organizationId } = caller.organization
  yield* requireSteps(organizationId, course)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "request production access",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const rows = yield* ProfileRows
      const { nowMs } = yield* Transaction
      const organization = yield* (yield* AccessRows).organization(organizationId)
      const known = yield* rows.requests(organizationId)
      const isThere = organization?.environments.includes("production") === true
      if (isThere || known.some(({ status }) => status === "pending")) {
        const detail = isThere ? "the organization has production access" : "a request is under review"
        return yield* new Refused({ code: "INVALID_STATE", detail })
      }
      const requestedBy = caller.account.accountId
      const request = { ...newRequest({ nonce, nowMs }), organizationId, requestedBy, sites, course }
      yield* rows.insertRequest(request)
      return viewOf<AccessRequest>(request, nowMs)
    }),
  })
})

/** The first 200 open requests, those waiting longest first. */
const pending = Routine.gen(function* () {
  return yield* named(yield* (yield* ProfileRows).pending(PENDING_SHOWN))
})

/** The last 100 decisions, the latest first. */
const decided = Routine.gen(function* () {
  return yield* named(yield* (yield* ProfileRows).decided(DECISIONS_SHOWN))
})

/** A request with what a decision rests on. */
const read = Routine.fn(function* (requestId: string) {
  const request = yield* (yield* ProfileRows).request(requestId)
  if (request === null) return yield* notFound("access request", requestId)
  const view = viewOf(request, yield* Routine.nowMs)
  return { ...view, ...(yield* accessCase(request, request.course)) } satisfies ReviewView
})

/** Approval provisions the organization in production and creates the requested sites. */
const decide = Routine.fn(function* (decision: Decision) {
  const rows = yield* ProfileRows
  return yield* decideOn(
    {
      name: "decide on production access",
      request: rows.request,
      change: rows.changeRequest,
      approve: Routine.fn(function* ({ organizationId, environments: known }) {
        const { nowMs } = yield* Transaction
        const environments = [...new Set([...known, "production" as const])]
        yield* (yield* AccessRows).changeOrganization(organizationId, { environments, updatedAtMs: nowMs })
      }),
      what: () => "access" as const,
    },
    decision,
  )
})
