/**
 * Redirect URIs: where authorizations may end. Operators list those that a client may register, compared exactly: no
 * patterns, no prefixes, no ports that match automatically. Source: RFC 9700 §2.1, §4.1.
 */

import { Refused } from "../../model/values/errors.ts"
import { REDIRECT_URI_LENGTH_MAX } from "../../model/values/limits.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { ClientRows } from "./rows.ts"

export class AllowedRedirects extends service<AllowedRedirects>()("AllowedRedirects", () => ({
  allow,
  /** Sorted by when they were allowed. */
  list: Routine.flatMap(ClientRows, (rows) => rows.redirects),
})) {}

/** May be repeated. */
const allow = Routine.fn(function* (redirectUri: string) {
  const fault = faultIn(redirectUri)
  if (fault !== null) {
    const problems = [{ field: "redirect_uri", message: fault }]
    return yield* new Refused({ code: "VALIDATION_ERROR", problems })
  }
  const host = yield* ActorHost
  const rows = yield* ClientRows
  return yield* host.run({
    name: "allow a redirect URI",
    locks: {},
    body: Routine.fn(function* () {
      const { nowMs: allowedAtMs } = yield* Transaction
      yield* rows.allow({ redirectUri, allowedAtMs })
      const kept = (yield* rows.redirects).find((one) => one.redirectUri === redirectUri)
      return kept ?? { redirectUri, allowedAtMs }
    }),
  })
})

/** Why a text is not a redirect URI, which completes the sentence "redirect_uri …"; null when it is one. */
export function faultIn(redirectUri: string): string | null {
  if ([...redirectUri].length > REDIRECT_URI_LENGTH_MAX)
    return `must have at most ${REDIRECT_URI_LENGTH_MAX} characters`
  // A browser would normalize other characters, and the redirect would go to another URI.
  if (!/^[\u0021-\u007e]+$/.test(redirectUri) || !URL.canParse(redirectUri)) return "must be an absolute URL"
  const { protocol, username, password } = new URL(redirectUri)
  if (protocol !== "https:" || !/^https:\/\//i.test(redirectUri)) return "must be an https URL"
  if (redirectUri.includes("#")) return "must have no fragment"
  if (username !== "" || password !== "") return "must hold no user name and no password"
  return null
}
