/** Digests and codes, by Node and without it: each known answer, and the same results for any text. */

import fc from "fast-check"
import { Encoding } from "effect"
import { describe, expect, test } from "vitest"
import * as inBrowser from "../../../src/model/digest/browser.ts"
import * as inNode from "../../../src/model/digest/node.ts"

const bytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16))
const hex = (of: Uint8Array): string => Encoding.encodeHex(Uint8Array.from(of))
const text = fc.string({ unit: "grapheme" })
const block = fc.uint8Array({ minLength: 16, maxLength: 16 })

describe.each([
  ["Node", inNode],
  ["a browser", inBrowser],
])("in %s", (_, digests: typeof inNode) => {
  test("SHA-256 of abc, source: FIPS 180-4", () => {
    const known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    expect(digests.sha256Hex("abc")).toBe(known)
    expect(hex(digests.sha256("abc"))).toBe(known)
    expect(digests.sha256Base64Url("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
  })

  test("HMAC-SHA-256, source: RFC 4231 §4.3", () => {
    const known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    const question = "what do ya want for nothing?"
    expect(digests.hmacHex("Jefe", question)).toBe(known)
    expect(hex(digests.hmac("Jefe", question))).toBe(known)
    expect(digests.signer("Jefe")(question)).toBe(known)
    expect(digests.hmacBase64Url("Jefe", question)).toBe("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM")
  })

  test("HMAC-SHA-1, source: RFC 2202 §3", () => {
    const key = new TextEncoder().encode("Jefe")
    const question = new TextEncoder().encode("what do ya want for nothing?")
    expect(hex(digests.hmacSha1(key, question))).toBe("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
  })

  test("one block of AES-128, source: FIPS 197 appendix C.1", () => {
    const key = bytes("000102030405060708090a0b0c0d0e0f")
    const plain = bytes("00112233445566778899aabbccddeeff")
    const sealed = digests.encryptedBlock(key, plain)
    expect(hex(sealed)).toBe("69c4e0d86a7b0430d8cdb78070b4c55a")
    expect(hex(digests.decryptedBlock(key, sealed))).toBe(hex(plain))
  })

  test("bytes are the same only when all are", () => {
    expect(digests.isSameBytes(bytes("0102"), bytes("0102"))).toBe(true)
    for (const other of ["0103", "01", "010200", ""])
      expect(digests.isSameBytes(bytes("0102"), bytes(other))).toBe(false)
  })
})

test("a browser and Node agree on every text and block", () => {
  fc.assert(
    fc.property(text, text, block, block, (one, other, key, plain) => {
      expect(inBrowser.sha256Hex(one)).toBe(inNode.sha256Hex(one))
      expect(inBrowser.sha256Base64Url(one)).toBe(inNode.sha256Base64Url(one))
      expect(inBrowser.hmacHex(one, other)).toBe(inNode.hmacHex(one, other))
      expect(inBrowser.hmacBase64Url(one, other)).toBe(inNode.hmacBase64Url(one, other))
      expect(inBrowser.signer(one)(other)).toBe(inNode.signer(one)(other))
      expect(hex(inBrowser.hmacSha1(key, plain))).toBe(hex(inNode.hmacSha1(key, plain)))
      expect(hex(inBrowser.encryptedBlock(key, plain))).toBe(hex(inNode.encryptedBlock(key, plain)))
      expect(hex(inBrowser.decryptedBlock(key, plain))).toBe(hex(inNode.decryptedBlock(key, plain)))
    }),
  )
})
