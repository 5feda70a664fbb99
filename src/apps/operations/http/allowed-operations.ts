/** Which operations an operator may call on their host. The pages at `/ops` show what these do, and hide the rest. */

import type { Operator } from "../../../model/caller.ts"
import { ACCOUNT_ENDPOINTS, PRODUCTION_ENDPOINTS } from "./endpoints.ts"
import { isAllowed } from "../permitted.ts"
import { RIGHTS } from "../rights.ts"

const ONLY_IN_PRODUCTION: ReadonlySet<string> = new Set(
  [...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS].map(({ operationId }) => operationId),
)

/** Ids of operations, as in the document of the API. */
export function operationsOf(operator: Operator): readonly string[] {
  return Object.entries(RIGHTS)
    .filter(([id]) => operator.environment === "production" || !ONLY_IN_PRODUCTION.has(id))
    .filter(([, right]) => isAllowed(right, operator))
    .map(([id]) => id)
}
