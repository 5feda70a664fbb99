/** Applies the rights of `rights.ts` to a request of an operator, before it runs and to its answer. */

import { Effect } from "effect"
import { OPERATOR_ROLES } from "../../model/caller.ts"
import type { Operator, OperatorRole } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { OperatedSites } from "../operated-sites.ts"
import { withoutPeople } from "./people.ts"
import { RIGHTS } from "./rights.ts"
import type { Right } from "./rights.ts"

/** Throws for an operation without a right: nothing may be served by accident. */
export function rightOf(operationId: string): Right {
  const right = RIGHTS[operationId]
  if (right === undefined) throw new Error(`${operationId} has no row in the rights of the operations API`)
  return right
}

/** Refuses what the operator's role does not include, and hides what is at other sites. */
export function requireRight(
  { role, sites }: Right,
  caller: Operator,
  id: string,
): Effect.Effect<void, Refused, OperatedSites> {
  return Effect.gen(function* () {
    const own = roleOf(caller)
    if (rank(own) < rank(role)) return yield* denied(`your role is ${own}; this needs ${role}`)
    const { siteIds = null } = caller
    if (siteIds === null || sites === "everywhere" || sites === "own rows" || typeof sites === "object")
      return
    if (sites === "all sites") return yield* denied("this needs an operator of all sites")
    const found = yield* (yield* OperatedSites).sitesOf(sites, id)
    if (!found.some((siteId) => siteIds.includes(siteId))) return yield* new Refused({ code: "NOT_FOUND" })
  })
}

/** An answer without rows of other sites, and for viewers without personal data. */
export function permittedData<Data extends object>({ sites }: Right, caller: Operator, data: Data): Data {
  const { siteIds = null } = caller
  const own = siteIds === null || typeof sites !== "object" ? data : ofSites(data, sites.rows, siteIds)
  return roleOf(caller) === "viewer" ? withoutPeople(own) : own
}

function ofSites<Data extends object>(data: Data, field: string, siteIds: readonly string[]): Data {
  const rows = (data as Readonly<Record<string, unknown>>)[field]
  if (!Array.isArray(rows)) throw new Error(`the answer has no list ${field} to choose from`)
  const isOwn = (row: { readonly site_id?: string | null }): boolean =>
    row.site_id !== undefined && row.site_id !== null && siteIds.includes(row.site_id)
  return { ...data, [field]: rows.filter(isOwn) }
}

function roleOf({ role = "admin" }: Operator): OperatorRole {
  return role
}

function rank(role: OperatorRole): number {
  return OPERATOR_ROLES.indexOf(role)
}

function denied(detail: string): Refused {
  return new Refused({ code: "PERMISSION_DENIED", detail })
}
