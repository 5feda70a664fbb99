/** The outbox through the operations API: who may read which messages, and their content. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { writeMail, writeSms } from "../../src/areas/messages/outbox.ts"
import { MessageRows } from "../../src/areas/messages/rows.ts"
import { iso, makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const mail = {
  purpose: "password-reset",
  organizationId: "org_1",
  to: "ada@wheels.example",
  subject: "Another password",
  text: "The link is https://portal.example/#token=secret",
} as const

function sms(environment: "production" | "sandbox") {
  const text = `from ${environment}`
  return {
    purpose: "delivery-notice",
    environment,
    organizationId: "org_1",
    to: "+15125550100",
    text,
  } as const
}

/** One mail of the portal and one SMS of each environment. */
async function withMessages(api: Api): Promise<Api> {
  const written = Effect.gen(function* () {
    const rows = yield* MessageRows
    const body = Effect.all([
      writeMail(mail, "1".repeat(32)),
      writeSms(sms("production"), "2".repeat(32)),
      writeSms(sms("sandbox"), "3".repeat(32)),
    ])
    const host = yield* ActorHost
    yield* host.run({
      name: "a test",
      locks: {},
      body: () => Routine.from(Effect.provideService(body, MessageRows, rows)),
    })
  })
  await api.run(written)
  return api
}

function messagesOf({ data }: Answered): readonly Record<string, unknown>[] {
  return data["messages"] as readonly Record<string, unknown>[]
}

describe("GET /internal/v1/messages", () => {
  test("shows mail that waits, with its text", async () => {
    const api = await withMessages(await makeApi())
    const answered = await api.operate("GET", "/messages?channel=mail")
    expect([answered.status, messagesOf(answered)]).toEqual([
      200,
      [
        {
          message_id: expect.any(String) as string,
          channel: "mail",
          purpose: "password-reset",
          environment: null,
          organization_id: "org_1",
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          status: "pending",
          attempts: 0,
          due_at: iso(api.now()),
          reason: null,
          created_at: iso(api.now()),
          ended_at: null,
        },
      ],
    ])
  })

  test("a token of the sandbox shows the sandbox alone: mail opens accounts of both", async () => {
    const api = await withMessages(await makeApi({ environment: "sandbox" }))
    expect(messagesOf(await api.operate("GET", "/messages?channel=mail"))).toEqual([])
    expect(messagesOf(await api.operate("GET", "/messages?channel=sms"))).toMatchObject([
      { environment: "sandbox", text: "from sandbox", status: "suppressed", reason: "sandbox" },
    ])
  })

  test("a token of production shows no SMS of the sandbox", async () => {
    const api = await withMessages(await makeApi())
    expect(messagesOf(await api.operate("GET", "/messages?channel=sms"))).toMatchObject([
      { environment: "production", text: "from production", status: "pending" },
    ])
  })

  test("shows the newest first, 20 unless asked for 1 to 100", async () => {
    const api = await makeApi()
    const written = Effect.gen(function* () {
      const rows = yield* MessageRows
      const host = yield* ActorHost
      for (let count = 0; count < 21; count += 1) {
        const body = writeMail({ ...mail, text: `no ${count}` }, String(count).padStart(32, "0"))
        yield* host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.provideService(body, MessageRows, rows)),
        })
      }
    })
    await api.run(written)
    const usual = messagesOf(await api.operate("GET", "/messages?channel=mail"))
    expect([usual.length, usual[0]?.["text"]]).toEqual([20, "no 20"])
    expect(messagesOf(await api.operate("GET", "/messages?channel=mail&limit=1"))).toHaveLength(1)
    expect(messagesOf(await api.operate("GET", "/messages?channel=mail&limit=100"))).toHaveLength(21)
  })

  test.each<[string, string]>([
    ["", "channel"],
    ["?channel=", "channel"],
    ["?channel=fax", "channel"],
    ["?channel=mail&channel=sms", "channel"],
    ["?channel=mail&limit=0", "limit"],
    ["?channel=mail&limit=101", "limit"],
    ["?channel=mail&limit=1.5", "limit"],
    ["?channel=mail&limit=all", "limit"],
  ])("400 VALIDATION_ERROR: %j names %s", async (query, field) => {
    const api = await makeApi()
    const { status, body } = await api.operate("GET", `/messages${query}`)
    expect([status, body["details"]]).toMatchObject([400, [{ field }]])
  })

  test("401 without an operator token, with a partner's key too", async () => {
    const api = await makeApi()
    for (const key of [null, api.key]) {
      expect((await api.operate("GET", "/messages?channel=mail", { key })).code).toBe(
        "INVALID_OPERATOR_TOKEN",
      )
    }
  })
})
