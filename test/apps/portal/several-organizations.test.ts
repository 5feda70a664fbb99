/** One account in several organizations: joining, switching, and that each stays apart. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { PERSON_HEADER, personIn } from "../../../src/model/page-person.ts"
import { DAY_MS } from "../../../src/model/values/time.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const EVE = "eve@else.example"

async function outcome(browser: Browser, method: string, path: string, body?: unknown): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}

interface Me {
  readonly account: { readonly account_id: string; readonly role: string }
  readonly organization: { readonly organization_id: string; readonly name: string }
  readonly session: { readonly environment: string }
  readonly organizations: readonly {
    readonly organization_id: string
    readonly name: string
    readonly role: string
  }[]
}

async function me(browser: Browser): Promise<Me> {
  return (await browser.call("GET", `${API}/session`)).data as unknown as Me
}

async function actions(browser: Browser): Promise<readonly string[]> {
  const { data } = await browser.call("GET", `${API}/audit-log`)
  return (data["lines"] as { action: string }[]).map(({ action }) => action)
}

interface Two {
  readonly portal: Portal
  /** Owner of Wheels, and a member of Else. */
  readonly ada: Browser
  /** Owner of Else. */
  readonly eve: Browser
  readonly wheels: string
  readonly other: string
}

async function joined(role = "member"): Promise<Two> {
  const portal = await openPortal()
  const ada = await portal.signedUp(ADA, "Wheels")
  const eve = await portal.signedUp(EVE, "Else")
  expect(await outcome(eve, "POST", "/invitations", { email: ADA, role })).toBe("201 -")
  expect(await outcome(ada, "POST", "/invitations/join", { token: portal.tokenFor(ADA) })).toBe("201 -")
  const wheels = (await me(ada)).organization.organization_id
  const other = (await me(eve)).organization.organization_id
  return { portal, ada, eve, wheels, other }
}

function into(browser: Browser, organizationId: string): Promise<string> {
  return outcome(browser, "POST", "/session/organization", { organization_id: organizationId })
}

describe("joining", () => {
  test("adds an organization to the account, and a member to the organization", async () => {
    const { ada, eve, wheels, other } = await joined()
    const seen = await me(ada)
    expect(seen.organization.organization_id).toBe(wheels)
    expect(seen.organizations).toEqual([
      { organization_id: wheels, name: "Wheels", role: "owner" },
      { organization_id: other, name: "Else", role: "member" },
    ])
    const { data } = await eve.call("GET", `${API}/members`)
    expect(data["members"]).toMatchObject([
      { email: EVE, role: "owner" },
      { email: ADA, role: "member", account_id: seen.account.account_id },
    ])
    expect((await me(eve)).organizations).toHaveLength(1)
    expect(await actions(eve)).toEqual(["joinOrganization", "invite", "verifySignUp"])
    expect(await actions(ada)).toEqual(["verifySignUp"])
  })

  test("works once, in time, for the invited person alone, and not without a session", async () => {
    const portal = await openPortal()
    const ada = await portal.signedUp(ADA)
    const eve = await portal.signedUp(EVE)
    const invite = async (): Promise<string> => {
      await outcome(eve, "POST", "/invitations", { email: ADA, role: "member" })
      return portal.tokenFor(ADA)
    }
    const first = await invite()
    const join = (browser: Browser, token: string) => outcome(browser, "POST", "/invitations/join", { token })
    expect(await join(eve, first)).toBe("400 INVALID_CODE")
    expect(await join(portal.browser(), first)).toBe("401 SIGN_IN_REQUIRED")
    expect(await join(ada, "none")).toBe("400 INVALID_CODE")
    expect(await join(ada, "")).toBe("400 VALIDATION_ERROR")
    const accept = { token: first, name: "Ada", password: PASSWORD }
    expect(await outcome(portal.browser(), "POST", "/invitations/accept", accept)).toBe("400 INVALID_CODE")
    portal.advance(7 * DAY_MS)
    await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })
    expect(await join(ada, first)).toBe("400 INVALID_CODE")
    await outcome(eve, "POST", "/session", { email: EVE, password: PASSWORD })
    const second = await invite()
    expect(await join(ada, second)).toBe("201 -")
    expect(await join(ada, second)).toBe("400 INVALID_CODE")
    expect(await outcome(eve, "POST", "/invitations", { email: ADA, role: "member" })).toBe(
      "409 INVALID_STATE",
    )
  })
})

