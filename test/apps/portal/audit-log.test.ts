/** The audit log: each command of the portal leaves a line, in its own transaction, and none of another organization. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const BOB = "bob@wheels.example"
const EVE = "eve@else.example"

interface Line {
  readonly at: string
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string | null }
  readonly environment: string | null
  readonly subject_id: string | null
  readonly subject_name: string | null
  readonly facts: Readonly<Record<string, string>>
}

async function lines(browser: Browser, query = ""): Promise<readonly Line[]> {
  const { status, data } = await browser.call("GET", `${API}/audit-log${query}`)
  expect(status).toBe(200)
  return data["lines"] as readonly Line[]
}

async function actions(browser: Browser, query = ""): Promise<readonly string[]> {
  return (await lines(browser, query)).map(({ action }) => action)
}

async function idOf(browser: Browser): Promise<{ readonly account: string; readonly organization: string }> {
  const { data } = await browser.call("GET", `${API}/session`)
  const { account, organization } = data as {
    readonly account: { readonly account_id: string }
    readonly organization: { readonly organization_id: string }
  }
  return { account: account.account_id, organization: organization.organization_id }
}

async function newKey(
  browser: Browser,
  query = "",
): Promise<{ readonly id: string; readonly value: string }> {
  const { data } = await browser.call("POST", `${API}/api-keys${query}`, {
    body: { permissions: ["webhooks:manage", "deliveries:read"], label: "Ada's laptop" },
  })
  return { id: (data["api_key"] as { key_id: string }).key_id, value: String(data["value"]) }
}

function provision(portal: Portal, organizationId: string): void {
  portal.run(
    Effect.flatMap(Organizations, ({ change }) =>
      change(organizationId, { environments: ["production", "sandbox"] }),
    ),
  )
}

describe("the audit log", () => {
  test("has who, what, when and about what, without texts of people", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { account } = await idOf(browser)
    const { id, value } = await newKey(browser)
    const [line] = await lines(browser)
    expect(line).toEqual({
      at: new Date(portal.now()).toISOString(),
      action: "makeApiKey",
      actor: { type: "member", id: account, name: "Ada Example" },
      environment: "sandbox",
      subject_id: id,
      subject_name: value.slice(-4),
      facts: { last_four: value.slice(-4) },
    })
    await browser.call("PATCH", `${API}/organization`, { body: { name: "New", contact_email: BOB } })
    const all = JSON.stringify(await lines(browser))
    expect(all).not.toMatch(/laptop|wheels\.example/)
    expect(all).not.toContain(value)
  })

  test("has a line for each kind of command, of its member", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    const ada = await idOf(owner)
    const bob = await idOf(member)
    const { id } = await newKey(owner)
    const call = async (browser: Browser, method: string, path: string, body?: object): Promise<void> => {
      const answered = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
      expect([path, answered.status < 300]).toEqual([path, true])
    }
    await call(owner, "PATCH", `/api-keys/${id}`, { label: "CI" })
    await call(owner, "POST", `/api-keys/${id}/roll`, { overlap: "PT0S" })
    await call(owner, "DELETE", `/api-keys/${id}`)
    await call(owner, "PATCH", "/organization", { contact_email: ADA })
    await call(owner, "POST", "/sites", {
      name: "East",
      location: { latitude: 30.27, longitude: -97.74 },
      reach_km: 10,
      delivery_price_cents: 599,
    })
    await call(owner, "POST", "/webhooks", {
      url: "https://hooks.partner.example/x",
      subscribed_events: ["reservation.status_changed"],
    })
    await call(member, "PUT", "/session/environment", { environment: "sandbox" })
    await call(owner, "PATCH", `/members/${bob.account}`, { role: "owner" })
    await call(member, "POST", "/session", { email: BOB, password: PASSWORD })
    await call(member, "PUT", "/password", { current_password: PASSWORD, password: `${PASSWORD} new` })
    await call(member, "DELETE", "/sessions")
    await call(member, "DELETE", "/session")
    await call(owner, "DELETE", `/members/${bob.account}`)
    const found = await lines(owner)
    expect(
      found.map(({ action, actor }) => [
        action,
        actor.id === ada.account ? "ada" : actor.id === bob.account ? "bob" : "?",
      ]),
    ).toEqual([
      ["removeMember", "ada"],
      ["signOut", "bob"],
      ["endOtherSessions", "bob"],
      ["changePassword", "bob"],
      ["signIn", "bob"],
      ["changeMember", "ada"],
      ["chooseEnvironment", "bob"],
      ["registerWebhook", "ada"],
      ["makeSandboxSite", "ada"],
      ["changeOrganization", "ada"],
      ["revokeApiKey", "ada"],
      ["rollApiKey", "ada"],
      ["changeApiKey", "ada"],
      ["makeApiKey", "ada"],
      ["acceptInvitation", "bob"],
      ["invite", "ada"],
      ["verifySignUp", "ada"],
    ])
    const of = (action: string) => found.find((line) => line.action === action)
    expect(of("changeMember")).toMatchObject({ subject_id: bob.account, facts: { role: "owner" } })
    expect(of("makeSandboxSite")?.subject_id).toMatch(/^[0-9a-f-]{36}$/)
    // Who has left keeps the name.
    expect(of("signOut")?.actor).toEqual({ type: "member", id: bob.account, name: "Bob Example" })
    expect(of("changeMember")?.subject_name).toBe("Bob Example")
    const { data: people } = await owner.call("GET", `${API}/audit-log/people`)
    expect(people["people"]).toEqual([
      { account_id: ada.account, name: "Ada Example", is_member: true },
      { account_id: bob.account, name: "Bob Example", is_member: false },
    ])
    expect(await actions(owner, `?actor=${bob.account}&action=signOut`)).toEqual(["signOut"])
    expect(of("changeOrganization")?.environment).toBeNull()
    expect(of("changeApiKey")?.environment).toBe("sandbox")
    expect(of("registerWebhook")?.subject_id).toMatch(/^whk_/)
    expect(of("chooseNewPassword")).toBeUndefined()
  })

  test("has nothing of commands that were refused, and one line of one command", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const before = await actions(owner)
    await owner.call("DELETE", `${API}/api-keys/none`)
    await owner.call("POST", `${API}/api-keys`, { body: { permissions: [] } })
    await owner.call("POST", `${API}/production-access`)
    await owner.call("POST", `${API}/session`, { body: { email: ADA, password: "wrong" } })
    const { account } = await idOf(owner)
    await owner.call("PATCH", `${API}/members/${account}`, { body: { role: "member" } })
    expect(await actions(owner)).toEqual(before)
    await newKey(owner)
    expect(await actions(owner)).toEqual(["makeApiKey", ...before])
  })

  test("has a new password by mail", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const guest = portal.browser()
    await guest.call("POST", `${API}/password/forgotten`, { body: { email: ADA } })
    const body = { token: portal.tokenFor(ADA), password: "another good password" }
    expect((await guest.call("POST", `${API}/password/new`, { body })).status).toBe(200)
    await owner.call("POST", `${API}/session`, { body: { email: ADA, password: body.password } })
    expect((await actions(owner)).slice(0, 2)).toEqual(["signIn", "chooseNewPassword"])
  })

  test("has what keys manage, by their last four, and not what they only read", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    provision(portal, (await idOf(owner)).organization)
    const key = await newKey(owner, "?environment=production")
    const headers = { authorization: `Bearer ${key.value}`, "content-type": "application/json" }
    const payload = JSON.stringify({
      url: "https://hooks.partner.example/x",
      events: ["pickup_status.changed"],
    })
    const pending = portal.app.inject({ method: "POST", url: "/dd/v1/webhooks", headers, payload })
    const settled = pending.then(() => true)
    const nothing = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false))
    while (!(await Promise.race([settled, nothing()]))) portal.service.host.time.run(portal.now() - 1)
    expect((await pending).statusCode).toBe(201)
    await portal.app.inject({ url: "/dd/v1/webhooks", headers })
    const [line, before] = await lines(owner)
    expect(line).toMatchObject({
      action: "registerWebhook",
      actor: { type: "key", id: key.id, name: key.value.slice(-4) },
      environment: "production",
    })
    expect(before?.action).toBe("makeApiKey")
  })

  test("has nothing of another organization, whatever is asked for", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const stranger = await portal.signedUp(EVE)
    const { id } = await newKey(owner)
    const { account } = await idOf(owner)
    expect(await actions(stranger)).toEqual(["verifySignUp"])
    expect(await actions(stranger, `?subject=${id}`)).toEqual([])
    expect(await actions(stranger, `?actor=${account}`)).toEqual([])
  })

  test("filters, and pages to the end", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const { id } = await newKey(owner)
    portal.advance(HOUR_MS)
    const later = new Date(portal.now()).toISOString()
    await newKey(owner)
    const { account } = await idOf(owner)
    expect(await actions(owner, "?action=makeApiKey")).toHaveLength(2)
    expect(await actions(owner, `?subject=${id}`)).toEqual(["makeApiKey"])
    expect(await actions(owner, `?actor=${account}`)).toHaveLength(3)
    expect(await actions(owner, `?from=${later}`)).toEqual(["makeApiKey"])
    expect(await actions(owner, `?to=${later}`)).toEqual(["makeApiKey", "verifySignUp"])
    const first = await owner.call("GET", `${API}/audit-log?limit=2`)
    expect(first.data["lines"]).toHaveLength(2)
    const next = await owner.call(
      "GET",
      `${API}/audit-log?limit=2&cursor=${String(first.data["next_cursor"])}`,
    )
    expect(next.data).toMatchObject({ lines: [{ action: "verifySignUp" }], next_cursor: null })
  })

  test("is a CSV file too, of the lines that fit, oldest first, without formulas", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, BOB)
    const { organization } = await idOf(owner)
    const { account } = await idOf(member)
    await owner.call("PATCH", `${API}/members/${account}`, { body: { role: "owner" } })
    await owner.call("DELETE", `${API}/members/${account}`)
    const active = { environments: ["sandbox", "production"] } as const
    portal.run(Effect.flatMap(Organizations, ({ change }) => change(organization, active)))
    const file = async (query = "", cookie = owner.cookie ?? "") => {
      const answer = await portal.app.inject({ url: `${API}/audit-log.csv${query}`, headers: { cookie } })
      return { ...answer, lines: answer.payload.split("\r\n").map((line) => line.split(",")) }
    }
    const whole = await file()
    expect(whole.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="audit-log.csv"',
      "cache-control": "no-store",
    })
    const columns = "at,actor_type,actor_id,actor,action,environment,subject_id,subject,facts"
    expect(whole.lines[0]).toEqual(columns.split(","))
    expect(whole.lines.map((line) => line[4]).slice(1, -1)).toEqual((await actions(owner)).toReversed())
    const [, changed, end] = (await file("?action=changeMember")).lines
    expect(changed?.slice(1)).toEqual([
      "member",
      (await idOf(owner)).account,
      "Ada Example",
      "changeMember",
      "",
      account,
      "Bob Example",
      "role=owner",
    ])
    expect(end).toEqual([""])
    expect((await file("?from=x")).statusCode).toBe(400)
    const stranger = await portal.signedUp(EVE)
    expect((await file("", stranger.cookie ?? "")).payload).not.toContain(account)
    expect((await file("", "curbline_session=none")).statusCode).toBe(401)
    expect(await actions(owner, "?actor=operations")).toEqual([])
  })

  test.each(["limit=0", "cursor=x", "from=x", "to=x", "actor=", "action=a&action=b"])(
    "VALIDATION_ERROR: %s",
    async (query) => {
      const portal = await openPortal()
      const browser = await portal.signedUp(ADA)
      const { status, code } = await browser.call("GET", `${API}/audit-log?${query}`)
      expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
    },
  )
})
