/** The inspector over HTTP: who may sign in, what answers contain, and which events an operator may send. */

import { sql } from "drizzle-orm"
import { Context, Effect } from "effect"
import type { FastifyInstance } from "fastify"
import { beforeEach, describe, expect, test } from "vitest"
import { parse } from "yaml"
import type { KeptScenario } from "../../../src/model/live-group.ts"
import { readSource } from "../../../src/simulation/scenario/language/read.ts"
import { inspectionRetention } from "../../../src/live/records/inspection.ts"
import { FORM_KEY_HEADER, NOW_HEADER, REVISION_HEADER, STUCK_HEADER } from "../../../src/model/live-group.ts"
import {
  KEEP_AUDIT_MS,
  OPERATOR_SESSION_MS,
  PAGE_SIZE,
  SIGN_INS_PER_ADDRESS_MAX,
} from "../../../src/model/values/limits.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { OperatorAudit } from "../../../src/apps/inspector/audit.ts"
import type { KeptAuditEntry } from "../../../src/apps/inspector/audit.ts"
import { OperatorActions } from "../../../src/apps/operators/actions.ts"
import type { ShownAction } from "../../../src/apps/operators/actions.ts"
import { Retention, layerRetention } from "../../../src/engine/services/retention/retention.ts"
import type { Purged } from "../../../src/engine/services/retention/retention.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { booked, partner, reservations, sandboxPartner, subscribe } from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { liveHarnesses } from "../../conformance/live-harnesses.ts"
import { asked, inspectedHost, logged, madeToken, revoked } from "./service.ts"
import type { OperatorToken } from "./service.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

const BASE_URL = "https://sandbox.curbline.example"
const sandbox = { environment: "sandbox", baseUrl: BASE_URL } as const

const { make, context } = liveHarnesses(async () => layerCopiedPglite)

let h: LiveHarness
let app: FastifyInstance
let token: OperatorToken
let group: string
let id: string

beforeEach(async () => {
  h = make()
  app = await inspectedHost(h, sandbox)
  token = await madeToken(h, "sandbox")
  id = await booked(h, { end_user_name: "Ada Planted", retailer_pickup_ref: "Planted 9" }, sandboxPartner)
  group = `/inspect/groups/reservation/${id}`
})

interface Sent {
  readonly method?: "GET" | "POST"
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly host?: FastifyInstance
}

