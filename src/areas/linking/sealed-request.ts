/**
 * The authorization request between two pages: its parameters, when its first page was loaded, and the user to whom a
 * code was sent, in one text that the browser carries and can neither read nor change. It must fit into a form and into
 * an address. Our choices A2 to A4.
 */

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto"
import type { StepProblemCode } from "../../model/linking.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { LinkingKeys } from "./linking-keys.ts"

/** A checked request. Scope and resource have only one possible value, so they are left out. */
export interface AuthorizationRequest {
  readonly requestId: string
  readonly clientId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  /** As the client sent it; null for none. */
  readonly state: string | null
  readonly loadedAtMs: EpochMs
  /** The user to whom a code was sent; null before that. */
  readonly userId: string | null
  /** How many codes were sent to that number for this request. */
  readonly codesSent: number
  /** Only in the address of a page that says why the last input was refused. */
  readonly refused?: RefusedInput
}

export interface RefusedInput {
  readonly problem: StepProblem
  /** What the user typed as a number; empty on the code page. */
  readonly typed: string
}

/** The message of a page about input that was not accepted. */
export interface StepProblem {
  readonly code: StepProblemCode
  readonly retryAfterSeconds: number | null
}

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * `iv`, ciphertext and tag as base64url. The initialization vector is a keyed digest of the text, so that different
 * texts never share one and no random source is needed; the same request gives the same text. Source: RFC 5297 §1.3.1,
 * synthetic IV.
 */
export function sealed(keys: LinkingKeys["Type"], request: AuthorizationRequest): string {
  const plain = Buffer.from(JSON.stringify(request))
  const iv = keyFor(keys, "iv", plain).subarray(0, IV_BYTES)
  const cipher = createCipheriv(CIPHER, keyFor(keys, "encryption"), iv, { authTagLength: TAG_BYTES })
  const text = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return text.toString("base64url")
}

/** Null when it was altered or not made by this service. */
export function opened(keys: LinkingKeys["Type"], text: string): AuthorizationRequest | null {
  const bytes = Buffer.from(text, "base64url")
  // Base64 has several spellings of the same bytes; only the one that the service writes is accepted.
  if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) return null
  const iv = bytes.subarray(0, IV_BYTES)
  const decipher = createDecipheriv(CIPHER, keyFor(keys, "encryption"), iv, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
    return JSON.parse(plain.toString()) as AuthorizationRequest
  } catch {
    return null
  }
}

function keyFor(
  { requestKey }: LinkingKeys["Type"],
  use: "encryption" | "iv",
  text = Buffer.alloc(0),
): Buffer {
  return createHmac("sha256", requestKey).update(`authorization request, ${use} `).update(text).digest()
}
