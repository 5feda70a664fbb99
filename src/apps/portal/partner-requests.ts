/**
 * What organizations ask operations for beside production access: to be enrolled as a fleet partner, and more sites of
 * production. Operations decide under Approvals. The sandbox enrols at once.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { RequestedSite } from "../../model/site.ts"
import { lockOf } from "../../http/access/api-keys.ts"
import { AccessRows, isEnrolled } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import { openSandboxTo } from "../../areas/catalog/sandbox-site.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { choice, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { requireEnvironment, requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { noteMilestone } from "./milestones.ts"
import { requireSteps } from "./onboarding.ts"
import { newRequest, reviewOf, viewOf } from "./reviews.ts"
import type { ReviewedView } from "./reviews.ts"
import { ProfileRows, requestColumns, requestRows } from "./rows.ts"

export const PARTNER_REQUEST_KINDS = ["fleet_enrolment", "production_sites"] as const

export type PartnerRequestKind = (typeof PARTNER_REQUEST_KINDS)[number]

export const partnerRequests = table("partner_requests", {
  one: "a request of an organization",
  many: "requests of organizations",
  columns: {
    ...requestColumns,
    kind: choice<PartnerRequestKind>(),
    /** What the organization says about it. */
    text: text().nullable(),
  },
  key: ["requestId"],
  indexes: [
    { name: "partner_requests_organization", by: ["organizationId", "number"] },
    { name: "partner_requests_due", by: ["status", "dueAtMs"] },
  ],
})

export type PartnerRequest = RowOf<typeof partnerRequests>
export type PartnerRequestView = ReviewedView<PartnerRequest>

export class PartnerRequestRows extends repository<PartnerRequestRows>()(
  "PartnerRequestRows",
  Effect.map(Tables, (tables) => requestRows(tables.of(partnerRequests))),
) {}

/** Where an organization may reserve, and its request that waits; null before its first step and once it is enrolled. */
export interface Enrolment {
  readonly environments: readonly Environment[]
  readonly request: PartnerRequestView | null
}

export class PartnerRequests extends service<PartnerRequests>()("PartnerRequests", () => ({
  list,
  askEnrolment,
  askSites,
})) {}

/** Reviews of requests by operations of production. Approval enrols the organization in every environment, or creates the requested sites. */
export class PartnerReview extends service<PartnerReview>()("PartnerReview", () =>
  reviewOf({
    rows: PartnerRequestRows,
    noun: "request",
    courseOf: ({ kind }) => (kind === "fleet_enrolment" ? "reservations" : "deliveries"),
    command: "decide on a request",
    obstacle: ({ environments }, { kind }) =>
      kind === "production_sites" && !environments.includes("production")
        ? "the organization has no production access"
        : null,
    approve: Routine.fn(function* (organization, { kind }) {
      if (kind !== "fleet_enrolment") return
      const { nowMs } = yield* Transaction
      const { organizationId } = organization
      const change = { isFleetPartner: true, updatedAtMs: nowMs }
      yield* (yield* AccessRows).changeOrganization(organizationId, change)
      yield* openSandboxTo({ ...organization, ...change })
    }),
    what: ({ kind }) => kind,
  }),
) {}

/** Newest first. */
const list = Routine.fn(function* ({ organization }: PortalCaller) {
  const nowMs = yield* Routine.nowMs
  const found = yield* (yield* PartnerRequestRows).requests(organization.organizationId)
  return found.map((request) => viewOf(request, nowMs))
})

export function enrolledIn(organization: Organization): readonly Environment[] {
  return ENVIRONMENTS.filter((environment) => isEnrolled(organization, environment))
}

/**
 * Enrols the organization in the sandbox, and asks operations to enrol it in production once it has a contact or a key: operations
 * should not read requests of those who only look around. A repeat changes nothing while a request waits, or once operations have
 * enrolled it.
 */
