/** The cryptography of passkeys by SimpleWebAuthn. Attestation is not asked for, and refused with certificates. */

import { Effect, Layer } from "effect"
import { SERVICE_NAME } from "../../model/linking.ts"
import { SECOND_FACTOR_MS } from "../../model/values/limits.ts"
import { PasskeyVerifier } from "../../apps/portal/people/passkey-verifier.ts"
import type { CredentialOptions, KnownCredential } from "../../apps/portal/people/passkey-verifier.ts"

/** COSE: EdDSA, ES256 and RS256, which every authenticator has one of; the library's own list probes experimental ones. */
const ALGORITHMS = [-8, -7, -257]

/** Loaded when the first passkey is used: its 290 modules are a tenth of all, and most starts see no passkey. */
const webAuthn = () => import("@simplewebauthn/server")

export const layerWebAuthn: Layer.Layer<PasskeyVerifier> = Layer.succeed(PasskeyVerifier, {
  creationOptions: ({ party, challenge, known, accountId, accountName }) =>
    Effect.promise(async () => {
      const { generateRegistrationOptions } = await webAuthn()
      return json(
        await generateRegistrationOptions({
          rpName: SERVICE_NAME,
          rpID: party.id,
          userName: accountName,
          userID: bytes(Buffer.from(accountId)),
          challenge: bytes(Buffer.from(challenge, "base64url")),
          timeout: SECOND_FACTOR_MS,
          attestationType: "none",
          supportedAlgorithmIDs: ALGORITHMS,
          excludeCredentials: described(known),
          // It comes after a password, so presence is enough; authenticators that ask for a finger may.
          authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
        }),
      )
    }),
  requestOptions: ({ party, challenge, known }) =>
    Effect.promise(async () => {
      const { generateAuthenticationOptions } = await webAuthn()
      return json(
        await generateAuthenticationOptions({
          rpID: party.id,
          challenge: bytes(Buffer.from(challenge, "base64url")),
          timeout: SECOND_FACTOR_MS,
          allowCredentials: described(known),
          userVerification: "preferred",
        }),
      )
    }),
  created: (sent, { party, isChallenge }) =>
    orNull(async () => {
      const { clientDataJSON, attestationObject } = sent.response
      if (await hasCertificates(attestationObject)) return null
      const { verifyRegistrationResponse } = await webAuthn()
      const { registrationInfo: info } = await verifyRegistrationResponse({
        response: { ...sent, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
        expectedChallenge: isChallenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      })
      if (info === undefined) return null
      const { id, publicKey, counter } = info.credential
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        isSynced: info.credentialBackedUp,
      }
    }),
  signed: (sent, { party, isChallenge, credential }) =>
    orNull(async () => {
      const { clientDataJSON, authenticatorData, signature } = sent.response
      const { verifyAuthenticationResponse } = await webAuthn()
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...sent,
          response: { clientDataJSON, authenticatorData, signature },
          clientExtensionResults: {},
        },
        expectedChallenge: isChallenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: false,
        credential: {
          id: credential.credentialId,
          publicKey: bytes(Buffer.from(credential.publicKey, "base64url")),
          counter: credential.counter,
        },
      })
      if (!verified) return null
      return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp }
    }),
})

/**
 * False for the two kinds of attestation without certificates: `none`, and `packed` by the passkey's own key. The library
 * would verify the others too, and fetch revocation lists from addresses that the sender's certificates name.
 */
async function hasCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import("@simplewebauthn/server/helpers")
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  switch (decoded.get("fmt")) {
    case "none":
      return false
    case "packed":
      return decoded.get("attStmt").get("x5c") !== undefined
    default:
      return true
  }
}

/** The library throws for each of its checks that fails, and for bytes that it cannot read. */
function orNull<A>(work: () => Promise<A | null>): Effect.Effect<A | null> {
  return Effect.orElseSucceed(
    Effect.tryPromise(() => work()),
    () => null,
  )
}

function described(known: readonly KnownCredential[]): { id: string; transports: string[] }[] {
  return known.map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] }))
}

function bytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(buffer)
}

/** Without fields that are undefined. */
function json(options: object): CredentialOptions {
  return JSON.parse(JSON.stringify(options)) as CredentialOptions
}
