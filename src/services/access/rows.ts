/**
 * Access rows: organizations and their API keys. One registry for both environments, so that a key of the other one is
 * known. Source: reservations contract, authentication.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import type { Transaction } from "../host.ts"
import { boolean, choice, epochMs, json, serial, text } from "../tables/columns.ts"
import { table } from "../tables/table.ts"
import type { RowOf } from "../tables/table.ts"

export const organizations = table("organizations", {
  one: "an organization",
  many: "organizations",
  columns: {
    organizationId: text(),
    name: text(),
    /** False: deactivated everywhere. */
    isActive: boolean(),
    /** Enrolled to reserve arrival windows. */
    isFleetPartner: boolean(),
    /** Where it has been provisioned. */
    environments: json<readonly Environment[]>(),
    createdAtMs: epochMs(),
    updatedAtMs: epochMs(),
  },
  key: ["organizationId"],
})

export type Organization = RowOf<typeof organizations>

/** Keys. A key's value is not stored: only its hash and its last four characters are. */
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
    /** The first instant at which it is no longer good; null for never. */
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
