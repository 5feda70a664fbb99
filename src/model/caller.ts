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

/** The runner application or operations, in one environment. */
export interface Operator {
  readonly type: "operator"
  readonly by: "runner" | "ops"
  readonly environment: Environment
  /** Id of the caller's token; absent for callers without one, such as the command line. */
  readonly tokenId?: string
}

export type Caller = Partner | Operator
