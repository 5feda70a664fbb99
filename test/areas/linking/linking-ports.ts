/** The contract of linking's rows: what any layer of them must do. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import type { Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import {
  ClientRows,
  GrantRows,
  LinkedUserRows,
  LinkingLimitRows,
  SmsCodeRows,
  TerminalCodeRows,
} from "../../../src/areas/linking/rows.ts"
import type { AuthorizationCode, Client, LinkedUser, Token } from "../../../src/areas/linking/rows.ts"

export type LinkingPorts =
  ActorHost | ClientRows | GrantRows | LinkedUserRows | LinkingLimitRows | SmsCodeRows | TerminalCodeRows

/** The rows over a store in which nothing has happened yet. */
export interface LinkingHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, LinkingPorts>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

const user: LinkedUser = {
  userId: "usr_1",
  organizationId: null,
  phoneDigest: "d".repeat(64),
  phone: "+15125550100",
  isEnabled: true,
  enabledAtMs: T,
  disabledAtMs: null,
  linkedAtMs: null,
}
const client: Client = {
  clientId: "mc_1",
  clientName: "Agent “Ö” 😀",
  redirectUris: ["https://b.example/?a=1&b=%20", "https://a.example/"],
  createdAtMs: T,
  firstTokenAtMs: null,
  documentEndsAtMs: null,
}
const code: AuthorizationCode = {
  codeHash: "1".repeat(64),
  requestId: "req_1",
  clientId: "mc_1",
  userId: "usr_1",
  redirectUri: "https://a.example/",
  codeChallenge: "c".repeat(43),
  resource: "https://courier.example/api",
  failures: 0,
  familyId: null,
  createdAtMs: T,
}
const token: Token = {
  tokenHash: "2".repeat(64),
  kind: "refresh",
  familyId: "fam_1",
  clientId: "mc_1",
  userId: "usr_1",
  resource: "https://courier.example/api",
  createdAtMs: T,
  endsAtMs: T + HOUR_MS,
  revokedAtMs: null,
}

const clients = Effect.serviceFunctions(ClientRows)
const clientConstants = Effect.serviceConstants(ClientRows)
const grants = Effect.serviceFunctions(GrantRows)
const users = Effect.serviceFunctions(LinkedUserRows)
const userConstants = Effect.serviceConstants(LinkedUserRows)
const limits = Effect.serviceFunctions(LinkingLimitRows)
const smsCodes = Effect.serviceFunctions(SmsCodeRows)
const terminalCodes = Effect.serviceFunctions(TerminalCodeRows)

/** One transaction. */
function inOne<A, R>(h: LinkingHarness, body: Effect.Effect<A, never, R>): Promise<A> {
  const whole = Effect.flatMap(ActorHost, (host) =>
    host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
  )
  return h.run(whole as Effect.Effect<A, never, LinkingPorts>)
}

type Write = Effect.Effect<void, never, LinkingPorts | Transaction>

const write = (h: LinkingHarness, ...writes: readonly Write[]): Promise<void> =>
  inOne(h, Effect.all(writes, { discard: true }))

export function linkingPortsContract(name: string, make: () => LinkingHarness): void {
  describe(`linking's rows: ${name}`, () => {
    userTests(make)
    clientTests(make)
    grantTests(make)
    limitTests(make)

    test("of codes for a terminal the first is kept, until it is fetched or purged", async () => {
      const h = make()
      const kept = { handle: "h1", code: "mcc_1", createdAtMs: T }
      await write(h, terminalCodes.keep(kept))
      await write(
        h,
        terminalCodes.keep({ ...kept, code: "mcc_2" }),
        terminalCodes.keep({ ...kept, handle: "h2" }),
      )
      expect(await h.run(terminalCodes.code("h1"))).toEqual(kept)
      await write(h, terminalCodes.delete("h1"))
      expect(await h.run(terminalCodes.code("h1"))).toBeNull()
      expect(await inOne(h, terminalCodes.purge({ beforeMs: T - 1, limit: 9 }))).toBe(0)
      expect(await inOne(h, terminalCodes.purge({ beforeMs: T, limit: 9 }))).toBe(1)
      expect(await h.run(terminalCodes.code("h2"))).toBeNull()
    })

    test("of codes to a number the last is kept, until it is used or purged", async () => {
      const h = make()
      const sent = { phoneDigest: user.phoneDigest, code: "012345", createdAtMs: T }
      await write(h, smsCodes.put(sent))
      await write(h, smsCodes.put({ ...sent, code: "543210" }), smsCodes.put({ ...sent, phoneDigest: "e" }))
      expect(await h.run(smsCodes.code(user.phoneDigest))).toEqual({ ...sent, code: "543210" })
      await write(h, smsCodes.delete(user.phoneDigest))
      expect(await h.run(smsCodes.code(user.phoneDigest))).toBeNull()
      expect(await inOne(h, smsCodes.purge({ beforeMs: T - 1, limit: 9 }))).toBe(0)
      expect(await inOne(h, smsCodes.purge({ beforeMs: T, limit: 9 }))).toBe(1)
      expect(await h.run(smsCodes.code("e"))).toBeNull()
    })
  })
}

