/** Registration of clients. Source: courier connector contract, section 5, step 4; RFC 7591. */

import { Data, Effect, Either, Schema } from "effect"
import { newId } from "../../model/ids.ts"
import { REDIRECT_URIS_MAX, REDIRECT_URI_LENGTH_MAX } from "../../model/values/limits.ts"
import { TERMINAL_CLIENT_NAME } from "../../model/linking.ts"
import type { ClientRegistration } from "../../model/linking.ts"
import { problemsOf } from "../../model/values/problem-words.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { networkOf } from "../../engine/services/rate-limits/network.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { takeOne } from "./attempt-limits.ts"
import { ClientName, optional } from "./client-metadata.ts"
import { faultIn } from "./redirect-uris.ts"
import { ConnectorAddress, terminalPageOf } from "./connector-address.ts"
import { ClientRows } from "./rows.ts"
import type { Client } from "./rows.ts"

/** The metadata breaks a rule; the description names it, for developers. */
export class RegistrationRefused extends Data.TaggedError("RegistrationRefused")<{
  readonly error: "invalid_client_metadata" | "invalid_redirect_uri"
  readonly description: string
}> {
  override get message(): string {
    return this.description
  }
}

export class Registration extends service<Registration>()("Registration", () => ({ register })) {}

/** `metadata` is the parsed body, undefined when it was not JSON; `address` is the caller's. */
const register = Effect.fnUntraced(function* (metadata: unknown, address: string) {
  const network = networkOf(address)
  const asked = yield* Effect.catchTag(askedIn(metadata), "RegistrationRefused", (refusal) =>
    Routine.zipRight(takeOne("registrations-failed/address", network), refusal),
  )
  const host = yield* ActorHost
  const rows = yield* ClientRows
  const clientId = newId("client", yield* host.nonce)
  // In one transaction, so that a registration that fails is not counted.
  const client = yield* host.run({
    name: "register a client",
    locks: {},
    body: Routine.fn(function* () {
      yield* takeOne("registrations/address", network)
      const { nowMs } = yield* Transaction
      const made: Client = {
        clientId,
        ...asked,
        createdAtMs: nowMs,
        firstTokenAtMs: null,
        documentEndsAtMs: null,
      }
      yield* rows.insert(made)
      return made
    }),
  })
  return registrationOf(client)
})

function registrationOf({ clientId, clientName, redirectUris, createdAtMs }: Client): ClientRegistration {
  return {
    client_id: clientId,
    client_name: clientName,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    client_id_issued_at: Math.floor(createdAtMs / 1000),
  }
}

const RedirectUris = Schema.Array(
  Schema.String.pipe(
    Schema.filter(
      (uri) =>
        [...uri].length <= REDIRECT_URI_LENGTH_MAX ||
        `must have at most ${REDIRECT_URI_LENGTH_MAX} characters`,
    ),
  ),
).pipe(
  Schema.filter(
    ({ length }) =>
      (length >= 1 && length <= REDIRECT_URIS_MAX) || `must be a list of 1 to ${REDIRECT_URIS_MAX} URLs`,
  ),
)

/** Unknown fields are ignored, and null is no value. Our choices A18 and A19; RFC 7591 §2. */
const Metadata = Schema.Struct({
  client_name: ClientName,
  redirect_uris: RedirectUris,
  token_endpoint_auth_method: optional(Schema.Literal("none")),
  grant_types: optional(
    Schema.Array(Schema.Literal("authorization_code", "refresh_token")).pipe(
      Schema.filter((types) => types.includes("authorization_code") || "must include authorization_code"),
    ),
  ),
  response_types: optional(
    Schema.Array(Schema.Literal("code")).pipe(Schema.filter(({ length }) => length > 0 || "must be [code]")),
  ),
})

const decode = Schema.decodeUnknownEither(Metadata)

const askedIn = Routine.fn(function* (metadata: unknown) {
  const decoded = decode(metadata)
  if (Either.isLeft(decoded)) {
    const [first] = problemsOf(decoded.left)
    const problem =
      first === undefined || first.field === "body"
        ? "the body: must be a JSON object with client_name and redirect_uris"
        : `${first.field}: ${first.message}`
    return yield* refused("invalid_client_metadata", problem)
  }
  const { client_name: name, redirect_uris: redirectUris } = decoded.right
  // The service's own page: its scheme is the issuer's.
  const terminal = terminalPageOf(yield* ConnectorAddress)
  if (redirectUris.includes(terminal)) {
    if (redirectUris.length > 1)
      return yield* refused("invalid_redirect_uri", "the page for terminals goes with no other redirect_uri")
    // Anybody may register it, so the person who links reads our name, not one that a stranger chose.
    return { clientName: TERMINAL_CLIENT_NAME, redirectUris }
  }
  for (const uri of redirectUris) {
    const fault = faultIn(uri)
    if (fault !== null) return yield* refused("invalid_redirect_uri", `a redirect_uri ${fault}`)
  }
  const rows = yield* ClientRows
  const allowed = new Set((yield* rows.redirects).map(({ redirectUri }) => redirectUri))
  if (!redirectUris.every((uri) => allowed.has(uri))) {
    return yield* refused("invalid_redirect_uri", "a redirect_uri is not on the list of those allowed here")
  }
  return { clientName: name.trim(), redirectUris }
})

function refused(error: RegistrationRefused["error"], description: string): RegistrationRefused {
  return new RegistrationRefused({ error, description: plain(description) })
}

/** RFC 6749 §5.2: ASCII without quotes and backslashes. */
function plain(description: string): string {
  return description.replace(/["\\]/g, "'").replace(/[^\u0020-\u007e]/g, "?")
}
