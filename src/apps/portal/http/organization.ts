/** `/portal/api/organization` and `/api-keys`: the organization's profile and keys. */

import { Effect, Schema } from "effect"
import { ENVIRONMENTS, PERMISSIONS } from "../../../model/caller.ts"
import {
  ChangeKeyRequest,
  ChangeProfileRequest,
  MakeKeyRequest,
  RollKeyRequest,
} from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { PortalOrganization } from "../organization.ts"
import type { KeyView, ProfileView } from "../organization.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { DateTime } from "../../../http/date-time.ts"
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
  label: Schema.NullOr(Schema.String),
  permissions: Schema.Array(Schema.Literal(...PERMISSIONS)),
  last_four: Schema.String,
  created_at: DateTime,
  created_by: Schema.NullOr(Schema.String).annotations({
    description: "Name of the member who made it; null for keys of operations and of people who have left.",
  }),
  last_used_at: Schema.NullOr(DateTime).annotations({ description: "To the minute." }),
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

const labelKey: MemberEndpoint<PortalOrganization> = {
  method: "PATCH",
  path: "/portal/api/api-keys/{id}",
  operationId: "changeApiKey",
  summary: "Change a key's label (in production: owners)",
  asks: "member",
  parameters: [],
  body: ChangeKeyRequest,
  answers: { 200: Schema.Struct({ api_key: ApiKey }) },
  errors: ["VALIDATION_ERROR", "OWNER_REQUIRED", "NOT_FOUND"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { label } = yield* decodeBody(ChangeKeyRequest, body)
      const key = yield* (yield* PortalOrganization).labelKey(caller, { keyId: id, label })
      return { status: 200, data: { api_key: keyRecord(key) } }
    }),
}

const rollKey: MemberEndpoint<PortalOrganization> = {
  method: "POST",
  path: "/portal/api/api-keys/{id}/roll",
  operationId: "rollApiKey",
  summary:
    "Replace a key (in production: owners); the answer shows the new value once, and the old key ends after the overlap",
  asks: "member",
  parameters: [],
  body: RollKeyRequest,
  answers: { 201: Schema.Struct({ api_key: ApiKey, value: Schema.String, replaced: ApiKey }) },
  errors: ["VALIDATION_ERROR", "OWNER_REQUIRED", "NOT_FOUND", "INVALID_STATE", "LIMIT_REACHED"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { overlap } = yield* decodeBody(RollKeyRequest, body)
      const service = yield* PortalOrganization
      const { key, value, old } = yield* service.rollKey(caller, { keyId: id, overlapMs: overlap })
      return { status: 201, data: { api_key: keyRecord(key), value, replaced: keyRecord(old) } }
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

function keyRecord(key: KeyView): object {
  return {
    key_id: key.keyId,
    environment: key.environment,
    label: key.label,
    permissions: key.permissions,
    last_four: key.lastFour,
    created_at: isoMs(key.createdAtMs),
    created_by: key.createdByName,
    last_used_at: isoMs(key.usedAtMs),
    expires_at: isoMs(key.expiresAtMs),
    revoked_at: isoMs(key.revokedAtMs),
  }
}

export const organization = [readProfile, changeProfile, listKeys, makeKey, labelKey, rollKey, revokeKey]
