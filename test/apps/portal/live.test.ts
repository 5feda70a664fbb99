/** The portal as it runs: over the embedded database on real time, with passwords hashed as they are, and mail that arrives. */

import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import type { FastifyInstance } from "fastify"
import Fastify from "fastify"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { layerNameLookup } from "../../../src/live/gateways/name-lookup.ts"
import { layerOutboundHttp } from "../../../src/live/gateways/outbound-http.ts"
import { layerSignedPhotos } from "../../../src/live/gateways/signed-photos.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { sendError } from "../../../src/http/errors.ts"
import { portalPlugin } from "../../../src/apps/portal/http/plugin.ts"
import { layerLiveService } from "../../../src/live/services/live-service.ts"
import { layerPortal, layerSenders, portalRetention } from "../../../src/live/services/portal.ts"
import { CallLog } from "../../../src/http/access/call-log.ts"
import { layerCallRows } from "../../../src/http/access/store/call-rows.ts"
import { ApiKeys } from "../../../src/http/access/api-keys.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { PortalRows } from "../../../src/apps/portal/rows.ts"
import { Retention } from "../../../src/engine/services/retention/retention.ts"
import { layerAccessRows } from "../../../src/http/access/store/access-rows.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { PhotoStore } from "../../../src/engine/services/photos/photo-store.ts"
import { startMailServer } from "../../areas/messages/smtp-server.ts"
import type { MailServer } from "../../areas/messages/smtp-server.ts"
import { BASE_URL, PASSWORD } from "./portal.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { eventually } from "../../eventually.ts"

const baseUrls = { production: BASE_URL, sandbox: BASE_URL }

function layerOf(smtpUrl: string) {
  const outside = Layer.mergeAll(
    layerNameLookup(),
    layerOutboundHttp,
    layerSignedPhotos({ key: "photos", baseUrls }).pipe(
      Layer.provide(PhotoStore.layer),
      Layer.provide(layerTables),
    ),
  ).pipe(Layer.provideMerge(layerCopiedPglite))
  const pages = { secretKey: "messages", baseUrl: "https://curbline.example" }
  const live = layerLiveService({
    digestKey: "digests",
    secretKey: "secrets",
    retention: portalRetention(pages),
    pages,
  })
  return layerPortal(pages).pipe(
    Layer.provide(layerSenders({ smtp: { url: smtpUrl, from: "portal@curbline.example" }, twilio: null })),
    Layer.provideMerge(CallLog.layer.pipe(Layer.provide(layerCallRows))),
    Layer.provideMerge(ApiKeys.layer.pipe(Layer.provide(layerAccessRows))),
    Layer.provideMerge(live),
    Layer.provideMerge(outside),
    Layer.provideMerge(Logger.remove(Logger.defaultLogger)),
  )
}

let mail: MailServer
let app: FastifyInstance
let managed: ManagedRuntime.ManagedRuntime<Layer.Layer.Success<ReturnType<typeof layerOf>>, unknown>

beforeAll(async () => {
  mail = await startMailServer()
  managed = ManagedRuntime.make(layerOf(mail.url))
  app = Fastify()
  app.setErrorHandler(sendError)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
  await app.register(portalPlugin, { run: bridgeTo(await managed.runtime()), baseUrl: BASE_URL })
})
afterAll(async () => {
  await app.close()
  await managed.dispose()
  await mail.stop()
})

