/** What the pages ask of the browser's own dialog for passkeys, and why it refused. */

import { WebAuthnError, startAuthentication, startRegistration } from "@simplewebauthn/browser"
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser"
import type { paths } from "../../api-types.ts"

type BodyOf<Path extends "/portal/api/passkeys" | "/portal/api/second-factor/remove"> =
  paths[Path]["post"]["requestBody"]["content"]["application/json"]

/** A code or the signature of a passkey. */
export type Proof = BodyOf<"/portal/api/second-factor/remove">

/** The service made it for the browser; pages do not read it. */
type Options = Readonly<Record<string, never>>

/** A new passkey. */
export async function created(options: Options): Promise<BodyOf<"/portal/api/passkeys">["credential"]> {
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const { id, rawId, type, response } = await startRegistration({ optionsJSON })
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } }
}

/** The signature of a known one. */
export async function signed(options: Options): Promise<NonNullable<Proof["passkey"]>> {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON })
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } }
}

/** A sentence for a refusal of the browser; null for any other fault. */
export function refusalOf(cause: unknown): string | null {
  if (cause instanceof WebAuthnError && cause.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    return "This device has a passkey of your account already."
  const isOfBrowser = cause instanceof WebAuthnError || cause instanceof DOMException
  return isOfBrowser ? "The browser gave no answer: it was canceled, or took too long." : null
}
