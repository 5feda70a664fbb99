/**
 * Runners' phones: a one-time code pairs a phone with a site and a runner for a shift. The phone's session is a token of
 * which only the hash is stored. A runner has an id, which machines and events see, and a name, which they do not.
 */

import type { Environment, Operator } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { newId, newUuid } from "../../model/ids.ts"
import { RUNNER_PAIRING_MS, RUNNER_PHONES_MAX, RUNNER_SHIFT_MS } from "../../model/values/limits.ts"
import type { PairRunnerRequest } from "../../model/requests/operations-requests.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { hashOfToken, newToken } from "../../http/access/opaque-tokens.ts"
import { CatalogRows } from "../catalog/rows.ts"
import { isSame } from "../../engine/services/constant-time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { RunnerPhoneRows } from "./rows.ts"
import type { RunnerPairing, RunnerPhone } from "./rows.ts"

/** A phone as others see it. */
export type PairedPhone = Omit<RunnerPhone, "tokenHash">

export interface MadePairing {
  readonly pairing: Omit<RunnerPairing, "codeHash">
  /** It cannot be read again. */
  readonly code: string
}

export interface Paired {
  readonly phone: PairedPhone
  readonly token: string
  /** Phones that were signed out to make room. */
  readonly endedIds: readonly string[]
}

export class RunnerPhones extends service<RunnerPhones>()("RunnerPhones", () => ({
  makePairing,
  list,
  end,
  /** Moves that phones made on a reservation, oldest first. */
  moves: ({ environment }: Operator, reservationId: string) =>
    Routine.flatMap(RunnerPhoneRows, (rows) => rows.moves(environment, reservationId)),
  pair,
  phoneOf,
  signOut: ({ phoneId }: PairedPhone) => Routine.asVoid(endNow(phoneId)),
  /** Names of runners whose phones were lately at the site, by their ids. */
  names: (phone: PairedPhone) => Routine.flatMap(Routine.nowMs, (nowMs) => runnerNames(phone, nowMs)),
})) {}

/** Makes a code for one phone, good for two minutes. */
const makePairing = Routine.fn(function* (
  { environment }: Operator,
  siteId: string,
  { runner_name, runner_id }: PairRunnerRequest,
) {
  yield* requireSite(environment, siteId)
  const rows = yield* RunnerPhoneRows
  const host = yield* ActorHost
  const code = yield* newToken
  const nonce = yield* host.nonce
  const runnerName = runner_name.trim()
  const pairing = yield* host.run({
    name: "make a code of a runner's phone",
    locks: { key: siteLock(environment, siteId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const known = yield* rows.phones({ environment, siteId, endsAfterMs: nowMs - RUNNER_SHIFT_MS })
      // A runner whose phone was lost keeps the tasks of the shift.
      const same = known.find((phone) => phone.runnerName === runnerName)
      const made: RunnerPairing = {
        codeHash: hashOfToken(code),
        environment,
        siteId,
        runnerId: runner_id ?? same?.runnerId ?? newId("runner", nonce),
        runnerName,
        madeAtMs: nowMs,
        endsAtMs: nowMs + RUNNER_PAIRING_MS,
      }
      yield* rows.insertPairing(made)
      return made
    }),
  })
  return { pairing: shownPairing(pairing), code } satisfies MadePairing
})

/** The phones whose shift has not ended, newest first. */
const list = Routine.fn(function* ({ environment }: Operator, siteId: string) {
  yield* requireSite(environment, siteId)
  const rows = yield* RunnerPhoneRows
  const endsAfterMs = yield* Routine.nowMs
  return (yield* rows.phones({ environment, siteId, endsAfterMs })).map(shownPhone)
})

/** The phone is signed out at once. A repeat changes nothing. */
const end = Routine.fn(function* ({ environment }: Operator, phoneId: string) {
  const rows = yield* RunnerPhoneRows
  const phone = yield* rows.phone(phoneId)
  if (phone === null || phone.environment !== environment)
    return yield* new Refused({ code: "NOT_FOUND", detail: "runner's phone" })
  return { ...shownPhone(phone), endsAtMs: yield* endNow(phoneId) }
})

