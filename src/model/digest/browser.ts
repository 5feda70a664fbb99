/** What `node.ts` gives, where there is no Node: in a worker of a browser. Its functions are synchronous, as a simulated run needs them. */

import { ecb } from "@noble/ciphers/aes.js"
import { equalBytes } from "@noble/ciphers/utils.js"
import { hmac as hmacOf } from "@noble/hashes/hmac.js"
import { sha1 } from "@noble/hashes/legacy.js"
import { sha256 as sha256Of } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Encoding } from "effect"

export function sha256(text: string): Uint8Array {
  return sha256Of(utf8ToBytes(text))
}

export function sha256Hex(content: string | Uint8Array): string {
  return bytesToHex(sha256Of(typeof content === "string" ? utf8ToBytes(content) : content))
}

export function sha256Base64Url(text: string): string {
  return Encoding.encodeBase64Url(sha256(text))
}

export function hmac(key: string, text: string): Uint8Array {
  return hmacOf(sha256Of, utf8ToBytes(key), utf8ToBytes(text))
}

export function hmacHex(key: string, text: string): string {
  return bytesToHex(hmac(key, text))
}

export function hmacBase64Url(key: string, text: string): string {
  return Encoding.encodeBase64Url(hmac(key, text))
}

export function hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmacOf(sha1, key, message)
}

export function signer(key: string): (text: string) => string {
  const keyed = hmacOf.create(sha256Of, utf8ToBytes(key))
  return (text) => bytesToHex(keyed.clone().update(utf8ToBytes(text)).digest())
}

export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return equalBytes(one, other)
}

export function encryptedBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
  return ecb(key, { disablePadding: true }).encrypt(block)
}

export function decryptedBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
  return ecb(key, { disablePadding: true }).decrypt(block)
}
