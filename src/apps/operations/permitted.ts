/** Whether an operator may call an operation, by `rights.ts`. The operations API and scenarios ask here. */

import { Effect } from "effect"
import { OPERATOR_ROLES } from "../../model/caller.ts"
import type { Operator, OperatorRole } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { OperatedSites } from "./operated-sites.ts"
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

/** What a call names. */
export interface Named {
  readonly id: string
  /** The id in a field of the body, for rights that name one. */
  readonly idIn: (field: string) => Effect.Effect<string, Refused>
}

/** Refuses what the operator's role does not include, and hides what is at other sites. */
export function requireRight(
  { role, sites }: Right,
  caller: Operator,
  { id, idIn }: Named,
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
        : { kind: sites.kind, namedId: yield* idIn(sites.named) }
    const found = yield* (yield* OperatedSites).sitesOf(caller.environment, kind, namedId)
    if (!found.some((siteId) => siteIds.includes(siteId))) return yield* new Refused({ code: "NOT_FOUND" })
  })
}

export function roleOf({ role = "admin" }: Operator): OperatorRole {
  return role
}

function rank(role: OperatorRole): number {
  return OPERATOR_ROLES.indexOf(role)
}

function denied(detail: string): Refused {
  return new Refused({ code: "PERMISSION_DENIED", detail })
}
