/**
 * Tokens: exchange of codes, refresh, revocation. Changes of a code or a family of tokens run under its lock in the
 * database, so that of two concurrent refreshes on any nodes one is first, and the other counts as reuse. Source:
 * courier connector contract, section 5, steps 6 to 8; RFC 6749, 7636, 7009, 9700 §4.14; our choices A22 to A33.
 */

import { sha256Base64Url } from "#digest"
import { Data } from "effect"
import type { FormParameters } from "../../model/values/form-parameters.ts"
import { AUTHORIZATION_CODE_MS, CODE_FAILURES_MAX } from "../../model/values/limits.ts"
import type { OAuthErrorCode } from "../../model/linking.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { isSame } from "../../engine/services/constant-time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { networkOf } from "../../engine/services/rate-limits/network.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { ConnectorAddress, issuerOf } from "./connector-address.ts"
import { familyOf, freshPair, issuePair } from "./issuing.ts"
import type { FreshPair } from "./issuing.ts"
import { takeOne } from "./attempt-limits.ts"
import { ClientRows, GrantRows, LinkedUserRows } from "./rows.ts"
import type { AuthorizationCode, Client, Token } from "./rows.ts"
import { hashOfSecret } from "./secrets.ts"

/** The error of the token endpoint. The description is for developers. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly error: OAuthErrorCode
  readonly description: string
}> {
  override get message(): string {
    return this.description
  }
}

export class Tokens extends service<Tokens>()("Tokens", () => ({ grant, revoke })) {}

const grant = Routine.fn(function* (form: FormParameters, address: string) {
  yield* takeOne("token/address", networkOf(address))
  const clientId = form.get("client_id")
  const client = clientId === undefined ? null : yield* (yield* ClientRows).client(clientId)
  if (client === null) return yield* refused("invalid_client", "client_id is missing or not registered")
  yield* takeOne("token/client", countedAs(client, address))
  const grantType = form.get("grant_type")
  switch (grantType) {
    case "authorization_code":
      return yield* exchange(form, client.clientId)
    case "refresh_token":
      return yield* refresh(form, client.clientId)
    case undefined:
      return yield* refused("invalid_request", "grant_type is missing")
    default:
      return yield* refused(
        "unsupported_grant_type",
        "grant_type must be authorization_code or refresh_token",
      )
  }
})

/** A client that is the address of a document is one for all users of that program, and known to everybody. */
function countedAs({ clientId, documentEndsAtMs }: Client, address: string): string {
  return documentEndsAtMs === null ? clientId : `${clientId} ${networkOf(address)}`
}

const exchange = Routine.fn(function* (form: FormParameters, clientId: string) {
  const [sent, redirectUri, verifier] = ["code", "redirect_uri", "code_verifier"].map((name) =>
    form.get(name),
  )
  if (sent === undefined || redirectUri === undefined || verifier === undefined) {
    return yield* refused("invalid_request", "code, redirect_uri and code_verifier are needed")
  }
  const host = yield* ActorHost
  const codeHash = hashOfSecret(sent)
  const resource = form.get("resource")
  const pair = yield* freshPair
  // A refusal may have written rows, so it does not fail the transaction.
  const outcome = yield* host.run({
    name: "exchange a code",
    locks: { key: `linking/code/${codeHash}` },
    body: () => exchangeLocked({ codeHash, pair, sent: { clientId, redirectUri, verifier, resource } }),
  })
  if (outcome instanceof GrantRefused) return yield* outcome
  if (!("usedBefore" in outcome)) return outcome
  // Under the family's lock, because a refresh in flight may be about to add to it.
  yield* host.run({
    name: "revoke the tokens of a code",
    locks: { key: familyLock(outcome.usedBefore) },
    body: () => revokeFamily(outcome.usedBefore),
  })
  return yield* noGrant("the code was used before; its tokens are revoked")
})

interface Exchange {
  readonly codeHash: string
  readonly pair: FreshPair
  readonly sent: Presented
}

/** In a transaction that has locked the code: the new pair, a refusal, or the family of a code that was used before. */
const exchangeLocked = Routine.fn(function* ({ codeHash, pair, sent }: Exchange) {
  const rows = yield* GrantRows
  const { nowMs } = yield* Transaction
  const code = yield* rows.code(codeHash)
  // A code of the other environment's connector is unknown here.
  if (code === null || code.resource !== issuerOf(yield* ConnectorAddress))
    return noGrant("the code is not known")
  if (code.familyId !== null) return { usedBefore: code.familyId }
  if (isOver(code, nowMs)) return noGrant("the code is not good any more")
  const fault = faultOf(code, sent)
  if (fault !== null) {
    yield* rows.changeCode(codeHash, { failures: code.failures + 1 })
    return fault
  }
  if (!(yield* isEnabled(code.userId))) return noGrant("the user's number is not enabled")
  const familyId = familyOf(pair)
  yield* rows.changeCode(codeHash, { familyId })
  yield* (yield* ClientRows).noteToken(sent.clientId, nowMs)
  return yield* issuePair({ ...code, familyId }, pair)
})

