/**
 * Organizations, API keys and operator tokens as operations read and write them. One definition gives the type, the
 * check, the field names on the wire and the JSON Schema.
 */

import { Schema } from "effect"
import { ENVIRONMENTS, OPERATOR_ROLES, PERMISSIONS } from "./caller.ts"
import {
  CATALOG_ID_LENGTH_MAX,
  OPERATOR_SITES_MAX,
  ORGANIZATION_NAME_LENGTH_MAX,
  TOKEN_LABEL_LENGTH_MAX,
} from "./values/limits.ts"
import { Instant, text } from "./values/schema.ts"

const Name = text({ max: ORGANIZATION_NAME_LENGTH_MAX })

const Environments = Schema.Array(Schema.Literal(...ENVIRONMENTS)).pipe(
  Schema.filter(
    (environments) => new Set(environments).size === environments.length || "must name no environment twice",
  ),
)

const Permissions = Schema.Array(Schema.Literal(...PERMISSIONS)).pipe(
  Schema.filter(
    (permissions) =>
      (permissions.length > 0 && new Set(permissions).size === permissions.length) ||
      "must name at least one permission, and none twice",
  ),
)

const InstantOrNull = Schema.NullOr(Instant)

export const OrganizationRecord = Schema.Struct({
  organization_id: Schema.String,
  name: Schema.String,
  is_active: Schema.Boolean,
  is_fleet_partner: Schema.Boolean,
  environments: Environments,
  created_at: Instant,
  updated_at: Instant,
}).pipe(
  Schema.rename({
    organization_id: "organizationId",
    is_active: "isActive",
    is_fleet_partner: "isFleetPartner",
    created_at: "createdAtMs",
    updated_at: "updatedAtMs",
  }),
  Schema.annotations({ identifier: "Organization", description: "One registry for both environments." }),
)

/** By default the organization is enrolled as a fleet partner and provisioned in every environment. */
export const NewOrganizationRequest = Schema.Struct({
  name: Name,
  is_fleet_partner: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  environments: Schema.optionalWith(Environments, { default: () => ENVIRONMENTS }),
})

export const OrganizationChangeRequest = Schema.Struct({
  name: Schema.optionalWith(Name, { exact: true }),
  is_active: Schema.optionalWith(Schema.Boolean, { exact: true }),
  is_fleet_partner: Schema.optionalWith(Schema.Boolean, { exact: true }),
  environments: Schema.optionalWith(Environments, { exact: true }),
}).pipe(
  Schema.filter(
    (change) => Object.keys(change).length > 0 || "must hold at least one field that can be changed",
  ),
)

export const ApiKeyShown = Schema.Struct({
  key_id: Schema.String,
  organization_id: Schema.String,
  environment: Schema.Literal(...ENVIRONMENTS),
  permissions: Permissions,
  last_four: Schema.String,
  label: Schema.NullOr(Schema.String),
  created_at: Instant,
  expires_at: InstantOrNull,
  revoked_at: InstantOrNull,
}).pipe(
  Schema.rename({
    key_id: "keyId",
    organization_id: "organizationId",
    last_four: "lastFour",
    created_at: "createdAtMs",
    expires_at: "expiresAtMs",
    revoked_at: "revokedAtMs",
  }),
  Schema.annotations({ identifier: "ApiKey" }),
)

/** A key without an expiry is valid until it is revoked. */
export const NewApiKeyRequest = Schema.Struct({
  permissions: Permissions,
  expires_at: Schema.optionalWith(InstantOrNull, { default: () => null }),
  label: Schema.optionalWith(Schema.NullOr(text({ min: 0, max: TOKEN_LABEL_LENGTH_MAX })), {
    default: () => null,
  }),
})

export const OperatorTokenShown = Schema.Struct({
  token_id: Schema.String,
  environment: Schema.Literal(...ENVIRONMENTS),
  label: Schema.String,
  last_four: Schema.String,
  created_at: Instant,
  revoked_at: InstantOrNull,
  role: Schema.NullOr(Schema.Literal(...OPERATOR_ROLES)).annotations({
    description: "What its holder may do; null for an older token: everything.",
  }),
  site_ids: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "The sites of its holder; null: all.",
  }),
}).pipe(
  Schema.rename({
    site_ids: "siteIds",
    token_id: "tokenId",
    last_four: "lastFour",
    created_at: "createdAtMs",
    revoked_at: "revokedAtMs",
  }),
  Schema.annotations({ identifier: "OperatorToken" }),
)

/** Null: all sites. */
export const OperatorSites = Schema.NullOr(
  Schema.Array(text({ max: CATALOG_ID_LENGTH_MAX })).pipe(Schema.maxItems(OPERATOR_SITES_MAX)),
)

export const NewOperatorTokenRequest = Schema.Struct({
  label: text({ max: TOKEN_LABEL_LENGTH_MAX }),
  role: Schema.optional(Schema.Literal(...OPERATOR_ROLES)),
  site_ids: Schema.optional(OperatorSites),
})
