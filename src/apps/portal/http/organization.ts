/** `/portal/api/organization` and `/api-keys`: the organization's profile and keys. */

import { Schema } from "effect"
import { ENVIRONMENTS, PERMISSIONS } from "../../../model/caller.ts"
import {
  ChangeKeyRequest,
  ChangeProfileRequest,
  MakeKeyRequest,
  RollKeyRequest,
} from "../../../model/requests/portal.ts"
import { PortalOrganization } from "../organization.ts"
import type { KeyView, ProfileView } from "../organization.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { ENVIRONMENT_PARAMETER, environmentOf } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

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

const readProfile = memberEndpoint({
  method: "GET",
  path: "/portal/api/organization",
  operationId: "readOrganization",
  summary: "The organization's profile",
  answers: { 200: Schema.Struct({ organization: Organization }) },
  *handle({ caller }) {
    const profile = yield* (yield* PortalOrganization).profile(caller)
    return { organization: profileRecord(profile) }
  },
})

const changeProfile = memberEndpoint({
  method: "PATCH",
  path: "/portal/api/organization",
  operationId: "changeOrganization",
  summary: "Change name and contact (owners); notices go to the contact",
  body: ChangeProfileRequest,
  answers: { 200: Schema.Struct({ organization: Organization }) },
  errors: ["OWNER_REQUIRED"],
  *handle({ caller }, sent) {
    const request = yield* sent
    const profile = yield* (yield* PortalOrganization).changeProfile(caller, request)
    return { organization: profileRecord(profile) }
  },
})

const listKeys = memberEndpoint({
  method: "GET",
  path: "/portal/api/api-keys",
  operationId: "listApiKeys",
  summary: "Keys of one environment, oldest first, revoked ones included",
  parameters: [ENVIRONMENT_PARAMETER],
  answers: { 200: Schema.Struct({ api_keys: Schema.Array(ApiKey) }) },
  *handle(ask) {
    const environment = yield* environmentOf(ask)
    const keys = yield* (yield* PortalOrganization).keys(ask.caller, environment)
    return { api_keys: keys.map(keyRecord) }
  },
})

const makeKey = memberEndpoint({
  method: "POST",
  path: "/portal/api/api-keys",
  operationId: "makeApiKey",
  summary: "Make a key (in production: owners); the answer shows its value, which nothing shows again",
  parameters: [ENVIRONMENT_PARAMETER],
  body: MakeKeyRequest,
  answers: { 201: Schema.Struct({ api_key: ApiKey, value: Schema.String }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND", "LIMIT_REACHED"],
  *handle(ask, sent) {
    const environment = yield* environmentOf(ask)
    const request = yield* sent
    const made = yield* (yield* PortalOrganization).makeKey(ask.caller, environment, request)
    return { api_key: keyRecord(made.key), value: made.value }
  },
})

const labelKey = memberEndpoint({
  method: "PATCH",
  path: "/portal/api/api-keys/{id}",
  operationId: "changeApiKey",
  summary: "Change a key's label (in production: owners)",
  body: ChangeKeyRequest,
  answers: { 200: Schema.Struct({ api_key: ApiKey }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND"],
  *handle({ caller, id }, sent) {
    const { label } = yield* sent
    const key = yield* (yield* PortalOrganization).labelKey(caller, { keyId: id, label })
    return { api_key: keyRecord(key) }
  },
})

const rollKey = memberEndpoint({
  method: "POST",
  path: "/portal/api/api-keys/{id}/roll",
  operationId: "rollApiKey",
  summary:
    "Replace a key (in production: owners); the answer shows the new value once, and the old key ends after the overlap",
  body: RollKeyRequest,
  answers: { 201: Schema.Struct({ api_key: ApiKey, value: Schema.String, replaced: ApiKey }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND", "INVALID_STATE", "LIMIT_REACHED"],
  *handle({ caller, id }, sent) {
    const { overlap } = yield* sent
    const service = yield* PortalOrganization
    const { key, value, old } = yield* service.rollKey(caller, { keyId: id, overlapMs: overlap })
    return { api_key: keyRecord(key), value, replaced: keyRecord(old) }
  },
})

const revokeKey = memberEndpoint({
  method: "DELETE",
  path: "/portal/api/api-keys/{id}",
  operationId: "revokeApiKey",
  summary: "Revoke a key (in production: owners); safe to repeat",
  answers: { 200: Schema.Struct({ api_key: ApiKey }) },
  errors: ["OWNER_REQUIRED", "NOT_FOUND"],
  *handle({ caller, id }) {
    const key = yield* (yield* PortalOrganization).revokeKey(caller, id)
    return { api_key: keyRecord(key) }
  },
})

const organizationRecord = recordsOf(Organization)

function profileRecord({ organization, contactEmail }: ProfileView): object {
  return organizationRecord({ ...organization, contactEmail })
}

const apiKeyRecord = recordsOf(ApiKey)

function keyRecord({ createdByName, usedAtMs, ...key }: KeyView): object {
  return apiKeyRecord({ ...key, createdBy: createdByName, lastUsedAtMs: usedAtMs })
}

export const organization = [readProfile, changeProfile, listKeys, makeKey, labelKey, rollKey, revokeKey]
