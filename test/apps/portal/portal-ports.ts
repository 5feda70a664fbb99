/** The contract of the portal's and the messages' ports: what any layer of them must do. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import type { Transaction } from "../../../src/engine/services/host.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import type { Message, MessageQuery } from "../../../src/areas/messages/rows.ts"
import { AttemptCounter } from "../../../src/engine/services/rate-limits/attempts.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { SecondFactorRows } from "../../../src/apps/portal/people/second-factor-rows.ts"
import { PortalRows, ProfileRows } from "../../../src/apps/portal/rows.ts"
import { FormerRows } from "../../../src/apps/portal/people/former-members.ts"
import type { Reviewed } from "../../../src/apps/portal/reviews.ts"
import { PartnerRequestRows } from "../../../src/apps/portal/partner-requests.ts"
import { SiteRequestRows } from "../../../src/apps/portal/site-requests.ts"
import type { SiteRequest } from "../../../src/apps/portal/site-requests.ts"
import type { AccessRequest, Account, Challenge, Session } from "../../../src/apps/portal/rows.ts"
import { inOne } from "../../conformance/transacted.ts"
import { windowCounterContract } from "../../conformance/window-counter.ts"

export type PortalPorts =
  | ActorHost
  | AttemptCounter
  | FormerRows
  | MessageRows
  | PartnerRequestRows
  | PortalRows
  | ProfileRows
  | SecondFactorRows
  | SiteRequestRows

/** The ports over a store in which nothing has happened yet. */
export interface PortsHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, PortalPorts>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

const account: Account = {
  accountId: "acc_1",
  organizationId: "org_b",
  role: "owner",
  email: "ada@wheels.example",
  name: "Ada Ö. Example",
  passwordHash: "$argon2id$v=19$m=8,t=1,p=1$x",
  createdAtMs: T,
}
const session: Session = {
  sessionId: "ses_1",
  tokenHash: "1".repeat(64),
  accountId: "acc_1",
  organizationId: "org_b",
  environment: "sandbox",
  userAgent: "Browser/1",
  createdAtMs: T,
  seenAtMs: T,
  endsAtMs: T + HOUR_MS,
}
const challenge: Challenge = {
  challengeId: "cha_1",
  kind: "sign-up",
  tokenHash: "2".repeat(64),
  email: "ada@wheels.example",
  codeHash: "3".repeat(64),
  triesLeft: 5,
  organizationId: null,
  role: null,
  details: { name: "Ada", organizationName: "Wheels & Söhne", passwordHash: "x" },
  createdAtMs: T,
  endsAtMs: T + HOUR_MS,
}
const asking: Reviewed = {
  requestId: "req_1",
  organizationId: "org_b",
  requestedBy: "acc_1",
  requestedAtMs: T,
  dueAtMs: T + HOUR_MS,
  status: "pending",
  decidedAtMs: null,
  decidedBy: null,
  reason: null,
  sites: [
    {
      name: "Süd",
      address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      timezone: "America/Chicago",
      expected_deliveries_per_day: 40,
    },
  ],
  siteIds: [],
}
const request: AccessRequest = { ...asking, course: "reservations" }
const message: Omit<Message, "number"> = {
  messageId: "msg_1",
  channel: "mail",
  purpose: "sign-up",
  environment: null,
  organizationId: null,
  to: "ada@wheels.example",
  subject: "Your code",
  text: "Your code is 000000 — ö 😀",
  status: "pending",
  attempts: 0,
  dueAtMs: T,
  reason: null,
  createdAtMs: T,
  endedAtMs: null,
  subjectId: null,
}

type Writing = Effect.Effect<
  unknown,
  never,
  | FormerRows
  | MessageRows
  | PartnerRequestRows
  | PortalRows
  | ProfileRows
  | SecondFactorRows
  | SiteRequestRows
  | Transaction
>