const askEnrolment = Routine.fn(function* (caller: PortalCaller, said: string | null) {
  yield* requireOwner(caller)
  const { organizationId } = caller.organization
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "ask for enrolment as a fleet partner",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const rows = yield* PartnerRequestRows
      const { nowMs } = yield* Transaction
      const known = (yield* (yield* AccessRows).organization(organizationId)) ?? caller.organization
      const organization = yield* enrolledInSandbox(known)
      const environments = enrolledIn(organization)
      const waiting = yield* waitingOf(organizationId, "fleet_enrolment")
      if (organization.isFleetPartner || (waiting === null && !(yield* hasBegun(organizationId))))
        return { environments, request: null } satisfies Enrolment
      const request: PartnerRequest = waiting ?? {
        ...newRequest({ nonce, nowMs }),
        kind: "fleet_enrolment",
        organizationId,
        requestedBy: caller.account.accountId,
        text: said || null,
        sites: [],
      }
      if (waiting === null) yield* rows.insertRequest(request)
      return { environments, request: viewOf(request, nowMs) } satisfies Enrolment
    }),
  })
})

/** Inside the transaction. */
const enrolledInSandbox = Routine.fn(function* (known: Organization) {
  if (isEnrolled(known, "sandbox")) return known
  const { nowMs } = yield* Transaction
  const { organizationId } = known
  const organization: Organization = { ...known, isSandboxPartner: true, updatedAtMs: nowMs }
  yield* (yield* AccessRows).changeOrganization(organizationId, {
    isSandboxPartner: true,
    updatedAtMs: nowMs,
  })
  yield* openSandboxTo(organization)
  yield* noteMilestone({ organizationId, environment: "sandbox" }, "fleet_enrolled")
  return organization
})

/** Whether it has a contact or has made a key. */
const hasBegun = Routine.fn(function* (organizationId: string) {
  const profile = yield* (yield* ProfileRows).profile(organizationId)
  return profile !== null || (yield* (yield* AccessRows).keys(organizationId)).length > 0
})

/** Operations have enrolled the organization, so its request is answered. Inside the transaction. */
export const closeEnrolment = Routine.fn(function* (organizationId: string) {
  const waiting = yield* waitingOf(organizationId, "fleet_enrolment")
  if (waiting === null) return
  const { nowMs: decidedAtMs } = yield* Transaction
  const decision = { status: "approved", decidedAtMs, decidedBy: null, reason: null, siteIds: [] } as const
  yield* (yield* PartnerRequestRows).changeRequest(waiting.requestId, decision)
})

const waitingOf = Routine.fn(function* (organizationId: string, kind: PartnerRequestKind) {
  const known = yield* (yield* PartnerRequestRows).requests(organizationId)
  return known.find((one) => one.kind === kind && one.status === "pending") ?? null
})

/** More sites of production; one request waits at a time. The first needs the steps of deliveries: robots may have led to production. */
const askSites = Routine.fn(function* (caller: PortalCaller, sites: readonly RequestedSite[]) {
  yield* requireOwner(caller)
  yield* requireEnvironment(caller, "production")
  const { organizationId } = caller.organization
  const own = yield* (yield* DeliverySites).ofOrganization({ organizationId, environment: "production" })
  if (own.length === 0) yield* requireSteps(organizationId, "deliveries")
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "ask for sites of production",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const rows = yield* PartnerRequestRows
      const { nowMs } = yield* Transaction
      if ((yield* waitingOf(organizationId, "production_sites")) !== null)
        return yield* new Refused({ code: "INVALID_STATE", detail: "a request is under review" })
      const request: PartnerRequest = {
        ...newRequest({ nonce, nowMs }),
        kind: "production_sites",
        organizationId,
        requestedBy: caller.account.accountId,
        text: null,
        sites,
      }
      yield* rows.insertRequest(request)
      return viewOf(request, nowMs)
    }),
  })
})
