/**
 * The two discovery documents. Source: courier connector contract, section 5, steps 2 and 3; RFC 9728, RFC 8414, RFC 9207;
 * draft-ietf-oauth-client-id-metadata-document.
 */

import {
  COURIER_SCOPE,
  DESCRIPTION_PATH,
  PRIVACY_PATH,
  SERVICE_NAME,
  TERMS_PATH,
} from "../../../model/linking.ts"

const RESOURCE_NAME = `${SERVICE_NAME} curbside courier`

export function resourceMetadata(issuer: string): object {
  return {
    resource: issuer,
    authorization_servers: [issuer],
    resource_name: RESOURCE_NAME,
    resource_documentation: new URL(DESCRIPTION_PATH, issuer).href,
    resource_policy_uri: new URL(PRIVACY_PATH, issuer).href,
    resource_tos_uri: new URL(TERMS_PATH, issuer).href,
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
    client_id_metadata_document_supported: true,
  }
}