export function portalPortsContract(name: string, make: () => PortsHarness): void {
  const portal = Effect.serviceFunctions(PortalRows)
  const profiles = Effect.serviceFunctions(ProfileRows)
  const factors = Effect.serviceFunctions(SecondFactorRows)
  const messages = Effect.serviceFunctions(MessageRows)
  const siteRequests = Effect.serviceFunctions(SiteRequestRows)
  const write = (h: PortsHarness, ...writes: Writing[]): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        for (const one of writes)
          yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one) })
      }),
    )
  const taking = { channel: "mail", nowMs: T, leaseMs: MINUTE_MS, limit: 10 } as const

  describe(`portal rows: ${name}`, () => {
    test("an account comes back as it was put, by id and by address; oldest first in its organization", async () => {
      const h = make()
      const other = { ...account, accountId: "acc_0", email: "bob@wheels.example", role: "member" } as const
      const stranger = { ...account, accountId: "acc_2", email: "eve@else.example", organizationId: "org_a" }
      await write(
        h,
        portal.insertAccount(account),
        portal.insertAccount(stranger),
        portal.insertAccount(other),
        portal.changeAccount("acc_0", { role: "owner", passwordHash: "y" }),
      )
      expect(await h.run(portal.account("acc_1"))).toEqual(account)
      expect(await h.run(portal.accountOf("ada@wheels.example"))).toEqual(account)
      expect(await h.run(portal.accountOf("unknown@wheels.example"))).toBeNull()
      expect(await h.run(portal.account("acc_9"))).toBeNull()
      expect(await h.run(portal.accounts("org_b"))).toEqual([
        account,
        { ...other, role: "owner", passwordHash: "y" },
      ])
    })

    test("a session is found by its token's hash, with its account; an account takes its sessions along", async () => {
      const h = make()
      await write(h, portal.insertAccount(account), portal.insertSession(session))
      expect(await h.run(portal.session(session.tokenHash))).toEqual({ session, account })
      expect(await h.run(portal.session("9".repeat(64)))).toBeNull()
      await write(h, portal.changeSession("ses_1", { environment: "production", seenAtMs: T + 1 }))
      expect(await h.run(portal.sessions("acc_1"))).toEqual([
        { ...session, environment: "production", seenAtMs: T + 1 },
      ])
      await write(h, portal.deleteAccount("acc_1"))
      expect(await h.run(portal.session(session.tokenHash))).toBeNull()
      expect(await h.run(portal.sessions("acc_1"))).toEqual([])
      expect(await h.run(portal.accountOf(account.email))).toBeNull()
    })

    test("sessions come with the one in use last first, and end one by one", async () => {
      const h = make()
      const others = [3, 1, 2].map((at) => ({
        ...session,
        sessionId: `ses_${at}`,
        tokenHash: String(at).repeat(64),
        seenAtMs: T + at,
      }))
      await write(h, portal.insertAccount(account), ...others.map((one) => portal.insertSession(one)))
      await write(h, portal.deleteSession("ses_2"))
      expect((await h.run(portal.sessions("acc_1"))).map((one) => one.sessionId)).toEqual(["ses_3", "ses_1"])
    })

    test("the reason of an ended session is found by its token's hash, and forgotten by age", async () => {
      const h = make()
      const ended = { tokenHash: "5".repeat(64), reason: "removed", endedAtMs: T } as const
      await write(h, portal.noteSessionEnd({ ...ended, reason: "over" }), portal.noteSessionEnd(ended))
      expect(await h.run(portal.sessionEnd(ended.tokenHash))).toEqual(ended)
      expect(await h.run(portal.sessionEnd("6".repeat(64)))).toBeNull()
      await write(h, portal.purgeSessionEnds({ beforeMs: T, limit: 5 }))
      expect(await h.run(portal.sessionEnd(ended.tokenHash))).toBeNull()
    })

    test("a challenge is found by its token's hash; invitations by their organization", async () => {
      const h = make()
      const invitation = {
        ...challenge,
        challengeId: "cha_2",
        kind: "invitation",
        tokenHash: "4".repeat(64),
        organizationId: "org_b",
        role: "member",
        details: {},
      } as const
      await write(h, portal.insertChallenge(challenge), portal.insertChallenge(invitation))
      await write(h, portal.changeChallenge("cha_1", { triesLeft: 4 }))
      expect(await h.run(portal.challenge(challenge.tokenHash))).toEqual({ ...challenge, triesLeft: 4 })
      expect(await h.run(portal.invitations("org_b"))).toEqual([invitation])
      await write(h, portal.deleteChallenges("sign-up", challenge.email))
      expect(await h.run(portal.challenge(challenge.tokenHash))).toBeNull()
      expect(await h.run(portal.challenge(invitation.tokenHash))).toEqual(invitation)
      await write(h, portal.deleteChallenge("cha_2"))
      expect(await h.run(portal.invitations("org_b"))).toEqual([])
    })

    test("G20: what has ended or lain idle is purged, and nothing else", async () => {
      const h = make()
      const idle = { ...session, sessionId: "ses_2", tokenHash: "5".repeat(64), seenAtMs: T - 10 }
      const ended = { ...session, sessionId: "ses_3", tokenHash: "6".repeat(64), endsAtMs: T }
      await write(
        h,
        portal.insertAccount(account),
        ...[session, idle, ended].map((one) => portal.insertSession(one)),
        portal.insertChallenge(challenge),
        portal.insertChallenge({
          ...challenge,
          challengeId: "cha_2",
          tokenHash: "7".repeat(64),
          endsAtMs: T,
        }),
      )
      const order = { beforeMs: T, limit: 1, unusedSinceMs: T - 10 }
      expect(await inOne(h, portal.purgeSessions({ ...order, unusedSinceMs: T - 11 }))).toBe(1)
      expect((await h.run(portal.sessions("acc_1"))).map((one) => one.sessionId)).toEqual(["ses_1", "ses_2"])
      expect(await inOne(h, portal.purgeSessions(order))).toBe(1)
      expect(await inOne(h, portal.purgeSessions(order))).toBe(0)
      expect(await inOne(h, portal.purgeChallenges(order))).toBe(1)
      expect(await inOne(h, portal.purgeChallenges(order))).toBe(0)
      expect((await h.run(portal.sessions("acc_1"))).map((one) => one.sessionId)).toEqual(["ses_1"])
      expect(await h.run(portal.challenge(challenge.tokenHash))).toEqual(challenge)
      expect(await h.run(portal.challenge("7".repeat(64)))).toBeNull()
    })

    test("writes of a failed transaction are not there", async () => {
      const h = make()
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const body = Effect.zipRight(portal.insertAccount(account), Effect.fail("no"))
          yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
        }),
      )
      expect(await h.run(portal.account("acc_1"))).toBeNull()
    })
  })

  describe(`profile rows: ${name}`, () => {
    test("B9: an organization's contact is put, and put again", async () => {
      const h = make()
      const profile = { organizationId: "org_b", contactEmail: "ops@wheels.example", updatedAtMs: T }
      expect(await h.run(profiles.profile("org_b"))).toBeNull()
      await write(h, profiles.putProfile(profile))
      await write(h, profiles.putProfile({ ...profile, contactEmail: "new@wheels.example" }))
      expect(await h.run(profiles.profile("org_b"))).toEqual({
        ...profile,
        contactEmail: "new@wheels.example",
      })
    })

    test("members of an organization are those who began there, then those who joined, with their role in it", async () => {
      const h = make()
      const joined = { ...account, accountId: "acc_2", organizationId: "org_c", email: "cy@c.example" }
      const membership = {
        accountId: "acc_2",
        organizationId: "org_b",
        role: "member",
        createdAtMs: T + 5,
      } as const
      await write(
        h,
        portal.insertAccount(joined),
        portal.insertAccount(account),
        portal.insertMembership(membership),
        portal.insertMembership({ ...membership, organizationId: "org_d" }),
        portal.insertMembership({ ...membership, accountId: "acc_gone" }),
      )
      const seen = { ...joined, organizationId: "org_b", role: "member", createdAtMs: T + 5 }
      expect(await h.run(portal.accounts("org_b"))).toEqual([account, seen])
      expect(await h.run(portal.account("acc_2"))).toEqual(joined)
      expect(await h.run(portal.memberships("acc_2"))).toEqual([
        membership,
        { ...membership, organizationId: "org_d" },
      ])
      await write(
        h,
        portal.changeMembership(membership, { role: "owner" }),
        portal.deleteMembership({ ...membership, organizationId: "org_d" }),
      )
      expect(await h.run(portal.memberships("acc_2"))).toEqual([{ ...membership, role: "owner" }])
      await write(
        h,
        portal.changeAccount("acc_2", { organizationId: "org_e" }),
        portal.insertSession(session),
      )
      expect((await h.run(portal.account("acc_2")))?.organizationId).toBe("org_e")
      await write(h, portal.changeSession("ses_1", { organizationId: "org_c" }))
      expect((await h.run(portal.session(session.tokenHash)))?.session.organizationId).toBe("org_c")
      await write(h, portal.deleteAccount("acc_2"))
      expect(await h.run(portal.memberships("acc_2"))).toEqual([])
      expect(await h.run(portal.accounts("org_b"))).toEqual([account])
    })

    test("second factors and recovery codes come back as they were put, and end with their account", async () => {
      const h = make()
      const factor = {
        accountId: "acc_1",
        secret: "GEZDGNBVGY3TQOJQ",
        createdAtMs: T,
        confirmedAtMs: null,
        lastStep: 0,
      }
      const codes = ["1", "2", "3"].map((codeHash) => ({ accountId: "acc_1", codeHash }))
      await write(
        h,
        factors.put({ ...factor, secret: "OLD" }),
        factors.put(factor),
        factors.put({ ...factor, accountId: "acc_2" }),
        ...codes.map((code) => factors.insertCode(code)),
        factors.insertCode({ accountId: "acc_2", codeHash: "1" }),
      )
      expect(await h.run(factors.factor("acc_1"))).toEqual(factor)
      expect(await h.run(factors.factor("acc_9"))).toBeNull()
      await write(
        h,
        factors.change("acc_1", { confirmedAtMs: T + 1, lastStep: 59_000_000 }),
        factors.deleteCode({ accountId: "acc_1", codeHash: "2" }),
      )
      expect(await h.run(factors.factor("acc_1"))).toEqual({
        ...factor,
        confirmedAtMs: T + 1,
        lastStep: 59_000_000,
      })
      expect(await h.run(factors.codes("acc_1"))).toEqual([codes[0], codes[2]])
      await write(h, factors.deleteCodes("acc_1"))
      expect(await h.run(factors.codes("acc_1"))).toEqual([])
      await write(h, factors.remove("acc_2"))
      expect(await h.run(factors.factor("acc_2"))).toBeNull()
      expect(await h.run(factors.codes("acc_2"))).toEqual([])
      expect(await h.run(factors.factor("acc_1"))).not.toBeNull()
    })

    test("passkeys and their challenges come back as they were put, and end with their account", async () => {
      const h = make()
      const passkey = {
        passkeyId: "pk_1",
        accountId: "acc_1",
        credentialId: "c".repeat(1_364),
        name: "Blue key",
        publicKey: "pQECAyYgASFYIA",
        counter: 4_294_967_295,
        transports: ["usb", "nfc"],
        isSynced: false,
        createdAtMs: T + 1,
        usedAtMs: null,
      }
      const older = { ...passkey, passkeyId: "pk_2", transports: [], createdAtMs: T }
      const pending = { accountId: "acc_1", purpose: "register", challengeHash: "1", endsAtMs: T } as const
      const signIn = { ...pending, purpose: "sign-in" } as const
      await write(
        h,
        factors.insertPasskey(passkey),
        factors.insertPasskey(older),
        factors.insertPasskey({ ...passkey, passkeyId: "pk_3", accountId: "acc_2" }),
        factors.putChallenge({ ...pending, challengeHash: "0" }),
        factors.putChallenge(pending),
        factors.putChallenge(signIn),
        factors.putChallenge({ ...pending, accountId: "acc_2" }),
      )
      expect(await h.run(factors.passkeys("acc_1"))).toEqual([older, passkey])
      expect(await h.run(factors.passkey("pk_9"))).toBeNull()
      expect(await h.run(factors.challenge("acc_1", "register"))).toEqual(pending)
      expect(await h.run(factors.challenge("acc_1", "confirm"))).toBeNull()
      const used = { counter: 7, isSynced: true, usedAtMs: T + 2 }
      await write(
        h,
        factors.changePasskey("pk_1", used),
        factors.deletePasskey("pk_2"),
        factors.deleteChallenge("acc_1", "register"),
      )
      expect(await h.run(factors.passkeys("acc_1"))).toEqual([{ ...passkey, ...used }])
      expect(await h.run(factors.challenge("acc_1", "register"))).toBeNull()
      expect(await h.run(factors.challenge("acc_1", "sign-in"))).toEqual(signIn)
      await write(h, factors.remove("acc_1"))
      expect(await h.run(factors.passkeys("acc_1"))).toEqual([])
      expect(await h.run(factors.challenge("acc_1", "sign-in"))).toBeNull()
      expect(await h.run(factors.passkey("pk_3"))).toMatchObject({ accountId: "acc_2" })
      expect(await h.run(factors.challenge("acc_2", "register"))).not.toBeNull()
    })

    test("requests for access: an organization's newest first, all that wait by due time, decided ones by their decision", async () => {
      const h = make()
      const later = { ...request, requestId: "req_2", organizationId: "org_a", dueAtMs: T + 1 }
      const again = { ...request, requestId: "req_3", dueAtMs: T + 2 }
      const change = {
        status: "declined",
        decidedAtMs: T,
        decidedBy: "ops",
        reason: "no site",
        siteIds: ["site_1"],
      } as const
      await write(
        h,
        profiles.insertRequest(request),
        profiles.changeRequest("req_1", change),
        profiles.insertRequest(again),
        profiles.insertRequest(later),
      )
      expect(await h.run(profiles.request("req_1"))).toEqual({ ...request, ...change })
      expect(await h.run(profiles.request("req_9"))).toBeNull()
      expect(await h.run(profiles.requests("org_b"))).toEqual([again, { ...request, ...change }])
      expect(await h.run(profiles.pending(9))).toEqual([later, again])
      expect(await h.run(profiles.pending(1))).toEqual([later])
      const approval = { ...change, status: "approved", decidedAtMs: T + 1 } as const
      await write(h, profiles.changeRequest("req_2", approval))
      expect(await h.run(profiles.decided(1))).toEqual([{ ...later, ...approval }])
      expect((await h.run(profiles.decided(9))).map(({ requestId }) => requestId)).toEqual(["req_2", "req_1"])
    })
  })

  describe(`requests to change sites: ${name}`, () => {
    test("come by site newest first, and open ones oldest first; closed ones are purged by age", async () => {
      const h = make()
      const asked: SiteRequest = {
        requestId: "req_1",
        organizationId: "org_b",
        siteId: "site_1",
        requestedBy: "acc_1",
        text: "Please move the stalls — ö",
        status: "open",
        requestedAtMs: T,
        closedAtMs: null,
        answer: null,
      }
      await write(
        h,
        siteRequests.insert(asked),
        siteRequests.insert({ ...asked, requestId: "req_3" }),
        siteRequests.insert({ ...asked, requestId: "req_2", siteId: "site_2" }),
        siteRequests.close("req_3", { atMs: T + 5, answer: "done" }),
      )
      const closed = { ...asked, requestId: "req_3", status: "closed", closedAtMs: T + 5, answer: "done" }
      expect(await h.run(siteRequests.ofSite("site_1"))).toEqual([closed, asked])
      const open = h.run(Effect.flatMap(SiteRequestRows, (rows) => rows.open))
      expect((await open).map(({ requestId }) => requestId)).toEqual(["req_1", "req_2"])
      expect(await h.run(siteRequests.byId("req_9"))).toBeNull()
      const purge = (beforeMs: number) => inOne(h, siteRequests.purge({ beforeMs, limit: 10 }))
      expect([await purge(T + 4), await purge(T + 5), await purge(T + 9)]).toEqual([0, 1, 0])
      expect(await h.run(siteRequests.byId("req_1"))).toEqual(asked)
      expect(await h.run(siteRequests.byId("req_3"))).toBeNull()
    })

    test("people who have left keep their names for a year, and accounts that ended their password for less", async () => {
      const h = make()
      const rows = Effect.serviceFunctions(FormerRows)
      const member = { accountId: "acc_1", organizationId: "org_b", name: "Ada Ö", leftAtMs: T }
      const ended = { email: "ada@x.example", passwordHash: "h", organizationId: "org_b", endedAtMs: T }
      await write(
        h,
        rows.noteMember({ ...member, name: "Ada" }),
        rows.noteMember(member),
        rows.noteMember({ ...member, organizationId: "org_c", leftAtMs: T + 9 }),
        rows.noteAccount({ ...ended, passwordHash: "older" }),
        rows.noteAccount(ended),
      )
      expect(await h.run(rows.members("org_b"))).toEqual([member])
      expect(await h.run(rows.account(ended.email))).toEqual(ended)
      expect(await inOne(h, rows.purgeMembers({ beforeMs: T, limit: 9 }))).toBe(1)
      expect(await inOne(h, rows.purgeAccounts({ beforeMs: T - 1, limit: 9 }))).toBe(0)
      await write(h, rows.forgetAccount(ended.email))
      expect([await h.run(rows.account(ended.email)), await h.run(rows.members("org_b"))]).toEqual([null, []])
      expect(await inOne(h, rows.purgeMembers({ beforeMs: T + 9, limit: 9 }))).toBe(1)
      await write(h, rows.noteAccount(ended))
      expect(await inOne(h, rows.purgeAccounts({ beforeMs: T, limit: 9 }))).toBe(1)
    })

    test("requests for enrolment and sites: those waiting longest first, those decided last first", async () => {
      const h = make()
      const enrolment = { ...asking, kind: "fleet_enrolment", text: "ö, 12 robots", sites: [] } as const
      const sites = { ...asking, requestId: "req_2", kind: "production_sites", text: null } as const
      const other = { ...enrolment, requestId: "req_3", organizationId: "org_c", dueAtMs: T }
      const rows = Effect.serviceFunctions(PartnerRequestRows)
      await write(h, rows.insertRequest(enrolment), rows.insertRequest(sites), rows.insertRequest(other))
      const ids = (found: readonly { readonly requestId: string }[]) =>
        found.map(({ requestId }) => requestId)
      expect(await h.run(rows.requests("org_b"))).toEqual([sites, enrolment])
      expect(ids(await h.run(rows.pending(9)))).toEqual(["req_3", "req_1", "req_2"])
      expect(ids(await h.run(rows.pending(2)))).toEqual(["req_3", "req_1"])
      const decision = { status: "approved", decidedBy: "Grace", reason: null, siteIds: ["site_1"] } as const
      await write(
        h,
        rows.changeRequest("req_2", { ...decision, decidedAtMs: T + 1 }),
        rows.changeRequest("req_3", { ...decision, decidedAtMs: T + 2 }),
      )
      expect(ids(await h.run(rows.pending(9)))).toEqual(["req_1"])
      expect(ids(await h.run(rows.decided(5)))).toEqual(["req_3", "req_2"])
      expect(await h.run(rows.request("req_2"))).toEqual({ ...sites, ...decision, decidedAtMs: T + 1 })
    })
  })

  windowCounterContract(`attempt counter: ${name}`, AttemptCounter, make)

  describe(`message rows: ${name}`, () => {
    test("a message comes back as it was put; the newest of a channel first", async () => {
      const h = make()
      const sms = {
        ...message,
        messageId: "msg_2",
        channel: "sms",
        to: "+15125550100",
        subject: null,
      } as const
      await write(
        h,
        messages.insert(message),
        messages.insert(sms),
        messages.insert({ ...message, messageId: "msg_3" }),
      )
      expect(await h.run(messages.message("msg_1"))).toEqual({
        ...message,
        number: expect.any(Number) as number,
      })
      expect(await h.run(messages.message("msg_9"))).toBeNull()
      const newest = await h.run(messages.newest({ channel: "mail", limit: 5 }))
      expect(newest.map((one) => one.messageId)).toEqual(["msg_3", "msg_1"])
      expect(await h.run(messages.newest({ channel: "mail", limit: 1 }))).toHaveLength(1)
      const about = { ...sms, messageId: "msg_5", subjectId: "dlv_1" }
      await write(
        h,
        messages.insert(about),
        messages.insert({ ...about, messageId: "msg_0" }),
        messages.insert({ ...about, messageId: "msg_6", subjectId: "dlv_2" }),
      )
      const found = await h.run(messages.about("dlv_1"))
      expect(found.map((one) => one.messageId)).toEqual(["msg_5", "msg_0"])
      expect(found[0]).toMatchObject(about)
      const among = async (...environments: readonly Message["environment"][]) =>
        (await h.run(messages.newest({ channel: "mail", among: environments, limit: 5 }))).length
      await write(h, messages.insert({ ...message, messageId: "msg_4", environment: "sandbox" }))
      expect([await among("production"), await among("sandbox"), await among(null, "production")]).toEqual([
        0, 1, 2,
      ])
    })

    test("the newest narrow by status, search, creation and place, in each of several environments", async () => {
      const h = make()
      const sandbox = { ...message, messageId: "msg_4", environment: "sandbox" } as const
      const sent = { ...message, messageId: "msg_2", to: "bob@wheels.example", createdAtMs: T + 1 }
      await write(
        h,
        messages.insert(message),
        messages.insert({ ...sent, environment: "production", status: "sent", endedAtMs: T + 1 }),
        messages.insert({ ...message, messageId: "msg_3", subjectId: "dlv_1", createdAtMs: T + 2 }),
        messages.insert(sandbox),
      )
      const found = async (more: Partial<MessageQuery>) => {
        const query = { channel: "mail", among: [null, "production"], limit: 5, ...more } as const
        return (await h.run(messages.newest(query))).map((one) => one.messageId)
      }
      expect(await found({})).toEqual(["msg_3", "msg_2", "msg_1"])
      expect(await found({ statuses: ["sent", "failed"] })).toEqual(["msg_2"])
      expect(await found({ text: "bob@wheels.example" })).toEqual(["msg_2"])
      expect(await found({ text: "dlv_1" })).toEqual(["msg_3"])
      expect(await found({ text: "msg_1" })).toEqual(["msg_1"])
      expect(await found({ text: "msg_4" })).toEqual([])
      expect(await found({ fromMs: T + 1, untilMs: T + 2 })).toEqual(["msg_2"])
      const [, second] = await h.run(
        messages.newest({ channel: "mail", among: [null, "production"], limit: 2 }),
      )
      expect(await found({ beforeNumber: second?.number })).toEqual(["msg_1"])
    })

    test("a message that waits is hastened, and one that is due or has ended is not", async () => {
      const h = make()
      const later = { ...message, dueAtMs: T + 9 * MINUTE_MS }
      await write(
        h,
        messages.insert(later),
        messages.insert({ ...message, messageId: "msg_2", dueAtMs: T }),
        messages.insert({ ...later, messageId: "msg_3", status: "failed", endedAtMs: T }),
      )
      const ids = ["msg_1", "msg_2", "msg_3"]
      await write(h, ...ids.map((id) => messages.hasten(id, T + MINUTE_MS)))
      const due = await Promise.all(ids.map(async (id) => (await h.run(messages.message(id)))?.dueAtMs))
      expect(due).toEqual([T + MINUTE_MS, T, later.dueAtMs])
    })

    test("what is due is taken once, its attempt counted, and comes back when the lease ends", async () => {
      const h = make()
      await write(
        h,
        messages.insert({ ...message, messageId: "msg_2", dueAtMs: T + 1 }),
        messages.insert(message),
        messages.insert({ ...message, messageId: "msg_3", channel: "sms", subject: null }),
        messages.insert({ ...message, messageId: "msg_4", status: "suppressed", endedAtMs: T }),
      )
      const taken = { ...message, attempts: 1, dueAtMs: T + MINUTE_MS }
      expect(await inOne(h, messages.take(taking))).toMatchObject([taken])
      expect(await inOne(h, messages.take(taking))).toEqual([])
      const again = await inOne(h, messages.take({ ...taking, nowMs: T + MINUTE_MS, limit: 1 }))
      expect(again.map((one) => one.messageId)).toEqual(["msg_2"])
      const last = await inOne(h, messages.take({ ...taking, nowMs: T + MINUTE_MS }))
      expect(last.map((one) => [one.messageId, one.attempts])).toEqual([["msg_1", 2]])
    })

    test("an end takes the text away; a suppressed message keeps it", async () => {
      const h = make()
      await write(h, messages.insert(message), messages.insert({ ...message, messageId: "msg_2" }))
      await inOne(h, messages.take(taking))
      const end = { attempt: 1, atMs: T + 5, reason: null }
      await write(
        h,
        messages.end({ ...end, messageId: "msg_1", status: "sent" }),
        messages.end({ ...end, messageId: "msg_2", status: "suppressed", reason: "opted_out" }),
      )
      const sent = await h.run(messages.message("msg_1"))
      expect(sent).toMatchObject({ status: "sent", text: "", endedAtMs: T + 5, reason: null })
      const suppressed = await h.run(messages.message("msg_2"))
      expect(suppressed).toMatchObject({ status: "suppressed", text: message.text, reason: "opted_out" })
      expect(await inOne(h, messages.take({ ...taking, nowMs: T + MINUTE_MS }))).toEqual([])
    })

    test("what an older attempt did is not noted any more", async () => {
      const h = make()
      await write(h, messages.insert(message))
      await inOne(h, messages.take(taking))
      await inOne(h, messages.take({ ...taking, nowMs: T + MINUTE_MS }))
      await write(
        h,
        messages.end({ messageId: "msg_1", attempt: 1, status: "failed", reason: "late", atMs: T }),
        messages.postpone({ messageId: "msg_1", attempt: 1, dueAtMs: T, reason: "late" }),
      )
      expect(await h.run(messages.message("msg_1"))).toMatchObject({ status: "pending", reason: null })
      const dueAtMs = T + 9 * MINUTE_MS
      await write(h, messages.postpone({ messageId: "msg_1", attempt: 2, dueAtMs, reason: "smtp_451" }))
      expect(await h.run(messages.message("msg_1"))).toMatchObject({ dueAtMs, reason: "smtp_451" })
    })

    test("G20: a message that could not be sent expires with its text, and ended ones are purged", async () => {
      const h = make()
      await write(
        h,
        messages.insert(message),
        messages.insert({ ...message, messageId: "msg_2", createdAtMs: T + 9 }),
      )
      const order = { beforeMs: T + 8, limit: 9 }
      const expiring = { purpose: message.purpose, atMs: T + 10 }
      expect(await inOne(h, messages.purge(order))).toBe(0)
      expect(await inOne(h, messages.expire({ ...order, beforeMs: T - 1 }, expiring))).toBe(0)
      const others = { ...expiring, purpose: "webhook-disabled" } as const
      expect(await inOne(h, messages.expire(order, others))).toBe(0)
      expect(await inOne(h, messages.expire(order, expiring))).toBe(1)
      expect(await h.run(messages.message("msg_1"))).toMatchObject({
        status: "expired",
        text: "",
        endedAtMs: T + 10,
      })
      expect(await h.run(messages.message("msg_2"))).toMatchObject({ status: "pending", text: message.text })
      expect(await inOne(h, messages.purge({ ...order, beforeMs: T - 1 }))).toBe(0)
      expect(await inOne(h, messages.purge(order))).toBe(1)
      expect(await h.run(messages.message("msg_1"))).toBeNull()
      expect(await h.run(messages.message("msg_2"))).not.toBeNull()
    })

    test("an inbound message is noted once, until its note is purged", async () => {
      const h = make()
      expect(await inOne(h, messages.noteInbound("SM1", T))).toBe(true)
      expect(await inOne(h, messages.noteInbound("SM1", T + 1))).toBe(false)
      expect(await inOne(h, messages.noteInbound("SM2", T + 1))).toBe(true)
      expect(await inOne(h, messages.purgeInbound({ beforeMs: T, limit: 9 }))).toBe(1)
      expect(await inOne(h, messages.noteInbound("SM1", T + 1))).toBe(true)
      expect(await inOne(h, messages.noteInbound("SM2", T + 1))).toBe(false)
    })
  })
}
