/**
 * `/internal/v1/connector`: invited numbers, allowed redirect URIs, stores, and the switch. Only the production host
 * has it.
 */

import { Effect, Schema } from "effect"
import {
  AllowedRedirectRecord,
  ConnectorRecord,
  LinkedPhoneRecord,
  PhoneRequest,
  RedirectRequest,
} from "../../../model/linking.ts"
import type { StoreAdmin } from "../../../areas/courier/directory/store-admin.ts"
import { ConnectorSwitch } from "../../../areas/linking/connector-switch.ts"
import type { ConnectorStatus } from "../../../areas/linking/connector-switch.ts"
import { Phones } from "../../../areas/linking/phones.ts"
import { AllowedRedirects } from "../../../areas/linking/redirect-uris.ts"
import type { CommandInput, CommandNoun, OperatorCommand } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"
import { stores } from "../../../areas/courier/http/operator-stores.ts"

export type ConnectorSurface = AllowedRedirects | ConnectorSwitch | Phones | StoreAdmin

const phoneOf = Schema.encodeSync(LinkedPhoneRecord)
const redirectOf = Schema.encodeSync(AllowedRedirectRecord)
const connectorOf = Schema.encodeSync(ConnectorRecord)

const OnePhone = Schema.Struct({ phone: LinkedPhoneRecord })
const OneConnector = Schema.Struct({ connector: ConnectorRecord })

const PHONES: CommandNoun = {
  word: "phones",
  description: "mobile numbers that may link the courier connector",
  isShared: true,
}
const NUMBER: CommandInput = ["phone", "<number>", "with its country code, such as +15125550100"]

const CONNECTOR: CommandNoun = {
  word: "connector",
  description: "the courier connector for agents",
  isShared: true,
}

const listPhones = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/connector/phones",
  operationId: "listPhones",
  summary: "Every number that was ever enabled, in that order",
  parameters: PAGING,
  answers: { 200: pageSchema("phones", LinkedPhoneRecord) },
  commands: [
    {
      noun: PHONES,
      verb: "list",
      description: "every number that was ever enabled",
      columns: ["phone", "is_enabled", "user_id", "enabled_at", "disabled_at", "linked_at"],
    },
  ],
  *handle({ query }) {
    const { list } = yield* Phones
    return yield* pageOf(query, yield* list, {
      noun: "phones",
      nameOf: ({ userId }) => userId,
      written: (one) => phoneOf(one),
    })
  },
})

/** The number is in the body, because proxies log paths and queries. */
const enablePhone = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/connector/phones/enable",
  operationId: "enablePhone",
  summary: "Invite a number; safe to repeat",
  body: PhoneRequest,
  answers: { 200: OnePhone },
  commands: [
    {
      noun: PHONES,
      verb: "enable",
      description: "invite a number; safe to repeat",
      inputs: [NUMBER],
      did: "enabled the number",
      prints: "phone",
    },
  ],
  *handle(_, sent) {
    const { phone } = yield* sent
    return { phone: phoneOf(yield* (yield* Phones).enable(phone)) }
  },
})

const disablePhone = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/connector/phones/disable",
  operationId: "disablePhone",
  summary: "Let a number in no longer; its tokens sleep until it is enabled again",
  body: PhoneRequest,
  answers: { 200: OnePhone },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: PHONES,
      verb: "disable",
      description: "refuse it; enabling it again restores its links",
      inputs: [NUMBER],
      did: "disabled the number",
      prints: "phone",
    },
  ],
  *handle(_, sent) {
    const { phone } = yield* sent
    return { phone: phoneOf(yield* (yield* Phones).disable(phone)) }
  },
})

