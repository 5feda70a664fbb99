/** Traces of a running service: what a collector is sent, and what stays away where none is set. */

import { describe, expect, test } from "vitest"
import { exportSpans } from "../../src/live/observation/span-export.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import { booking, preparedDataFolder, startProcess, startReceiver } from "./service-process.ts"
import type { Access, Receiver } from "./service-process.ts"

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

function spansOf({ received }: Receiver): readonly SentSpan[] {
  return received.flatMap(({ body }) =>
    (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )
}

const CALLER = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" }

/** Has a webhook called, books under the caller's trace, and gives the answer. */
async function book(
  access: Access,
  hooks: Receiver,
  { trace, order } = { trace: CALLER.trace, order: "1001" },
): Promise<Response> {
  const headers = { Authorization: `Bearer ${access.api_key}`, "content-type": "application/json" }
  const put = {
    method: "POST",
    headers,
    body: JSON.stringify({
      url: `${hooks.url}/events/secret-path`,
      subscribed_events: ["reservation.status_changed"],
    }),
  }
  expect((await fetch(`${access.base_url}/rs/v1/webhooks`, put)).status).toBeLessThan(300)
  const before = hooks.received.length
  const answer = await fetch(`${access.base_url}/rs/v1/reservations`, {
    method: "POST",
    headers: { ...headers, traceparent: `00-${trace}-${CALLER.span}-01` },
    body: JSON.stringify(booking(access, `${hooks.url}/open`, order)),
  })
  expect(answer.status).toBe(201)
  await hooks.count(before + 1)
  return answer
}

describe("the traces of a service", () => {
  test("C16: a booking is one trace, from the request to its webhook", async () => {
    const [collector, hooks] = [await startReceiver(), await startReceiver()]
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const service = await startProcess(preparedDataFolder(), undefined, { env })
    const access = service.access.sandbox
    const answer = await book(access, hooks)
    expect(answer.headers.get("x-trace-id")).toBe(CALLER.trace)
    expect(await service.stop()).toBe(0)
    await collector.close()
    await hooks.close()

    expect(collector.received[0]?.path).toBe("/v1/traces")
    const spans = spansOf(collector).filter(({ traceId }) => traceId === CALLER.trace)
    const parentOf = (span: SentSpan | undefined) => spans.find(({ spanId }) => spanId === span?.parentSpanId)
    const request = spans.find(({ name }) => name === "POST /rs/v1/reservations")
    expect(request?.parentSpanId).toBe(CALLER.span)
    const command = spans.find((span) => span.name === "command" && parentOf(span) === request)
    expect(Object.fromEntries(command?.attributes.map(({ key, value }) => [key, value]) ?? [])).toMatchObject(
      {
        "curbline.machines": { stringValue: expect.stringContaining("reservation") },
      },
    )
    const statements = spans.filter((span) => span.attributes.some(({ key }) => key === "db.system.name"))
    expect(statements.map(parentOf)).toContain(command)
    const call = spans.find(({ name }) => name.startsWith("call "))
    expect(parentOf(call)).toBe(command)
    const sent = spans.find((span) => span.name === "POST" && parentOf(span) === call)
    expect(sent?.attributes).toContainEqual({
      key: "server.address",
      value: { stringValue: new URL(hooks.url).host },
    })

    const lines = service
      .log()
      .split("\n")
      .filter((line) => line.includes(CALLER.trace))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { route: "/rs/v1/reservations", status: 201, trace_id: CALLER.trace },
    ])
    const exported = collector.received.map(({ body }) => body).join("")
    for (const kept of [access.api_key, "secret-path", "Ada Example", "5125550100"]) {
      expect(exported).not.toContain(kept)
    }
    expect(hooks.received[0]?.headers).not.toHaveProperty("traceparent")
  })

  test("C16: a webhook that another thread sends, on PostgreSQL, belongs to its booking's trace", async () => {
    const [collector, hooks, server] = [await startReceiver(), await startReceiver(), await startPostgres()]
    const env = {
      DATABASE_URL: server.url,
      CURBLINE_SECRET: "a secret for tests, of 32 characters or more",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    }
    const service = await startProcess(preparedDataFolder(), undefined, { env, words: ["--demo"] })
    const { sandbox } = service.access
    const earlier = { trace: "0af7651916cd43dd8448eb211c80319c", order: "1000" }
    await book(sandbox, hooks, earlier)
    const figures = async () => (await fetch(`${sandbox.base_url}/metrics`)).text()
    // The first call began the thread.
    await expect.poll(figures).toContain("curbline_call_thread_ready 1")
    await book(sandbox, hooks)
    expect(await service.stop()).toBe(0)
    await Promise.all([collector.close(), hooks.close(), server.stop()])
    const spans = spansOf(collector).filter(({ traceId }) => traceId === CALLER.trace)
    const parentOf = (span: SentSpan | undefined) => spans.find(({ spanId }) => spanId === span?.parentSpanId)
    const calls = spans.filter(({ name }) => name === "call webhook")
    expect(calls.map((call) => parentOf(call)?.name)).toEqual(calls.map(() => "command"))
    expect(spans.filter(({ name }) => name === "POST").map((sent) => parentOf(sent)?.name)).toContain(
      "call webhook",
    )
  })

  test("C16: a message that names a trace has a span in it, with a link to its request; a malformed name has none", async () => {
    const collector = await startReceiver()
    const tracing = exportSpans(collector.url)
    const request = tracing.begin(undefined)
    const message = request.ofMessage("tools/call", `00-${CALLER.trace}-${CALLER.span}-01`)
    const other = request.ofMessage("tools/list", "00-nothing-01")
    for (const span of [message, other, request]) span.end(false)
    await tracing.stop()
    await collector.close()
    const [told, child, root] = ["tools/call", "tools/list", "request"].map((name) =>
      spansOf(collector).find((span) => span.name === name),
    )
    expect(told).toMatchObject({
      traceId: CALLER.trace,
      parentSpanId: CALLER.span,
      links: [{ traceId: request.traceId, spanId: root?.spanId }],
    })
    expect(child).toMatchObject({ traceId: request.traceId, parentSpanId: root?.spanId })
  })

  test("C16: without a collector nothing of it is there, and its packages are not even loaded", async () => {
    const hooks = await startReceiver()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "", NODE_OPTIONS: `--import=${TELLING_PACKAGES}` }
    const service = await startProcess(preparedDataFolder(), undefined, { env })
    const answer = await book(service.access.sandbox, hooks)
    expect(answer.headers.has("x-trace-id")).toBe(false)
    expect(await service.stop()).toBe(0)
    await hooks.close()
    expect(service.log()).toContain("loads fastify")
    // The metrics' package imports the one with the types.
    expect(service.log()).not.toMatch(/loads @opentelemetry\/(?!api$)/m)
    expect(service.log()).not.toContain("trace_id")
  })
})

/** A module that has Node say which packages it resolves; Node 20, which only begins the program, cannot. */
const TELLING_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import * as modules from "node:module"
  import { writeSync } from "node:fs"
  modules.registerHooks?.({
    resolve: (name, context, next) => {
      if (name === "fastify" || name.startsWith("@opentelemetry")) writeSync(2, "loads " + name + "\\n")
      return next(name, context)
    },
  })
`)}`