/** True when the code is too old or was tried too often. */
function isOver({ createdAtMs, failures }: AuthorizationCode, nowMs: EpochMs): boolean {
  return nowMs - createdAtMs > AUTHORIZATION_CODE_MS || failures >= CODE_FAILURES_MAX
}

interface Presented {
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
  readonly resource: string | undefined
}

/** Why an exchange does not match a valid code; null when it matches. */
function faultOf(code: AuthorizationCode, sent: Presented): GrantRefused | null {
  if (code.clientId !== sent.clientId) return noGrant("the code belongs to another client")
  if (code.redirectUri !== sent.redirectUri)
    return noGrant("redirect_uri is not the one of the authorization")
  if (!proves(sent.verifier, code.codeChallenge)) return noGrant("code_verifier does not match")
  if (sent.resource !== undefined && sent.resource !== code.resource) {
    return refused("invalid_target", `resource must be exactly ${code.resource}`)
  }
  return null
}

/** RFC 7636 §4.6. */
function proves(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return isSame(sha256Base64Url(verifier), challenge)
}

const refresh = Routine.fn(function* (form: FormParameters, clientId: string) {
  const sent = form.get("refresh_token")
  if (sent === undefined) return yield* refused("invalid_request", "refresh_token is needed")
  const host = yield* ActorHost
  const rows = yield* GrantRows
  const issuer = issuerOf(yield* ConnectorAddress)
  const tokenHash = hashOfSecret(sent)
  const known = yield* refreshTokenOf(tokenHash, clientId)
  if (known === null) return yield* noGrant("the refresh token is not known, or not this client's")
  const resource = form.get("resource")
  const pair = yield* freshPair
  const outcome = yield* host.run({
    name: "refresh a token",
    locks: { key: familyLock(known.familyId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      // Read again under the lock: another refresh may have been first.
      const token = yield* refreshTokenOf(tokenHash, clientId)
      if (token === null) return noGrant("the refresh token is not known, or not this client's")
      if (token.revokedAtMs !== null) {
        yield* rows.revokeFamily(token.familyId, nowMs)
        return noGrant("the refresh token was used or revoked before; its whole family is revoked")
      }
      if (nowMs > token.endsAtMs) return noGrant("the refresh token is too old")
      if (resource !== undefined && resource !== issuer) {
        return refused("invalid_target", `resource must be exactly ${issuer}`)
      }
      if (!(yield* isEnabled(token.userId))) return noGrant("the user's number is not enabled")
      yield* rows.revokeToken(tokenHash, nowMs)
      return yield* issuePair(token, pair)
    }),
  })
  return yield* outcome instanceof GrantRefused ? outcome : Routine.succeed(outcome)
})

/** Null for an access token, and for another client's token: both stay unchanged. */
const refreshTokenOf = Routine.fn(function* (tokenHash: string, clientId: string) {
  const found = yield* (yield* GrantRows).token(tokenHash)
  const issuer = issuerOf(yield* ConnectorAddress)
  if (found === null || found.token.kind !== "refresh" || found.token.clientId !== clientId) return null
  if (found.token.resource !== issuer) return null
  return found.token
})

const isEnabled = Routine.fn(function* (userId: string) {
  return (yield* (yield* LinkedUserRows).user(userId))?.isEnabled === true
})

/** The answer does not reveal whether the token existed. */
const revoke = Routine.fn(function* (form: FormParameters, address: string) {
  yield* takeOne("revoke/address", networkOf(address))
  const [clientId, sent] = [form.get("client_id"), form.get("token")]
  if (clientId === undefined || sent === undefined) {
    return yield* refused("invalid_request", "token and client_id are needed")
  }
  const client = yield* (yield* ClientRows).client(clientId)
  if (client === null) return
  yield* takeOne("revoke/client", countedAs(client, address))
  const rows = yield* GrantRows
  const found = yield* rows.token(hashOfSecret(sent))
  const issuer = issuerOf(yield* ConnectorAddress)
  if (found === null || found.token.clientId !== clientId || found.token.resource !== issuer) return
  yield* (yield* ActorHost).run({
    name: "revoke a token",
    locks: { key: familyLock(found.token.familyId) },
    body: () => revokeOne(found.token),
  })
})

/** RFC 7009 §2.1: revoking a refresh token revokes its whole family. */
const revokeOne = Routine.fn(function* ({ familyId, kind, tokenHash }: Token) {
  if (kind === "refresh") return yield* revokeFamily(familyId)
  const { nowMs } = yield* Transaction
  yield* (yield* GrantRows).revokeToken(tokenHash, nowMs)
})

/** In a transaction that has locked the family. */
const revokeFamily = Routine.fn(function* (familyId: string) {
  const { nowMs } = yield* Transaction
  yield* (yield* GrantRows).revokeFamily(familyId, nowMs)
})

/** Changes of a family of tokens run one at a time. */
function familyLock(familyId: string): string {
  return `linking/family/${familyId}`
}

function noGrant(description: string): GrantRefused {
  return refused("invalid_grant", description)
}

function refused(error: OAuthErrorCode, description: string): GrantRefused {
  return new GrantRefused({ error, description })
}
