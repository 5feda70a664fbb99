/** Organizations: the possible callers, and their environments. Only for operations, not for partners. */

import { Context, Effect, Layer } from "effect"
import type { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import type { CatalogRows } from "../../areas/catalog/rows.ts"
import { openSandboxTo } from "../../areas/catalog/sandbox-site.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { lockOf, unknownOrganization } from "../../http/access/api-keys.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"

export type NewOrganization = Pick<Organization, "name" | "isFleetPartner" | "environments">

/** An organization with a given id, so that a repeated creation makes only one. */
export type NamedOrganization = NewOrganization & Pick<Organization, "organizationId">

export type OrganizationChange = Partial<
  Pick<Organization, "name" | "isActive" | "isFleetPartner" | "environments">
>

export class Organizations extends Context.Tag("Organizations")<
  Organizations,
  {
    readonly add: (request: NewOrganization) => Routine<Organization>
    /** Adds it unless it exists. */
    readonly ensure: (request: NamedOrganization) => Routine<Organization>
    readonly change: (organizationId: string, change: OrganizationChange) => Routine<Organization, Refused>
    readonly list: Routine<readonly Organization[]>
  }
>() {}

type Needs = AccessRows | ActorHost | CatalogRows

export const layerOrganizations: Layer.Layer<Organizations, never, Needs> = Layer.effect(
  Organizations,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const rows = yield* AccessRows
    return {
      add: (request) => provided(add(request), context),
      ensure: (request) => provided(ensure(request), context),
      change: (organizationId, changes) => provided(change(organizationId, changes), context),
      list: rows.organizations,
    }
  }),
)

const add = Routine.fn(function* (request: NewOrganization) {
  const host = yield* ActorHost
  return yield* ensure({ ...request, organizationId: newUuid(yield* host.nonce, "organization") })
})

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
      const changed = { ...changes, updatedAtMs: nowMs }
      yield* rows.changeOrganization(organizationId, changed)
      const organization = { ...current, ...changed }
      yield* openSandboxTo(organization)
      return organization
    }),
  })
})
