/** Changes with a session come from the host's own pages: one rule for the pages of members, operators and runners. */

import { describe, expect, test } from "vitest"
import { BASE_URL, PASSWORD, openPortal } from "../apps/portal/portal.ts"
import type { Sent } from "../apps/portal/portal.ts"
import { FORM_KEY, OPS_URL, makeOps, signedIn } from "./ops-pages.ts"

type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number
  readonly code: string | null
  readonly cookie: unknown
}

/** Pages of one kind that are open in a browser. */
interface Opened {
  readonly changes: readonly ((headers: Headers) => Promise<Answer>)[]
  /** What the changes have done, and whether the session lasts. */
  readonly state: () => Promise<unknown>
}

interface Pages {
  readonly base: string
  /** What their scripts send with every change. */
  readonly own: Headers
  readonly open: () => Promise<Opened>
}

const ADA = "ada@wheels.example"

const PORTAL: Pages = {
  base: BASE_URL,
  own: { "x-curbline-portal": "1" },
  open: async () => {
    const browser = await (await openPortal()).signedUp(ADA)
    const change = (method: string, path: string, body?: unknown) => async (headers: Headers) => {
      const sent: Sent = { isBare: true, headers, ...(body === undefined ? {} : { body }) }
      const answered = await browser.call(method, `/portal/api${path}`, sent)
      return { ...answered, cookie: answered.headers["set-cookie"] }
    }
    return {
      changes: [
        change("POST", "/api-keys", { permissions: ["reservations:read"] }),
        change("POST", "/session", { email: ADA, password: PASSWORD }),
        change("DELETE", "/session"),
      ],
      state: async () => (await browser.call("GET", "/portal/api/api-keys")).data,
    }
  },
}

const OPERATIONS: Pages = {
  base: OPS_URL,
  own: {},
  open: async () => {
    const api = await makeOps()
    const { cookie, key } = await signedIn(api)
    const session = { cookie, [FORM_KEY]: key }
    const change = (method: "DELETE" | "POST", url: string, body: object) => async (headers: Headers) => {
      const answer = await api.app.inject({
        method,
        url,
        headers: { "content-type": "application/json", ...session, ...headers },
        payload: JSON.stringify(body),
      })
      const { code = null } = answer.json<{ readonly code?: string }>()
      return { status: answer.statusCode, code, cookie: answer.headers["set-cookie"] }
    }
    return {
      changes: [
        change("POST", "/internal/v1/operator-tokens", { label: "made by a page" }),
        change("POST", "/ops/api/session", { token: api.operatorToken }),
        change("DELETE", "/ops/api/session", {}),
      ],
      state: async () =>
        (await api.call("GET", "/internal/v1/operator-tokens", { key: null, headers: { cookie } })).data,
    }
  },
}

const RUNNERS: Pages = {
  base: OPS_URL,
  own: { "x-curbline-runner": "1" },
  open: async () => {
    const api = await makeOps()
    const sites = await api.operate("GET", "/sites")
    const [site] = sites.data["sites"] as readonly { readonly site_id: string }[]
    const made = await api.operate("POST", `/sites/${site?.site_id}/pairings`, {
      body: { runner_name: "Maya" },
    })
    const { path } = made.data["pairing"] as { readonly path: string }
    const pair = async (headers: Headers) => {
      const answer = await api.app.inject({
        method: "POST",
        url: "/runner/api/pair",
        headers: { "content-type": "application/json", ...headers },
        payload: JSON.stringify({ code: path.split("#pair=")[1] }),
      })
      const { code = null } = answer.json<{ readonly code?: string }>()
      return { status: answer.statusCode, code, cookie: answer.headers["set-cookie"] }
    }
    return {
      changes: [pair],
      state: async () => (await api.operate("GET", `/sites/${site?.site_id}/runner-phones`)).data,
    }
  },
}

/** As a browser says where a page is. */
const ELSEWHERE: readonly (readonly [string, (base: URL) => Headers])[] = [
  ["of another site", () => ({ origin: "https://evil.example" })],
  ["that hides where it is from", () => ({ origin: "null" })],
  [
    "of the same name without TLS, where the host's URL has it",
    ({ protocol, host }) => ({ origin: protocol === "https:" ? `http://${host}` : "http://evil.example" }),
  ],
  ["of another port", ({ origin }) => ({ origin: `${origin}:8443` })],
  ["of a name that ends alike", ({ protocol, host }) => ({ origin: `${protocol}//evil-${host}` })],
  [
    "of a name that the request was not sent to",
    ({ protocol }) => ({ origin: `${protocol}//other.example` }),
  ],
  ["of this machine, when the request was sent to another name", () => ({ origin: "http://localhost:9" })],
  ["of a sister site, as browsers call it", () => ({ "sec-fetch-site": "same-site" })],
  ["of another site, as browsers call it", () => ({ "sec-fetch-site": "cross-site" })],
]

describe.each<[string, Pages]>([
  ["the portal", PORTAL],
  ["operations", OPERATIONS],
  ["runners", RUNNERS],
])("pages of %s", (_, { base, own, open }) => {
  const url = new URL(base)

  test("a change from a page that is elsewhere is refused, and does nothing", async () => {
    const { changes, state } = await open()
    const before = await state()
    for (const [where, headersOf] of ELSEWHERE)
      for (const change of changes) {
        const { status, code, cookie } = await change({ origin: url.origin, ...own, ...headersOf(url) })
        expect([where, status, code, cookie]).toEqual([where, 403, "CROSS_SITE_REQUEST", undefined])
      }
    expect(await state()).toEqual(before)
  })

  test("a change needs the header of their scripts, as 1, where they send one", async () => {
    const { changes, state } = await open()
    const before = await state()
    const without = Object.keys(own).flatMap((name) => [{}, { [name]: "" }, { [name]: "true" }])
    for (const headers of without)
      for (const change of changes) {
        const { status, code } = await change({ origin: url.origin, ...headers })
        expect([headers, status, code]).toEqual([headers, 403, "CROSS_SITE_REQUEST"])
      }
    expect(await state()).toEqual(before)
  })

  test.each<[string, Headers]>([
    ["their own pages", { origin: url.origin, "sec-fetch-site": "same-origin" }],
    ["their own pages in an old browser", { origin: url.origin }],
    [
      "their own pages under another name of the host",
      { host: "b.example", origin: `${url.protocol}//b.example` },
    ],
    ["their own pages on this machine", { host: "localhost:4010", origin: "http://localhost:4010" }],
    ["an address that a person opened", { "sec-fetch-site": "none" }],
    ["a program that says nothing", {}],
  ])("a change from %s is made", async (_from, headers) => {
    const { changes, state } = await open()
    const before = await state()
    const answer = await changes[0]?.({ ...own, ...headers })
    expect([200, 201]).toContain(answer?.status)
    expect(await state()).not.toEqual(before)
  })
})