const readCode = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/connector/phones/code",
  operationId: "readSmsCode",
  summary: "The current code for a number, only with the built-in verification",
  body: PhoneRequest,
  answers: { 200: Schema.Struct({ sms_code: Schema.Struct({ code: Schema.String }) }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: PHONES,
      verb: "code",
      description: "print the code for a number; only if no provider sends codes",
      inputs: [["phone", "<number>", "as it was typed on the page"]],
      did: "the code is",
      isValue: true,
    },
  ],
  *handle(_, sent) {
    const { phone } = yield* sent
    return { sms_code: { code: yield* (yield* Phones).code(phone) } }
  },
})

const listRedirects = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/connector/redirects",
  operationId: "listAllowedRedirects",
  summary: "The redirect URIs that clients may register, in order of being allowed",
  parameters: PAGING,
  answers: { 200: pageSchema("redirects", AllowedRedirectRecord) },
  commands: [
    {
      noun: CONNECTOR,
      verb: "redirects",
      description: "the redirect URIs that clients may register",
      columns: ["redirect_uri", "allowed_at"],
    },
  ],
  *handle({ query }) {
    const { list } = yield* AllowedRedirects
    return yield* pageOf(query, yield* list, {
      noun: "redirects",
      nameOf: ({ redirectUri }) => redirectUri,
      written: (one) => redirectOf(one),
    })
  },
})

const allowRedirect = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/connector/redirects",
  operationId: "allowRedirect",
  summary: "Let clients register this exact redirect URI; safe to repeat",
  body: RedirectRequest,
  answers: { 200: Schema.Struct({ redirect: AllowedRedirectRecord }) },
  commands: [
    {
      noun: CONNECTOR,
      verb: "allow-redirect",
      description: "let clients register this exact redirect URI; safe to repeat",
      inputs: [["redirect_uri", "<uri>", "https, without a fragment"]],
      did: "allowed",
    },
  ],
  *handle(_, sent) {
    const { redirect_uri: uri } = yield* sent
    return { redirect: redirectOf(yield* (yield* AllowedRedirects).allow(uri)) }
  },
})

/** Requests to the switch are answered with its new state. */
function ofSwitch(
  {
    verb,
    description,
    ...route
  }: Pick<OperatorCommand, "description" | "verb"> &
    Pick<OperatorEndpoint<never>, "method" | "operationId" | "path" | "summary">,
  asking: (one: ConnectorSwitch["Type"]) => Effect.Effect<ConnectorStatus>,
): OperatorEndpoint<ConnectorSwitch> {
  return {
    ...route,
    parameters: [],
    body: null,
    answers: { 200: OneConnector },
    errors: [],
    commands: [{ noun: CONNECTOR, verb, description }],
    handle: () =>
      Effect.map(Effect.flatMap(ConnectorSwitch, asking), (status) => ({
        status: 200,
        data: { connector: connectorOf(status) },
      })),
  }
}

const readConnector = ofSwitch(
  {
    method: "GET",
    path: "/internal/v1/connector",
    operationId: "readConnector",
    summary: "The connector: whether it is paused, and how many numbers and URIs are allowed",
    verb: "status",
    description: "whether it is paused, and how many numbers and URIs are allowed",
  },
  ({ status }) => status,
)

const pauseConnector = ofSwitch(
  {
    method: "POST",
    path: "/internal/v1/connector/pause",
    operationId: "pauseConnector",
    summary: "Answer 404 on the connector's paths, on every node, from now on; safe to repeat",
    verb: "pause",
    description: "answer 404 on its paths; safe to repeat",
  },
  ({ pause }) => pause,
)

const resumeConnector = ofSwitch(
  {
    method: "POST",
    path: "/internal/v1/connector/resume",
    operationId: "resumeConnector",
    summary: "Answer again; safe to repeat",
    verb: "resume",
    description: "answer again; safe to repeat",
  },
  ({ resume }) => resume,
)

export const connector: readonly OperatorEndpoint<ConnectorSurface>[] = [
  listPhones,
  enablePhone,
  disablePhone,
  readCode,
  listRedirects,
  allowRedirect,
  readConnector,
  pauseConnector,
  resumeConnector,
  ...stores,
]
