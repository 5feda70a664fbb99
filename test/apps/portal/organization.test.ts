/** What people of an organization do in the portal: keys, members, webhooks, the way to production; and what others may not. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import type { OrganizationChange } from "../../../src/apps/operations/organizations.ts"
import { CatalogRows } from "../../../src/areas/catalog/rows.ts"
import { ensureSandboxSite } from "../../../src/areas/catalog/sandbox-site.ts"
import { layerMemoryTables, memoryRowsOf } from "../../../src/engine/memory/memory-tables.ts"
import { KeyUses } from "../../../src/http/access/key-uses.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { MessageNotices } from "../../../src/areas/messages/notices.ts"
import { fanOut } from "../../../src/areas/webhooks/fan-out.ts"
import { sandboxMilestones } from "../../../src/apps/portal/milestones.ts"
import { PartnerReview } from "../../../src/apps/portal/partner-requests.ts"
import { AccessReview } from "../../../src/apps/portal/production-access.ts"
import { NOTHING_DONE, PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const BOB = "bob@wheels.example"
const EVE = "eve@else.example"
const OPERATIONS = { type: "operator", by: "ops", environment: "production" } as const

async function outcome(browser: Browser, method: string, path: string, body?: unknown): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}

interface Me {
  readonly account: { readonly account_id: string; readonly role: string }
  readonly organization: { readonly organization_id: string; readonly environments: readonly string[] }
  readonly session: { readonly environment: string }
}

async function me(browser: Browser): Promise<Me> {
  return (await browser.call("GET", `${API}/session`)).data as unknown as Me
}

interface KeyRecord {
  readonly key_id: string
  readonly label: string | null
  readonly permissions: readonly string[]
  readonly created_by: string | null
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly environment: string
  readonly last_four: string
  readonly revoked_at: string | null
}

async function keysIn(browser: Browser, environment: string): Promise<readonly KeyRecord[]> {
  const { data } = await browser.call("GET", `${API}/api-keys?environment=${environment}`)
  return data["api_keys"] as readonly KeyRecord[]
}

async function makeKey(
  browser: Browser,
  query = "",
): Promise<{ readonly id: string; readonly value: string }> {
  const { status, data } = await browser.call("POST", `${API}/api-keys${query}`, {
    body: { permissions: ["retailers:read", "reservations:read"] },
  })
  expect(status).toBe(201)
  return { id: (data["api_key"] as KeyRecord).key_id, value: data["value"] as string }
}

function provision(portal: Portal, organizationId: string): void {
  portal.run(
    Effect.flatMap(Organizations, ({ change }) =>
      change(organizationId, { environments: ["production", "sandbox"], isFleetPartner: true }),
    ),
  )
}

describe("API keys", () => {
  test("G11: a value is told once and works on the API; the list shows its last four", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    const { value } = await makeKey(browser, "?environment=production")
    expect(value).toMatch(/^ck_prod_[0-9A-Za-z]{40}$/)
    const call = await portal.app.inject({
      url: "/rs/v1/retailers",
      headers: { authorization: `Bearer ${value}` },
    })
    expect(call.statusCode).toBe(200)
    const listed = await keysIn(browser, "production")
    expect(listed).toMatchObject([
      { environment: "production", last_four: value.slice(-4), revoked_at: null },
    ])
    expect(JSON.stringify(listed)).not.toContain(value)
  })

  test("belong to the environment that the session's switch or the request says; the request wins", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    expect((await makeKey(browser)).value).toMatch(/^ck_sbx_/)
    const toProduction = { environment: "production" }
    expect(await outcome(browser, "PUT", "/session/environment", toProduction)).toBe("200 -")
    expect((await me(browser)).session.environment).toBe("production")
    expect((await makeKey(browser)).value).toMatch(/^ck_prod_/)
    expect((await makeKey(browser, "?environment=sandbox")).value).toMatch(/^ck_sbx_/)
    expect(await keysIn(browser, "production")).toHaveLength(1)
    expect(await keysIn(browser, "sandbox")).toHaveLength(2)
    for (const query of ["staging", "sandbox&environment=production", ""]) {
      expect(await outcome(browser, "GET", `/api-keys?environment=${query}`)).toBe("400 VALIDATION_ERROR")
    }
  })

  test("the switch is of one session alone, and leads nowhere without production access", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const toProduction = { environment: "production" }
    expect(await outcome(browser, "PUT", "/session/environment", toProduction)).toBe("403 ORG_INACTIVE")
    const body = { permissions: ["reservations:read"] }
    expect(await outcome(browser, "POST", "/api-keys?environment=production", body)).toBe("403 ORG_INACTIVE")
    expect(await outcome(browser, "GET", "/webhooks?environment=production")).toBe("403 ORG_INACTIVE")
    provision(portal, (await me(browser)).organization.organization_id)
    const other = portal.browser()
    await outcome(other, "POST", "/session", { email: ADA, password: PASSWORD })
    await outcome(browser, "PUT", "/session/environment", toProduction)
    expect((await me(other)).session.environment).toBe("sandbox")
  })

  test("a revoked one is unknown from then on, and again keeps the first instant", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { id } = await makeKey(browser)
    expect(await outcome(browser, "DELETE", `/api-keys/${id}`)).toBe("200 -")
    const [revoked] = await keysIn(browser, "sandbox")
    portal.advance(MINUTE_MS)
    expect(await outcome(browser, "DELETE", `/api-keys/${id}`)).toBe("200 -")
    expect((await keysIn(browser, "sandbox"))[0]).toEqual(revoked)
    expect(revoked?.revoked_at).not.toBeNull()
  })

  test("of another organization are not found, and stay good", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const stranger = await portal.signedUp(EVE)
    const { id } = await makeKey(browser)
    expect(await outcome(stranger, "DELETE", `/api-keys/${id}`)).toBe("404 NOT_FOUND")
    expect(await outcome(stranger, "PATCH", `/api-keys/${id}`, { label: "mine" })).toBe("404 NOT_FOUND")
    expect(await outcome(stranger, "POST", `/api-keys/${id}/roll`, { overlap: "PT0S" })).toBe("404 NOT_FOUND")
    expect(await keysIn(stranger, "sandbox")).toEqual([])
    expect(await keysIn(browser, "sandbox")).toMatchObject([{ revoked_at: null }])
  })

  test.each<[string, object]>([
    ["no permission", { permissions: [] }],
    ["a permission twice", { permissions: ["reservations:read", "reservations:read"] }],
    ["an unknown permission", { permissions: ["everything"] }],
    ["an end in the past", { permissions: ["reservations:read"], expires_at: "2026-06-01T14:59:59Z" }],
    ["another organization's id alone", { organization_id: "x" }],
  ])("are not made with %s", async (_, body) => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    expect(await outcome(browser, "POST", "/api-keys", body)).toBe("400 VALIDATION_ERROR")
  })

  test("have a label that can be changed, and name the member who made them as long as that member stays", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    const body = { permissions: ["reservations:read"], label: "Orders service" }
    const { data } = await member.call("POST", `${API}/api-keys`, { body })
    const made = data["api_key"] as KeyRecord
    expect(made).toMatchObject({
      label: "Orders service",
      created_by: "Bob Example",
      permissions: ["reservations:read"],
      last_used_at: null,
    })
    expect(await outcome(owner, "PATCH", `/api-keys/${made.key_id}`, { label: "CI" })).toBe("200 -")
    expect(await keysIn(owner, "sandbox")).toMatchObject([{ label: "CI", created_by: "Bob Example" }])
    expect(await outcome(owner, "DELETE", `/members/${(await me(member)).account.account_id}`)).toBe("200 -")
    expect(await outcome(owner, "PATCH", `/api-keys/${made.key_id}`, { label: null })).toBe("200 -")
    expect(await keysIn(owner, "sandbox")).toMatchObject([{ label: null, created_by: null }])
  })

  test.each<[string, unknown]>([
    ["no label", {}],
    ["a label of two lines", { label: "a\nb" }],
    ["a label over 64 characters", { label: "x".repeat(65) }],
    ["a blank label", { label: " " }],
  ])("are not labelled with %s", async (_, body) => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { id } = await makeKey(browser)
    expect(await outcome(browser, "PATCH", `/api-keys/${id}`, body)).toBe("400 VALIDATION_ERROR")
  })

  test("show their last use, at most one a minute, written after the request", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    const { value } = await makeKey(browser, "?environment=production")
    const unused = await makeKey(browser, "?environment=production")
    const use = () =>
      portal.app.inject({ url: "/rs/v1/retailers", headers: { authorization: `Bearer ${value}` } })
    const write = () => portal.run(Effect.flatMap(KeyUses, ({ write: writeOnce }) => writeOnce))
    const lastUses = async () => (await keysIn(browser, "production")).map(({ last_used_at: at }) => at)
    await use()
    const first = new Date(portal.now()).toISOString()
    expect(await lastUses()).toEqual([null, null])
    write()
    expect(await lastUses()).toEqual([first, null])
    portal.advance(MINUTE_MS - 1)
    await use()
    write()
    expect(await lastUses()).toEqual([first, null])
    portal.advance(1)
    await use()
    write()
    expect(await lastUses()).toEqual([new Date(portal.now()).toISOString(), null])
    const stranger = await portal.signedUp(EVE)
    expect(await keysIn(stranger, "production")).toEqual([])
    expect(unused.value).not.toBe(value)
  })

  test("are rolled: both values work during the overlap, then the new one alone", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    const old = await makeKey(browser, "?environment=production")
    await outcome(browser, "PATCH", `/api-keys/${old.id}`, { label: "Orders" })
    const { status, data } = await browser.call("POST", `${API}/api-keys/${old.id}/roll`, {
      body: { overlap: "PT1H" },
    })
    expect(status).toBe(201)
    const value = String(data["value"])
    expect(value).toMatch(/^ck_prod_[0-9A-Za-z]{40}$/)
    const ends = new Date(portal.now() + HOUR_MS).toISOString()
    expect(data["replaced"]).toMatchObject({ key_id: old.id, expires_at: ends, revoked_at: null })
    expect(data["api_key"]).toMatchObject({
      label: "Orders",
      environment: "production",
      permissions: ["retailers:read", "reservations:read"],
      last_four: value.slice(-4),
      expires_at: null,
    })
    const statusWith = async (key: string) =>
      (await portal.app.inject({ url: "/rs/v1/retailers", headers: { authorization: `Bearer ${key}` } }))
        .statusCode
    portal.advance(HOUR_MS - 1)
    expect([await statusWith(old.value), await statusWith(value)]).toEqual([200, 200])
    portal.advance(1)
    expect([await statusWith(old.value), await statusWith(value)]).toEqual([401, 200])
    expect(await outcome(browser, "POST", `/api-keys/${old.id}/roll`, { overlap: "PT0S" })).toBe(
      "409 INVALID_STATE",
    )
  })

  test("a roll without an overlap ends the old key at once, and keeps its expiry for the new one", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const expires = new Date(portal.now() + DAY_MS).toISOString()
    const body = { permissions: ["reservations:read"], expires_at: expires }
    const made = (await browser.call("POST", `${API}/api-keys`, { body })).data["api_key"] as KeyRecord
    const late = await browser.call("POST", `${API}/api-keys/${made.key_id}/roll`, {
      body: { overlap: "P7D" },
    })
    expect(late.data["replaced"]).toMatchObject({ expires_at: expires })
    const next = late.data["api_key"] as KeyRecord
    expect(next.expires_at).toBe(expires)
    const now = new Date(portal.now()).toISOString()
    const { data } = await browser.call("POST", `${API}/api-keys/${next.key_id}/roll`, {
      body: { overlap: "PT0S" },
    })
    expect(data["replaced"]).toMatchObject({ key_id: next.key_id, expires_at: now })
  })

  test.each([undefined, "", "P", "PT", "P7DT1S", "PT168H1S", "P1W", "-PT1H", "PT1.5H", "1h", 3600])(
    "are not rolled with the overlap %s",
    async (overlap) => {
      const portal = await openPortal()
      const browser = await portal.signedUp(ADA)
      const { id } = await makeKey(browser)
      expect(await outcome(browser, "POST", `/api-keys/${id}/roll`, { overlap })).toBe("400 VALIDATION_ERROR")
    },
  )

  test("LIMIT_REACHED: an organization has a hundred that are good", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { id } = await makeKey(browser)
    for (let at = 1; at < 100; at += 1) await makeKey(browser)
    const body = { permissions: ["reservations:read"] }
    expect(await outcome(browser, "POST", `/api-keys/${id}/roll`, { overlap: "PT1S" })).toBe(
      "422 LIMIT_REACHED",
    )
    expect(await outcome(browser, "POST", `/api-keys/${id}/roll`, { overlap: "PT0S" })).toBe("201 -")
    expect(await outcome(browser, "POST", "/api-keys", body)).toBe("422 LIMIT_REACHED")
    const last = (await keysIn(browser, "sandbox")).at(-1)?.key_id ?? "none"
    await outcome(browser, "DELETE", `/api-keys/${last}`)
    expect(await outcome(browser, "POST", "/api-keys", body)).toBe("201 -")
  })
})

describe("members", () => {
  test("OWNER_REQUIRED: a member makes no production key, invites no one, changes no member and no profile", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    provision(portal, (await me(owner)).organization.organization_id)
    const key = await makeKey(owner, "?environment=production")
    const member = await portal.joined(owner, BOB)
    const ada = (await me(owner)).account.account_id
    const bob = (await me(member)).account.account_id
    const refused: readonly [string, string, unknown?][] = [
      ["POST", "/api-keys?environment=production", { permissions: ["reservations:read"] }],
      ["PATCH", `/api-keys/${key.id}`, { label: "mine" }],
      ["POST", `/api-keys/${key.id}/roll`, { overlap: "PT0S" }],
      ["DELETE", `/api-keys/${key.id}`],
      ["POST", "/invitations", { email: "new@wheels.example", role: "owner" }],
      ["DELETE", "/invitations/any"],
      ["PATCH", `/members/${bob}`, { role: "owner" }],
      ["PATCH", `/members/${ada}`, { role: "member" }],
      ["DELETE", `/members/${ada}`],
      ["PATCH", "/organization", { name: "Mine" }],
      ["POST", "/production-access"],
    ]
    for (const [method, path, body] of refused) {
      expect(await outcome(member, method, path, body), `${method} ${path}`).toBe("403 OWNER_REQUIRED")
    }
    await makeKey(member)
  })

  test("are listed with their roles; those of another organization are not found", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    const stranger = await portal.signedUp(EVE)
    const { data } = await member.call("GET", `${API}/members`)
    expect(data["members"]).toMatchObject([
      { email: ADA, role: "owner" },
      { email: BOB, role: "member", name: "Bob Example" },
    ])
    expect(JSON.stringify(data)).not.toMatch(/argon2|hash/i)
    const bob = (await me(member)).account.account_id
    expect(await outcome(stranger, "PATCH", `/members/${bob}`, { role: "owner" })).toBe("404 NOT_FOUND")
    expect(await outcome(stranger, "DELETE", `/members/${bob}`)).toBe("404 NOT_FOUND")
    expect((await me(member)).account.role).toBe("member")
  })

  test("a new role ends the sessions that began with the old one", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    const bob = (await me(member)).account.account_id
    expect(await outcome(owner, "PATCH", `/members/${bob}`, { role: "owner" })).toBe("200 -")
    expect(await outcome(member, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    await outcome(member, "POST", "/session", { email: BOB, password: PASSWORD })
    expect((await me(member)).account.role).toBe("owner")
    const [mail] = portal.mailTo(BOB)
    expect(mail?.subject).toBe("Your role in an organization at Curbline was changed")
    expect(mail?.text).toMatch(/^Ada Example changed your role in .*: you are an owner now\./)
    // The same role again is no change.
    const before = portal.mailTo(BOB).length
    expect(await outcome(owner, "PATCH", `/members/${bob}`, { role: "owner" })).toBe("200 -")
    expect(portal.mailTo(BOB)).toHaveLength(before)
  })

  test("the last owner stays an owner, and stays", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const ada = (await me(owner)).account.account_id
    expect(await outcome(owner, "PATCH", `/members/${ada}`, { role: "member" })).toBe("409 INVALID_STATE")
    expect(await outcome(owner, "DELETE", `/members/${ada}`)).toBe("409 INVALID_STATE")
    await portal.joined(owner, BOB, "owner")
    expect(await outcome(owner, "PATCH", `/members/${ada}`, { role: "member" })).toBe("200 -")
  })

  test("of two owners who remove each other at once, one stays", async () => {
    const portal = await openPortal()
    const one = await portal.signedUp(ADA)
    const other = await portal.joined(one, BOB, "owner")
    const ids = [(await me(one)).account.account_id, (await me(other)).account.account_id]
    const outcomes = await Promise.all([
      outcome(one, "DELETE", `/members/${ids[1]}`),
      outcome(other, "DELETE", `/members/${ids[0]}`),
    ])
    expect(outcomes.filter((one_) => one_ === "200 -")).toHaveLength(1)
  })

  test("who is removed is signed out at once, and may leave alone", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const removed = await portal.joined(owner, BOB)
    const leaving = await portal.joined(owner, "cy@wheels.example")
    expect(await outcome(owner, "DELETE", `/members/${(await me(removed)).account.account_id}`)).toBe("200 -")
    expect(await outcome(removed, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    const signingIn = (browser: Browser, password: string) =>
      browser.call("POST", `${API}/session`, { body: { email: BOB, password } })
    // Who knows the password learns why; a stranger learns as little as about an unknown address.
    const { count } = portal.compared
    expect((await signingIn(removed, PASSWORD)).body).toMatchObject({
      code: "MEMBERSHIP_ENDED",
      error: expect.stringContaining("you are no longer a member of Wheels & Co.") as string,
    })
    const wrong = await signingIn(portal.browser(), "wrong")
    expect([wrong.status, wrong.code]).toEqual([401, "INVALID_CREDENTIALS"])
    expect(portal.compared.count - count).toBe(2)
    const [mail] = portal.mailTo(BOB)
    expect(mail?.text).toContain('Ada Example removed you from the organization "Wheels & Co."')
    await outcome(portal.browser(), "POST", "/password/forgotten", { email: BOB })
    expect(portal.mailTo(BOB)[0]?.text).toContain("Its account ended when its membership")
    // A new account of the address is an account as any other.
    const again = await portal.joined(owner, BOB)
    expect((await me(again)).account.role).toBe("member")
    expect((await signingIn(portal.browser(), PASSWORD)).status).toBe(200)
    expect(await outcome(leaving, "DELETE", `/members/${(await me(leaving)).account.account_id}`)).toBe(
      "200 -",
    )
    expect(leaving.cookie).toBeNull()
    expect(portal.mailTo("cy@wheels.example")[0]?.text).toContain("You left the organization")
  })

  test("an invitation works once, for 7 days, and not after it was withdrawn or sent anew", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const invite = async (): Promise<string> => {
      await outcome(owner, "POST", "/invitations", { email: BOB, role: "member" })
      return portal.tokenFor(BOB)
    }
    const accept = (token: string): Promise<string> =>
      outcome(portal.browser(), "POST", "/invitations/accept", { token, name: "Bob", password: PASSWORD })
    const first = await invite()
    const second = await invite()
    expect(await accept(first)).toBe("400 INVALID_CODE")
    const listed = (await owner.call("GET", `${API}/invitations`)).data["invitations"] as {
      invitation_id: string
    }[]
    expect(listed).toHaveLength(1)
    const stranger = await portal.signedUp(EVE)
    const path = `/invitations/${listed[0]?.invitation_id}`
    expect(await outcome(stranger, "DELETE", path)).toBe("404 NOT_FOUND")
    expect(await outcome(owner, "DELETE", path)).toBe("200 -")
    expect(await accept(second)).toBe("400 INVALID_CODE")
    const third = await invite()
    portal.advance(7 * DAY_MS)
    expect(await accept(third)).toBe("400 INVALID_CODE")
    await outcome(owner, "POST", "/session", { email: ADA, password: PASSWORD })
    const fourth = await invite()
    expect(await accept(fourth)).toBe("201 -")
    expect(await accept(fourth)).toBe("400 INVALID_CODE")
    expect(await outcome(owner, "POST", "/invitations", { email: BOB, role: "member" })).toBe(
      "409 INVALID_STATE",
    )
  })

  test("an invitation can be read before it is accepted, by its token alone", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    await outcome(owner, "POST", "/invitations", { email: BOB, role: "member" })
    const token = portal.tokenFor(BOB)
    const read = async (sent: string) =>
      portal.browser().call("POST", `${API}/invitations/preview`, { body: { token: sent } })
    const shown = {
      organization_name: "Wheels & Co.",
      email: BOB,
      role: "member",
      invited_by: "Ada Example",
      ends_at: new Date(portal.now() + 7 * DAY_MS).toISOString(),
    }
    expect((await read(token)).data).toEqual(shown)
    expect((await read(token)).data).toEqual(shown)
    const strange = await read("x".repeat(43))
    expect([strange.status, strange.code]).toEqual([400, "INVALID_CODE"])
    const accept = { token, name: "Bob", password: PASSWORD }
    expect(await outcome(portal.browser(), "POST", "/invitations/accept", accept)).toBe("201 -")
    const used = await read(token)
    expect({ ...used.body, request_id: null }).toEqual({ ...strange.body, request_id: null })
  })

  test("no other token, and no token after its end, reads an invitation; the inviter's name goes with the inviter", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const second = await portal.joined(owner, "cy@wheels.example", "owner")
    await outcome(second, "POST", "/invitations", { email: BOB, role: "owner" })
    const token = portal.tokenFor(BOB)
    await portal.browser().call("POST", `${API}/password/forgotten`, { body: { email: ADA } })
    const read = async (sent: string) =>
      portal.browser().call("POST", `${API}/invitations/preview`, { body: { token: sent } })
    expect((await read(portal.tokenFor(ADA))).code).toBe("INVALID_CODE")
    await outcome(second, "DELETE", `/members/${(await me(second)).account.account_id}`)
    expect((await read(token)).data).toMatchObject({ invited_by: null, role: "owner" })
    portal.advance(7 * DAY_MS)
    expect((await read(token)).code).toBe("INVALID_CODE")
  })

  test("reading invitations counts with the other attempts of a network", async () => {
    const portal = await openPortal()
    const browser = portal.browser()
    const read = () =>
      browser.call("POST", `${API}/invitations/preview`, { body: { token: "x" }, address: "192.0.2.7" })
    for (let at = 0; at < 50; at += 1) expect((await read()).code).toBe("INVALID_CODE")
    const late = await read()
    expect([late.status, late.code]).toEqual([429, "RATE_LIMITED"])
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(0)
  })

  test("who accepts has the role of the invitation, whatever is sent along", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    await outcome(owner, "POST", "/invitations", { email: BOB, role: "member" })
    const browser = portal.browser()
    await outcome(browser, "POST", "/invitations/accept", {
      token: portal.tokenFor(BOB),
      name: "Bob",
      password: PASSWORD,
      role: "owner",
      email: "other@wheels.example",
      organization_id: "x",
    })
    const seen = await me(browser)
    expect(seen.account).toMatchObject({ role: "member", email: BOB })
    expect(seen.organization).toEqual((await me(owner)).organization)
  })
})

describe("budgets", () => {
  test("a person sends 120 commands a minute; reading goes on", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const toSandbox = { environment: "sandbox" }
    for (let at = 0; at < 120; at += 1) {
      expect(await outcome(browser, "PUT", "/session/environment", toSandbox)).toBe("200 -")
    }
    const late = await browser.call("PUT", `${API}/session/environment`, { body: toSandbox })
    expect([late.status, late.code]).toEqual([429, "RATE_LIMITED"])
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    portal.advance(Number(late.headers["retry-after"]) * 1_000)
    expect(await outcome(browser, "PUT", "/session/environment", toSandbox)).toBe("200 -")
  })

  test("an organization invites fifty addresses an hour, withdrawn or not", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const invite = async (at: number): Promise<string> => {
      const { status, data } = await owner.call("POST", `${API}/invitations`, {
        body: { email: `p${at}@else.example`, role: "member" },
      })
      if (status !== 201) return String(status)
      const { invitation_id: id } = data["invitation"] as { invitation_id: string }
      return outcome(owner, "DELETE", `/invitations/${id}`)
    }
    for (let at = 0; at < 50; at += 1) expect(await invite(at)).toBe("200 -")
    expect(await invite(50)).toBe("429")
    expect(portal.mailTo("p50@else.example")).toEqual([])
  })
})

describe("the profile", () => {
  test("B9: notices go to the contact; while there is none, to the oldest owner", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    await portal.joined(owner, BOB, "owner")
    const { organization_id: organizationId } = (await me(owner)).organization
    const disable = (nonce: string): void =>
      portal.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const notices = yield* MessageNotices
          yield* host.run({
            name: "a test",
            locks: {},
            body: () => notices.webhookDisabled({ organizationId, webhookId: "whk_1", nonce }),
          })
        }),
      )
    disable("1".repeat(32))
    expect(portal.mailTo(ADA)[0]).toMatchObject({ purpose: "webhook-disabled", organizationId })
    const body = { contact_email: "Ops@Wheels.example" }
    expect(await outcome(owner, "PATCH", "/organization", body)).toBe("200 -")
    disable("2".repeat(32))
    expect(portal.mailTo("ops@wheels.example")).toHaveLength(1)
    expect(portal.mailTo("ops@wheels.example")[0]?.text).toContain("whk_1")
    expect(portal.mailTo(BOB).filter(({ purpose }) => purpose === "webhook-disabled")).toEqual([])
  })

  test("mass assignment: nothing but name and contact changes", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const before = await me(owner)
    const { data } = await owner.call("PATCH", `${API}/organization`, {
      body: {
        name: "Wheels AG",
        environments: ["production"],
        organization_id: "other",
        is_active: false,
        isFleetPartner: true,
      },
    })
    expect(data["organization"]).toMatchObject({
      name: "Wheels AG",
      contact_email: null,
      environments: ["sandbox"],
      organization_id: before.organization.organization_id,
    })
    const [known] = portal.run(Effect.flatMap(Organizations, ({ list }) => list))
    expect(known).toMatchObject({ isActive: true, isFleetPartner: false })
    expect(await outcome(owner, "PATCH", "/organization", { environments: ["production"] })).toBe(
      "400 VALIDATION_ERROR",
    )
  })
})

describe("webhooks", () => {
  const hook = {
    url: "https://hooks.partner.example/events",
    subscribed_events: ["reservation.status_changed"],
  }

  test("are registered, listed and switched in their environment; their log shows attempts and outcome", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    const made = await browser.call("POST", `${API}/webhooks?environment=production`, { body: hook })
    expect(made.status).toBe(201)
    const webhook = made.data["webhook"] as { webhook_id: string; secret: string }
    expect(webhook.secret).toMatch(/^whsec_/)
    const listed = await browser.call("GET", `${API}/webhooks?environment=production`)
    expect(JSON.stringify(listed.data)).not.toContain(webhook.secret)
    expect((await browser.call("GET", `${API}/webhooks`)).data["webhooks"]).toEqual([])

    const log = async (from: Browser, query = "?environment=production") =>
      from.call("GET", `${API}/webhooks/${webhook.webhook_id}/deliveries${query}`)
    expect((await log(browser)).data["deliveries"]).toEqual([])
    expect((await log(browser, "")).code).toBe("NOT_FOUND")
    const stranger = await portal.signedUp(EVE)
    provision(portal, (await me(stranger)).organization.organization_id)
    expect((await log(stranger)).code).toBe("NOT_FOUND")
    const change = await stranger.call(
      "PUT",
      `${API}/webhooks/${webhook.webhook_id}?environment=production`,
      {
        body: { is_active: false },
      },
    )
    expect(change.code).toBe("NOT_FOUND")
  })

  test("the log of a delivery that fails and is repeated", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { organization_id: organizationId } = (await me(browser)).organization
    provision(portal, organizationId)
    const made = await browser.call("POST", `${API}/webhooks?environment=production`, { body: hook })
    const { webhook_id: webhookId } = made.data["webhook"] as { webhook_id: string }
    portal.service.world.script(hook.url, [
      { type: "status", status: 500, afterMs: 0 },
      { type: "status", status: 200, afterMs: 0 },
    ])
    portal.run(fanOutOne(organizationId))
    portal.advance(1_000)
    const path = `${API}/webhooks/${webhookId}/deliveries?environment=production`
    const waiting = await browser.call("GET", path)
    expect(waiting.data["deliveries"]).toMatchObject([
      { event_id: "evt_1", state: "waiting", attempts: 1, reservation_id: "res_1" },
    ])
    portal.advance(3 * MINUTE_MS)
    const delivered = await browser.call("GET", path)
    expect(delivered.data["deliveries"]).toMatchObject([{ state: "delivered", attempts: 2 }])
    expect(JSON.stringify(delivered.data)).not.toContain("Ada's lunch")
  })
})

describe("webhooks of direct deliveries", () => {
  const hook = { url: "https://hooks.partner.example/deliveries", events: ["pickup_status.changed"] }

  test("are registered, tested, changed and deleted; their log shows attempts, and sends an event again", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const made = await browser.call("POST", `${API}/delivery-webhooks`, { body: hook })
    expect(made.status).toBe(201)
    const { webhook_id: id, secret } = made.data["webhook"] as { webhook_id: string; secret: string }
    expect(secret).toMatch(/^whsec_/)
    const listed = await browser.call("GET", `${API}/delivery-webhooks`)
    expect(listed.data["webhooks"]).toMatchObject([{ webhook_id: id, is_active: true }])
    expect(JSON.stringify(listed.data)).not.toContain(secret)

    const one = `${API}/delivery-webhooks/${id}`
    expect((await browser.call("POST", `${one}/test`)).status).toBe(202)
    portal.advance(1_000)
    const log = await browser.call("GET", `${one}/deliveries?limit=1`)
    expect(log.data).toMatchObject({
      deliveries: [{ event: "webhook.test", state: "delivered", attempts: 1 }],
      next_cursor: null,
    })
    const [{ delivery_id }] = log.data["deliveries"] as [{ delivery_id: string }]
    const again = await browser.call("POST", `${one}/redeliver`, { body: { delivery_id } })
    expect(again.data["delivery"]).toMatchObject({ delivery_id, is_redelivery: true })
    expect((await browser.call("GET", `${one}/deliveries?limit=0`)).code).toBe("VALIDATION_ERROR")

    const off = await browser.call("PUT", one, { body: { is_active: false } })
    expect(off.data["webhook"]).toMatchObject({ is_active: false })
    expect((await browser.call("DELETE", one)).data).toEqual({ webhook_id: id })
    expect((await browser.call("GET", `${API}/delivery-webhooks`)).data["webhooks"]).toEqual([])
  })

  test("are their organization's and their environment's alone; a site must be theirs", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    const made = await browser.call("POST", `${API}/delivery-webhooks?environment=production`, { body: hook })
    const { webhook_id: id } = made.data["webhook"] as { webhook_id: string }
    expect((await browser.call("DELETE", `${API}/delivery-webhooks/${id}`)).code).toBe("NOT_FOUND")
    const stranger = await portal.signedUp(EVE)
    expect((await stranger.call("POST", `${API}/delivery-webhooks/${id}/test`)).code).toBe("NOT_FOUND")
    const sited = { ...hook, site_id: "11111111-1111-4111-8111-111111111111" }
    const refused = await stranger.call("POST", `${API}/delivery-webhooks`, { body: sited })
    expect(refused.code).toBe("RETAILER_NOT_FOUND")
  })
})

const DONE = {
  hasConfiguredSite: true,
  hasWebhook: true,
  hasQuote: true,
  hasCompletedDelivery: true,
  hasAcknowledgedWebhook: true,
}

describe("the way to production", () => {
  const steps = async (browser: Browser): Promise<readonly string[]> => {
    const { data } = await browser.call("GET", `${API}/onboarding`)
    const all = data["steps"] as { step: string; is_done: boolean }[]
    expect(all).toHaveLength(7)
    return all.filter((one) => one.is_done).map((one) => one.step)
  }

  const requestIn = async (browser: Browser): Promise<unknown> =>
    (await browser.call("GET", `${API}/onboarding`)).data["production_access"]

  const decide = (portal: Portal, isApproved: boolean, reason: string | null = null): void => {
    portal.run(
      Effect.gen(function* () {
        const review = yield* AccessReview
        const [request] = yield* review.pending(OPERATIONS)
        yield* review.decide(OPERATIONS, {
          requestId: request?.requestId ?? "none",
          isApproved,
          by: "op_7",
          reason,
        })
      }),
    )
  }

  const ready = async (portal: Portal): Promise<Browser> => {
    const browser = await portal.signedUp(ADA)
    portal.direct.progress = DONE
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    await makeKey(browser)
    return browser
  }

  test("B5: each of the seven steps ticks itself from what was really done", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    expect(await steps(browser)).toEqual([])
    await outcome(browser, "PATCH", "/organization", { name: "Wheels" })
    expect(await steps(browser)).toEqual([])
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    const { id } = await makeKey(browser)
    await outcome(browser, "DELETE", `/api-keys/${id}`)
    expect(await steps(browser)).toEqual(["organization_profile", "sandbox_key"])
    const each: readonly [Partial<typeof DONE>, string][] = [
      [{ hasConfiguredSite: true }, "sandbox_site"],
      [{ hasWebhook: true }, "sandbox_webhook"],
      [{ hasQuote: true }, "sandbox_quote"],
      [{ hasCompletedDelivery: true }, "sandbox_delivery"],
      [{ hasAcknowledgedWebhook: true }, "webhook_acknowledged"],
    ]
    for (const [progress, step] of each) {
      portal.direct.progress = { ...NOTHING_DONE, ...progress }
      expect(await steps(browser)).toEqual(["organization_profile", "sandbox_key", step])
    }
    portal.direct.progress = DONE
    expect(await steps(browser)).toHaveLength(7)
  })

  test("B5: a key of production is no step; another organization's steps are its own", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    provision(portal, (await me(browser)).organization.organization_id)
    await makeKey(browser, "?environment=production")
    expect(await steps(browser)).toEqual([])
    await makeKey(browser)
    const stranger = await portal.signedUp(EVE)
    expect(await steps(stranger)).toEqual([])
  })

  test("B5: asked for when all seven are done and not before, due exactly 24 hours later, then overdue", async () => {
    const portal = await openPortal()
    const browser = await ready(portal)
    portal.direct.progress = { ...DONE, hasQuote: false }
    expect(await outcome(browser, "POST", "/production-access")).toBe("409 ONBOARDING_INCOMPLETE")
    portal.direct.progress = DONE
    const { data } = await browser.call("POST", `${API}/production-access`)
    const request = data["production_access"] as { requested_at: string; due_at: string }
    expect(Date.parse(request.due_at) - Date.parse(request.requested_at)).toBe(24 * HOUR_MS)
    expect(Date.parse(request.requested_at)).toBe(portal.now())
    expect(await outcome(browser, "POST", "/production-access")).toBe("409 INVALID_STATE")
    portal.advance(12 * HOUR_MS - 1)
    await outcome(browser, "GET", "/session")
    portal.advance(12 * HOUR_MS - 1)
    await outcome(browser, "GET", "/session")
    portal.advance(2)
    expect(await requestIn(browser)).toMatchObject({ status: "pending", is_overdue: false })
    portal.advance(1)
    expect(await requestIn(browser)).toMatchObject({ is_overdue: true })
    const [pending] = portal.run(Effect.flatMap(AccessReview, (review) => review.pending(OPERATIONS)))
    expect(pending?.isOverdue).toBe(true)
  })

  test("approval provisions the organization in production and tells its contact; who decided is not told", async () => {
    const portal = await openPortal()
    const browser = await ready(portal)
    await outcome(browser, "POST", "/production-access")
    decide(portal, true)
    expect((await me(browser)).organization.environments).toEqual(["sandbox", "production"])
    expect((await makeKey(browser, "?environment=production")).value).toMatch(/^ck_prod_/)
    const mail = portal.mailTo(ADA)[0]
    expect(mail).toMatchObject({ purpose: "access-decided" })
    const seen = await requestIn(browser)
    expect(seen).toMatchObject({ status: "approved", is_overdue: false })
    expect(JSON.stringify([seen, mail])).not.toContain("op_7")
    expect(await outcome(browser, "POST", "/production-access")).toBe("409 INVALID_STATE")
  })

  test("a token of the sandbox opens nothing of production", async () => {
    const portal = await openPortal()
    const browser = await ready(portal)
    await outcome(browser, "POST", "/production-access")
    const { request_id: requestId } = (await requestIn(browser)) as { request_id: string }
    const review = portal.run(AccessReview)
    const sandbox = { ...OPERATIONS, environment: "sandbox" } as const
    expect(() => portal.run(review.pending(sandbox))).toThrow("needs operations of production")
    const decision = { requestId, isApproved: true, by: null, reason: null }
    expect(() => portal.run(review.decide(sandbox, decision))).toThrow("needs operations of production")
    expect((await me(browser)).organization.environments).toEqual(["sandbox"])
  })

  test("a declined request says why, and may be made anew; a decision is made once", async () => {
    const portal = await openPortal()
    const browser = await ready(portal)
    await outcome(browser, "POST", "/production-access")
    decide(portal, false, "the webhook answers slowly")
    expect(await requestIn(browser)).toMatchObject({
      status: "declined",
      reason: "the webhook answers slowly",
    })
    expect(portal.mailTo(ADA)[0]?.text).toContain("the webhook answers slowly")
    expect((await me(browser)).organization.environments).toEqual(["sandbox"])
    const { request_id: requestId } = (await requestIn(browser)) as { request_id: string }
    const review = portal.run(AccessReview)
    const decision = { requestId, isApproved: true, by: "op_8", reason: null }
    expect(() => portal.run(review.decide(OPERATIONS, decision))).toThrow(
      "the current state does not allow this",
    )
    expect(() => portal.run(review.decide(OPERATIONS, { ...decision, requestId: "none" }))).toThrow(
      "no such resource",
    )
    expect(await outcome(browser, "POST", "/production-access")).toBe("201 -")
  })
})

/** A site that an organization asks for. */
const SITE = {
  name: "North",
  address: { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" },
  timezone: "America/Chicago",
  expected_deliveries_per_day: 40,
}

describe("the way of a robot partner", () => {
  const ENROL = "/fleet-enrolment"

  /** With the built-in site of the sandbox, as a service has it from its start. */
  const opened = async (): Promise<Portal> => {
    const portal = await openPortal()
    const rows = CatalogRows.layer.pipe(Layer.provide(layerMemoryTables(portal.service.host.store)))
    portal.run(Effect.provide(ensureSandboxSite, rows))
    return portal
  }

  const REQUESTS = `${API}/partner-requests`

  const decide = (portal: Portal, isApproved: boolean, reason: string | null = null): void => {
    const deciding = Effect.gen(function* () {
      const review = yield* PartnerReview
      const [request] = yield* review.pending(OPERATIONS)
      const { requestId = "none" } = request ?? {}
      yield* review.decide(OPERATIONS, { requestId, isApproved, by: "op_7", reason })
    })
    portal.run(deciding)
  }

  const requestsIn = async (browser: Browser) =>
    (await browser.call("GET", REQUESTS)).data["partner_requests"] as readonly Record<string, unknown>[]

  const enrolledIn = async (browser: Browser): Promise<unknown> =>
    ((await browser.call("GET", `${API}/session`)).data["organization"] as Record<string, unknown>)[
      "enrolled_in"
    ]

  const changing = (portal: Portal, id: string, change: OrganizationChange): void => {
    portal.run(Effect.flatMap(Organizations, (organizations) => organizations.change(id, change)))
  }

  const pendingIn = (portal: Portal) =>
    portal.run(Effect.flatMap(PartnerReview, (review) => review.pending(OPERATIONS)))

  /** Of the course for robots. */
  const steps = async (browser: Browser): Promise<readonly string[]> => {
    const { data } = await browser.call("GET", `${API}/onboarding?course=reservations`)
    const all = data["steps"] as readonly { readonly step: string; readonly is_done: boolean }[]
    expect(all).toHaveLength(7)
    return all.filter((one) => one.is_done).map((one) => one.step)
  }

  const outcomeOfBooking = (browser: Browser) => outcome(browser, "POST", "/sandbox/reservations")

  test("the button enrols the sandbox at once, and operations of production see one request", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const { value } = await makeKey(browser)
    const headers = { authorization: `Bearer ${value}` }
    expect(await outcomeOfBooking(browser)).toBe("403 NOT_FLEET_PARTNER")
    const body = { text: "12 robots, at the Domain" }
    const { data } = await browser.call("POST", `${API}${ENROL}`, { body })
    expect(data).toMatchObject({ enrolled_in: ["sandbox"], partner_request: { status: "pending", ...body } })
    expect(await outcomeOfBooking(browser)).toBe("201 -")
    // A repeat keeps the request and its words.
    const again = await browser.call("POST", `${API}${ENROL}`, { body: { text: "other" } })
    expect(again.data).toEqual(data)
    const pending = pendingIn(portal)
    expect(pending).toMatchObject([{ kind: "fleet_enrolment", organizationName: "Wheels & Co.", ...body }])
    expect(await enrolledIn(browser)).toEqual(["sandbox"])
    expect((await portal.app.inject({ url: "/rs/v1/retailers", headers })).json()).toMatchObject({
      code: "WRONG_ENV_KEY",
    })
    const { data: log } = await browser.call("GET", `${API}/audit-log?action=askForEnrolment`)
    expect(log["lines"]).toMatchObject([{ subject_id: pending[0]?.requestId }, {}])
  })

  test("production stays closed until operations approve; the contact gets a mail, without who decided", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const id = (await me(browser)).organization.organization_id
    changing(portal, id, { environments: ["production", "sandbox"] })
    const { value } = await makeKey(browser, "?environment=production")
    const call = async (): Promise<unknown> => {
      const headers = { authorization: `Bearer ${value}` }
      const answer = await portal.app.inject({ url: "/rs/v1/retailers", headers })
      return answer.json<{ readonly code?: string }>().code ?? answer.statusCode
    }
    await outcome(browser, "POST", ENROL)
    expect(await call()).toBe("NOT_FLEET_PARTNER")
    decide(portal, false, "no insurance")
    expect(portal.mailTo(ADA)[0]).toMatchObject({ purpose: "access-decided" })
    expect(portal.mailTo(ADA)[0]?.text).toContain("Operations say: no insurance")
    expect([await call(), await outcomeOfBooking(browser)]).toEqual(["NOT_FLEET_PARTNER", "201 -"])
    await outcome(browser, "POST", ENROL)
    decide(portal, true)
    expect(await call()).toBe(200)
    expect(await enrolledIn(browser)).toEqual(["production", "sandbox"])
    const known = await requestsIn(browser)
    expect(known.map(({ status }) => status)).toEqual(["approved", "declined"])
    expect(JSON.stringify([known, portal.mailTo(ADA)])).not.toContain("op_7")
    const { data } = await browser.call("POST", `${API}${ENROL}`)
    expect(data).toEqual({ enrolled_in: ["production", "sandbox"], partner_request: null })
    expect(await steps(browser)).toContain("fleet_enrolment")
    // Operations end an enrolment in the sandbox too, where the organization may enrol itself again.
    changing(portal, id, { isFleetPartner: false })
    expect([await enrolledIn(browser), await outcomeOfBooking(browser)]).toEqual([
      [],
      "403 NOT_FLEET_PARTNER",
    ])
    expect(await steps(browser)).not.toContain("fleet_enrolment")
    await outcome(browser, "POST", ENROL)
    // No fleet partner stays none: this ends nothing.
    changing(portal, id, { isFleetPartner: false })
    expect(await enrolledIn(browser)).toEqual(["sandbox"])
    expect(await steps(browser)).toContain("fleet_enrolment")
  })

  test("operations are asked after a first step; one who only looks has the sandbox", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const ask = async () => (await browser.call("POST", `${API}${ENROL}`, { body: { text: "" } })).data
    expect(await ask()).toEqual({ enrolled_in: ["sandbox"], partner_request: null })
    expect([pendingIn(portal), await outcomeOfBooking(browser)]).toEqual([[], "201 -"])
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    expect(await ask()).toMatchObject({ partner_request: { status: "pending", text: null } })
  })

  test("an enrolment by operations answers the request that waits, and no mail says otherwise later", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    await makeKey(browser)
    await outcome(browser, "POST", ENROL)
    const requestId = pendingIn(portal)[0]?.requestId ?? "none"
    changing(portal, (await me(browser)).organization.organization_id, { isFleetPartner: true })
    expect(pendingIn(portal)).toEqual([])
    expect(await requestsIn(browser)).toMatchObject([{ status: "approved", reason: null }])
    const declining = { requestId, isApproved: false, by: null, reason: "late" }
    const review = portal.run(PartnerReview)
    expect(() => portal.run(review.decide(OPERATIONS, declining))).toThrow("the current state does not allow")
    expect(portal.mailTo(ADA).filter(({ purpose }) => purpose === "access-decided")).toEqual([])
  })

  test("only owners ask, and only operations of production read and decide", async () => {
    const portal = await opened()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    await makeKey(owner)
    expect(await outcome(member, "POST", ENROL)).toBe("403 OWNER_REQUIRED")
    expect(await outcomeOfBooking(member)).toBe("403 NOT_FLEET_PARTNER")
    await outcome(owner, "POST", ENROL)
    const [request] = await requestsIn(member)
    const review = portal.run(PartnerReview)
    const sandbox = { ...OPERATIONS, environment: "sandbox" } as const
    const decision = { requestId: String(request?.["request_id"]), isApproved: true, by: null, reason: null }
    expect(() => portal.run(review.pending(sandbox))).toThrow("needs operations of production")
    expect(() => portal.run(review.decide(sandbox, decision))).toThrow("needs operations of production")
    const byMember = review.decide(OPERATIONS, { ...decision, byEmail: BOB })
    expect(() => portal.run(byMember)).toThrow("you are a member")
    decide(portal, true)
    expect(() => portal.run(review.decide(OPERATIONS, decision))).toThrow("the current state does not allow")
    const stranger = await portal.signedUp(EVE)
    expect(await requestsIn(stranger)).toEqual([])
  })

  test("the seven steps of reservations lead to production as those of deliveries do", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const body = { course: "reservations" }
    expect(await steps(browser)).toEqual([])
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    await makeKey(browser)
    await outcome(browser, "POST", ENROL)
    const hook = { url: "https://hooks.example/robots", subscribed_events: ["reservation.status_changed"] }
    expect(await outcome(browser, "POST", "/webhooks", hook)).toBe("201 -")
    const made = await browser.call("POST", `${API}/sandbox/reservations`)
    expect(await steps(browser)).toEqual([
      "organization_profile",
      "sandbox_key",
      "fleet_enrolment",
      "reservation_webhook",
      "sandbox_reservation",
    ])
    const { reservation_id: id } = made.data["reservation"] as { readonly reservation_id: string }
    for (let step = 0; step < 9; step += 1)
      expect(await outcome(browser, "POST", `/reservations/${id}/advance`)).toBe("200 -")
    expect(await steps(browser)).toContain("completed_reservation")
    portal.advance(2 * MINUTE_MS)
    expect(await steps(browser)).toHaveLength(7)
    expect(await outcome(browser, "POST", "/production-access")).toBe("409 ONBOARDING_INCOMPLETE")
    // Robots stop at sites of others.
    const sited = { ...body, sites: [SITE] }
    expect(await outcome(browser, "POST", "/production-access", sited)).toBe("400 VALIDATION_ERROR")
    const { data } = await browser.call("POST", `${API}/production-access`, { body })
    expect(data["production_access"]).toMatchObject({ status: "pending", ...body, sites: [] })
    const [pending] = portal.run(Effect.flatMap(AccessReview, (review) => review.pending(OPERATIONS)))
    const read = Effect.flatMap(AccessReview, (review) => review.read(OPERATIONS, pending?.requestId ?? ""))
    expect(portal.run(read).steps.map(({ isDone, evidence }) => isDone && evidence !== null)).toEqual(
      Array.from({ length: 7 }, () => true),
    )
    // Of reservations before milestones were noted, the rows tell.
    const noted = memoryRowsOf(portal.service.host.store, sandboxMilestones)
    for (const [key, { milestone }] of noted.entries())
      if (milestone.startsWith("reservation_")) noted.delete(key)
    expect(await steps(browser)).toEqual(
      expect.arrayContaining(["sandbox_reservation", "completed_reservation"]),
    )
  })

  test("an organization of production asks for more sites, and approval makes them", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const ask = (sites: readonly object[]) => outcome(browser, "POST", "/production-sites", { sites })
    expect(await ask([SITE])).toBe("403 ORG_INACTIVE")
    provision(portal, (await me(browser)).organization.organization_id)
    expect(await ask([])).toBe("400 VALIDATION_ERROR")
    // Robots, or operations, may have opened production: nothing of deliveries is proved by it.
    expect(await ask([SITE])).toBe("409 ONBOARDING_INCOMPLETE")
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    await makeKey(browser)
    portal.direct.progress = DONE
    expect([await ask([SITE]), await ask([SITE])]).toEqual(["201 -", "409 INVALID_STATE"])
    decide(portal, true)
    expect(portal.mailTo(ADA)[0]?.subject).toBe("Your new sites are made")
    const { data } = await browser.call("GET", `${API}/sites?environment=production`)
    expect(data["sites"]).toMatchObject([{ name: "North" }])
    expect(await requestsIn(browser)).toMatchObject([{ kind: "production_sites", status: "approved" }])
    // Who has a site asks for more, whatever is left of the sandbox.
    portal.direct.progress = NOTHING_DONE
    expect(await ask([SITE])).toBe("201 -")
  })

  test("no site is made for an organization that has lost production or is deactivated", async () => {
    const portal = await opened()
    const browser = await portal.signedUp(ADA)
    const id = (await me(browser)).organization.organization_id
    provision(portal, id)
    await outcome(browser, "PATCH", "/organization", { contact_email: ADA })
    await makeKey(browser)
    portal.direct.progress = DONE
    expect(await outcome(browser, "POST", "/production-sites", { sites: [SITE] })).toBe("201 -")
    const both = ["production", "sandbox"] as const
    for (const change of [{ environments: ["sandbox"] }, { environments: both, isActive: false }] as const) {
      changing(portal, id, change)
      expect(() => decide(portal, true)).toThrow("the current state does not allow")
      expect(pendingIn(portal)).toHaveLength(1)
    }
    decide(portal, false)
    changing(portal, id, { isActive: true })
    const { data } = await browser.call("GET", `${API}/sites?environment=production`)
    expect(data["sites"]).toEqual([])
  })
})

/** As an area would, without one. */
function fanOutOne(organizationId: string) {
  return Effect.gen(function* () {
    const host = yield* ActorHost
    const body = (): Routine<string> => Routine.succeed('{"note":"Ada\'s lunch"}')
    yield* host.run({
      name: "a test",
      locks: {},
      body: () =>
        fanOut(
          {
            eventId: () => "evt_1",
            eventType: "reservation.status_changed",
            organizationId,
            environment: "production",
            area: "reservations",
            siteId: null,
            subjectId: "res_1",
            cause: null,
            body,
          },
          "3".repeat(32),
        ),
    })
  })
}
