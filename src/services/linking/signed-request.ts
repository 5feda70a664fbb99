/**
 * The authorization request between two pages: everything it asked, when its first page was loaded, and who has typed a
 * number, in one text that the browser carries and cannot change. Holding it is what a form must show. Our choices A2 to A4.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import type { EpochMs } from "../../model/time.ts"
import type { LinkingKeys } from "./linking-keys.ts"

/** A request that was checked. Scope and resource have one value each, so they are not in it. */
export interface AuthorizationRequest {
  readonly requestId: string
  readonly clientId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  /** As the client sent it; null for none. */
  readonly state: string | null
  readonly loadedAtMs: EpochMs
  /** Whose number was sent a code; null before that. */
  readonly userId: string | null
}

/** `payload.signature`, both base64url. */
export function signed({ requestKey }: LinkingKeys["Type"], request: AuthorizationRequest): string {
  const payload = Buffer.from(JSON.stringify(request)).toString("base64url")
  return `${payload}.${signatureOf(requestKey, payload).toString("base64url")}`
}

/** Null when it was altered, or is none of ours. */
export function verified({ requestKey }: LinkingKeys["Type"], text: string): AuthorizationRequest | null {
  const [payload = "", signature = "", ...rest] = text.split(".")
  if (rest.length > 0) return null
  const wanted = signatureOf(requestKey, payload)
  const given = Buffer.from(signature, "base64url")
  // Of the spellings that decode alike only ours counts.
  if (given.toString("base64url") !== signature) return null
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as AuthorizationRequest
}

function signatureOf(key: string, payload: string): Buffer {
  return createHmac("sha256", key).update(`authorization request ${payload}`).digest()
}