async function call(method: string, path: string, body?: object, cookie?: string) {
  const response = await app.inject({
    method: method as "GET",
    url: `/portal/api${path}`,
    headers: {
      "x-curbline-portal": "1",
      origin: BASE_URL,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const { data = {}, code = null } = response.json<{ data?: Record<string, string>; code?: string }>()
  const [pair] = ([response.headers["set-cookie"]].flat()[0] ?? "").split(";")
  return { status: response.statusCode, data, code, cookie: pair ?? "" }
}

/** Of the newest mail that has arrived there. */
async function arrived(address: string, pattern: RegExp): Promise<string> {
  return eventually(() => {
    const found = mail.received.findLast(({ to }) => to.includes(`<${address}>`))
    const match = pattern.exec((found?.data ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "="))
    if (match?.[1] === undefined) throw new Error(`no mail for ${address}`)
    return match[1]
  })
}

async function asked(email: string) {
  const asked_ = await call("POST", "/sign-up", {
    email,
    password: PASSWORD,
    name: "Ada",
    organization_name: "Wheels",
  })
  expect(asked_.status).toBe(202)
  const token = asked_.data["sign_up_token"]
  return { sign_up_token: token, code: await arrived(email, /code is (\d{6})/) }
}

describe("the portal over the embedded database", () => {
  test("from sign-up to a key, with the code and the link that arrive by mail", async () => {
    const email = "ada@wheels.example"
    const { cookie, status } = await call("POST", "/sign-up/verify", await asked(email))
    expect(status).toBe(201)
    const key = await call("POST", "/api-keys", { permissions: ["reservations:read"] }, cookie)
    expect(key.data["value"]).toMatch(/^ck_sbx_/)
    expect((await call("POST", "/session", { email, password: PASSWORD })).status).toBe(200)
    expect((await call("POST", "/session", { email, password: "wrong" })).code).toBe("INVALID_CREDENTIALS")
    await call("POST", "/password/forgotten", { email })
    const token = await arrived(email, /#token=([\w-]{43})\r?$/m)
    const password = "another good password"
    expect((await call("POST", "/password/new", { token, password })).status).toBe(200)
    expect((await call("GET", "/session", undefined, cookie)).code).toBe("SIGN_IN_REQUIRED")
    expect((await call("POST", "/session", { email, password })).status).toBe(200)
    const account = await managed.runPromise(Effect.flatMap(PortalRows, (rows) => rows.accountOf(email)))
    expect(account?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const left = await managed.runPromise(
      Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "mail", limit: 100 })),
    )
    await arrived(email, /(password of your account was changed)/)
    expect(left.filter((one) => one.status === "sent" && one.text !== "")).toEqual([])
  })

  test("one code makes one account, however many send it at once", async () => {
    const email = "bob@wheels.example"
    const body = await asked(email)
    const all = await Promise.all(Array.from({ length: 5 }, () => call("POST", "/sign-up/verify", body)))
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400])
  })

  test("one link sets one password, however many send it at once", async () => {
    const email = "cy@wheels.example"
    await call("POST", "/sign-up/verify", await asked(email))
    await call("POST", "/password/forgotten", { email })
    const token = await arrived(email, /#token=([\w-]{43})\r?$/m)
    const all = await Promise.all(
      [1, 2, 3].map((number) =>
        call("POST", "/password/new", { token, password: `new password no ${number}` }),
      ),
    )
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
  })

  test("passwords that are tried at once count before they are compared", async () => {
    const email = "unknown@wheels.example"
    const all = await Promise.all(
      Array.from({ length: 16 }, () => call("POST", "/session", { email, password: "wrong" })),
    )
    expect(all.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(6)
  })

  test("G20: retention purges what the portal keeps, and leaves what is still good", async () => {
    const { cookie } = await call("POST", "/sign-up/verify", await asked("di@wheels.example"))
    await call("POST", "/password/forgotten", { email: "di@wheels.example" })
    const purged = await managed.runPromise(Effect.flatMap(Retention, ({ run }) => run))
    expect(purged.slice(-14)).toEqual(
      [
        "unsent messages (sign-up)",
        "unsent messages (webhook-disabled)",
        "messages",
        "inbound messages",
        "portal sessions",
        "reasons of ended sessions",
        "portal codes and links",
        "audit logs",
        "request logs",
        "bodies of request logs",
        "former members",
        "accounts that ended",
        "requests to change sites",
        "portal attempts",
      ].map((name) => ({ name, rows: 0 })),
    )
    expect((await call("GET", "/session", undefined, cookie)).status).toBe(200)
    const token = await arrived("di@wheels.example", /#token=([\w-]{43})\r?$/m)
    const body = { token, password: "another good password" }
    expect((await call("POST", "/password/new", body)).status).toBe(200)
  })
})