describe("the switch", () => {
  test("leaves pages of the organization before signed out: they read and change nothing in the other", async () => {
    const { ada, eve, wheels, other } = await joined("owner")
    const { account } = await me(ada)
    const ofPage = { headers: { [PERSON_HEADER]: personIn(account.account_id, wheels) } }
    expect((await ada.call("GET", `${API}/members`, ofPage)).status).toBe(200)
    expect(await into(ada, other)).toBe("200 -")
    const invite = { body: { email: "ben@else.example", role: "member" } }
    for (const [method, path, sent] of [
      ["GET", "/members", {}],
      ["POST", "/invitations", invite],
    ] as const) {
      const { status, code } = await ada.call(method, `${API}${path}`, { ...sent, ...ofPage })
      expect([path, status, code]).toEqual([path, 401, "SIGN_IN_REQUIRED"])
    }
    expect((await eve.call("GET", `${API}/invitations`)).data["invitations"]).toEqual([])
    expect(await outcome(ada, "POST", "/invitations", invite.body)).toBe("201 -")
  })

  test("is of one session, begins in the sandbox, and gives the role of that organization", async () => {
    const { portal, ada, wheels, other } = await joined()
    const second = portal.browser()
    await outcome(second, "POST", "/session", { email: ADA, password: PASSWORD })
    portal.run(
      Effect.flatMap(Organizations, ({ change }) =>
        change(wheels, { environments: ["production", "sandbox"] }),
      ),
    )
    await outcome(ada, "PUT", "/session/environment", { environment: "production" })
    expect(await into(ada, other)).toBe("200 -")
    const seen = await me(ada)
    expect(seen).toMatchObject({
      account: { role: "member" },
      organization: { organization_id: other, name: "Else" },
      session: { environment: "sandbox" },
    })
    expect((await me(second)).organization.organization_id).toBe(wheels)
    expect(await outcome(ada, "PATCH", "/organization", { name: "Mine" })).toBe("403 OWNER_REQUIRED")
    expect(await outcome(ada, "POST", "/invitations", { email: "x@y.example", role: "owner" })).toBe(
      "403 OWNER_REQUIRED",
    )
    expect(await into(ada, wheels)).toBe("200 -")
    expect((await me(ada)).account.role).toBe("owner")
  })

  test("shows and changes only the organization it is in", async () => {
    const { ada, eve, wheels, other } = await joined()
    const body = { permissions: ["reservations:read"] }
    const own = (await ada.call("POST", `${API}/api-keys`, { body })).data["api_key"] as { key_id: string }
    await into(ada, other)
    const keys = async () => ((await ada.call("GET", `${API}/api-keys`)).data["api_keys"] as object[]).length
    expect(await keys()).toBe(0)
    expect(await outcome(ada, "DELETE", `/api-keys/${own.key_id}`)).toBe("404 NOT_FOUND")
    expect(await outcome(ada, "POST", "/api-keys", body)).toBe("201 -")
    expect((await eve.call("GET", `${API}/api-keys`)).data["api_keys"] as object[]).toMatchObject([
      { created_by: "Ada Example" },
    ])
    expect((await actions(ada)).slice(0, 2)).toEqual(["makeApiKey", "chooseOrganization"])
    await into(ada, wheels)
    expect(await keys()).toBe(1)
  })

  test("NOT_FOUND: leads to no organization of others, and tells nothing of them", async () => {
    const { portal, eve, wheels, other } = await joined()
    const strange = await eve.call("POST", `${API}/session/organization`, {
      body: { organization_id: wheels },
    })
    const unknown = await eve.call("POST", `${API}/session/organization`, {
      body: { organization_id: "none" },
    })
    expect([strange.status, strange.code]).toEqual([404, "NOT_FOUND"])
    expect({ ...strange.body, request_id: null }).toEqual({ ...unknown.body, request_id: null })
    expect(await outcome(eve, "POST", "/session/organization", {})).toBe("400 VALIDATION_ERROR")
    expect((await me(eve)).organization.organization_id).toBe(other)
    const { data } = await eve.call("GET", `${API}/members`)
    expect(JSON.stringify(data)).not.toContain(wheels)
    expect(portal.mailTo(ADA)[0]?.text).not.toContain("Wheels")
  })

  test("a deactivated organization is not offered; a sign-in begins in the first active one", async () => {
    const { portal, ada, wheels, other } = await joined()
    portal.run(Effect.flatMap(Organizations, ({ change }) => change(wheels, { isActive: false })))
    expect(await outcome(ada, "GET", "/session")).toBe("403 ORG_INACTIVE")
    expect(await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })).toBe("200 -")
    const seen = await me(ada)
    expect(seen.organization.organization_id).toBe(other)
    expect(seen.organizations).toMatchObject([{ organization_id: other }])
    expect(await into(ada, wheels)).toBe("404 NOT_FOUND")
    portal.run(Effect.flatMap(Organizations, ({ change }) => change(other, { isActive: false })))
    expect(await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })).toBe(
      "403 ORG_INACTIVE",
    )
  })
})

