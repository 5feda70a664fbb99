/**
 * The request of a browser to the authorization endpoint, checked in a fixed order: first the parameters that determine
 * the redirect target, whose errors are shown on a page, then the others, whose errors are sent to the client by a
 * redirect. Source: courier connector contract, section 5, step 5; our choices A5 to A9.
 */

import { Data, Effect } from "effect"
import type { SentParameters, SentValue } from "../../model/values/form-parameters.ts"
import { STATE_PARAMETER_LENGTH_MAX } from "../../model/values/limits.ts"
import { COURIER_SCOPE } from "../../model/linking.ts"
import type { OAuthErrorCode } from "../../model/linking.ts"
import { ConnectorAddress, isForeignTerminalPage, issuerOf } from "./connector-address.ts"
import { ClientDocuments, isDocumentUrl } from "./client-documents.ts"
import { ClientRows } from "./rows.ts"
import type { Client } from "./rows.ts"
import type { AuthorizationRequest } from "./sealed-request.ts"
import { ShownError } from "./shown-error.ts"

/** The user is redirected to the client, with the error. */
export class RedirectedError extends Data.TaggedError("RedirectedError")<{
  readonly error: OAuthErrorCode
  readonly location: string
}> {
  override get message(): string {
    return this.error
  }
}

/** The client, and its request. */
export type CheckedRequest = Pick<AuthorizationRequest, "codeChallenge" | "redirectUri" | "state"> & {
  readonly client: Client
}

/** `address` is the caller's. May wait for the metadata document of a client. */
export const checkRequest = Effect.fnUntraced(function* (sent: SentParameters, address: string) {
  const clientId = onlyOne(sent, "client_id")
  if (clientId === null) return yield* new ShownError({ code: "client_missing" })
  const redirectUri = onlyOne(sent, "redirect_uri")
  const asked = { address, redirectUri: redirectUri?.text ?? null }
  const client = isDocumentUrl(clientId.text)
    ? yield* (yield* ClientDocuments).client(clientId.text, asked)
    : yield* (yield* ClientRows).client(clientId.text)
  if (client === null) return yield* new ShownError({ code: "client_unknown" })
  if (redirectUri === null) return yield* new ShownError({ code: "redirect_missing" })
  const here = yield* ConnectorAddress
  if (!client.redirectUris.includes(redirectUri.text) || isForeignTerminalPage(redirectUri.text, here)) {
    return yield* new ShownError({ code: "redirect_not_registered" })
  }
  const issuer = issuerOf(here)
  const fault = faultIn(sent, issuer)
  if (fault !== null) {
    const location = redirectTo(redirectUri.text, {
      error: fault.error,
      error_description: fault.description,
      state: onlyOne(sent, "state")?.encoded ?? null,
      iss: issuer,
    })
    return yield* new RedirectedError({ error: fault.error, location })
  }
  return {
    client,
    redirectUri: redirectUri.text,
    codeChallenge: onlyOne(sent, "code_challenge")?.text ?? "",
    state: onlyOne(sent, "state")?.text ?? null,
  } satisfies CheckedRequest
})

interface Fault {
  readonly error: OAuthErrorCode
  readonly description: string
}

/** The first error, in the order of our choice A5. */
function faultIn(sent: SentParameters, issuer: string): Fault | null {
  const wrong = (error: OAuthErrorCode, description: string): Fault => ({ error, description })
  const twice = (name: string): Fault | null =>
    countOf(sent, name) > 1 ? wrong("invalid_request", `${name} must be sent once`) : null
  const textOf = (name: string): string | undefined => onlyOne(sent, name)?.text
  const state = textOf("state")
  if (twice("state") !== null) return twice("state")
  if (state !== undefined && (state.length > STATE_PARAMETER_LENGTH_MAX || !/^[\u0020-\u007e]*$/.test(state)))
    return wrong(
      "invalid_request",
      `state must be at most ${STATE_PARAMETER_LENGTH_MAX} printable ASCII characters`,
    )
  if (twice("response_type") !== null) return twice("response_type")
  if (textOf("response_type") !== "code")
    return wrong("unsupported_response_type", "response_type must be code")
  for (const name of ["code_challenge", "code_challenge_method"]) if (twice(name) !== null) return twice(name)
  if (!/^[A-Za-z0-9_-]{43}$/.test(textOf("code_challenge") ?? ""))
    return wrong("invalid_request", "code_challenge must be 43 base64url characters")
  if (textOf("code_challenge_method") !== "S256")
    return wrong("invalid_request", "code_challenge_method must be S256")
  if (countOf(sent, "resource") > 1 || textOf("resource") !== issuer)
    return wrong("invalid_target", `resource must be exactly ${issuer}`)
  if (twice("scope") !== null) return twice("scope")
  const scopes = (textOf("scope") ?? "").split(" ").filter((scope) => scope !== "")
  return scopes.every((scope) => scope === COURIER_SCOPE)
    ? null
    : wrong("invalid_scope", `scope must be ${COURIER_SCOPE}`)
}

function countOf(sent: SentParameters, name: string): number {
  return sent.get(name)?.length ?? 0
}

/** Null when it was sent not at all or more than once. */
function onlyOne(sent: SentParameters, name: string): SentValue | null {
  const [first, ...more] = sent.get(name) ?? []
  return first === undefined || more.length > 0 || first.text === "" ? null : first
}

/** The parameters for the client. `state` is percent-encoded already; null leaves a parameter out. */
export interface RedirectParameters {
  readonly code?: string
  readonly error?: string
  readonly error_description?: string
  readonly state: string | null
  /** RFC 9207: the issuer, against mix-up attacks. Our choice A8. */
  readonly iss: string
}

/** Adds to the URI's query, which stays unchanged. */
export function redirectTo(redirectUri: string, { state, ...plain }: RedirectParameters): string {
  const parts = Object.entries(plain).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  if (state !== null) parts.push(`state=${state}`)
  const joint = redirectUri.includes("?") ? (/[?&]$/.test(redirectUri) ? "" : "&") : "?"
  return `${redirectUri}${joint}${parts.join("&")}`
}
