/** Who asked for a command, across groups, and which of it operators may open: noted each time, and gone after its days. */

import { Effect } from "effect"
import type { FastifyInstance } from "fastify"
import { beforeEach, expect, test } from "vitest"
import { AccessRows } from "../../../src/http/access/rows.ts"
import { KeptBodies } from "../../../src/apps/inspector/kept-bodies.ts"
import type { KeptRequest } from "../../../src/apps/inspector/kept-bodies.ts"
import { OperatorActions } from "../../../src/apps/operators/actions.ts"
import { CurrentRequester } from "../../../src/engine/services/requester.ts"
import { booked, reservations, sandboxPartner, subscribe } from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { liveHarnesses } from "../../conformance/live-harnesses.ts"
import { transacted } from "../../conformance/transacted.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { asked, inspectedHost, madeToken } from "./service.ts"

const { make } = liveHarnesses(async () => layerCopiedPglite)
const bodies = Effect.serviceFunctions(KeptBodies)
const access = Effect.serviceFunctions(AccessRows)

const REQUEST = "7d9f6c1e-0000-4000-8000-000000000001"
const kept: KeptRequest = {
  requestId: REQUEST,
  environment: "sandbox",
  organizationId: sandboxPartner.organizationId,
  atMs: Date.parse("2026-03-02T17:40:00Z"),
  method: "DELETE",
  route: "/rs/v1/reservations/:id",
  status: 200,
  code: null,
  keyId: "key_1",
  lastFour: "aZ09",
  sentId: "caller-7",
  sent: null,
  answered: '{"success":true}',
  isCut: false,
}

let h: LiveHarness
let app: FastifyInstance
let cookie: string
let id: string
let delivery: string
beforeEach(async () => {
  h = make()
  app = await inspectedHost(h, { environment: "sandbox", baseUrl: "http://127.0.0.1" })
  const { value } = await madeToken(h, "sandbox")
  const signed = await app.inject({
    method: "POST",
    url: "/inspect/sign-in",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ token: value, to: "/inspect" }).toString(),
  })
  cookie = String(signed.headers["set-cookie"]).split(";")[0] ?? ""
  await subscribe(h, { caller: sandboxPartner })
  id = await booked(h, {}, sandboxPartner)
  const requester = { request: REQUEST, type: "key", id: "key_1" } as const
  await h.run(Effect.locally(reservations.cancel(sandboxPartner, id), CurrentRequester, requester))
  const list = await app.inject({ url: "/inspect?kind=webhook-delivery&settled=1", headers: { cookie } })
  delivery = /\/inspect\/groups\/webhook-delivery\/[^"]+/.exec(list.body)?.[0] ?? ""
})

async function opened(path: string, as = cookie) {
  const { statusCode: status, body } = await app.inject({ url: path, headers: { cookie: as } })
  return { status, data: (JSON.parse(body) as { readonly data?: Readonly<Record<string, unknown>> }).data }
}

test("causes lead from a webhook to the command in another group, and to who asked", async () => {
  const own = {
    organizationId: sandboxPartner.organizationId,
    isActive: true,
    isFleetPartner: true,
    isSandboxPartner: false,
  }
  const named = { ...own, name: "Bolt", environments: ["sandbox"], createdAtMs: 0, updatedAtMs: 0 } as const
  await transacted(h, access.insertOrganization(named))
  await transacted(h, bodies.append({ requests: [kept], exchanges: [] }))
  const { status, data } = await opened(`${delivery}/asked?revision=1`)
  expect(status).toBe(200)
  expect(data).toMatchObject({
    is_cut: false,
    requester: { request: REQUEST, type: "key", id: "key_1" },
    request: {
      organization: "Bolt",
      key: { key_id: "key_1", last_four: "aZ09" },
      at: "2026-03-02T17:40:00.000Z",
      sent_id: "caller-7",
      sent: null,
      answered: { success: true },
    },
    kept_days: 30,
  })
  const causes = data?.["causes"] as readonly { readonly group: string; readonly by: string }[]
  expect(causes[0]?.group).toMatch(/^webhook-delivery\//)
  expect(causes.at(-1)).toMatchObject({
    group: `reservation/${id}`,
    by: "command",
    event: "cancel.requested",
  })
})

test("an operator has the label of the token, which is no part of the journal", async () => {
  const { tokenId } = await madeToken(h, "sandbox")
  const requester = { request: REQUEST, type: "operator", id: tokenId } as const
  const other = await booked(h, {}, sandboxPartner)
  await h.run(Effect.locally(reservations.cancel(sandboxPartner, other), CurrentRequester, requester))
  const { data } = await opened(`/inspect/groups/reservation/${other}/asked?revision=2`)
  expect(data).toMatchObject({ requester, operator_name: "on call <sandbox>" })
  expect((await opened(`${delivery}/asked?revision=1`)).data).not.toHaveProperty("operator_name")
})

test("without rows the ids stay: after their days, and for an entry without a request", async () => {
  expect((await opened(`${delivery}/asked?revision=1`)).data).toMatchObject({
    requester: { request: REQUEST },
    request: null,
  })
  expect((await opened(`/inspect/groups/reservation/${id}/asked?revision=1`)).data).toMatchObject({
    requester: null,
    request: null,
  })
  expect((await opened(`${delivery}/bodies`)).data).toEqual({ attempts: [], kept_days: 30 })
})

test("the bodies of a group are those of its own actors", async () => {
  const actor = delivery.replace("/inspect/groups/", "")
  const exchange = { actor, attempt: 1, atMs: 0, status: 500, sent: "{}", answered: null, isCut: true }
  const exchanges = [exchange, { ...exchange, actor: "webhook-delivery/other" }]
  await transacted(h, bodies.append({ requests: [], exchanges }))
  expect((await opened(`${delivery}/bodies`)).data).toMatchObject({
    attempts: [
      {
        actor,
        attempt: 1,
        at: "1970-01-01T00:00:00.000Z",
        status: 500,
        sent: {},
        answered: null,
        is_cut: true,
      },
    ],
  })
})

test("only a signed-in administrator opens them, each opening is noted, and nothing is found of another group", async () => {
  for (const path of [`${delivery}/asked?revision=1`, `${delivery}/bodies`])
    expect((await opened(path, "")).status).toBe(401)
  await opened(`${delivery}/asked?revision=1`)
  await opened(`${delivery}/bodies`)
  for (const path of ["asked?revision=99", "asked?revision=x", "asked"])
    expect((await opened(`${delivery}/${path}`)).status, path).toBe(404)
  expect((await opened("/inspect/groups/reservation/res_none/bodies")).status).toBe(404)
  const query = {
    environment: "sandbox",
    actorId: null,
    action: null,
    fromMs: null,
    toMs: null,
    beforeNumber: null,
    limit: 100,
  } as const
  const actions = await asked(
    h,
    Effect.flatMap(OperatorActions, ({ list }) => list(query)),
  )
  const noted = actions.map(({ action, subjectId, outcome }) => `${action} ${subjectId} ${outcome}`)
  const address = delivery.replace("/inspect/groups/", "")
  expect(noted).toContain(`openRequest ${address} done`)
  expect(noted).toContain(`openBodies ${address} done`)
  expect(noted).toContain("openBodies reservation/res_none NOT_FOUND")
})
