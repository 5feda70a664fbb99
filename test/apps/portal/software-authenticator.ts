/**
 * An authenticator in software: ES256 keys, a counter, attestation "none" unless another is asked of it. Source: Web
 * Authentication Level 3, sections 6 and 8; RFC 8949 for the few kinds of CBOR that it needs.
 */

import { createHash, createSign, generateKeyPairSync } from "node:crypto"
import type { KeyObject } from "node:crypto"
import { attestationCertificate } from "./attestation-certificate.ts"

export interface AuthenticatorSetup {
  /** Scheme, host and port that the browser puts into what is signed. */
  readonly origin: string
  readonly rpId: string
}

/** `packed` is signed by the new key itself; `packed-x5c` and `fido-u2f` by the key of a certificate. */
export type Attestation = "fido-u2f" | "none" | "packed" | "packed-x5c"

export interface SoftwareAuthenticator {
  readonly credentialId: string
  /** A `PublicKeyCredential` as JSON, for the options of a registration. */
  readonly create: (
    options: Options,
    changes?: Partial<AuthenticatorSetup & { attestation: Attestation }>,
  ) => Created
  /** For the options of a sign-in. The counter rises with each, unless one is given. */
  readonly get: (options: Options, changes?: Partial<AuthenticatorSetup & { counter: number }>) => Signed
}

type Options = Readonly<Record<string, unknown>>

interface Credential<Response> {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly clientExtensionResults: object
  readonly response: Response
}

export type Created = Credential<{
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly transports: readonly string[]
}>

export type Signed = Credential<{
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
}>

const USER_PRESENT = 0x01
const HAS_CREDENTIAL = 0x40

let made = 0

export function softwareAuthenticator({ origin, rpId }: AuthenticatorSetup): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const id = createHash("sha256")
    .update(`credential ${(made += 1)}`)
    .digest()
  const credentialId = id.toString("base64url")
  let counter = 0
  const same = {
    id: credentialId,
    rawId: credentialId,
    type: "public-key",
    clientExtensionResults: {},
  } as const
  return {
    credentialId,
    create: (options, changes = {}) => {
      const authData = Buffer.concat([
        headOf({ rpId: changes.rpId ?? rpId, flags: USER_PRESENT | HAS_CREDENTIAL, counter }),
        Buffer.alloc(16),
        uint16(id.length),
        id,
        coseOf(publicKey),
      ])
      const { attestation = "none" } = changes
      const client = clientData("webauthn.create", options, changes.origin ?? origin)
      const point = uncompressed(publicKey)
      const attested =
        attestation === "fido-u2f"
          ? Buffer.concat([Buffer.from([0]), authData.subarray(0, 32), sha256(client), id, point])
          : Buffer.concat([authData, sha256(client)])
      const attestationObject = map([
        [text("fmt"), text(attestation === "packed-x5c" ? "packed" : attestation)],
        [text("attStmt"), statementOf(attestation, attested, privateKey)],
        [text("authData"), bytes(authData)],
      ])
      return {
        ...same,
        response: {
          clientDataJSON: client.toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
          transports: ["internal"],
        },
      }
    },
    get: (options, changes = {}) => {
      counter = changes.counter ?? counter + 1
      const client = clientData("webauthn.get", options, changes.origin ?? origin)
      const authData = headOf({ rpId: changes.rpId ?? rpId, flags: USER_PRESENT, counter })
      return {
        ...same,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: signatureOf(Buffer.concat([authData, sha256(client)]), privateKey),
        },
      }
    },
  }
}

function statementOf(attestation: Attestation, attested: Buffer, ownKey: KeyObject): Buffer {
  if (attestation === "none") return map([])
  const alg = [text("alg"), Buffer.from([0x26])] as const
  const sig = (key: KeyObject) =>
    [text("sig"), bytes(Buffer.from(signatureOf(attested, key), "base64url"))] as const
  if (attestation === "packed") return map([alg, sig(ownKey)])
  const { privateKey, certificate } = attestationCertificate()
  const x5c = [text("x5c"), Buffer.concat([Buffer.from([0x81]), bytes(certificate)])] as const
  return attestation === "fido-u2f" ? map([x5c, sig(privateKey)]) : map([alg, sig(privateKey), x5c])
}

function clientData(type: string, options: Options, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge: options["challenge"], origin, crossOrigin: false }))
}

function headOf({
  rpId,
  flags,
  counter,
}: {
  readonly rpId: string
  readonly flags: number
  readonly counter: number
}): Buffer {
  const counted = Buffer.alloc(4)
  counted.writeUInt32BE(counter)
  return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counted])
}

function signatureOf(data: Buffer, key: KeyObject): string {
  return createSign("SHA256").update(data).sign(key, "base64url")
}

function sha256(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest()
}

/** Source: SEC 1, section 2.3.3. */
function uncompressed(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  return Buffer.concat([Buffer.from([0x04]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")])
}

/** An EC2 key on P-256 for ES256. Source: RFC 9053, section 7.1. */
function coseOf(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  return map([
    [Buffer.from([0x01]), Buffer.from([0x02])],
    [Buffer.from([0x03]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([0x01])],
    [Buffer.from([0x21]), bytes(Buffer.from(x, "base64url"))],
    [Buffer.from([0x22]), bytes(Buffer.from(y, "base64url"))],
  ])
}

function map(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 + entries.length]), ...entries.flat()])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

function bytes(value: Buffer): Buffer {
  const head =
    value.length < 256
      ? Buffer.from([0x58, value.length])
      : Buffer.concat([Buffer.from([0x59]), uint16(value.length)])
  return Buffer.concat([head, value])
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return buffer
}