/** When it ended. */
const endNow = Routine.fn(function* (phoneId: string) {
  const rows = yield* RunnerPhoneRows
  const host = yield* ActorHost
  return yield* host.run({
    name: "end a runner's phone",
    locks: { key: `runner-phones/${phoneId}` },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const phone = yield* rows.phone(phoneId)
      const endsAtMs = Math.min(phone?.endsAtMs ?? nowMs, nowMs)
      yield* rows.endPhone(phoneId, endsAtMs)
      return endsAtMs
    }),
  })
})

/** Uses up a code; fails with `INVALID_CODE`. A site with too many phones loses those that were paired first. */
const pair = Routine.fn(function* (environment: Environment, code: string) {
  const rows = yield* RunnerPhoneRows
  const host = yield* ActorHost
  const codeHash = hashOfToken(code)
  const made = yield* rows.pairing(codeHash)
  if (made === null) return yield* new TurnedAway({ code: "INVALID_CODE" })
  const { siteId } = made
  const token = yield* newToken
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  return yield* host.run({
    name: "pair a runner's phone",
    // Of two phones that pair at once, the second one sees the row of the first, and that its code was used.
    locks: { key: siteLock(environment, siteId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const pairing = yield* rows.pairing(codeHash)
      const isGood =
        pairing !== null &&
        isSame(pairing.codeHash, codeHash) &&
        pairing.environment === environment &&
        nowMs < pairing.endsAtMs
      if (!isGood) return yield* new TurnedAway({ code: "INVALID_CODE" })
      yield* rows.deletePairing(codeHash)
      const { runnerId, runnerName } = pairing
      const known = yield* rows.phones({ environment, siteId, endsAfterMs: nowMs })
      const endedIds = known.slice(RUNNER_PHONES_MAX - 1).map(({ phoneId }) => phoneId)
      for (const phoneId of endedIds) yield* rows.endPhone(phoneId, nowMs)
      const phone: RunnerPhone = {
        phoneId: newUuid(nonces, "runner's phone"),
        environment,
        siteId,
        runnerId,
        runnerName,
        tokenHash: hashOfToken(token),
        pairedAtMs: nowMs,
        endsAtMs: nowMs + RUNNER_SHIFT_MS,
      }
      yield* rows.insertPhone(phone)
      return { phone: shownPhone(phone), token, endedIds } satisfies Paired
    }),
  })
})

/** The phone of a session; fails with `SIGN_IN_REQUIRED`. */
const phoneOf = Routine.fn(function* (environment: Environment, token: string | null) {
  const rows = yield* RunnerPhoneRows
  const tokenHash = token === null ? null : hashOfToken(token)
  const phone = tokenHash === null ? null : yield* rows.phoneOf(tokenHash)
  const nowMs = yield* Routine.nowMs
  const isGood =
    phone !== null &&
    tokenHash !== null &&
    isSame(phone.tokenHash, tokenHash) &&
    phone.environment === environment &&
    nowMs < phone.endsAtMs
  return isGood ? shownPhone(phone) : yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
})

/** Names of runners whose phones were at the site in the last shift, by their ids; the newest phone of a runner decides. */
export const runnerNames = Routine.fn(function* (
  { environment, siteId }: Pick<PairedPhone, "environment" | "siteId">,
  nowMs: EpochMs,
) {
  const rows = yield* RunnerPhoneRows
  const known = yield* rows.phones({ environment, siteId, endsAfterMs: nowMs - RUNNER_SHIFT_MS })
  return new Map(known.toReversed().map(({ runnerId, runnerName }) => [runnerId, runnerName]))
})

export const requireSite = Routine.fn(function* (environment: Environment, siteId: string) {
  const catalog = yield* CatalogRows
  const site = yield* catalog.sites.get(environment, siteId)
  if (site === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
})

function siteLock(environment: Environment, siteId: string): string {
  return `runner-phones/${environment}/${siteId}`
}

function shownPairing({ codeHash: _, ...pairing }: RunnerPairing): MadePairing["pairing"] {
  return pairing
}

function shownPhone({ tokenHash: _, ...phone }: RunnerPhone): PairedPhone {
  return phone
}
