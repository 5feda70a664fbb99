/**
 * Production access: seven steps that are computed from actual use, the request, and its review by operations. Source:
 * direct delivery contract, limits.
 */

import type { Operator } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { REVIEW_MS } from "../../model/values/limits.ts"
import { bookedSite } from "../../model/site.ts"
import type { RequestedSite, Site } from "../../model/site.ts"
import { lockOf } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { operationsOf } from "../../engine/services/owner-turns.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { timeZoneOf } from "../../engine/services/geocoding/place-time-zone.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { writeMail } from "../../areas/messages/outbox.ts"
import { insertSite } from "../../areas/catalog/insert-site.ts"
import { requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { accessCase } from "./access-case.ts"
import { stepsOf } from "./onboarding.ts"
import { contactOf } from "./organization.ts"
import { PortalRows, ProfileRows } from "./rows.ts"
import type { AccessRequest } from "./rows.ts"
import { accessDecidedText } from "./texts.ts"
import { notFound } from "../../engine/services/refusals.ts"

/** Decisions in the history of reviews. */
const DECISIONS_SHOWN = 100

/** A request, and whether operations are late. */
export interface AccessView extends AccessRequest {
  readonly isOverdue: boolean
}

/** A request as operations see it. */
export interface ReviewView extends AccessView {
  readonly organizationName: string
}

/** A decision of operations. */
export interface Decision {
  readonly requestId: string
  readonly isApproved: boolean
  /** The operator, by the name that operations use; null when not given. */
  readonly by: string | null
  /** The e-mail address of the operator's account; absent for a caller without one. */
  readonly byEmail?: string | null
  /** Sent to the organization. */
  readonly reason: string | null
}

export class ProductionAccess extends service<ProductionAccess>()("ProductionAccess", () => ({
  /** All seven, in order. */
  steps: (caller: PortalCaller) => stepsOf(caller.organization.organizationId),
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

/** A token of the sandbox must not give access to production. */
function requireProduction({ by, environment }: Operator): Routine<void, Refused> {
  return by === "ops" && environment === "production"
    ? Routine.void
    : Routine.fail(new Refused({ code: "PERMISSION_DENIED", detail: "needs operations of production" }))
}

/** The organization's latest request, or null. */
const latest = Routine.fn(function* ({ organization }: PortalCaller) {
  const rows = yield* ProfileRows
  const [request] = yield* rows.requests(organization.organizationId)
  return request === undefined ? null : viewOf(request, yield* Routine.nowMs)
})

/** `sites` are the production sites that the approval creates. */
const ask = Routine.fn(function* (caller: PortalCaller, sites: readonly RequestedSite[]) {
  yield* requireOwner(caller)
  const { organizationId } = caller.organization
  const done = yield* stepsOf(organizationId)
  if (done.some(({ isDone }) => !isDone)) return yield* new TurnedAway({ code: "ONBOARDING_INCOMPLETE" })
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
      const request: AccessRequest = {
        requestId: newUuid(nonce, "request for access"),
        organizationId,
        requestedBy: caller.account.accountId,
        requestedAtMs: nowMs,
        dueAtMs: nowMs + REVIEW_MS,
        status: "pending",
        decidedAtMs: null,
        decidedBy: null,
        reason: null,
        sites,
        siteIds: [],
      }
      yield* rows.insertRequest(request)
      return viewOf(request, nowMs)
    }),
  })
})

/** Open requests, those waiting longest first. */
const pending = Routine.gen(function* () {
  return yield* named(yield* (yield* ProfileRows).pending)
})

/** The last 100 decisions, the latest first. */
const decided = Routine.gen(function* () {
  return yield* named(yield* (yield* ProfileRows).decided(DECISIONS_SHOWN))
})

const named = Routine.fn(function* (requests: readonly AccessRequest[]) {
  const access = yield* AccessRows
  const nowMs = yield* Routine.nowMs
  return yield* Routine.forEach(requests, (request) =>
    Routine.map(access.organization(request.organizationId), (organization): ReviewView => ({
      ...viewOf(request, nowMs),
      organizationName: organization?.name ?? request.organizationId,
    })),
  )
})

/** A request with what a decision rests on. */
const read = Routine.fn(function* (requestId: string) {
  const request = yield* (yield* ProfileRows).request(requestId)
  if (request === null) return yield* notFound("access request", requestId)
  const view = viewOf(request, yield* Routine.nowMs)
  return { ...view, ...(yield* accessCase(request)) } satisfies ReviewView
})

/** Approval provisions the organization in production and creates the requested sites. */
const decide = Routine.fn(function* ({ requestId, isApproved, by, byEmail = null, reason }: Decision) {
  const rows = yield* ProfileRows
  const host = yield* ActorHost
  const known = yield* rows.request(requestId)
  if (known === null) return yield* notFound("access request", requestId)
  const { organizationId } = known
  yield* requireOutsider(organizationId, byEmail)
  const nonce = yield* host.nonce
  const sites = isApproved ? yield* sitesOf(known, nonce) : []
  return yield* host.run({
    name: "decide on production access",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const access = yield* AccessRows
      const { nowMs } = yield* Transaction
      const request = (yield* rows.request(requestId)) ?? known
      const organization = yield* access.organization(organizationId)
      if (request.status !== "pending" || organization === null) {
        return yield* new Refused({ code: "INVALID_STATE", detail: `the request is ${request.status}` })
      }
      const change = {
        status: isApproved ? "approved" : "declined",
        decidedAtMs: nowMs,
        decidedBy: by,
        reason,
        siteIds: sites.map(({ siteId }) => siteId),
      } as const
      yield* rows.changeRequest(requestId, change)
      if (isApproved) {
        const environments = [...new Set([...organization.environments, "production" as const])]
        yield* access.changeOrganization(organizationId, { environments, updatedAtMs: nowMs })
        for (const site of sites)
          yield* insertSite({ environment: "production", site, labels: [], nonce: site.siteId })
      }
      const to = yield* contactOf(organizationId)
      if (to !== null)
        yield* writeMail({ ...accessDecidedText(isApproved, reason), to, organizationId }, nonce)
      const view = viewOf({ ...request, ...change }, nowMs)
      return { ...view, organizationName: organization.name } satisfies ReviewView
    }),
  })
})

/** An operator must not decide on an organization of which they are a member. */
const requireOutsider = Routine.fn(function* (organizationId: string, email: string | null) {
  const members = yield* (yield* PortalRows).accounts(organizationId)
  if (!members.some((member) => member.email === email)) return
  const detail = "you are a member of this organization, so another operator must decide"
  return yield* new Refused({ code: "PERMISSION_DENIED", detail })
})

/**
 * Active and without area or price, which operations set. If the geocoder does not find the address, the site has no
 * place, so that the decision does not wait for it.
 */
const sitesOf = Routine.fn(function* ({ organizationId, sites }: AccessRequest, nonce: string) {
  const geocoder = yield* Geocoder
  return yield* Routine.forEach(sites, ({ name, address, timezone }, at) =>
    Routine.map(geocoder.locate(address, operationsOf({ environment: "production" })), (found): Site => {
      const siteId = newUuid(nonce, `requested site ${at}`)
      const place = found.type === "found" ? found.place : null
      return {
        ...bookedSite({ siteId, name, timezone: timezone ?? timeZoneOf(place) }),
        organizationId,
        fleetId: `fleet_${siteId}`,
        address,
        place,
      }
    }),
  )
})

function viewOf(request: AccessRequest, nowMs: number): AccessView {
  return { ...request, isOverdue: request.status === "pending" && nowMs > request.dueAtMs }
}
