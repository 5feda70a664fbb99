/** How operations of production review what organizations ask for: who may decide, and a decision with its effects. */

import type { Effect } from "effect"
import type { Operator } from "../../model/caller.ts"
import { newUuid } from "../../model/ids.ts"
import { bookedSite } from "../../model/site.ts"
import type { RequestedSite, Site } from "../../model/site.ts"
import { Refused } from "../../model/values/errors.ts"
import type { OnboardingCourse } from "../../model/requests/portal.ts"
import { REVIEW_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { lockOf } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import { insertSite } from "../../areas/catalog/insert-site.ts"
import { writeMail } from "../../areas/messages/outbox.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { timeZoneOf } from "../../engine/services/geocoding/place-time-zone.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { operationsOf } from "../../engine/services/owner-turns.ts"
import { notFound } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { accessCase } from "./access-case.ts"
import { contactOf } from "./organization.ts"
import { PortalRows } from "./rows.ts"
import type { AccessRequest, DecidedFields } from "./rows.ts"
import { decidedText } from "./texts.ts"

/** Decisions in the history of reviews. */
const DECISIONS_SHOWN = 100
/** Requests that wait, in one list; the others follow as these are decided. */
const PENDING_SHOWN = 200

/** The fields that every request has. */
export type Reviewed = Omit<AccessRequest, "course">

/** A request, and whether operations are late. */
export type ReviewedView<Request extends Reviewed> = Request & { readonly isOverdue: boolean }

/** A request as operations see it. */
type NamedView<Request extends Reviewed> = ReviewedView<Request> & {
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

/** A token of the sandbox must not give access to production. */
export function requireProduction({ by, environment }: Operator): Routine<void, Refused> {
  return by === "ops" && environment === "production"
    ? Routine.void
    : Routine.fail(new Refused({ code: "PERMISSION_DENIED", detail: "needs operations of production" }))
}

/** The fields of a request that an organization makes now. */
export function newRequest({ nonce, nowMs }: { readonly nonce: string; readonly nowMs: EpochMs }) {
  return {
    requestId: newUuid(nonce, "request for access"),
    requestedAtMs: nowMs,
    dueAtMs: nowMs + REVIEW_MS,
    status: "pending",
    decidedAtMs: null,
    decidedBy: null,
    reason: null,
    siteIds: [],
  } as const
}

const named = Routine.fn(function* <Request extends Reviewed>(requests: readonly Request[]) {
  const nowMs = yield* Routine.nowMs
  const ids = [...new Set(requests.map(({ organizationId }) => organizationId))]
  const found = ids.length === 0 ? [] : yield* (yield* AccessRows).organizationsOf(ids)
  const nameById = new Map(found.map(({ organizationId, name }) => [organizationId, name]))
  return requests.map((request): NamedView<Request> => ({
    ...viewOf(request, nowMs),
    organizationName: nameById.get(request.organizationId) ?? request.organizationId,
  }))
})

export function viewOf<Request extends Reviewed>(request: Request, nowMs: number): ReviewedView<Request> {
  return { ...request, isOverdue: request.status === "pending" && nowMs > request.dueAtMs }
}

interface ReviewedRows<Request extends Reviewed> {
  readonly request: (requestId: string) => Routine<Request | null>
  readonly changeRequest: (requestId: string, change: DecidedFields) => Routine<void, never, Transaction>
  readonly pending: (limit: number) => Routine<readonly Request[]>
  readonly decided: (limit: number) => Routine<readonly Request[]>
}

interface Reviewing<Request extends Reviewed, Rows, R> {
  readonly rows: Effect.Effect<ReviewedRows<Request>, never, Rows>
  /** "access request": what a request that is not there is called. */
  readonly noun: string
  /** Whose seven steps a decision rests on. */
  readonly courseOf: (request: Request) => OnboardingCourse
  /** "decide on production access": the command. */
  readonly command: string
  /** Why it cannot be approved now; null when it can. */
  readonly obstacle?: (organization: Organization, request: Request) => string | null
  /** What an approval does beside making the requested sites. Inside the transaction. */
  readonly approve: (organization: Organization, request: Request) => Routine<void, never, R | Transaction>
  /** Whose mail is sent. */
  readonly what: (request: Request) => Parameters<typeof decidedText>[0]
}

/** The methods of a review. */
export function reviewOf<Request extends Reviewed, Rows, R>(reviewing: Reviewing<Request, Rows, R>) {
  const { rows, noun, courseOf } = reviewing
  const pending = Routine.flatMap(rows, (found) => Routine.flatMap(found.pending(PENDING_SHOWN), named))
  const decided = Routine.flatMap(rows, (found) => Routine.flatMap(found.decided(DECISIONS_SHOWN), named))
  const read = (requestId: string) =>
    Routine.flatMap(rows, (found) =>
      Routine.flatMap(found.request(requestId), (request) =>
        request === null ? notFound(noun, requestId) : withCase(request, courseOf(request)),
      ),
    )
  const decide = (decision: Decision) =>
    Routine.flatMap(rows, (found) => decideOn(reviewing, found, decision))
  return {
    /** The first 200 open requests, those waiting longest first. */
    pending: (caller: Operator) => Routine.zipRight(requireProduction(caller), pending),
    /** The last 100 decisions, the latest first. */
    decided: (caller: Operator) => Routine.zipRight(requireProduction(caller), decided),
    /** A request with what a decision rests on. */
    read: (caller: Operator, requestId: string) =>
      Routine.zipRight(requireProduction(caller), read(requestId)),
    decide: (caller: Operator, decision: Decision) =>
      Routine.zipRight(requireProduction(caller), decide(decision)),
  }
}

const withCase = Routine.fn(function* <Request extends Reviewed>(request: Request, course: OnboardingCourse) {
  const view = viewOf(request, yield* Routine.nowMs)
  return { ...view, ...(yield* accessCase(request, course)) } satisfies NamedView<Request>
})

/** Decides once; the contact of the organization gets a mail. */
const decideOn = Routine.fn(function* <Request extends Reviewed, R>(
  { command, obstacle, approve, what }: Omit<Reviewing<Request, never, R>, "rows">,
  { request: read, changeRequest }: ReviewedRows<Request>,
  { requestId, isApproved, by, byEmail = null, reason }: Decision,
) {
  const host = yield* ActorHost
  const known = yield* read(requestId)
  if (known === null) return yield* notFound("request", requestId)
  const { organizationId } = known
  yield* requireOutsider(organizationId, byEmail)
  const nonce = yield* host.nonce
  const sites = isApproved ? yield* sitesOf(known, nonce) : []
  return yield* host.run({
    name: command,
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const request = (yield* read(requestId)) ?? known
      const organization = yield* (yield* AccessRows).organization(organizationId)
      if (request.status !== "pending" || organization === null) {
        return yield* new Refused({ code: "INVALID_STATE", detail: `the request is ${request.status}` })
      }
      const hindrance = organization.isActive
        ? (obstacle?.(organization, request) ?? null)
        : "the organization is deactivated"
      if (isApproved && hindrance !== null)
        return yield* new Refused({ code: "INVALID_STATE", detail: hindrance })
      const change = {
        status: isApproved ? "approved" : "declined",
        decidedAtMs: nowMs,
        decidedBy: by,
        reason,
        siteIds: sites.map(({ siteId }) => siteId),
      } as const
      yield* changeRequest(requestId, change)
      if (isApproved) {
        yield* approve(organization, request)
        for (const site of sites)
          yield* insertSite({ environment: "production", site, labels: [], nonce: site.siteId })
      }
      const to = yield* contactOf(organizationId)
      const text = decidedText(what(request), { isApproved, reason })
      if (to !== null) yield* writeMail({ ...text, to, organizationId }, nonce)
      const view: NamedView<Request> = {
        ...viewOf({ ...request, ...change }, nowMs),
        organizationName: organization.name,
      }
      return view
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
const sitesOf = Routine.fn(function* (
  { organizationId, sites }: { readonly organizationId: string; readonly sites: readonly RequestedSite[] },
  nonce: string,
) {
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
