/**
 * Digests, message authentication codes and the cipher of one block, by Node's crypto. `browser.ts` gives the same results without Node;
 * `#digest` in package.json chooses between them. Texts are UTF-8.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  timingSafeEqual,
} from "node:crypto"

/** SHA-256, 32 bytes. */
export function sha256(text: string): Uint8Array {
  return hash("sha256", text, "buffer")
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content, "hex")
}

/** SHA-256 as 43 characters of base64url. */
export function sha256Base64Url(text: string): string {
  return hash("sha256", text, "base64url")
}

/** HMAC-SHA-256, 32 bytes. Source: RFC 2104. */
export function hmac(key: string, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest()
}

/** HMAC-SHA-256 as 64 lower-case hex digits. */
export function hmacHex(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex")
}

/** HMAC-SHA-256 as 43 characters of base64url. */
export function hmacBase64Url(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url")
}

/** HMAC-SHA-1, 20 bytes: one-time passwords need it. Source: RFC 4226 §5.2. */
export function hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac("sha1", key).update(message).digest()
}

/** `hmacHex` under one key, for many texts: making a key from a text takes several times as long as signing with it. */
export function signer(key: string): (text: string) => string {
  const made = createSecretKey(key, "utf8")
  return (text) => createHmac("sha256", made).update(text).digest("hex")
}

/** Compares in a time that does not depend on where the bytes differ. Different lengths are found out at once. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** A single block needs no mode and no nonce: equal blocks are equal when encrypted. */
const ONE_BLOCK = "aes-128-ecb"

/** AES-128 of one block; key and block have 16 bytes each. Source: FIPS 197. */
export function encryptedBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
  return createCipheriv(ONE_BLOCK, key, null).setAutoPadding(false).update(block)
}

export function decryptedBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
  return createDecipheriv(ONE_BLOCK, key, null).setAutoPadding(false).update(block)
}