function userTests(make: () => LinkingHarness): void {
  test("a user is found by id and by digest, and changes as a whole", async () => {
    const h = make()
    expect(await h.run(users.user("usr_1"))).toBeNull()
    const other = { ...user, userId: "usr_0", phoneDigest: "0", phone: "+15125550101" }
    await write(h, users.put(user), users.put(other))
    expect(await h.run(users.userOf(user.phoneDigest))).toEqual(user)
    const changed = { ...user, isEnabled: false, disabledAtMs: T + 5 }
    await write(h, users.put(changed))
    expect(await h.run(users.user("usr_1"))).toEqual(changed)
    expect(await h.run(userConstants.users)).toEqual([changed, other])
  })

  test("that a user has linked is noted once", async () => {
    const h = make()
    await write(h, users.put(user))
    await write(h, users.noteLinked("usr_1", T + 1), users.noteLinked("usr_none", T))
    await write(h, users.noteLinked("usr_1", T + 2))
    expect(await h.run(users.user("usr_1"))).toEqual({ ...user, linkedAtMs: T + 1 })
  })

  test("an organization's test users are not among the users of production, and can be deleted", async () => {
    const h = make()
    const test1 = { ...user, userId: "usr_t1", phoneDigest: "t1", organizationId: "org_1" }
    const test2 = { ...test1, userId: "usr_t2", phoneDigest: "t2", organizationId: "org_2" }
    await write(h, users.put(user), users.put(test1), users.put(test2))
    expect(await h.run(userConstants.users)).toEqual([user])
    expect(await h.run(users.testUsersOf("org_1"))).toEqual([test1])
    await write(h, users.delete("usr_t1"))
    expect(await h.run(users.testUsersOf("org_1"))).toEqual([])
    expect(await h.run(users.testUsersOf("org_2"))).toEqual([test2])
  })

  test("G20: numbers that have been disabled for so long are blanked, and found by their digest all the same", async () => {
    const h = make()
    const disabled = { ...user, isEnabled: false, disabledAtMs: T + 5 }
    await write(h, users.put(disabled), users.put({ ...user, userId: "usr_2", phoneDigest: "2" }))
    expect(await inOne(h, users.blankDisabled({ beforeMs: T + 4, limit: 9 }))).toBe(0)
    expect(await inOne(h, users.blankDisabled({ beforeMs: T + 5, limit: 9 }))).toBe(1)
    expect(await inOne(h, users.blankDisabled({ beforeMs: T + 9, limit: 9 }))).toBe(0)
    expect(await h.run(users.userOf(user.phoneDigest))).toEqual({ ...disabled, phone: null })
    expect((await h.run(users.user("usr_2")))?.phone).toBe(user.phone)
  })
}

