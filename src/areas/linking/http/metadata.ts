/** The two discovery documents. Source: courier connector contract, section 5, steps 2 and 3; RFC 9728, RFC 8414, RFC 9207. */

import { COURIER_SCOPE } from "../../../model/linking.ts"

export function resourceMetadata(issuer: string): object {
  return {
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: [COURIER_SCOPE],
    bearer_methods_supported: ["header"],
  }
}

export function serverMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    scopes_supported: [COURIER_SCOPE],
    authorization_response_iss_parameter_supported: true,
  }
}
