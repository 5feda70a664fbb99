/**
 * Issuing: codes for verified numbers, and tokens for valid codes. Source: courier connector contract, section 5, token
 * lifetimes.
 */

import { newUuid } from "../../model/ids.ts"
import { ACCESS_TOKEN_MS, REFRESH_TOKEN_MS } from "../../model/values/limits.ts"
import { COURIER_SCOPE } from "../../model/linking.ts"
import type { TokenAnswer } from "../../model/linking.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { redirectTo } from "./authorization-request.ts"
import { ConnectorAddress, issuerOf } from "./connector-address.ts"
import { GrantRows, LinkedUserRows } from "./rows.ts"
import type { Token } from "./rows.ts"
import { hashOfSecret, newSecret } from "./secrets.ts"
import { ShownError } from "./shown-error.ts"
import type { AuthorizationRequest } from "./sealed-request.ts"

/** A request whose user has verified their number. */
export type ProvedRequest = AuthorizationRequest & { readonly userId: string }

/** Creates the code of a request, once, and returns the redirect for the user. */
export const issueCode = Routine.fn(function* (request: ProvedRequest) {
  const host = yield* ActorHost
  const grants = yield* GrantRows
  const users = yield* LinkedUserRows
  const issuer = issuerOf(yield* ConnectorAddress)
  const { requestId, clientId, userId, redirectUri, codeChallenge, state } = request
  const code = yield* newSecret("mcc_")
  yield* host.run({
    name: "issue a code",
    locks: { key: `linking/request/${requestId}` },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const before = yield* grants.codeOfRequest(requestId)
      if (before !== null) return yield* new ShownError({ code: "request_not_valid" })
      yield* grants.insertCode({
        codeHash: hashOfSecret(code),
        requestId,
        clientId,
        userId,
        redirectUri,
        codeChallenge,
        resource: issuer,
        failures: 0,
        familyId: null,
        createdAtMs: nowMs,
      })
      yield* users.noteLinked(userId, nowMs)
    }),
  })
  return redirectTo(redirectUri, {
    code,
    iss: issuer,
    state: state === null ? null : encodeURIComponent(state),
  })
})

/** What a new pair of tokens is for. */
export type Grant = Pick<Token, "clientId" | "familyId" | "resource" | "userId">

/** Fresh values, made before the transaction that writes them. */
export interface FreshPair {
  readonly access: string
  readonly refresh: string
}

export const freshPair: Routine<FreshPair, never, ActorHost> = Routine.gen(function* () {
  return { access: yield* newSecret("mca_"), refresh: yield* newSecret("mcr_") }
})

/** The id of a family that begins with this pair. */
export function familyOf({ refresh }: FreshPair): string {
  return newUuid(hashOfSecret(refresh), "token family")
}

/** Runs inside a transaction that has locked the family. */
export const issuePair = Routine.fn(function* (
  { clientId, familyId, resource, userId }: Grant,
  { access, refresh }: FreshPair,
) {
  const rows = yield* GrantRows
  const { nowMs } = yield* Transaction
  const common = { clientId, familyId, resource, userId, createdAtMs: nowMs, revokedAtMs: null }
  const insert = (kind: Token["kind"], value: string, endsAtMs: EpochMs) =>
    rows.insertToken({ ...common, kind, tokenHash: hashOfSecret(value), endsAtMs })
  yield* insert("access", access, nowMs + ACCESS_TOKEN_MS)
  yield* insert("refresh", refresh, nowMs + REFRESH_TOKEN_MS)
  return {
    access_token: access,
    token_type: "Bearer",
    expires_in: ACCESS_TOKEN_MS / SECOND_MS,
    refresh_token: refresh,
    scope: COURIER_SCOPE,
  } satisfies TokenAnswer
})
