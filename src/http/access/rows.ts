/**
 * Access rows: organizations and their API keys. Both environments share one table, so that a key of the wrong
 * environment is recognized. Source: reservations contract, authentication.
 */

import { Context } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import { boolean, choice, epochMs, json, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

export const organizations = table("organizations", {
  one: "an organization",
  many: "organizations",
  columns: {
    organizationId: text(),
    name: text(),
    /** False when the organization is deactivated in every environment. */
    isActive: boolean(),
    /** True when operations have enrolled it to reserve arrival windows, in every environment. */
    isFleetPartner: boolean(),
    /** True when it is enrolled in the sandbox, where it enrols itself. */
    isSandboxPartner: boolean().default(false),
    /** The environments in which it is provisioned. */
    environments: json<readonly Environment[]>(),
    createdAtMs: epochMs(),
    updatedAtMs: epochMs(),
  },
  key: ["organizationId"],
})

export type Organization = RowOf<typeof organizations>

/** Whether an organization may reserve arrival windows in an environment. */
export function isEnrolled(
  { isFleetPartner, isSandboxPartner }: Pick<Organization, "isFleetPartner" | "isSandboxPartner">,
  environment: Environment,
): boolean {
  return isFleetPartner || (isSandboxPartner && environment === "sandbox")
}

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
    /** The organization's name for the key, or null. */
    label: text().nullable(),
    /** The account of the portal that made the key; null for keys of operations. */
    createdBy: text().nullable(),
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

/** The last use of each key. A table of its own, because keys are read at every request and uses are written often. */
export const apiKeyUses = table("api_key_uses", {
  one: "the last use of a key",
  many: "last uses of keys",
  columns: { keyId: text(), organizationId: text(), usedAtMs: epochMs() },
  key: ["keyId"],
  indexes: [{ name: "api_key_uses_organization", by: ["organizationId"] }],
})

export type ApiKeyUse = RowOf<typeof apiKeyUses>

/** A key with the organization that holds it. */
export interface KeyHolder {
  readonly key: ApiKey
  readonly organization: Organization
  /** The organization's clock in the sandbox; null: real time, as always in production. */
  readonly clock: ClockState | null
}

export class AccessRows extends Context.Tag("AccessRows")<
  AccessRows,
  {
    /**
     * The key with this hash and its organization, including revoked and expired keys; null when there is none. Read at
     * every request.
     */
    readonly holder: (hash: string) => Routine<KeyHolder | null>
    readonly organization: (organizationId: string) => Routine<Organization | null>
    /** By id. */
    readonly organizations: Routine<readonly Organization[]>
    /** Those with these ids, in no order. */
    readonly organizationsOf: (organizationIds: readonly string[]) => Routine<readonly Organization[]>
    readonly insertOrganization: (organization: Organization) => Routine<void, never, Transaction>
    readonly changeOrganization: (
      organizationId: string,
      change: Partial<Omit<Organization, "organizationId">>,
    ) => Routine<void, never, Transaction>
    readonly key: (keyId: string) => Routine<ApiKey | null>
    /** Keys of one organization in both environments, oldest first, including revoked ones. */
    readonly keys: (organizationId: string) => Routine<readonly ApiKey[]>
    readonly insertKey: (key: ApiKey) => Routine<void, never, Transaction>
    readonly changeKey: (
      keyId: string,
      change: Partial<Pick<ApiKey, "expiresAtMs" | "label" | "revokedAtMs">>,
    ) => Routine<void, never, Transaction>
    readonly putKeyUse: (use: ApiKeyUse) => Routine<void, never, Transaction>
    /** The last uses of one organization's keys, in no order. */
    readonly keyUses: (organizationId: string) => Routine<readonly ApiKeyUse[]>
  }
>() {}
