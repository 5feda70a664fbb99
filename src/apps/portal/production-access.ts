/**
 * Production access: seven steps that are computed from actual use, the request, and its review by operations. Source:
 * direct delivery contract, limits.
 */

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
import { requireSteps, stepsOf } from "./onboarding.ts"
import { newRequest, reviewOf, viewOf } from "./reviews.ts"
import { ProfileRows } from "./rows.ts"
import type { AccessRequest } from "./rows.ts"

export class ProductionAccess extends service<ProductionAccess>()("ProductionAccess", () => ({
  /** All seven, in order. */
  steps: (caller: PortalCaller, course: OnboardingCourse) =>
    stepsOf(caller.organization.organizationId, course),
  latest,
  ask,
})) {}

/** Reviews of requests by operations of production. Approval provisions the organization there and creates the requested sites. */
export class AccessReview extends service<AccessReview>()("AccessReview", () =>
  reviewOf({
    rows: ProfileRows,
    noun: "access request",
    courseOf: ({ course }) => course,
    command: "decide on production access",
    approve: Routine.fn(function* ({ organizationId, environments: known }) {
      const { nowMs } = yield* Transaction
      const environments = [...new Set([...known, "production" as const])]
      yield* (yield* AccessRows).changeOrganization(organizationId, { environments, updatedAtMs: nowMs })
    }),
    what: () => "access" as const,
  }),
) {}

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
