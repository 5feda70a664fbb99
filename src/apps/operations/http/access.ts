/**
 * `/internal/v1`: organizations, their API keys, and operator tokens. Keys and tokens belong to the host's environment.
 */

import { Effect, Schema } from "effect"
import {
  ApiKeyShown,
  NewApiKeyRequest,
  NewOperatorTokenRequest,
  NewOrganizationRequest,
  OperatorTokenShown,
  OrganizationChangeRequest,
  OrganizationRecord,
} from "../../../model/access.ts"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { ApiKeys } from "../../../http/access/api-keys.ts"
import { OperatorTokens } from "../../../http/access/operator-tokens.ts"
import { Organizations } from "../organizations.ts"
import { idArgument } from "../../../http/operator-command.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"

const ValueOnce = Schema.String.annotations({ description: "Only in this answer; nothing shows it again." })

/** The environment of this host, for callers that know only a URL and a token. */
const readEnvironment: OperatorEndpoint<never> = {
  method: "GET",
  path: "/internal/v1/environment",
  operationId: "readEnvironment",
  summary: "The environment of this host",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ environment: Schema.Literal(...ENVIRONMENTS) }) },
  errors: [],
  handle: ({ caller }) => Effect.succeed({ status: 200, data: { environment: caller.environment } }),
}

const ORGS: CommandNoun = {
  word: "orgs",
  description: "organizations, one registry for both environments",
  isShared: true,
}

const organizationOf = Schema.encodeSync(OrganizationRecord)
const OneOrganization = Schema.Struct({ organization: OrganizationRecord })

const listOrganizations = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/organizations",
  operationId: "listOrganizations",
  summary: "Every organization, by id",
  parameters: PAGING,
  answers: { 200: pageSchema("organizations", OrganizationRecord) },
  commands: [
    {
      noun: ORGS,
      verb: "list",
      description: "every organization",
      columns: ["organization_id", "name", "is_active", "is_fleet_partner", "environments", "created_at"],
    },
  ],
  *handle({ query }) {
    const { list } = yield* Organizations
    return yield* pageOf(query, yield* list, {
      noun: "organizations",
      nameOf: ({ organizationId }) => organizationId,
      written: (one) => organizationOf(one),
    })
  },
})

const addOrganization = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/organizations",
  operationId: "addOrganization",
  summary: "Add an organization; a fleet partner in both environments unless it says otherwise",
  body: NewOrganizationRequest,
  answers: { 201: OneOrganization },
  commands: [
    {
      noun: ORGS,
      verb: "create",
      description: "add an organization; by default a fleet partner in both environments",
      inputs: [
        ["name", "--name <name>", "for people"],
        ["is_fleet_partner", "--no-fleet-partner", "do not enrol it to reserve arrival windows"],
        ["environments", "--environments <list>", "where it is provisioned"],
      ],
      did: "added the organization",
    },
  ],
  *handle(_, sent) {
    const request = yield* sent
    const { add } = yield* Organizations
    const { name, is_fleet_partner: isFleetPartner, environments } = request
    const organization = yield* add({ name, isFleetPartner, environments })
    return { organization: organizationOf(organization) }
  },
})

const changeOrganization = operatorEndpoint({
  method: "PATCH",
  path: "/internal/v1/organizations/{id}",
  operationId: "changeOrganization",
  summary: "Change an organization: deactivate it, enrol it, provision it",
  body: OrganizationChangeRequest,
  answers: { 200: OneOrganization },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: ORGS,
      verb: "change",
      description: "rename, deactivate, enrol or provision an organization",
      inputs: [
        idArgument("org"),
        ["name", "--name <name>", "for people"],
        ["is_active", "--active", "let it call again"],
        ["is_active", "--no-active", "refuse it everywhere"],
        ["is_fleet_partner", "--fleet-partner", "enrol it"],
        ["is_fleet_partner", "--no-fleet-partner", "end its enrolment"],
        ["environments", "--environments <list>", "where it is provisioned; an empty text for nowhere"],
      ],
      did: "changed the organization",
    },
  ],
  *handle({ id }, sent) {
    const request = yield* sent
    const { change } = yield* Organizations
    const { is_active, is_fleet_partner, ...same } = request
    const organization = yield* change(id, {
      ...same,
      ...(is_active === undefined ? {} : { isActive: is_active }),
      ...(is_fleet_partner === undefined ? {} : { isFleetPartner: is_fleet_partner }),
    })
    return { organization: organizationOf(organization) }
  },
})

const KEYS: CommandNoun = { word: "keys", description: "API keys of an organization" }

const keyOf = Schema.encodeSync(ApiKeyShown)

const listKeys = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/organizations/{id}/api-keys",
  operationId: "listApiKeys",
  summary: "An organization's keys of this environment, oldest first, revoked ones included",
  parameters: PAGING,
  answers: { 200: pageSchema("api_keys", ApiKeyShown) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: KEYS,
      verb: "list",
      description: "keys, oldest first, revoked ones included",
      inputs: [["id", "--org <id>", "of this organization only"]],
      columns: ["key_id", "organization_id", "label", "last_four", "permissions", "expires_at", "revoked_at"],
    },
  ],
  *handle({ caller, id, query }) {
    const keys = yield* ApiKeys
    const listed = yield* keys.list({ organizationId: id, environment: caller.environment })
    return yield* pageOf(query, listed, {
      noun: "api_keys",
      nameOf: ({ keyId }) => keyId,
      written: (one) => keyOf(one),
    })
  },
})

