/**
 * Access rows: organizations and their API keys. Both environments share one table, so that a key of the wrong
 * environment is recognized. Source: reservations contract, authentication.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import type { Transaction } from "../../services/host.ts"
import { boolean, choice, epochMs, json, serial, text } from "../../services/tables/columns.ts"
import { table } from "../../services/tables/table.ts"
import type { RowOf } from "../../services/tables/table.ts"

export const organizations = table("organizations", {
  one: "an organization",
  many: "organizations",
  columns: {
    organizationId: text(),
    name: text(),
    /** False when the organization is deactivated in every environment. */
    isActive: boolean(),
    /** True when it is enrolled to reserve arrival windows. */
    isFleetPartner: boolean(),
    /** The environments in which it is provisioned. */
    environments: json<readonly Environment[]>(),
    createdAtMs: epochMs(),
    updatedAtMs: epochMs(),
  },
  key: ["organizationId"],
})

export type Organization = RowOf<typeof organizations>

/** Keys. Only the hash and the last four characters of a key's value are stored. */
export const apiKeys = table("api_keys", {
  one: "a key",
  many: "keys",
  columns: {
    keyId: text(),
    number: serial().hidden(),
    organizationId: text(),
    environment: choice<Environment>(),
    permissions: json<readonly Permission[]>(),
    /** SHA-256 of the value, lower-case hex. */
    hash: text(),
    lastFour: text(),
    createdAtMs: epochMs(),
    /** The first instant at which it is no longer valid; null for never. */
    expiresAtMs: epochMs().nullable(),
    revokedAtMs: epochMs().nullable(),
  },
  key: ["keyId"],
  indexes: [
    { name: "api_keys_hash_key", by: ["hash"] },
    { name: "api_keys_organization", by: ["organizationId", "number"] },
  ],
})

export type ApiKey = RowOf<typeof apiKeys>

/** A key with the organization that holds it. */
export interface KeyHolder {
  readonly key: ApiKey
  readonly organization: Organization
}

export class AccessRows extends Context.Tag("AccessRows")<
  AccessRows,
  {
    /**
     * The key with this hash and its organization, including revoked and expired keys; null when there is none. Read at
     * every request.
     */
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
    /** Keys of one organization in both environments, oldest first, including revoked ones. */
    readonly keys: (organizationId: string) => Effect.Effect<readonly ApiKey[]>
    readonly insertKey: (key: ApiKey) => Effect.Effect<void, never, Transaction>
    readonly changeKey: (
      keyId: string,
      change: Partial<Pick<ApiKey, "revokedAtMs">>,
    ) => Effect.Effect<void, never, Transaction>
  }
>() {}
