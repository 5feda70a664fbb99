/** A port for the cryptography of passkeys. Source: Web Authentication Level 3. */

import { Context } from "effect"
import type { Effect } from "effect"

/** Where passkeys are good: the portal's own host and nowhere else. */
export interface RelyingParty {
  /** Host name without a port. */
  readonly id: string
  /** Scheme, host and port, as browsers sign it. */
  readonly origin: string
}

/** The fields of the account's other credentials that are sent to the browser. */
export interface KnownCredential {
  readonly credentialId: string
  readonly transports: readonly string[]
}

/** An answer of `navigator.credentials`, as JSON of the specification; only its form was checked. */
export interface CreatedCredential {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports?: readonly string[] | undefined
  }
}

export interface SignedChallenge {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | null | undefined
  }
}

/** Options for `navigator.credentials`, as JSON of the specification. */
export type CredentialOptions = Readonly<Record<string, unknown>>

interface Asked {
  readonly party: RelyingParty
  /** base64url */
  readonly challenge: string
  readonly known: readonly KnownCredential[]
}

interface Expected {
  readonly party: RelyingParty
  readonly isChallenge: (challenge: string) => boolean
}

export interface NewCredential {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  readonly isSynced: boolean
}

export class PasskeyVerifier extends Context.Tag("PasskeyVerifier")<
  PasskeyVerifier,
  {
    readonly creationOptions: (
      asked: Asked & { readonly accountId: string; readonly accountName: string },
    ) => Effect.Effect<CredentialOptions>
    readonly requestOptions: (asked: Asked) => Effect.Effect<CredentialOptions>
    /** Null: of another origin, host or challenge, or broken. */
    readonly created: (sent: CreatedCredential, expected: Expected) => Effect.Effect<NewCredential | null>
    /** Null: of another origin, host, challenge or key, with a counter that does not rise, or broken. */
    readonly signed: (
      sent: SignedChallenge,
      expected: Expected & { readonly credential: NewCredential },
    ) => Effect.Effect<Pick<NewCredential, "counter" | "isSynced"> | null>
  }
>() {}
