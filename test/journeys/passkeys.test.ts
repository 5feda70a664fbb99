/**
 * A member with passkeys: from sign-up to a sign-in by an authenticator, the refusal of what was used or stolen, and the
 * way back with a recovery code, on both databases.
 */

import { expect, test } from "vitest"
import { softwareAuthenticator } from "../apps/portal/software-authenticator.ts"
import { onDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"

/** The name under which browsers reach the portal; requests of the test go to the port itself. */
const ORIGIN = "https://portal.curbline.example"
const PARTY = { origin: ORIGIN, rpId: new URL(ORIGIN).hostname }
const EMAIL = "ada@northloop.example"
const PASSWORD = "lemon tractor window"

const settings = { hasDemo: true, env: () => ({ CURBLINE_PRODUCTION_URL: ORIGIN }) }

onDatabases("a member with passkeys", settings, ({ ask, process }) => {
  const key = softwareAuthenticator(PARTY)
  let cookie = ""
  let recovery: readonly string[] = []

  const portal = (
    path: string,
    body?: object,
    method = body === undefined ? "GET" : "POST",
  ): Promise<Answered> =>
    ask({
      method,
      path: `/portal/api${path}`,
      headers: { origin: ORIGIN, "x-curbline-portal": "1", cookie },
      ...(body === undefined ? {} : { body }),
    })

  const optionsOf = async (path: string, body?: object): Promise<Json> => {
    const { status, data } = await portal(path, body, "POST")
    expect([path, status]).toEqual([path, 201])
    return data.options
  }

  const challenged = async (): Promise<string> => {
    cookie = ""
    const { status, data } = await portal("/session", { email: EMAIL, password: PASSWORD })
    expect([status, data.methods]).toEqual([202, ["passkey", "recovery-code"]])
    return data.challenge as string
  }

  const completed = (challenge: string, proof: object): Promise<Answered> =>
    portal("/session/second-factor", { challenge, ...proof })

  const cookieOf = ({ headers }: Answered): string => headers.getSetCookie()[0]?.split(";")[0] ?? ""

  test("signs up and adds a key, which switches the second factor on", async () => {
    const person = { email: EMAIL, password: PASSWORD, name: "Ada", organization_name: "North Loop" }
    const { data: asked } = await portal("/sign-up", person)
    const { operator_token: bearer } = process().access.production
    const { text } = await ask({ path: "/internal/v1/messages?channel=mail", bearer })
    const code = /code is (\d{6})/.exec(text)?.[1] ?? ""
    const verified = await portal("/sign-up/verify", { sign_up_token: asked.sign_up_token, code })
    expect(verified.status).toBe(201)
    cookie = cookieOf(verified)
    const credential = key.create(await optionsOf("/passkeys/options", { current_password: PASSWORD }))
    const added = await portal("/passkeys", { name: "Blue key", credential })
    expect([added.status, added.data.passkey.name]).toEqual([201, "Blue key"])
    recovery = added.data.recovery_codes as string[]
    expect(recovery).toHaveLength(10)
    expect((await portal("/passkeys", { name: "Again", credential })).body.code).toBe("INVALID_CODE")
  })

  test("signs in with it; its signature works once and for this portal alone", async () => {
    const challenge = await challenged()
    const foreign = key.get(await optionsOf("/session/second-factor/passkey", { challenge }), {
      origin: "https://evil.example",
    })
    expect((await completed(challenge, { passkey: foreign })).body.code).toBe("INVALID_CODE")
    const passkey = key.get(await optionsOf("/session/second-factor/passkey", { challenge }))
    const begun = await completed(challenge, { passkey })
    expect(begun.status).toBe(200)
    expect((await completed(challenge, { passkey })).body.code).toBe("INVALID_CODE")
    cookie = cookieOf(begun)
    const { data } = await portal("/passkeys")
    expect(data.passkeys[0]).toMatchObject({ name: "Blue key", used_at: expect.stringMatching(/Z$/) })
  })

  test("with the password alone adds neither another key nor an application; with the key, both", async () => {
    const consent = { current_password: PASSWORD }
    for (const path of ["/passkeys/options", "/second-factor/totp"]) {
      expect((await portal(path, consent)).body.code).toBe("VALIDATION_ERROR")
      expect((await portal(path, { ...consent, code: "000000" })).body.code).toBe("INVALID_CODE")
      const passkey = key.get(await optionsOf("/second-factor/passkey"))
      expect((await portal(path, { ...consent, passkey })).status).toBe(201)
      expect((await portal(path, { ...consent, passkey })).body.code).toBe("INVALID_CODE")
    }
    expect((await portal("/second-factor")).data).toMatchObject({ recovery_codes_left: 10 })
  })

  test("without the key signs in with a recovery code, and removes the key with another", async () => {
    const begun = await completed(await challenged(), { code: recovery[0] })
    expect(begun.status).toBe(200)
    cookie = cookieOf(begun)
    const { data } = await portal("/passkeys")
    const path = `/passkeys/${String(data.passkeys[0].passkey_id)}/remove`
    expect((await portal(path, { code: recovery[0] })).body.code).toBe("INVALID_CODE")
    expect((await portal(path, { code: recovery[1] })).status).toBe(200)
    expect((await portal("/second-factor")).data).toMatchObject({ is_on: false, recovery_codes_left: 0 })
    cookie = ""
    expect((await portal("/session", { email: EMAIL, password: PASSWORD })).status).toBe(200)
  })
})
