/** Linking: the user for whom an access token acts. Source: courier connector contract, section 5, steps 1 and 9. */

import { Data } from "effect"
import { bearerIn } from "../../http/access/bearer.ts"
import { ConnectorAddress, RESOURCE_METADATA_PATH, issuerOf } from "./connector-address.ts"
import { GrantRows } from "./rows.ts"
import type { HeldToken } from "./rows.ts"
import { hashOfSecret } from "./secrets.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

/** The call has no valid token: the HTTP layer answers 401 with both of these. Our choice A1. */
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{
  /** One English sentence, the same for every problem of a token. */
  readonly description: string
  /** URL of the protected resource's metadata. */
  readonly resourceMetadata: string
}> {
  /** The value of `WWW-Authenticate`. */
  get challenge(): string {
    return `Bearer error="invalid_token", error_description="${this.description}", resource_metadata="${this.resourceMetadata}"`
  }

  /** The JSON body. */
  get body(): { readonly error: "invalid_token"; readonly error_description: string } {
    return { error: "invalid_token", error_description: this.description }
  }

  override get message(): string {
    return this.description
  }
}

export class Linking extends service<Linking>()("Linking", () => ({ authenticate, admit })) {}

/**
 * The user of an `Authorization` header. Fails in the same way when it is absent, of another scheme, or its token
 * is unknown, expired, revoked, a refresh token, for another resource, or of a user whose number is disabled.
 */
const authenticate = Routine.fn(function* (authorization: string | undefined) {
  const rows = yield* GrantRows
  const value = bearerIn(authorization)
  return yield* judged(value === null ? null : yield* rows.token(hashOfSecret(value)))
})

/** The same, or "paused" for every caller while the connector is paused. Both are read in one round trip. */
const admit = Routine.fn(function* (authorization: string | undefined) {
  const rows = yield* GrantRows
  // The hash of an invalid token matches no row, but the switch is still read.
  const { pausedAtMs, found } = yield* rows.tokenAtSwitch(hashOfSecret(bearerIn(authorization) ?? ""))
  return pausedAtMs === null ? yield* judged(found) : "paused"
})

const judged = Routine.fn(function* (found: HeldToken | null) {
  const address = yield* ConnectorAddress
  const nowMs = yield* Routine.nowMs
  const isGood =
    found !== null &&
    found.token.kind === "access" &&
    found.token.resource === issuerOf(address) &&
    found.token.revokedAtMs === null &&
    nowMs < found.token.endsAtMs &&
    found.isUserEnabled
  if (isGood) return { userId: found.token.userId }
  return yield* new Unauthenticated({
    description: "the access token is missing, or not valid, or no longer",
    resourceMetadata: `${address.baseUrl}${RESOURCE_METADATA_PATH}`,
  })
})
