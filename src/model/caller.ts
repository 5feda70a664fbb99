/** Who asks. The two environments share organizations and nothing else. */

export const ENVIRONMENTS = ["production", "sandbox"] as const

export type Environment = (typeof ENVIRONMENTS)[number]

export const PERMISSIONS = [
  "analytics:read",
  "deliveries:read",
  "deliveries:write",
  "reservations:read",
  "reservations:write",
  "retailers:read",
  "webhooks:manage",
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** A fleet partner's key, as the service sees it. */
export interface Partner {
  readonly type: "partner"
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
}

/** The runner application or operations, of one environment. */
export interface Operator {
  readonly type: "operator"
  readonly by: "runner" | "ops"
  readonly environment: Environment
  /** Of the token that it showed; absent where it acts without one, as the command line does. */
  readonly tokenId?: string
}

export type Caller = Partner | Operator
