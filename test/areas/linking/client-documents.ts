/** Clients that are named by the URL of their metadata document, over HTTP: on any database. */

import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { PAGE_ERRORS } from "../../../src/model/linking.ts"
import type { ClientRegistration, PageErrorCode, TokenAnswer } from "../../../src/model/linking.ts"
import { AllowedRedirects } from "../../../src/areas/linking/redirect-uris.ts"
import { Linking } from "../../../src/areas/linking/linking.ts"
import type { DocumentAnswer } from "../../../src/engine/services/outbound/outbound-documents.ts"
import { CALLBACK, ISSUER, OTHER_CALLBACK, PATH, authorizeUrl, toldIn } from "./connector.ts"
import type { Connector, Said } from "./connector.ts"

/** The answer of a host with a document. */
const served = (document: unknown, headers: Readonly<Record<string, string>> = {}): DocumentAnswer => ({
  type: "answered",
  status: 200,
  headers: { "content-type": "application/json", ...headers },
  text: typeof document === "string" ? document : JSON.stringify(document),
})

const documentOf = (url: string, more: object = {}) => ({
  client_id: url,
  client_name: "Chat <agent>",
  redirect_uris: ["http://127.0.0.1:33418/", CALLBACK],
  ...more,
})

export function clientDocumentTests(at: () => Connector): void {
  let made = 0
  /** A URL of its own for each case. */
  const newUrl = (): string => {
    made += 1
    return `https://chat${made}.example/oauth/client.json`
  }
  const serve = (url: string, answer: DocumentAnswer = served(documentOf(url))): void =>
    void at().documents.answers.set(url, answer)
  const clientOf = (url: string): ClientRegistration =>
    ({ client_id: url }) as Partial<ClientRegistration> as ClientRegistration
  const open = (url: string, more: Record<string, string> = {}): Promise<Said> =>
    at()
      .visitor()
      .ask("GET", authorizeUrl({ client_id: url }, more))
  const readsOf = (url: string): number => at().documents.reads.filter((read) => read === url).length
  const refusalIn = (said: Said): PageErrorCode | undefined =>
    (Object.keys(PAGE_ERRORS) as PageErrorCode[]).find((code) =>
      said.text.includes(PAGE_ERRORS[code].message),
    )
  const isGood = async (token: string): Promise<boolean> =>
    Either.isRight(
      await at().run(
        Effect.either(Effect.flatMap(Linking, (linking) => linking.authenticate(`Bearer ${token}`))),
      ),
    )

  describe("A38: a client with a metadata document", () => {
    test("links, exchanges, refreshes and revokes; its document is read once", async () => {
      const url = newUrl()
      serve(url)
      const who = at().visitor()
      const { client, tokens } = await who.link(undefined, clientOf(url))
      expect(await isGood(tokens.access_token)).toBe(true)
      // The host has gone; only new authorizations need its document.
      at().documents.answers.delete(url)
      await at().advance(2 * DAY_MS)
      const again = await who.token({
        grant_type: "refresh_token",
        client_id: client.client_id,
        refresh_token: tokens.refresh_token,
      })
      expect(again.status).toBe(200)
      const { access_token, refresh_token } = again.json as unknown as TokenAnswer
      expect(await isGood(access_token)).toBe(true)
      const gone = await who.ask("POST", `${PATH}/oauth/revoke`, {
        form: { token: refresh_token, client_id: url },
      })
      expect(gone.status).toBe(200)
      expect(await isGood(access_token)).toBe(false)
      expect(readsOf(url)).toBe(1)
    })

    test("both pages show its name and its host, escaped; errors go to its redirect URI with the issuer", async () => {
      const url = newUrl()
      serve(url)
      const who = at().visitor()
      const page = await who.open(clientOf(url))
      const asked = await who.post(page, { phone: await at().number() })
      for (const said of [page, asked]) {
        expect(said.status).toBe(200)
        expect(said.text).toContain(
          `<strong>Chat &#60;agent&#62;</strong> at <strong>${new URL(url).host}</strong>`,
        )
      }
      expect((await who.open(await who.register())).text).toContain("<strong>Agent</strong> asks")
      const refused = await open(url, { scope: "admin", state: "s1" })
      expect(toldIn(refused)).toMatchObject({ error: "invalid_scope", iss: ISSUER, state: "s1" })
    })

    test.each<[string, PageErrorCode, (url: string) => DocumentAnswer | null]>([
      ["takes no connection", "client_document_unread", () => null],
      ["is silent", "client_document_unread", () => ({ type: "unanswered", reason: "timeout" })],
      [
        "is a redirect",
        "client_document_unread",
        (url) => ({ ...served(documentOf(url)), status: 302 }) as DocumentAnswer,
      ],
      [
        "is gone",
        "client_document_unread",
        (url) => ({ ...served(documentOf(url)), status: 404 }) as DocumentAnswer,
      ],
      [
        "is too large",
        "client_document_too_large",
        (url) => ({ ...served(documentOf(url)), text: null }) as DocumentAnswer,
      ],
      ["is no JSON", "client_document_not_json", () => served("client_id=1")],
      ["is a list", "client_document_other_id", () => served([])],
      ["is null", "client_document_not_json", () => served("null")],
      [
        "is a page",
        "client_document_not_json",
        (url) => served(documentOf(url), { "content-type": "text/html" }),
      ],
      ["has another client_id", "client_document_other_id", (url) => served(documentOf(`${url}?`))],
      [
        "has no client_id",
        "client_document_other_id",
        (url) => served(documentOf(url, { client_id: undefined })),
      ],
      ["has no name", "client_document_not_valid", (url) => served(documentOf(url, { client_name: " " }))],
      [
        "takes this service's name",
        "client_document_not_valid",
        (url) => served(documentOf(url, { client_name: "Curb1ine" })),
      ],
      [
        "has no redirect URIs",
        "client_document_not_valid",
        (url) => served(documentOf(url, { redirect_uris: [] })),
      ],
      [
        "wants a secret",
        "client_document_not_valid",
        (url) => served(documentOf(url, { token_endpoint_auth_method: "client_secret_post" })),
      ],
      [
        "does not use codes",
        "client_document_not_valid",
        (url) => served(documentOf(url, { grant_types: ["implicit"] })),
      ],
      [
        "wants tokens in the address",
        "client_document_not_valid",
        (url) => served(documentOf(url, { response_types: ["token"] })),
      ],
      [
        "may return to nowhere allowed",
        "client_document_redirects",
        (url) => served(documentOf(url, { redirect_uris: [`${CALLBACK}/`] })),
      ],
    ])("a document that %s is refused with %s on the page, and not kept", async (_, code, answerOf) => {
      const url = newUrl()
      const answer = answerOf(url)
      if (answer !== null) serve(url, answer)
      const said = await open(url)
      expect([said.status, refusalIn(said), said.headers["location"]]).toEqual([400, code, undefined])
      const form = { grant_type: "refresh_token", client_id: url, refresh_token: "mcr_1" }
      expect((await at().visitor().token(form)).json["error"]).toBe("invalid_client")
      serve(url)
      expect((await open(url)).status).toBe(200)
    })

    test("other fields, further grant types and a structured media type are accepted", async () => {
      const url = newUrl()
      const more = {
        grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code", "token"],
        token_endpoint_auth_method: "none",
        jwks: { keys: [] },
      }
      serve(url, served(documentOf(url, more), { "content-type": "application/cimd+json; charset=utf-8" }))
      expect((await open(url)).status).toBe(200)
    })

    test("an inside host and an unreachable one read the same on the page, and nothing is sent to either", async () => {
      const [inside, unknown] = [newUrl(), newUrl()]
      for (const url of [inside, unknown]) serve(url)
      at().breakHost(new URL(inside).hostname, "private")
      at().breakHost(new URL(unknown).hostname, "unknown")
      const [one, other] = [await open(inside), await open(unknown)]
      expect(refusalIn(one)).toBe("client_document_unread")
      expect([one.status, one.text]).toEqual([other.status, other.text])
      expect([readsOf(inside), readsOf(unknown)]).toEqual([0, 0])
    })

    test.each([
      "http://chat.example/client.json",
      "https://chat.example",
      "https://chat.example/",
      "https://chat.example/client.json#1",
      "https://user@chat.example/client.json",
      "https://Chat.example/client.json",
      "https://chat.example:443/client.json",
      "https://chat.example/a/../client.json",
      "https://10.0.0.1/client.json",
      "https://[::1]/client.json",
      `https://chat.example/${"x".repeat(500)}`,
    ])("%s is no address of a document, and is not read", async (url) => {
      serve(url)
      const said = await open(url)
      expect([said.status, refusalIn(said)]).toEqual([400, "client_document_address"])
      expect(readsOf(url)).toBe(0)
    })

    test("only redirect URIs that operators allow count, and only those of the document", async () => {
      const url = newUrl()
      serve(url)
      for (const redirect of [OTHER_CALLBACK, "http://127.0.0.1:33418/"]) {
        const said = await open(url, { redirect_uri: redirect })
        expect([said.status, refusalIn(said)]).toEqual([400, "redirect_not_registered"])
      }
      const other = newUrl()
      const late = `${CALLBACK}/late/${made}`
      serve(other, served(documentOf(other, { redirect_uris: [late] })))
      expect((await open(other, { redirect_uri: late })).status).toBe(400)
      await at().run(Effect.flatMap(AllowedRedirects, (redirects) => redirects.allow(late)))
      expect((await open(other, { redirect_uri: late })).status).toBe(200)
    })

    test("a redirect URI that operators allow later counts at once, also of a document that is kept", async () => {
      const url = newUrl()
      const late = `${CALLBACK}/later/${made}`
      serve(
        url,
        served(documentOf(url, { redirect_uris: [CALLBACK, late, late] }), {
          "cache-control": "max-age=3600",
        }),
      )
      expect((await open(url)).status).toBe(200)
      expect(refusalIn(await open(url, { redirect_uri: late }))).toBe("redirect_not_registered")
      expect(readsOf(url)).toBe(1)
      await at().run(Effect.flatMap(AllowedRedirects, (redirects) => redirects.allow(late)))
      expect((await open(url, { redirect_uri: late })).status).toBe(200)
      expect(readsOf(url)).toBe(2)
    })

    test("a stranger's requests under the public id leave its users their tokens", async () => {
      const url = newUrl()
      serve(url)
      const who = at().visitor()
      const { tokens } = await who.link(undefined, clientOf(url))
      const stranger = at().visitor()
      for (const path of ["token", "revoke"] as const) {
        const form = { client_id: url, grant_type: "none", token: "none" }
        const statuses: number[] = []
        for (let count = 0; count <= 120; count += 1)
          statuses.push((await stranger.ask("POST", `${PATH}/oauth/${path}`, { form })).status)
        expect(statuses.at(-1)).toBe(429)
      }
      const { refresh_token } = tokens
      const mine = await who.token({ grant_type: "refresh_token", client_id: url, refresh_token })
      expect(mine.status).toBe(200)
    })

    test.each<[string, Record<string, string>, number]>([
      ["says nothing", {}, 5 * MINUTE_MS],
      ["must not be stored", { "cache-control": "no-store, max-age=3600" }, 5 * MINUTE_MS],
      ["is good for a second", { "cache-control": "max-age=1" }, 5 * MINUTE_MS],
      ["is good for an hour", { "cache-control": "public, max-age=3600" }, HOUR_MS],
      ["has been on its way for half of it", { "cache-control": "max-age=3600", age: "1800" }, HOUR_MS / 2],
      ["is good for a year", { "cache-control": "max-age=31536000" }, DAY_MS],
      ["ends long ago", { expires: "Thu, 01 Jan 1970 00:00:00 GMT" }, 5 * MINUTE_MS],
      ["ends far ahead", { expires: "Fri, 01 Jan 2100 00:00:00 GMT" }, DAY_MS],
      ["says it badly", { expires: "0", "cache-control": "max-age=x" }, 5 * MINUTE_MS],
    ])("a document that %s is read again when it is too old", async (_, headers, keptMs) => {
      const url = newUrl()
      serve(url, served(documentOf(url), headers))
      await open(url)
      await at().advance(keptMs - SECOND_MS)
      await open(url)
      expect(readsOf(url)).toBe(1)
      await at().advance(SECOND_MS)
      serve(url, served(documentOf(url, { client_name: "Renamed" })))
      expect((await open(url)).text).toContain("Renamed")
      expect(readsOf(url)).toBe(2)
    })

    test("of one address ten documents are read in a minute; kept ones do not count", async () => {
      const who = at().visitor()
      const urls = Array.from({ length: 11 }, newUrl)
      const statuses: number[] = []
      for (const url of urls) {
        serve(url)
        statuses.push((await who.open(clientOf(url))).status)
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
      expect(readsOf(urls.at(-1) ?? "")).toBe(0)
      expect((await who.open(clientOf(urls[0] ?? ""))).status).toBe(200)
      await at().advance(MINUTE_MS)
      expect((await who.open(clientOf(urls.at(-1) ?? ""))).status).toBe(200)
    })
  })
}