describe("leaving", () => {
  test("who is removed from one organization stays in the other, and must sign in again", async () => {
    const { ada, eve, wheels, other } = await joined()
    await into(ada, other)
    const { account } = await me(ada)
    expect(await outcome(eve, "DELETE", `/members/${account.account_id}`)).toBe("200 -")
    expect(await outcome(ada, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })
    expect((await me(ada)).organizations).toEqual([
      { organization_id: wheels, name: "Wheels", role: "owner" },
    ])
    expect(await into(ada, other)).toBe("404 NOT_FOUND")
  })

  test("who leaves the organization in which the account began goes on in the other", async () => {
    const { portal, ada, other } = await joined("owner")
    const bob = await portal.joined(ada, "bob@wheels.example", "owner")
    const { account } = await me(ada)
    expect(await outcome(bob, "DELETE", `/members/${account.account_id}`)).toBe("200 -")
    expect(await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })).toBe("200 -")
    expect(await me(ada)).toMatchObject({
      account: { account_id: account.account_id, role: "owner" },
      organization: { organization_id: other },
      organizations: [{ organization_id: other, role: "owner" }],
    })
    const { data } = await bob.call("GET", `${API}/members`)
    expect(data["members"]).toHaveLength(1)
  })

  test("a role is changed in one organization alone, and the last owner of each stays", async () => {
    const { ada, eve, wheels, other } = await joined()
    const { account } = await me(ada)
    expect(await outcome(eve, "PATCH", `/members/${account.account_id}`, { role: "owner" })).toBe("200 -")
    // Only sessions that act in that organization end.
    expect(await outcome(ada, "GET", "/session")).toBe("200 -")
    await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })
    expect((await me(ada)).organizations.map(({ role }) => role)).toEqual(["owner", "owner"])
    expect(await outcome(ada, "PATCH", `/members/${account.account_id}`, { role: "member" })).toBe(
      "409 INVALID_STATE",
    )
    await into(ada, other)
    expect(await outcome(ada, "PATCH", `/members/${account.account_id}`, { role: "member" })).toBe("200 -")
    await outcome(ada, "POST", "/session", { email: ADA, password: PASSWORD })
    expect((await me(ada)).organizations.map(({ role }) => role)).toEqual(["owner", "member"])
    expect((await me(ada)).organization.organization_id).toBe(wheels)
  })
})
