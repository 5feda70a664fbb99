/** Words of the scenario language about partners and their keys. `language.ts` includes them and checks their types. */

import { ENVIRONMENTS, PERMISSIONS } from "../../../model/caller.ts"
import type { Environment } from "../../../model/caller.ts"

const permissions = {
  is: "enums",
  of: PERMISSIONS,
  says: "what the key may do",
  usual: "everything",
} as const

export const PARTNER_FIELDS = {
  permissions,
  fleet_partner: { is: "boolean", says: "whether it may book arrival windows", usual: "true" },
  active: { is: "boolean", says: "whether the organization is active", usual: "true" },
  granted: { is: "boolean", says: "whether it may book for the site's retailer", usual: "true" },
} as const

export const KEY_FIELDS = {
  of: { is: "name", of: "caller", says: "the partner whose key it is", usual: "the scenario's own partner" },
  permissions,
  environment: { is: "enum", of: ENVIRONMENTS, says: "where it is valid", usual: "that of the scenario" },
  state: {
    is: "enum",
    of: ["valid", "revoked", "expired", "wrong"],
    says: "whether calls with it are admitted; a wrong one is not known at all",
    usual: "valid",
  },
} as const

/** What operations and owners of keys do with them. */
export const KEY_COMMANDS = {
  "key.create": {
    says: "the key {as} is made, with {with}",
    for: null,
    as: "caller",
    with: {
      of: KEY_FIELDS.of,
      permissions,
      lasts: {
        is: "duration",
        says: "when it expires",
        short: "valid for {value}",
        usual: "it does not expire",
      },
    },
  },
  "key.rotate": {
    says: "the key {for} is replaced by {as}, with {with}",
    for: "caller",
    as: "caller",
    with: {
      overlap: {
        is: "duration",
        says: "how long the old key stays valid",
        short: "the old one valid for {value}",
        usual: "24h",
      },
    },
  },
  "key.revoke": { says: "the key {for} is revoked", for: "caller", as: null, with: {} },
} as const

/** A key with which steps call. */
export interface NamedKey {
  readonly organizationId: string
  readonly environment: Environment
  /** Null for a key that the service does not know. */
  readonly keyId: string | null
  readonly value: string
}

/** The organization of a partner that `given` names. */
export function organizationOf(name: string): string {
  return `org_${name}`
}
