/** The caller of a request. The two environments share organizations and nothing else. */

export const ENVIRONMENTS = ["production", "sandbox"] as const

export type Environment = (typeof ENVIRONMENTS)[number]

export const PERMISSIONS = [
  "analytics:read",
  "deliveries:read",
  "deliveries:write",
  "events:read",
  "requests:read",
  "reservations:read",
  "reservations:write",
  "retailers:read",
  "sandbox:manage",
  "webhooks:manage",
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** The caller that a fleet partner's API key identifies. */
export interface Partner {
  readonly type: "partner"
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
}

/** What an operator may do: each role may do everything that the role before it may. */
export const OPERATOR_ROLES = ["viewer", "dispatcher", "manager", "admin"] as const

export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** The runner application or operations, in one environment. */
export interface Operator {
  readonly type: "operator"
  readonly by: "runner" | "ops"
  readonly environment: Environment
  /** Id of the caller's token; absent for callers without one, such as the command line. */
  readonly tokenId?: string
  /** Id of the caller's account; absent for tokens. */
  readonly accountId?: string
  /** Absent for callers inside the program, such as the command line, which may do everything. */
  readonly role?: OperatorRole
  /** Ids of the caller's sites; null or absent: all sites. */
  readonly siteIds?: readonly string[] | null
}

export type Caller = Partner | Operator

/** The sites of a list: those of the operator, or the wanted one if it is among them; null: all. */
export function listedSites(
  { siteIds = null }: Pick<Operator, "siteIds">,
  wanted: string | undefined,
): readonly string[] | null {
  if (wanted === undefined) return siteIds
  return siteIds === null || siteIds.includes(wanted) ? [wanted] : []
}
