/**
 * Access rows: organizations and their API keys. One registry for both environments, so that a key of the other one is
 * known. Source: reservations contract, authentication.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"

export interface Organization {
  readonly organizationId: string
  readonly name: string
  /** False: deactivated everywhere. */
  readonly isActive: boolean
  /** Enrolled to reserve arrival windows. */
  readonly isFleetPartner: boolean
  /** Where it has been provisioned. */
  readonly environments: readonly Environment[]
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

/** One key. Its value is nowhere: only the hash and the last four characters are kept. */
export interface ApiKey {
  readonly keyId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  /** SHA-256 of the value, lower-case hex. */
  readonly hash: string
  readonly lastFour: string
  readonly createdAtMs: EpochMs
  /** The first instant at which it is no longer good; null for never. */
  readonly expiresAtMs: EpochMs | null
  readonly revokedAtMs: EpochMs | null
}

/** A key with the organization that holds it. */
export interface KeyHolder {
  readonly key: ApiKey
  readonly organization: Organization
}

export class AccessRows extends Context.Tag("AccessRows")<
  AccessRows,
  {
    /** Whose key has this hash, revoked and expired ones included; null when there is none. Asked at every request. */
    readonly holder: (hash: string) => Effect.Effect<KeyHolder | null>
    readonly organization: (organizationId: string) => Effect.Effect<Organization | null>
    /** By id. */
    readonly organizations: Effect.Effect<readonly Organization[]>
    readonly insertOrganization: (organization: Organization) => Effect.Effect<void, never, Transaction>
    readonly changeOrganization: (
      organizationId: string,
      change: Partial<Omit<Organization, "organizationId">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly key: (keyId: string) => Effect.Effect<ApiKey | null>
    /** Of one organization in both environments, oldest first, revoked ones included. */
    readonly keys: (organizationId: string) => Effect.Effect<readonly ApiKey[]>
    readonly insertKey: (key: ApiKey) => Effect.Effect<void, never, Transaction>
    readonly changeKey: (
      keyId: string,
      change: Partial<Pick<ApiKey, "revokedAtMs">>,
    ) => Effect.Effect<void, never, Transaction>
  }
>() {}