function call(url: string, { method, cookie, headers = {}, form, json, host = app }: Sent = {}) {
  const payload = form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString()
  const hasBody = form !== undefined || json !== undefined
  return host.inject({
    method: method ?? (hasBody ? "POST" : "GET"),
    url,
    headers: {
      host: "sandbox.curbline.example",
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    ...(hasBody ? { payload } : {}),
  })
}

async function signedIn(value = token.value, to = "/inspect"): Promise<string> {
  const response = await call("/inspect/sign-in", {
    form: { token: value, to },
    headers: { origin: BASE_URL },
  })
  expect(response.statusCode).toBe(303)
  return String(response.headers["set-cookie"]).split(";")[0] ?? ""
}

/** What the pages of a session carry. */
async function formKey(cookie: string): Promise<string> {
  const { body } = await call("/inspect", { cookie })
  return /name="key" value="([\w-]{43})"/.exec(body)?.[1] ?? ""
}

async function executed(statement: ReturnType<typeof sql>): Promise<void> {
  await Context.get(await context(), Database).orm.execute(statement)
}

/** Where a link of a page leads. */
function hrefOf(body: string, text: string): string {
  return (new RegExp(`href="([^"]+)" rel="next">${text}<`).exec(body)?.[1] ?? "").replaceAll("&#38;", "&")
}

function audited(): Promise<readonly KeptAuditEntry[]> {
  const query = { environment: "sandbox", beforeNumber: null, limit: 10 } as const
  return asked(
    h,
    Effect.flatMap(OperatorAudit, (audit) => audit.list(query)),
  )
}

/** The audit log of operations, newest first. */
function acted(): Promise<readonly ShownAction[]> {
  const query = {
    environment: "sandbox",
    actorId: null,
    action: null,
    fromMs: null,
    toMs: null,
    beforeNumber: null,
    limit: 10,
  } as const
  return asked(
    h,
    Effect.flatMap(OperatorActions, (actions) => actions.list(query)),
  )
}

describe("signing in", () => {
  test("without a session nothing is shown: pages are the form, everything else is 401", async () => {
    for (const path of ["/inspect", "/inspect/audit", group]) {
      const { statusCode, body, headers } = await call(path)
      expect([path, statusCode]).toEqual([path, 401])
      expect(body).toContain("Operator token")
      expect(body).toContain(`name="to" value="${path}"`)
      expect(body).not.toContain("confirmed")
      expect(headers["cache-control"]).toBe("no-store")
    }
    for (const path of [`${group}/entries`, `${group}/record`, `${group}/scenario`])
      expect((await call(path)).json()).toMatchObject({ code: "SIGN_IN_REQUIRED" })
    expect((await call(`${group}/events`, { json: {} })).statusCode).toBe(401)
    expect((await call("/inspect/sign-out", { form: { key: "x" } })).statusCode).toBe(401)
  })

  test("the cookie is for this host alone, no script and no other site; nothing of it or the token is in an address", async () => {
    const { headers } = await call("/inspect/sign-in", { form: { token: token.value, to: group } })
    expect(headers.location).toBe(group)
    expect(headers["set-cookie"]).toMatch(
      /^__Host-curbline_operator_sandbox=[\w-]{43}; Max-Age=648000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    const plain = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1:1" })
    const dev = await call("/inspect/sign-in", { form: { token: token.value }, host: plain })
    expect(dev.headers["set-cookie"]).toMatch(/^curbline_operator_sandbox=[\w-]{43}; .*SameSite=Strict$/)
    expect(dev.headers.location).toBe("/inspect")
  })

  test.each(["https://evil.example/", "//evil.example", "/inspect/../x\n", "/docs", "/inspectors"])(
    "it leads nowhere but to the inspector: %j",
    async (to) => {
      const response = await call("/inspect/sign-in", { form: { token: token.value, to } })
      expect(response.headers.location).toBe("/inspect")
    },
  )

  test("no other token opens it: of the other environment, revoked, unknown, an API key, none", async () => {
    const production = await madeToken(h, "production")
    const old = await madeToken(h, "sandbox")
    await revoked(h, "sandbox", old.tokenId)
    for (const value of [production.value, old.value, `${token.value}x`, "ck_sbx_1", ""]) {
      const response = await call("/inspect/sign-in", { form: { token: value } })
      expect([response.statusCode, response.headers["set-cookie"]]).toEqual([401, undefined])
      expect(response.body).toContain("no operator token of this environment")
      if (value !== "") expect(response.body).not.toContain(value)
    }
  })

  test("wrong tokens of one network are counted; a right one signs in", async () => {
    const attempt = () => call("/inspect/sign-in", { form: { token: "wrong" } })
    for (let count = 0; count < SIGN_INS_PER_ADDRESS_MAX; count += 1) await attempt()
    const late = await attempt()
    expect([late.statusCode, Number(late.headers["retry-after"]) > 0]).toEqual([429, true])
    expect((await call("/inspect/sign-in", { form: { token: token.value } })).statusCode).toBe(303)
  })

  test("a session ends with its time, with its token, and by signing out; it is good on its own host alone", async () => {
    const first = await signedIn()
    const production = await inspectedHost(h, { ...sandbox, environment: "production" })
    const elsewhere = first.replace("_sandbox=", "_production=")
    expect((await call("/inspect", { cookie: elsewhere, host: production })).statusCode).toBe(401)
    const key = await formKey(first)
    expect(
      (await call("/inspect/sign-out", { cookie: first, form: { key } })).headers["set-cookie"],
    ).toContain("Max-Age=0")
    expect((await call("/inspect", { cookie: first })).statusCode).toBe(401)
    const second = await signedIn()
    await h.advance(OPERATOR_SESSION_MS - 1)
    expect((await call("/inspect", { cookie: second })).statusCode).toBe(200)
    await h.advance(1)
    const late = await call("/inspect", { cookie: second })
    expect([late.statusCode, late.body]).toEqual([401, expect.stringContaining("a session lasts 12 hours")])
    const third = await signedIn()
    await revoked(h, "sandbox", token.tokenId)
    const unheld = await call("/inspect", { cookie: third })
    expect([unheld.statusCode, unheld.body]).toEqual([401, expect.stringContaining("token with which")])
  })

  test("a request of another site neither signs in nor out and sends nothing", async () => {
    const cookie = await signedIn()
    const key = await formKey(cookie)
    const strangers = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]
    for (const headers of strangers as readonly Readonly<Record<string, string>>[]) {
      const answers = [
        await call("/inspect/sign-in", { form: { token: token.value }, headers }),
        await call("/inspect/sign-out", { cookie, form: { key }, headers }),
        await call(`${group}/events`, { cookie, json: {}, headers: { ...headers, [FORM_KEY_HEADER]: key } }),
      ]
      expect(answers.map((answer) => answer.json<{ code: string }>().code)).toEqual(
        answers.map(() => "CROSS_SITE_REQUEST"),
      )
    }
    const other = await formKey(await signedIn())
    for (const wrong of ["", "x", other]) {
      expect((await call("/inspect/sign-out", { cookie, form: { key: wrong } })).statusCode).toBe(403)
      const headers = { [FORM_KEY_HEADER]: wrong }
      expect((await call(`${group}/events`, { cookie, json: {}, headers })).statusCode).toBe(403)
    }
    expect((await call("/inspect", { cookie })).statusCode).toBe(200)
  })
})

describe("looking", () => {
  test("the list takes its filters from the address and keeps them in its form", async () => {
    const cookie = await signedIn()
    const { body, headers } = await call("/inspect?kind=reservation&state=confirmed&pending=&late=1", {
      cookie,
    })
    expect(body).toContain("<option selected>reservation</option>")
    expect(body).toMatch(/<input[^>]* name="state"[^>]* value="confirmed"/)
    expect(body).toContain('name="late" value="1" checked')
    expect(body).not.toContain('name="pending" value="1" checked')
    expect(body).toContain("No open group is like that.")
    expect(body).toContain('href="/inspect?kind=reservation&#38;state=confirmed&#38;late=1&#38;settled=1"')
    const settled = await call("/inspect?kind=vehicle&settled=1", { cookie })
    expect(settled.body).toContain("No group is like that.")
    expect((await call("/inspect?state=confirmed", { cookie })).body).toContain(`href="${group}"`)
    const injected = '"><script>alert(1)'
    expect((await call(`/inspect?state=${encodeURIComponent(injected)}`, { cookie })).body).not.toContain(
      injected,
    )
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
    // The script by which the list follows, and no other.
    expect(headers["content-security-policy"]).toMatch(/ script-src 'sha256-[\w+/=]+';/)
  })

  test("a list of more than a page leads to earlier groups, with its filters, until there are none", async () => {
    const cookie = await signedIn()
    await executed(sql`
      insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
      select 'planted/' || n, 'planted', 1, n, n, '', '[]', true, 'sandbox' from generate_series(1, ${PAGE_SIZE + 2}) n`)
    const first = await call("/inspect?kind=planted&settled=1", { cookie })
    const next = hrefOf(first.body, "Earlier groups")
    expect(next).toMatch(/^\/inspect\?kind=planted&settled=1&before=\d+$/)
    const second = await call(next, { cookie })
    expect(second.body).not.toContain("Earlier groups")
    const listed = [first, second].map(({ body }) =>
      [...body.matchAll(/>Planted · (\d+)<\/a>/g)].map(([, groupId = ""]) => groupId),
    )
    expect(listed.map(({ length }) => length)).toEqual([PAGE_SIZE, 2])
    expect(new Set(listed.flat()).size).toBe(PAGE_SIZE + 2)
    await executed(sql`delete from groups where kind = 'planted'`)
  })

  test("a group's page and record name the time zone of its site", async () => {
    const cookie = await signedIn()
    const { body } = await call(`${group}/record`, { cookie })
    expect(JSON.parse(body.split("\n")[0] ?? "")).toMatchObject({ zone: "America/Chicago" })
    expect((await call(group, { cookie })).body).toContain('"zone":"America/Chicago"')
  })

  test("a group is kept as a scenario that says why; one of another kind is refused, and a longer sentence", async () => {
    const cookie = await signedIn()
    const because = "It was lost: [the robot] came late"
    const kept = await call(`${group}/scenario?${new URLSearchParams({ because }).toString()}`, { cookie })
    const { text, refusal } = kept.json<{ readonly data: KeptScenario }>().data
    expect(refusal).toBeNull()
    expect(parse(text ?? "")).toMatchObject({ because, tags: ["recorded"] })
    expect(readSource({ file: "kept.yaml", text: text ?? "" }, null).problems).toEqual([])
    expect(text).not.toContain(id)
    const other = await call("/inspect/groups/webhook-delivery/whd_1/scenario", { cookie })
    expect([other.statusCode, other.body]).toEqual([400, expect.stringContaining("only a reservation")])
    const long = await call(`${group}/scenario?because=${"x".repeat(301)}`, { cookie })
    expect([long.statusCode, long.body]).toEqual([400, expect.stringContaining("at most 300 characters")])
  })

  test("a stuck group says so and why, on the list and with its entries", async () => {
    const cookie = await signedIn()
    const why = "a machine threw: “no such état”"
    expect((await call(`${group}/entries`, { cookie })).headers[STUCK_HEADER]).toBeUndefined()
    await executed(sql`update groups set stopped_because = ${why} where address = ${`reservation/${id}`}`)
    const { headers } = await call(`${group}/entries?after=9`, { cookie })
    expect(decodeURIComponent(String(headers[STUCK_HEADER]))).toBe(why)
    expect((await call("/inspect?stuck=1", { cookie })).body).toContain(`stuck: ${why}`)
  })

  test("a group of the other environment is not there, and neither is one that was never started", async () => {
    const cookie = await signedIn()
    const hidden = await booked(h)
    for (const path of [`reservation/${hidden}`, "reservation/res_none", "nothing/x"]) {
      for (const end of ["", "/entries", "/record", ...(path.startsWith("nothing") ? [] : ["/scenario"])])
        expect((await call(`/inspect/groups/${path}${end}`, { cookie })).statusCode).toBe(404)
    }
    expect((await call("/inspect", { cookie })).body).not.toContain(hidden)
  })

  test("other methods are 405, and no other host has the sending of events", async () => {
    const cookie = await signedIn()
    for (const path of [
      "/inspect",
      "/inspect/audit",
      group,
      ...["entries", "record", "scenario"].map((end) => `${group}/${end}`),
    ])
      expect((await call(path, { method: "POST", cookie })).statusCode).toBe(405)
    expect((await call("/inspect/sign-in", { cookie })).statusCode).toBe(405)
    const production = await inspectedHost(h, { ...sandbox, environment: "production" })
    expect((await call(`${group}/events`, { json: {}, host: production })).statusCode).toBe(404)
  })

  test("entries come after the last known one; the record replays, and neither tells a person or a secret", async () => {
    const cookie = await signedIn()
    const { secret } = await subscribe(h, { caller: sandboxPartner })
    const first = await call(`${group}/entries`, { cookie })
    const known = Number(first.headers[REVISION_HEADER])
    expect(first.headers[NOW_HEADER]).toBe(String(h.now()))
    await h.advance(1_000)
    const none = await call(`${group}/entries?after=${known}`, { cookie })
    expect([none.statusCode, none.headers[NOW_HEADER]]).toEqual([204, String(h.now())])
    await h.run(reservations.cancel(sandboxPartner, id))
    const more = await call(`${group}/entries?after=${known}`, { cookie })
    expect(more.body.trimEnd().split("\n")).toHaveLength(1)
    const record = await call(`${group}/record`, { cookie })
    expect(record.headers["content-disposition"]).toBe(`attachment; filename="reservation_${id}.ndjson"`)
    expect(replayRecord(record.body, program).difference).toBeNull()
    expect(record.body).toContain(more.body)
    const page = await call(group, { cookie })
    const list = await call("/inspect?settled=1", { cookie })
    for (const { body } of [first, more, record, page, list]) {
      for (const planted of [
        "Planted",
        "+15125550100",
        "open.partner.example",
        secret,
        token.value,
        cookie.split("=")[1],
      ])
        expect(body).not.toContain(planted)
    }
  })
})

describe("what operators sent", () => {
  const SENT_EVERY_MS = HOUR_MS

  /** One event an hour, the last one now. */
  async function plantAudit(count: number): Promise<void> {
    await executed(sql`
      insert into operator_audit (environment, at_ms, operator_token_id, actor, event_type, outcome)
      select 'sandbox', ${h.now()} - (${count} - n) * ${SENT_EVERY_MS}::bigint, ${token.tokenId},
        'reservation/res_' || n, 'order.loaded', 'taken' from generate_series(1, ${count}::int) n`)
  }

  test("a page of them leads to earlier ones, until there are none", async () => {
    const cookie = await signedIn()
    await plantAudit(PAGE_SIZE + 3)
    const first = await call("/inspect/audit", { cookie })
    const second = await call(hrefOf(first.body, "Earlier events"), { cookie })
    expect(second.body).not.toContain("Earlier events")
    const sent = [first, second].map(({ body }) =>
      [...body.matchAll(/>reservation\/res_(\d+)<\/a>/g)].map(([, n]) => Number(n)),
    )
    expect(sent.flat()).toEqual(Array.from({ length: PAGE_SIZE + 3 }, (_, at) => PAGE_SIZE + 3 - at))
  })

  test("they are kept for a year, and sessions as long as they are good", async () => {
    // Those of other tests.
    for (const rows of ["kept_exchanges", "kept_requests", "operator_audit", "operator_sessions"])
      await executed(sql`delete from ${sql.identifier(rows)}`)
    const cookie = await signedIn()
    await plantAudit(3)
    const purged = (): Promise<readonly Purged[]> =>
      h.run(
        Effect.provide(
          Effect.flatMap(Retention, ({ run }) => run),
          layerRetention(inspectionRetention),
        ),
      )
    const rows = (sessions: number, events: number): readonly Purged[] => [
      { name: "kept requests", rows: 0 },
      { name: "bodies of attempts", rows: 0 },
      { name: "operators' sessions", rows: sessions },
      { name: "sent events", rows: events },
    ]
    expect(await purged()).toEqual(rows(0, 0))
    expect((await call("/inspect", { cookie })).statusCode).toBe(200)
    await h.advance(KEEP_AUDIT_MS - 2 * SENT_EVERY_MS)
    expect(await purged()).toEqual(rows(1, 1))
    expect((await audited()).map(({ actor }) => actor)).toEqual(["reservation/res_3", "reservation/res_2"])
    await h.advance(SENT_EVERY_MS)
    expect(await purged()).toEqual(rows(0, 1))
    expect(await purged()).toEqual(rows(0, 0))
  })
})

describe("sending", () => {
  const send = async (cookie: string, event: unknown) =>
    call(`${group}/events`, { cookie, json: event, headers: { [FORM_KEY_HEADER]: await formKey(cookie) } })

  test("an event moves the actor and everyone it tells, and is in the audit with who, when and what became of it", async () => {
    const cookie = await signedIn()
    const to = `reservation/${id}/bot`
    const atMs = h.now()
    const fields = { occurredAtMs: new Date(atMs).toISOString() }
    const taken = await send(cookie, { to, type: "bot.arrived", fields })
    expect(taken.json()).toMatchObject({ success: true, data: { outcome: "taken", code: null } })
    const seen = await h.run(reservations.read(sandboxPartner, id))
    expect([seen.status, seen.bot?.status]).toEqual(["arrived", "ARRIVED"])
    const behind = await send(cookie, { to, type: "bot.inbound", fields })
    expect(behind.json()).toMatchObject({ data: { outcome: "refused", code: "BOT_STATUS_REGRESSION" } })
    const [second, first] = await audited()
    const who = {
      operatorTokenId: token.tokenId,
      operator: "on call <sandbox>",
      environment: "sandbox",
      actor: to,
      atMs,
    }
    expect(first).toMatchObject({ ...who, eventType: "bot.arrived", outcome: "taken", code: null })
    expect(second).toMatchObject({
      ...who,
      eventType: "bot.inbound",
      outcome: "refused",
      code: "BOT_STATUS_REGRESSION",
    })
    expect(Number(second?.revision)).toBeGreaterThan(Number(first?.revision))
    const { body } = await call("/inspect/audit", { cookie })
    expect(body).toContain("on call &#60;sandbox&#62;")
    expect(body).toContain("refused with BOT_STATUS_REGRESSION")
    const actor = "on call <sandbox>"
    const event = { actor, actorType: "token", action: "sendEvent", subjectId: to }
    expect(await acted()).toMatchObject([
      { ...event, outcome: "BOT_STATUS_REGRESSION" },
      { ...event, outcome: "done" },
      { actor, actorType: "token", action: "signIn", subjectId: null, outcome: "done" },
    ])
  })

  test.each([
    [{ to: "bot", type: "bot.arrived", fields: {} }, "occurredAtMs"],
    [{ to: "bot", type: "bot.arrived", fields: { occurredAtMs: "soon" } }, "occurredAtMs"],
    [
      { to: "bot", type: "bot.arrived", fields: { occurredAtMs: "2026-06-01T15:00:00Z", note: "Ada" } },
      "note",
    ],
    [{ to: "bot", type: "toString", fields: {} }, "type"],
    [{ to: "runner-task", type: "runner.assigned", fields: { runnerId: "Ada Example" } }, "runnerId"],
    [{ to: "runner-task", type: "exception.raised", fields: { code: "none" } }, "code"],
    [{ to: null, type: "window.moved", fields: {} }, "type"],
    [{ to: null, type: "cancel.requested", fields: { by: "system" } }, "by"],
    [{ to: null, type: 7, fields: {} }, "type"],
  ])("%j is no event that may be sent, and leaves nothing", async ({ to, type, fields }, field) => {
    const cookie = await signedIn()
    const address = to === null ? `reservation/${id}` : `reservation/${id}/${to}`
    const response = await send(cookie, { to: address, type, fields })
    expect(response.json()).toMatchObject({ code: "VALIDATION_ERROR", details: [{ field }] })
    expect(await audited()).toEqual([])
  })

  test("an event that ends in a fault of ours changes nothing, and is in the audit all the same", async () => {
    const cookie = await signedIn()
    await executed(sql`
      update groups set actors = replace(actors::text, 'reservation@1', 'reservation@0')::json
      where address = ${`reservation/${id}`}`)
    const fields = { occurredAtMs: new Date(h.now()).toISOString() }
    logged.length = 0
    const response = await send(cookie, { to: `reservation/${id}/bot`, type: "bot.arrived", fields })
    expect(logged.join("\n")).toMatch(/sending bot\.arrived by hand ended in a fault.*reservation@0/s)
    expect(response.json()).toMatchObject({ data: { outcome: "failed", revision: null } })
    expect(await audited()).toMatchObject([{ outcome: "failed", eventType: "bot.arrived" }])
    expect((await acted())[0]).toMatchObject({ action: "sendEvent", outcome: "INTERNAL_ERROR" })
  })

  test("an actor of another group, or none, takes nothing from here", async () => {
    const cookie = await signedIn()
    const other = await booked(h, { order_number: "A-1002" }, sandboxPartner)
    const hidden = await booked(h, {}, partner)
    for (const to of [
      `reservation/${other}`,
      `reservation/${hidden}`,
      `reservation/${id}/unknown`,
      `reservation/${id}x`,
    ])
      expect((await send(cookie, { to, type: "order.loaded", fields: {} })).statusCode).toBe(404)
    expect(await audited()).toEqual([])
  })
})
