/** What the portal's sign-in page says about a session that has ended, and to whom. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { SESSIONS_MAX, SESSION_END_KNOWN_MS, SESSION_IDLE_MS } from "../../../src/model/values/limits.ts"
import { PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const ADA = "ada@wheels.example"
const BOB = "bob@wheels.example"
const API = "/portal/api"

async function opened() {
  const portal = await openPortal({ hasPages: true })
  const owner = await portal.signedUp(ADA)
  return { portal, owner }
}

const signedIn = async (portal: Portal, email: string): Promise<Browser> => {
  const browser = portal.browser()
  const answered = await browser.call("POST", `${API}/session`, { body: { email, password: PASSWORD } })
  expect(answered.status).toBe(200)
  return browser
}

/** The data of the page of a browser. */
async function endedOf(portal: Portal, cookie: string | null): Promise<string | null> {
  const headers = cookie === null ? {} : { cookie }
  const answer = await portal.app.inject({ url: "/portal/sign-in", headers })
  expect(answer.statusCode).toBe(200)
  return answer.json<{ readonly ended: string | null }>().ended
}

async function idOf(browser: Browser): Promise<string> {
  const { data } = await browser.call("GET", `${API}/session`)
  return (data["account"] as { readonly account_id: string }).account_id
}

describe("the sign-in page", () => {
  test("says nothing to a stranger, with an unknown cookie either, and nothing after a sign-out", async () => {
    const { portal, owner } = await opened()
    const left = await signedIn(portal, ADA)
    const { cookie } = left
    await left.call("DELETE", `${API}/session`)
    expect(await endedOf(portal, cookie)).toBeNull()
    expect(await endedOf(portal, null)).toBeNull()
    const name = owner.cookie?.split("=")[0] ?? ""
    expect(await endedOf(portal, `${name}=${"a".repeat(43)}`)).toBeNull()
  })

  test("says that a session was ended from another browser, one by one or all", async () => {
    const { portal, owner } = await opened()
    const [first, second] = [await signedIn(portal, ADA), await signedIn(portal, ADA)]
    const { data } = await first.call("GET", `${API}/session`)
    const { session_id: id } = data["session"] as { readonly session_id: string }
    await owner.call("DELETE", `${API}/sessions/${id}`)
    await owner.call("DELETE", `${API}/sessions`)
    for (const { cookie } of [first, second])
      expect(await endedOf(portal, cookie)).toBe("You were signed out here from another browser.")
  })

  test("says that the role was changed, and that the person is no member any more", async () => {
    const { portal, owner } = await opened()
    const bob = await portal.joined(owner, BOB)
    const id = await idOf(bob)
    const before = bob.cookie
    await owner.call("PATCH", `${API}/members/${id}`, { body: { role: "owner" } })
    expect(await endedOf(portal, before)).toMatch(/^Your role in the organization was changed/)
    const again = await signedIn(portal, BOB)
    await owner.call("DELETE", `${API}/members/${id}`)
    expect(await endedOf(portal, again.cookie)).toMatch(/no longer a member of the organization/)
  })

  test("says that the password was changed, or that the account was used in too many browsers", async () => {
    const { portal, owner } = await opened()
    const oldest = await signedIn(portal, ADA)
    portal.advance(1_000)
    const body = { current_password: PASSWORD, password: "another horse battery" }
    const { cookie } = oldest
    await owner.call("PUT", `${API}/password`, { body })
    expect(await endedOf(portal, cookie)).toMatch(/^The password of your account was changed/)
    const first = owner.cookie
    portal.advance(1_000)
    for (let count = 0; count < SESSIONS_MAX; count += 1) {
      portal.advance(60 * 60_000)
      const more = { email: ADA, password: body.password }
      await portal.browser().call("POST", `${API}/session`, { body: more })
    }
    expect(await endedOf(portal, first)).toMatch(/^You were signed out because/)
  })

  test("says that a session was unused for too long, until that is forgotten", async () => {
    const { portal, owner } = await opened()
    portal.advance(SESSION_IDLE_MS)
    const text = "You were signed out because the portal was not used here for 12 hours."
    expect(await endedOf(portal, owner.cookie)).toBe(text)
    // A change of the password deletes its row; a clock that is set back does not bring the session back.
    const other = await signedIn(portal, ADA)
    await other.call("DELETE", `${API}/sessions`)
    expect(await endedOf(portal, owner.cookie)).toBe(text)
    expect(SESSION_END_KNOWN_MS).toBeGreaterThan(SESSION_IDLE_MS)
  })

  test("says that the organization is deactivated, until it is active again", async () => {
    const { portal, owner } = await opened()
    const { data } = await owner.call("GET", `${API}/session`)
    const { organization_id: id } = data["organization"] as { readonly organization_id: string }
    const active = (isActive: boolean) =>
      portal.run(Effect.flatMap(Organizations, (all) => all.change(id, { isActive })))
    active(false)
    expect(await endedOf(portal, owner.cookie)).toMatch(/your organization is deactivated/)
    active(true)
    const answer = await portal.app.inject({
      url: "/portal/sign-in",
      headers: { cookie: owner.cookie ?? "" },
    })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "/portal"])
  })
})