function clientTests(make: () => LinkingHarness): void {
  test("a client comes back as it was put; its first token is noted once", async () => {
    const h = make()
    expect(await h.run(clients.client("mc_1"))).toBeNull()
    await write(h, clients.insert(client))
    expect(await h.run(clients.client("mc_1"))).toEqual(client)
    await write(h, clients.noteToken("mc_1", T + 1), clients.noteToken("mc_none", T))
    await write(h, clients.noteToken("mc_1", T + 2))
    expect(await h.run(clients.client("mc_1"))).toEqual({ ...client, firstTokenAtMs: T + 1 })
  })

  test("A39: clients without a token are purged by their age, as many as are asked for", async () => {
    const h = make()
    const made = [0, 1, 2].map((at) => ({ ...client, clientId: `mc_${at}`, createdAtMs: T + at }))
    await write(h, ...made.map((one) => clients.insert(one)), clients.noteToken("mc_0", T))
    expect(await inOne(h, clients.purgeUnused({ beforeMs: T + 9, limit: 1 }))).toBe(1)
    expect(await inOne(h, clients.purgeUnused({ beforeMs: T + 1, limit: 9 }))).toBe(0)
    const left = await Promise.all(made.map(({ clientId }) => h.run(clients.client(clientId))))
    expect(left.map((one) => one?.clientId)).toEqual(["mc_0", undefined, "mc_2"])
  })

  test("A38: a client's document is replaced and keeps its first token; of those without one the oldest makes room", async () => {
    const h = make()
    const documentOf = (name: string, atMs: number) => ({
      ...client,
      clientId: `https://${name}.example/client.json`,
      createdAtMs: T + atMs,
      documentEndsAtMs: T + HOUR_MS,
    })
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(documentOf) as Client[] as [
      Client,
      Client,
      Client,
      Client,
      Client,
    ]
    const put = (one: Client, idleBeforeMs = T + 9) =>
      inOne(h, clients.putDocument(one, { max: 2, idleBeforeMs }))
    await write(h, clients.insert(client))
    await put(a)
    await write(h, clients.noteToken(a.clientId, T + 1))
    for (const one of [b, c]) await put(one)
    const again = { ...a, clientName: "B", redirectUris: [], createdAtMs: T + 9, documentEndsAtMs: T + 10 }
    await put(again)
    expect(await h.run(clients.client(a.clientId))).toEqual({ ...again, firstTokenAtMs: T + 1 })
    expect(await h.run(clients.client(b.clientId))).toEqual(b)
    expect(await put(d)).toBe(true)
    const left = await Promise.all(
      [client, a, b, c, d].map(({ clientId }) => h.run(clients.client(clientId))),
    )
    expect(left.map((one) => one !== null)).toEqual([true, true, false, true, true])
    // Somebody may be linking with those that are young: the new one has no room.
    expect(await put(e, T)).toBe(false)
  })

  test("redirect URIs are allowed once, in order; the switch keeps when it was turned", async () => {
    const h = make()
    const [b, a] = ["https://b.example/", "https://a.example/"].map((redirectUri) => ({
      redirectUri,
      allowedAtMs: T,
    }))
    if (a === undefined || b === undefined) throw new Error("two were made")
    await write(h, clients.allow(b))
    await write(h, clients.allow(a))
    await write(h, clients.allow({ ...b, allowedAtMs: T + 1 }))
    expect(await h.run(clientConstants.redirects)).toEqual([b, a])
    expect(await h.run(clientConstants.pausedAtMs)).toBeNull()
    await write(h, clients.setPaused(T))
    expect(await h.run(clientConstants.pausedAtMs)).toBe(T)
    await write(h, clients.setPaused(null))
    expect(await h.run(clientConstants.pausedAtMs)).toBeNull()
  })
}

