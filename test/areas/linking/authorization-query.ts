/** The query of an authorization request with PKCE, as an agent's client sends it. */

import { createHash } from "node:crypto"

interface AuthorizationRequest {
  readonly client: string
  readonly redirect: string
  /** The PKCE verifier, whose digest is sent. */
  readonly verifier: string
  readonly issuer: string
}

export function authorizationQuery({
  client,
  redirect,
  verifier,
  issuer,
}: AuthorizationRequest): URLSearchParams {
  return new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: redirect,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: issuer,
  })
}
