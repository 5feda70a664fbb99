/** Links of terminals, over HTTP: on any database. */

import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { handleOf, lettersOf } from "../../../src/areas/linking/terminal-letters.ts"
import { CALLBACK, ISSUER, ORIGIN, PATH, authorizeUrl } from "./connector.ts"
import type { Connector, Said, Visitor } from "./connector.ts"

const PAGE = `${ISSUER}/oauth/terminal`
const PAGE_PATH = `${PATH}/oauth/terminal`

export function terminalTests(at: () => Connector): void {
  let made = 0
  const newSecret = (): string => {
    made += 1
    return String(made).padStart(43, "s")
  }
  const fetchWith = (who: Visitor, secret: string): Promise<Said> =>
    who.ask("POST", `${PAGE_PATH}/code`, { form: { secret } })
  const codeFor = async (who: Visitor, secret: string): Promise<unknown> =>
    (await fetchWith(who, secret)).json["code"]
  const confirm = (who: Visitor, location: URL, headers: Record<string, string> = {}): Promise<Said> =>
    who.ask("POST", PAGE_PATH, { form: Object.fromEntries(location.searchParams), headers })
  const shown = (who: Visitor, { pathname, search }: URL): Promise<Said> =>
    who.ask("GET", `${pathname}${search}`)

  /** An authorization of a terminal that has returned to the page. */
  async function returned(secret = newSecret()) {
    const who = at().visitor()
    const client = await who.register({ redirect_uris: [PAGE] })
    const more = { redirect_uri: PAGE, state: handleOf(secret) }
    const location = await who.authorize(client, await at().number(), more)
    return { who, client, secret, location }
  }

  describe("a terminal's link", () => {
    test("shows the terminal's letters, and gives the code once, when they were confirmed", async () => {
      const { who, client, secret, location } = await returned()
      expect(`${location.origin}${location.pathname}`).toBe(PAGE)
      expect(location.searchParams.get("iss")).toBe(ISSUER)
      const page = await shown(who, location)
      expect(page.status).toBe(200)
      expect(page.text).toContain(`>${lettersOf(handleOf(secret))}</p>`)
      expect(page.text).toContain(`<form method="post" action="${ORIGIN}${PAGE_PATH}">`)
      expect(page.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" })
      expect(await codeFor(who, secret)).toBeNull()
      expect((await confirm(who, location)).text).toContain("Your terminal is connected")
      const code = location.searchParams.get("code") ?? ""
      expect(await at().content()).not.toContain(code)
      expect(await codeFor(who, newSecret())).toBeNull()
      expect(await codeFor(at().visitor(), secret)).toBe(code)
      expect(await codeFor(who, secret)).toBeNull()
      const form = { ...who.exchangeForm(client, location), redirect_uri: PAGE }
      expect((await who.token(form)).status).toBe(200)
      const again = await confirm(who, location)
      expect([again.status, await codeFor(who, secret)]).toEqual([400, null])
    })

    test("of two fetches at once one gets the code", async () => {
      const { who, secret, location } = await returned()
      await confirm(who, location)
      const codes = await Promise.all([codeFor(who, secret), codeFor(who, secret)])
      expect(codes.filter((code) => code !== null)).toHaveLength(1)
    })

    test("a code from elsewhere under its handle does not push out its own, and is of no use to it", async () => {
      const own = await returned()
      const { who, location } = await returned()
      await confirm(own.who, own.location)
      location.searchParams.set("state", handleOf(own.secret))
      await confirm(who, location)
      expect(await codeFor(own.who, own.secret)).toBe(own.location.searchParams.get("code"))
      const injected = { ...own.who.exchangeForm(own.client, location), redirect_uri: PAGE }
      expect((await own.who.token(injected)).json["error"]).toBe("invalid_grant")
    })

    test("a minute after the code it is too late to confirm; ten minutes later a confirmed one is gone", async () => {
      const [slow, kept] = [await returned(), await returned()]
      await confirm(kept.who, kept.location)
      await at().advance(MINUTE_MS + 1)
      for (const said of [await shown(slow.who, slow.location), await confirm(slow.who, slow.location)]) {
        expect([said.status, said.text.includes("Begin again in your terminal")]).toEqual([400, true])
      }
      await at().advance(9 * MINUTE_MS + SECOND_MS)
      expect(await codeFor(kept.who, kept.secret)).toBeNull()
    })

    test.each<[string, (sent: URLSearchParams) => void]>([
      ["no code", (sent) => sent.delete("code")],
      ["two codes", (sent) => sent.append("code", "mcc_1")],
      ["a code that was never made", (sent) => sent.set("code", `mcc_${"x".repeat(43)}`)],
      ["no state", (sent) => sent.delete("state")],
      ["a state that is no handle", (sent) => sent.set("state", "<b>")],
    ])("its page with %s is refused", async (_, bend) => {
      const { who, location } = await returned()
      bend(location.searchParams)
      const said = await shown(who, location)
      expect([said.status, said.text.includes("<form")]).toEqual([400, false])
    })

    test("a code for another redirect URI cannot be taken to a terminal", async () => {
      const who = at().visitor()
      const client = await who.register()
      const state = handleOf(newSecret())
      const location = await who.authorize(client, await at().number(), { state })
      expect((await confirm(who, location)).status).toBe(400)
    })

    test("another site cannot confirm the letters", async () => {
      const { who, secret, location } = await returned()
      const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      expect((await confirm(who, location, foreign)).status).toBe(400)
      expect(await codeFor(who, secret)).toBeNull()
    })

    test("its page is registered alone, to the letter, and the person reads our words instead of a stranger's", async () => {
      const who = at().visitor()
      const others = [`${PAGE}/`, `${PAGE}?a=1`, PAGE.replace("https", "http"), `${PAGE}/code`]
      for (const uris of [...others.map((uri) => [uri]), [PAGE, CALLBACK]])
        await expect(who.register({ redirect_uris: uris })).rejects.toThrow("redirect_uri")
      const client = await who.register({ redirect_uris: [PAGE], client_name: "Bank at bank.example" })
      expect(client.client_name).toBe("A program on a computer")
      const page = await who.ask("GET", authorizeUrl(client, { redirect_uri: PAGE }))
      expect(page.text).toContain("Go on only if you started <code>npx curbline connect</code> yourself")
      expect(page.text).not.toContain("bank")
    })

    test("tries are bounded, and a secret has 256 bits", async () => {
      const who = at().visitor()
      expect((await fetchWith(who, "short")).json["error"]).toBe("invalid_request")
      for (let tries = 1; tries < 240; tries += 1) await codeFor(who, newSecret())
      expect((await fetchWith(who, newSecret())).status).toBe(429)
      await at().advance(MINUTE_MS)
      expect((await fetchWith(who, newSecret())).status).toBe(200)
    })
  })

  test("letters are four consonants of the handle", () => {
    const all = Array.from({ length: 200 }, () => lettersOf(handleOf(newSecret())))
    expect(all.every((letters) => /^(?:[B-DF-HJ-NP-TV-XZ] ){3}[B-DF-HJ-NP-TV-XZ]$/.test(letters))).toBe(true)
    expect(new Set(all).size).toBeGreaterThan(190)
    expect(lettersOf(handleOf("s".repeat(43)))).toBe(lettersOf(handleOf("s".repeat(43))))
  })
}
