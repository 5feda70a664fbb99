/**
 * Management of organizations and the catalog: the endpoints that the command line uses, over HTTP or in its process.
 */

import { Effect } from "effect"
import type { Operator } from "../../../model/caller.ts"
import type { Refused } from "../../../model/values/errors.ts"
import type { ApiKeys } from "../../../http/access/api-keys.ts"
import type { OperatorTokens } from "../../../http/access/operator-tokens.ts"
import type { Organizations } from "../organizations.ts"
import type { CatalogAdmin } from "../../../areas/catalog/catalog-admin.ts"
import type { SiteAdmin } from "../sites.ts"
import type { Answer, Query } from "../../../http/endpoint.ts"
import type { CallHoldControl } from "../../../engine/services/outbound/call-hold.ts"
import { access } from "./access.ts"
import { calls } from "./call-hold.ts"
import { catalog } from "../../../areas/catalog/http/operator-catalog.ts"
import { connector } from "./connector.ts"
import type { ConnectorSurface } from "./connector.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorAccounts } from "../../operators/accounts.ts"
import { operators } from "../../operators/http/operators.ts"
import { sites } from "./sites.ts"
import { notFound } from "../../../engine/services/refusals.ts"

export type ManagementSurface = ApiKeys | CatalogAdmin | SiteAdmin | OperatorTokens | Organizations

export const management: readonly OperatorEndpoint<ManagementSurface>[] = [...access, ...catalog, ...sites]

/** Only in production. */
type ProductionManagement = CallHoldControl | ConnectorSurface | OperatorAccounts

const productionManagement: readonly OperatorEndpoint<ProductionManagement>[] = [
  ...calls,
  ...connector,
  ...operators,
]

export interface ManagementRequest {
  readonly method: OperatorEndpoint<never>["method"]
  /** Parameters are escaped, as in a URL. */
  readonly path: string
  readonly query?: Query
  readonly body?: object
}

/** Calls an endpoint without a server: checks and answers are the same, but no token is required. */
export function askManagement(
  caller: Operator,
  { method, path, query = {}, body }: ManagementRequest,
): Effect.Effect<Answer, Refused, ManagementSurface | ProductionManagement> {
  const known: readonly OperatorEndpoint<ManagementSurface | ProductionManagement>[] = [
    ...management,
    ...(caller.environment === "production" ? productionManagement : []),
  ]
  for (const endpoint of known) {
    const parts = endpoint.method === method ? partsOf(endpoint.path, path) : null
    if (parts === null) continue
    return endpoint.handle({
      caller,
      parts,
      id: parts["id"] ?? "",
      query,
      header: () => undefined,
      body:
        body === undefined ? null : { bytes: new TextEncoder().encode(JSON.stringify(body)), isJson: true },
    })
  }
  return Effect.fail(notFound(method, path))
}

/** False for endpoints that only a running service has. */
export function isManagement({ method, path }: ManagementRequest): boolean {
  return [...management, ...productionManagement].some(
    (endpoint) => endpoint.method === method && partsOf(endpoint.path, path) !== null,
  )
}

/** The parameters of a pattern, or null when the path does not match. */
function partsOf(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return null
  const parts: Record<string, string> = {}
  for (const [at, segment] of wanted.entries()) {
    const value = given[at] ?? ""
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name !== undefined) parts[name] = decodeURIComponent(value)
    else if (segment !== value) return null
  }
  return parts
}
