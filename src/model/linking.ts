/**
 * Linking: the vocabulary of the courier connector's authorization server. A client of an agent registers, a user
 * proves a mobile number, and the client gets tokens to act for that user. Source: courier connector contract, section
 * 5.
 */

import { Schema } from "effect"
import { REDIRECT_URI_LENGTH_MAX, TYPED_PHONE_LENGTH_MAX } from "./values/limits.ts"
import { Instant, text } from "./values/schema.ts"

/** The name of the service on the pages where users link their phone. */
export const SERVICE_NAME = "Curbline"

/** A path of both hosts: it is the issuer, the resource, and the base of every connector path. */
export const ISSUER_PATH = "/api/delivery-mcp"

/** Where anybody reads how the connector is used. */
export const DESCRIPTION_PATH = `${ISSUER_PATH}/description.md`

/** The delivery terms, and what is kept of users and for how long. */
export const TERMS_PATH = `${ISSUER_PATH}/terms.md`
export const PRIVACY_PATH = `${ISSUER_PATH}/privacy.md`

/** The name of every client whose authorizations end at the page for terminals. */
export const TERMINAL_CLIENT_NAME = "A program on a computer"

/** The only scope, and the default. */
export const COURIER_SCOPE = "courier:write"

/** Values of `error` in an OAuth answer, with the HTTP status used when the answer is not a redirect. */
export const OAUTH_ERRORS = {
  invalid_client: 401,
  invalid_client_metadata: 400,
  invalid_grant: 400,
  invalid_redirect_uri: 400,
  invalid_request: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  not_found: 404,
  server_error: 500,
  temporarily_unavailable: 503,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
} as const

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS

/** Messages on the phone and code pages; the user may try again. Our choices A10 to A16. */
export const STEP_PROBLEMS = {
  code_expired: { status: 400, message: "That code has expired. Enter your number to get a new one." },
  code_wrong: {
    status: 400,
    message: "That is not the code. Look at the latest text message and try again.",
  },
  number_not_enabled: {
    status: 403,
    message: "This number has not been invited to the pilot yet, so no code was sent.",
  },
  number_not_textable: {
    status: 400,
    message: "This number cannot receive our text messages. Use a mobile number.",
  },
  number_not_valid: {
    status: 400,
    message: "That is not a valid mobile number. Include the country code, such as +1 512 555 0100.",
  },
  too_many_checks: { status: 429, message: "Too many codes were tried for this number. Wait a while." },
  too_many_codes_from_here: {
    status: 429,
    message: "Too many codes were requested from this network. Wait a while.",
  },
  too_many_codes_to_number: {
    status: 429,
    message: "Too many codes were sent to this number. Wait a while.",
  },
  verification_down_checking: {
    status: 503,
    message: "The code cannot be checked right now. Try again in a moment.",
  },
  verification_down_sending: {
    status: 503,
    message: "The code could not be sent right now. Try again in a moment.",
  },
} as const

export type StepProblemCode = keyof typeof STEP_PROBLEMS

