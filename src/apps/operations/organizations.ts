/** Organizations: the possible callers, and their environments. Only for operations, not for partners. */

import { newUuid } from "../../model/ids.ts"
import { openSandboxTo } from "../../areas/catalog/sandbox-site.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { lockOf, unknownOrganization } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import { closeEnrolment } from "../portal/partner-requests.ts"

export type NewOrganization = Pick<Organization, "name" | "isFleetPartner" | "environments">

/** An organization with a given id, so that a repeated creation makes only one. */
export type NamedOrganization = NewOrganization & Pick<Organization, "organizationId">

export type OrganizationChange = Partial<
  Pick<Organization, "name" | "isActive" | "isFleetPartner" | "environments">
>

export class Organizations extends service<Organizations>()("Organizations", () => ({
  add,
  ensure,
  change,
  list: Routine.flatMap(AccessRows, (rows) => rows.organizations),
})) {}

const add = Routine.fn(function* (request: NewOrganization) {
  const host = yield* ActorHost
  return yield* ensure({ ...request, organizationId: newUuid(yield* host.nonce, "organization") })
})

/** Adds it unless it exists. */
const ensure = Routine.fn(function* (request: NamedOrganization) {
  const host = yield* ActorHost
  const rows = yield* AccessRows
  return yield* host.run({
    name: "register an organization",
    locks: { key: lockOf(request.organizationId) },
    body: Routine.fn(function* () {
      const known = yield* rows.organization(request.organizationId)
      if (known !== null) return known
      const { nowMs } = yield* Transaction
      const organization: Organization = {
        ...request,
        isActive: true,
        isSandboxPartner: false,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      }
      yield* rows.insertOrganization(organization)
      yield* openSandboxTo(organization)
      return organization
    }),
  })
})

const change = Routine.fn(function* (organizationId: string, changes: OrganizationChange) {
  const host = yield* ActorHost
  const rows = yield* AccessRows
  return yield* host.run({
    name: "change an organization",
    locks: { key: lockOf(organizationId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const current = yield* rows.organization(organizationId)
      if (current === null) return yield* unknownOrganization(organizationId)
      // The end of an enrolment ends it in the sandbox too, where the organization may enrol itself again.
      const isEnd = current.isFleetPartner && changes.isFleetPartner === false
      const ends = isEnd ? { isSandboxPartner: false } : {}
      const changed = { ...changes, ...ends, updatedAtMs: nowMs }
      yield* rows.changeOrganization(organizationId, changed)
      if (changes.isFleetPartner === true) yield* closeEnrolment(organizationId)
      const organization = { ...current, ...changed }
      yield* openSandboxTo(organization)
      return organization
    }),
  })
})
