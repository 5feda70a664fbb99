/** The contract of the rows of operators' accounts: accounts, challenges, sessions, second factors, and actions. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OperatorActionRows } from "../../src/apps/operators/actions.ts"
import { OperatorAccountRows, OperatorFactorRows } from "../../src/apps/operators/rows.ts"
import type { OperatorAccount } from "../../src/apps/operators/rows.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { transacted } from "./transacted.ts"

type Ports = OperatorAccountRows | OperatorActionRows | OperatorFactorRows

const T = Date.parse("2026-06-01T15:00:00Z")

const ACCOUNT: OperatorAccount = {
  accountId: "account_1",
  email: "ana@operations.example",
  name: "Ana O.",
  role: "manager",
  siteIds: ["site_1"],
  passwordHash: null,
  factorSinceMs: null,
  createdAtMs: T,
  deactivatedAtMs: null,
}

const accounts = Effect.serviceFunctions(OperatorAccountRows)
const factors = Effect.serviceFunctions(OperatorFactorRows)
const actions = Effect.serviceFunctions(OperatorActionRows)

export function operatorAccountRowsContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`operators' accounts: ${name}`, () => {
    test("an account is found by id and e-mail, and changed", async () => {
      const h = make()
      const second = { ...ACCOUNT, accountId: "account_2", email: "kim@operations.example", siteIds: null }
      await transacted(h, accounts.insert(ACCOUNT), accounts.insert(second))
      expect(await h.run(accounts.account("account_1"))).toEqual(ACCOUNT)
      expect(await h.run(accounts.accountOf("kim@operations.example"))).toEqual(second)
      expect(await h.run(accounts.accountOf("none@operations.example"))).toBeNull()
      await transacted(h, accounts.change("account_1", { siteIds: null, role: "admin", factorSinceMs: T }))
      const changed = { ...ACCOUNT, siteIds: null, role: "admin", factorSinceMs: T }
      expect(await h.run(Effect.flatMap(OperatorAccountRows, (rows) => rows.accounts))).toEqual([
        changed,
        second,
      ])
    })

    test("a challenge is read by its hash until it is removed or has ended", async () => {
      const h = make()
      const link = {
        tokenHash: "hash_1",
        kind: "password",
        accountId: "account_1",
        passwordHash: null,
        triesLeft: 1,
        endsAtMs: T + 10,
      } as const
      const signIn = { ...link, tokenHash: "hash_2", kind: "sign-in", passwordHash: "h" } as const
      await transacted(h, accounts.insertChallenge(link), accounts.insertChallenge(signIn))
      await transacted(h, accounts.changeChallenge("hash_2", { triesLeft: 0 }))
      expect(await h.run(accounts.challenge("hash_2"))).toEqual({ ...signIn, triesLeft: 0 })
      await transacted(h, accounts.removeChallenges("account_1", "sign-in"))
      expect(await h.run(accounts.challenge("hash_2"))).toBeNull()
      expect(await h.run(accounts.challenge("hash_1"))).toEqual(link)
      expect(await transacted(h, accounts.purgeChallenges({ beforeMs: T + 11, limit: 5 }))).toEqual([1])
    })

    test("sessions of an account end one by one, and all but one at once", async () => {
      const h = make()
      const session = (tokenHash: string, accountId = "account_1") => ({
        tokenHash,
        environment: "production" as const,
        accountId,
        createdAtMs: T,
        endsAtMs: T + 10,
      })
      const end = { reason: "deactivated", endedAtMs: T + 5 } as const
      const all = [session("a"), session("b"), session("c"), session("d", "account_2")]
      await transacted(h, ...all.map((one) => accounts.insertSession(one)))
      await transacted(
        h,
        accounts.removeSession("a"),
        accounts.endSessions({ accountId: "account_1", exceptTokenHash: "b" }, end),
      )
      const kept = await Promise.all(["a", "b", "c", "d"].map((hash) => h.run(accounts.session(hash))))
      expect(kept.map((one) => one?.tokenHash ?? null)).toEqual([null, "b", null, "d"])
      const ends = await Promise.all(["a", "b", "c"].map((hash) => h.run(accounts.sessionEnd(hash))))
      expect(ends).toEqual([null, null, { tokenHash: "c", ...end }])
      expect(await transacted(h, accounts.purgeSessions({ beforeMs: T + 11, limit: 5 }))).toEqual([2])
    })

    test("a second factor is replaced, confirmed, and removed with its recovery codes", async () => {
      const h = make()
      const factor = {
        accountId: "account_1",
        secret: "JBSWY3DPEHPK3PXP",
        createdAtMs: T,
        confirmedAtMs: null,
        lastStep: 0,
      }
      const code = (codeHash: string) => ({ accountId: "account_1", codeHash })
      await transacted(
        h,
        factors.put({ ...factor, secret: "OLD" }),
        factors.put(factor),
        factors.change("account_1", { confirmedAtMs: T, lastStep: 7 }),
        ...["a", "b", "c"].map((hash) => factors.insertCode(code(hash))),
        factors.deleteCode(code("a")),
      )
      expect(await h.run(factors.factor("account_1"))).toEqual({ ...factor, confirmedAtMs: T, lastStep: 7 })
      expect(await h.run(factors.codes("account_1"))).toEqual([code("b"), code("c")])
      await transacted(h, factors.deleteCodes("account_1"), factors.insertCode(code("e")))
      await transacted(h, factors.remove("account_1"))
      expect(await h.run(factors.factor("account_1"))).toBeNull()
      expect(await h.run(factors.codes("account_1"))).toEqual([])
    })

    test("actions are listed newest first, by environment and actor, and are forgotten by age", async () => {
      const h = make()
      const action = {
        environment: "production",
        atMs: T,
        actorType: "account",
        actorId: "account_1",
        action: "changeSite",
        subjectId: "site_1",
        outcome: "done",
      } as const
      const later = { ...action, atMs: T + 1, outcome: "NOT_FOUND" }
      await transacted(
        h,
        actions.append(action),
        actions.append(later),
        actions.append({ ...action, actorId: "account_2" }),
        actions.append({ ...action, environment: "sandbox" }),
      )
      const ALL = {
        environment: "production",
        actorId: null,
        action: null,
        fromMs: null,
        toMs: null,
        beforeNumber: null,
        limit: 10,
      } as const
      const listed = (actorId: string | null, beforeNumber: number | null = null) =>
        h.run(actions.list({ ...ALL, actorId, beforeNumber }))
      const number = expect.any(Number) as number
      const own = await listed("account_1")
      expect(own).toEqual([
        { ...later, number },
        { ...action, number },
      ])
      expect(await listed("account_1", own[0]?.number)).toEqual([own[1]])
      expect(await listed(null)).toHaveLength(3)
      expect(await h.run(actions.list({ ...ALL, fromMs: T + 1, toMs: T + 2 }))).toEqual([own[0]])
      expect(await h.run(actions.list({ ...ALL, action: "other" }))).toEqual([])
      expect(await transacted(h, actions.purge({ beforeMs: T, limit: 10 }))).toEqual([3])
      expect(await listed(null)).toEqual([own[0]])
    })
  })
}