/** Errors that end an authorization on a page of its own, because no redirect URI can be trusted. */
export const PAGE_ERRORS = {
  client_document_address: {
    status: 400,
    message:
      "The app is named by an address that this service does not read. It must be an https URL with a host name and a path.",
  },
  client_document_busy: {
    status: 503,
    message: "Too many descriptions of apps are being read right now. Try again in a moment.",
  },
  client_document_not_json: {
    status: 400,
    message: "The app's description at its address is not JSON. Only the app's makers can mend this.",
  },
  client_document_not_valid: {
    status: 400,
    message:
      "The app's description lacks a name or a place to return to, names itself as this service, or asks for a client secret. " +
      "Only the app's makers can mend this.",
  },
  client_document_other_id: {
    status: 400,
    message: "The app's description has another client_id than the address where it is.",
  },
  client_document_redirects: {
    status: 400,
    message: "This service allows none of the places to return to that the app's description names.",
  },
  client_document_too_large: {
    status: 400,
    message: "The app's description at its address is larger than 64 KiB, or could not be read to its end.",
  },
  client_document_unread: {
    status: 400,
    message:
      "The app's description could not be read from its address. Try again in a moment. If it stays so, tell the app's makers.",
  },
  client_missing: { status: 400, message: "The link names no app, or more than one." },
  client_unknown: { status: 400, message: "The app that sent you here is not known." },
  fault: { status: 500, message: "Something failed on our side. Go back to the app and try again." },
  unavailable: {
    status: 503,
    message: "The service cannot reach its database right now. Wait a moment, then reload this page.",
  },
  form_foreign: { status: 400, message: "The form did not come from this page." },
  number_missing: { status: 400, message: "The code was sent without a phone number before it." },
  overloaded: { status: 503, message: "Too many people are here right now. Try again in a moment." },
  redirect_missing: { status: 400, message: "The link says not where to return to, or more than one place." },
  redirect_not_registered: { status: 400, message: "The app did not register the place to return to." },
  request_expired: {
    status: 400,
    message: "This page was open for more than 10 minutes. Go back to the app and begin again.",
  },
  request_malformed: { status: 400, message: "The link or the form holds characters that no text has." },
  request_not_valid: {
    status: 400,
    message: "This page was changed or was used before. Go back to the app and begin again.",
  },
  terminal_too_late: {
    status: 400,
    message: "More than a minute has passed since your number was checked. Begin again in your terminal.",
  },
  too_many_requests: { status: 429, message: "Too many requests came from here. Wait a minute." },
} as const

export type PageErrorCode = keyof typeof PAGE_ERRORS

/** A registered client. There are no secrets: `token_endpoint_auth_method` is always `none`. */
export interface ClientRegistration {
  readonly client_id: string
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: "none"
  readonly grant_types: readonly ["authorization_code", "refresh_token"]
  readonly response_types: readonly ["code"]
  /** Unix seconds. */
  readonly client_id_issued_at: number
}

/** The answer of the token endpoint. */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: typeof COURIER_SCOPE
}

/** A phone number that operators have enabled or disabled. */
export const LinkedPhoneRecord = Schema.Struct({
  user_id: Schema.String,
  phone: Schema.NullOr(Schema.String),
  is_enabled: Schema.Boolean,
  enabled_at: Instant,
  disabled_at: Schema.NullOr(Instant),
  linked_at: Schema.NullOr(Instant),
}).pipe(
  Schema.rename({
    user_id: "userId",
    is_enabled: "isEnabled",
    enabled_at: "enabledAtMs",
    disabled_at: "disabledAtMs",
    linked_at: "linkedAtMs",
  }),
  Schema.annotations({
    identifier: "LinkedPhone",
    description:
      "`phone` is null once a disabled number was blanked; `linked_at` is when it was first proved.",
  }),
)

/** A number as an operator types it; see `phoneNumberIn`. */
export const PhoneRequest = Schema.Struct({ phone: text({ max: TYPED_PHONE_LENGTH_MAX }) })

export const RedirectRequest = Schema.Struct({ redirect_uri: text({ max: REDIRECT_URI_LENGTH_MAX }) })

export const AllowedRedirectRecord = Schema.Struct({ redirect_uri: Schema.String, allowed_at: Instant }).pipe(
  Schema.rename({ redirect_uri: "redirectUri", allowed_at: "allowedAtMs" }),
  Schema.annotations({ identifier: "AllowedRedirect" }),
)

export const ConnectorRecord = Schema.Struct({
  is_paused: Schema.Boolean,
  paused_at: Schema.NullOr(Instant),
  enabled_phones: Schema.Int,
  allowed_redirects: Schema.Int,
}).pipe(
  Schema.rename({
    is_paused: "isPaused",
    paused_at: "pausedAtMs",
    enabled_phones: "enabledPhones",
    allowed_redirects: "allowedRedirects",
  }),
  Schema.annotations({ identifier: "Connector" }),
)
