/** `/portal/api/organization` and `/api-keys`: the organization's profile and keys. */

import { Effect, Schema } from "effect"
import { ENVIRONMENTS, PERMISSIONS } from "../../model/caller.ts"
import { ChangeProfileRequest, MakeKeyRequest } from "../../model/portal.ts"
import { isoMs } from "../../model/time.ts"
import type { ApiKeyRecord } from "../../areas/access/api-keys.ts"
import { PortalOrganization } from "../organization.ts"
import type { ProfileView } from "../organization.ts"
import { decodeBody } from "../../http/endpoint.ts"
import { DateTime } from "../../http/date-time.ts"
import { ENVIRONMENT_PARAMETER, environmentOf } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const Organization = Schema.Struct({
  organization_id: Schema.String,
  name: Schema.String,
  contact_email: Schema.NullOr(Schema.String),
  environments: Schema.Array(Schema.Literal(...ENVIRONMENTS)),
  created_at: DateTime,
}).annotations({ identifier: "Organization" })

const ApiKey = Schema.Struct({
  key_id: Schema.String,
  environment: Schema.Literal(...ENVIRONMENTS),
  permissions: Schema.Array(Schema.Literal(...PERMISSIONS)),
  last_four: Schema.String,
  created_at: DateTime,
  expires_at: Schema.NullOr(DateTime),
  revoked_at: Schema.NullOr(DateTime),
}).annotations({ identifier: "ApiKey", description: "The value was shown when the key was made." })

const readProfile: MemberEndpoint<PortalOrganization> = {
  method: "GET",
  path: "/portal/api/organization",
  operationId: "readOrganization",
  summary: "The organization's profile",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ organization: Organization }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const profile = yield* (yield* PortalOrganization).profile(caller)
      return { status: 200, data: { organization: profileRecord(profile) } }
    }),
}

const changeProfile: MemberEndpoint<PortalOrganization> = {
  method: "PATCH",
  path: "/portal/api/organization",
  operationId: "changeOrganization",
  summary: "Change name and contact (owners); notices go to the contact",
  asks: "member",
  parameters: [],
  body: ChangeProfileRequest,
  answers: { 200: Schema.Struct({ organization: Organization }) },
  errors: ["VALIDATION_ERROR", "OWNER_REQUIRED"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(ChangeProfileRequest, body)
      const profile = yield* (yield* PortalOrganization).changeProfile(caller, request)
      return { status: 200, data: { organization: profileRecord(profile) } }
    }),
}

const listKeys: MemberEndpoint<PortalOrganization> = {
  method: "GET",
  path: "/portal/api/api-keys",
  operationId: "listApiKeys",
  summary: "Keys of one environment, oldest first, revoked ones included",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  answers: { 200: Schema.Struct({ api_keys: Schema.Array(ApiKey) }) },
  errors: ["VALIDATION_ERROR"],
  handle: (ask) =>
    Effect.gen(function* () {
      const environment = yield* environmentOf(ask)
      const keys = yield* (yield* PortalOrganization).keys(ask.caller, environment)
      return { status: 200, data: { api_keys: keys.map(keyRecord) } }
    }),
}

const makeKey: MemberEndpoint<PortalOrganization> = {
  method: "POST",
  path: "/portal/api/api-keys",
  operationId: "makeApiKey",
  summary: "Make a key (in production: owners); the answer shows its value, which nothing shows again",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: MakeKeyRequest,
  answers: { 201: Schema.Struct({ api_key: ApiKey, value: Schema.String }) },
  errors: ["VALIDATION_ERROR", "OWNER_REQUIRED", "NOT_FOUND", "LIMIT_REACHED"],
  handle: (ask) =>
    Effect.gen(function* () {
      const environment = yield* environmentOf(ask)
      const request = yield* decodeBody(MakeKeyRequest, ask.body)
      const made = yield* (yield* PortalOrganization).makeKey(ask.caller, environment, request)
      return { status: 201, data: { api_key: keyRecord(made.key), value: made.value } }
    }),
}

const revokeKey: MemberEndpoint<PortalOrganization> = {
  method: "DELETE",
  path: "/portal/api/api-keys/{id}",
  operationId: "revokeApiKey",
  summary: "Revoke a key (in production: owners); safe to repeat",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ api_key: ApiKey }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const key = yield* (yield* PortalOrganization).revokeKey(caller, id)
      return { status: 200, data: { api_key: keyRecord(key) } }
    }),
}

function profileRecord({ organization, contactEmail }: ProfileView): object {
  const { organizationId, name, environments, createdAtMs } = organization
  return {
    organization_id: organizationId,
    name,
    contact_email: contactEmail,
    environments,
    created_at: isoMs(createdAtMs),
  }
}

function keyRecord(key: ApiKeyRecord): object {
  return {
    key_id: key.keyId,
    environment: key.environment,
    permissions: key.permissions,
    last_four: key.lastFour,
    created_at: isoMs(key.createdAtMs),
    expires_at: isoMs(key.expiresAtMs),
    revoked_at: isoMs(key.revokedAtMs),
  }
}

export const organization = [readProfile, changeProfile, listKeys, makeKey, revokeKey]