function grantTests(make: () => LinkingHarness): void {
  test("a code is found by its hash and by its request, and counts its failures", async () => {
    const h = make()
    await write(h, grants.insertCode(code))
    await write(h, grants.changeCode(code.codeHash, { failures: 2 }))
    await write(h, grants.changeCode(code.codeHash, { familyId: "fam_1" }))
    const changed = { ...code, failures: 2, familyId: "fam_1" }
    expect(await h.run(grants.code(code.codeHash))).toEqual(changed)
    expect(await h.run(grants.codeOfRequest("req_1"))).toEqual(changed)
    expect(await h.run(grants.codeOfRequest("req_2"))).toBeNull()
    expect(await inOne(h, grants.purgeCodes({ beforeMs: T - 1, limit: 9 }))).toBe(0)
    expect(await inOne(h, grants.purgeCodes({ beforeMs: T, limit: 9 }))).toBe(1)
    expect(await h.run(grants.code(code.codeHash))).toBeNull()
  })

  test("a token comes with whether its user is enabled; revoking keeps the first instant", async () => {
    const h = make()
    const second = { ...token, tokenHash: "3", kind: "access" as const }
    const stranger = { ...token, tokenHash: "4", familyId: "fam_2" }
    await write(h, users.put(user), ...[token, second, stranger].map((one) => grants.insertToken(one)))
    expect(await h.run(grants.token(token.tokenHash))).toEqual({ token, isUserEnabled: true })
    await write(h, grants.revokeToken(token.tokenHash, T + 1), users.put({ ...user, isEnabled: false }))
    await write(h, grants.revokeFamily("fam_1", T + 2))
    const revoked = { ...token, revokedAtMs: T + 1 }
    expect(await h.run(grants.token(token.tokenHash))).toEqual({ token: revoked, isUserEnabled: false })
    expect((await h.run(grants.token("3")))?.token).toEqual({ ...second, revokedAtMs: T + 2 })
    expect((await h.run(grants.token("4")))?.token).toEqual(stranger)
    expect(await inOne(h, grants.purgeTokens({ beforeMs: token.endsAtMs - 1, limit: 9 }))).toBe(0)
    expect(await inOne(h, grants.purgeTokens({ beforeMs: token.endsAtMs, limit: 2 }))).toBe(2)
  })

  test("a token is read together with the switch, each whether or not the other is there", async () => {
    const h = make()
    const look = (hash: string) => h.run(grants.tokenAtSwitch(hash))
    expect(await look(token.tokenHash)).toEqual({ pausedAtMs: null, found: null })
    await write(h, users.put(user), grants.insertToken(token))
    expect(await look(token.tokenHash)).toEqual({ pausedAtMs: null, found: { token, isUserEnabled: true } })
    await write(h, clients.setPaused(T), users.put({ ...user, isEnabled: false }))
    expect(await look(token.tokenHash)).toEqual({ pausedAtMs: T, found: { token, isUserEnabled: false } })
    expect(await look("unknown")).toEqual({ pausedAtMs: T, found: null })
    await write(h, clients.setPaused(null))
  })
}

function limitTests(make: () => LinkingHarness): void {
  const allowance = { bucket: "codes/number/1", max: 2, windowMs: 100, nowMs: T }

  test("a limit holds in every span, wherever it begins; what is refused takes nothing", async () => {
    const h = make()
    const at = (ms: number) => h.run(limits.take({ ...allowance, nowMs: T + ms }))
    expect(await h.run(limits.look(allowance))).toEqual({ isTaken: true, freeAtMs: null })
    expect((await at(0)).isTaken).toBe(true)
    expect((await at(60)).isTaken).toBe(true)
    expect(await at(99)).toEqual({ isTaken: false, freeAtMs: T + 100 })
    expect(await h.run(limits.look({ ...allowance, nowMs: T + 99 }))).toEqual({
      isTaken: false,
      freeAtMs: T + 100,
    })
    expect((await at(100)).isTaken).toBe(true)
    expect(await at(159)).toEqual({ isTaken: false, freeAtMs: T + 160 })
    expect((await h.run(limits.take({ ...allowance, bucket: "codes/number/2" }))).isTaken).toBe(true)
  })

  test("of many at once no more are taken than there are", async () => {
    const h = make()
    const all = Array.from({ length: 7 }, () => limits.take({ ...allowance, max: 3 }))
    const taken = await h.run(Effect.all(all, { concurrency: "unbounded" }))
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(3)
  })

  test("what a transaction took is given back when it fails", async () => {
    const h = make()
    const failing = Effect.flatMap(ActorHost, (host) =>
      Effect.flip(
        host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.zipRight(limits.take({ ...allowance, max: 1 }), Effect.fail("no"))),
        }),
      ),
    )
    await h.run(failing)
    expect((await h.run(limits.take({ ...allowance, max: 1 }))).isTaken).toBe(true)
  })

  test("a bucket in which nothing counts is purged", async () => {
    const h = make()
    await h.run(limits.take(allowance))
    expect(await inOne(h, limits.purge({ beforeMs: T + 99, limit: 9 }))).toBe(0)
    expect(await inOne(h, limits.purge({ beforeMs: T + 100, limit: 9 }))).toBe(1)
  })
}
