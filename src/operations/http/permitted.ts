/** Applies the rights of `rights.ts` to a request of an operator, before it runs and to its answer. */

import { Effect } from "effect"
import { OPERATOR_ROLES } from "../../model/caller.ts"
import type { Operator, OperatorRole } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { OperatedSites } from "../operated-sites.ts"
import { withoutPeople } from "./people.ts"
import type { SentBody } from "../../http/endpoint.ts"
import { invalid } from "../../http/errors.ts"
import { RIGHTS } from "./rights.ts"
import type { Right } from "./rights.ts"

/** Throws for an operation without a right: nothing may be served by accident. */
export function rightOf(operationId: string): Right {
  const right = RIGHTS[operationId]
  if (right === undefined) throw new Error(`${operationId} has no row in the rights of the operations API`)
  return right
}

/** True when the operator may call it, for all sites or for some. */
export function isAllowed({ role, sites }: Right, caller: Operator): boolean {
  const { siteIds = null } = caller
  return rank(roleOf(caller)) >= rank(role) && (siteIds === null || sites !== "all sites")
}

/** What a request names: the path's `{id}`, and its body. */
export interface Named {
  readonly id: string
  readonly body?: SentBody | null
}

/** Refuses what the operator's role does not include, and hides what is at other sites. */
export function requireRight(
  { role, sites }: Right,
  caller: Operator,
  { id, body = null }: Named,
): Effect.Effect<void, Refused, OperatedSites> {
  return Effect.gen(function* () {
    const own = roleOf(caller)
    if (rank(own) < rank(role)) return yield* denied(`your role is ${own}; this needs ${role}`)
    const { siteIds = null } = caller
    if (siteIds === null || sites === "everywhere" || sites === "own rows") return
    if (sites === "all sites") return yield* denied("this needs an operator of all sites")
    if (typeof sites === "object" && "rows" in sites) return
    const { kind, namedId } =
      typeof sites === "string"
        ? { kind: sites, namedId: id }
        : { kind: sites.kind, namedId: yield* idIn(body, sites.named) }
    const found = yield* (yield* OperatedSites).sitesOf(caller.environment, kind, namedId)
    if (!found.some((siteId) => siteIds.includes(siteId))) return yield* new Refused({ code: "NOT_FOUND" })
  })
}

/** The text in a field of the body. The endpoint checks the rest of it. */
function idIn(body: SentBody | null, field: string): Effect.Effect<string, Refused> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body?.bytes))
    const named: unknown = Object(value)[field]
    if (typeof named === "string") return Effect.succeed(named)
  } catch {
    // Not JSON, so it names nothing.
  }
  return Effect.fail(invalid(field, "must name one of your sites or something there"))
}

/** An answer without rows of other sites, and for viewers without personal data. */
export function permittedData<Data extends object>({ sites }: Right, caller: Operator, data: Data): Data {
  const { siteIds = null } = caller
  const hasRows = typeof sites === "object" && "rows" in sites
  const own = siteIds === null || !hasRows ? data : ofSites(data, sites.rows, siteIds)
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
