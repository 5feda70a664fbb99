/**
 * A self-signed certificate as an authenticator's maker would issue it. Source: RFC 5280, section 4.1; Web Authentication
 * Level 3, section 8.2.1, for the subject.
 */

import { createSign, generateKeyPairSync } from "node:crypto"
import type { KeyObject } from "node:crypto"

export function attestationCertificate(): { readonly privateKey: KeyObject; readonly certificate: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(
    ...[COUNTRY, ORGANIZATION, UNIT, COMMON_NAME].map(([id, value]) =>
      der(0x31, sequence(oid(id), der(0x13, Buffer.from(value)))),
    ),
  )
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    sequence(oid(ECDSA_WITH_SHA256)),
    name,
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  )
  const signature = createSign("SHA256").update(toBeSigned).sign(privateKey)
  const bits = der(0x03, Buffer.from([0]), signature)
  return { privateKey, certificate: sequence(toBeSigned, sequence(oid(ECDSA_WITH_SHA256)), bits) }
}

/** Object identifiers in hex of their DER. */
const ECDSA_WITH_SHA256 = "2a8648ce3d040302"
const COUNTRY = ["550406", "DE"] as const
const ORGANIZATION = ["55040a", "Key maker"] as const
const UNIT = ["55040b", "Authenticator Attestation"] as const
const COMMON_NAME = ["550403", "Key"] as const

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"))
}