const makeKey = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/organizations/{id}/api-keys",
  operationId: "makeApiKey",
  summary: "Make a key of this environment; the answer shows its value, which nothing shows again",
  body: NewApiKeyRequest,
  answers: { 201: Schema.Struct({ api_key: ApiKeyShown, value: ValueOnce }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: KEYS,
      verb: "create",
      description: "make a key and print its value, which cannot be shown again",
      inputs: [
        ["id", "--org <id>", "the organization"],
        ["permissions", "--permissions <list>", "such as reservations:read,retailers:read; or all"],
        ["expires_at", "--expires <instant>", "the instant from which it is invalid, in RFC 3339"],
        ["label", "--label <label>", "what it is for"],
      ],
      did: "made the key",
    },
  ],
  *handle({ caller, id }, sent) {
    const { permissions, expires_at: expiresAtMs, label } = yield* sent
    const keys = yield* ApiKeys
    const { environment } = caller
    const wanted = { organizationId: id, environment, permissions, expiresAtMs, label }
    const { key, value } = yield* keys.make(wanted)
    return { api_key: keyOf(key), value }
  },
})

const revokeKey = operatorEndpoint({
  method: "DELETE",
  path: "/internal/v1/api-keys/{id}",
  operationId: "revokeApiKey",
  summary: "Revoke a key; safe to repeat",
  answers: { 200: Schema.Struct({ api_key: ApiKeyShown }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: KEYS,
      verb: "revoke",
      description: "revoke a key; safe to repeat",
      inputs: [idArgument("key")],
      did: "revoked the key",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    const keys = yield* ApiKeys
    return { api_key: keyOf(yield* keys.revoke(caller.environment, id)) }
  },
})

const TOKENS: CommandNoun = {
  word: "operator-tokens",
  description: "tokens of the operations API, for programs",
}

const RIGHTS_INPUTS: readonly CommandInput[] = [
  ["role", "--role <role>", "what its holder may do; admin if absent"],
  ["site_ids", "--sites <ids>", "separated by commas: only these sites; all if absent"],
]

const tokenOf = Schema.encodeSync(OperatorTokenShown)

const listTokens = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/operator-tokens",
  operationId: "listOperatorTokens",
  summary: "The operator tokens of this environment, oldest first, revoked ones included",
  parameters: PAGING,
  answers: { 200: pageSchema("operator_tokens", OperatorTokenShown) },
  commands: [
    {
      noun: TOKENS,
      verb: "list",
      description: "tokens, oldest first, revoked ones included",
      columns: ["token_id", "label", "last_four", "role", "created_at", "revoked_at"],
    },
  ],
  *handle({ caller, query }) {
    const tokens = yield* OperatorTokens
    return yield* pageOf(query, yield* tokens.list(caller.environment), {
      noun: "operator_tokens",
      nameOf: ({ tokenId }) => tokenId,
      written: (one) => tokenOf(one),
    })
  },
})

const makeToken = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/operator-tokens",
  operationId: "makeOperatorToken",
  summary:
    "Make an operator token of this environment; the answer shows its value, which nothing shows again",
  body: NewOperatorTokenRequest,
  answers: { 201: Schema.Struct({ operator_token: OperatorTokenShown, value: ValueOnce }) },
  commands: [
    {
      noun: TOKENS,
      verb: "create",
      description: "make a token and print its value, which cannot be shown again",
      inputs: [["label", "--label <label>", "who or what holds it"], ...RIGHTS_INPUTS],
      did: "made the operator token",
    },
  ],
  *handle({ caller }, sent) {
    const wanted = yield* sent
    const { label, role = "admin", site_ids: siteIds = null } = wanted
    const tokens = yield* OperatorTokens
    const { environment } = caller
    const { token, value } = yield* tokens.make({ environment, label, role, siteIds })
    return { operator_token: tokenOf(token), value }
  },
})

const revokeToken = operatorEndpoint({
  method: "DELETE",
  path: "/internal/v1/operator-tokens/{id}",
  operationId: "revokeOperatorToken",
  summary: "Revoke an operator token, also the one in use; safe to repeat",
  answers: { 200: Schema.Struct({ operator_token: OperatorTokenShown }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: TOKENS,
      verb: "revoke",
      description: "revoke a token; safe to repeat",
      inputs: [["id", "<token-id>", "as operator-tokens list shows it"]],
      did: "revoked the operator token",
      looksEverywhere: true,
    },
  ],
  *handle({ caller, id }) {
    const tokens = yield* OperatorTokens
    return { operator_token: tokenOf(yield* tokens.revoke(caller.environment, id)) }
  },
})

export const access: readonly OperatorEndpoint<ApiKeys | OperatorTokens | Organizations>[] = [
  readEnvironment,
  listOrganizations,
  addOrganization,
  changeOrganization,
  listKeys,
  makeKey,
  revokeKey,
  listTokens,
  makeToken,
  revokeToken,
]
