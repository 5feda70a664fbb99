/**
 * Whatever stands in a path in the place of an id, and whatever the host: the answer is one that the document of the
 * operation lists.
 */

import { request } from "node:http"
import type { AddressInfo } from "node:net"
import type { FastifyInstance } from "fastify"
import { expect, onTestFinished, test } from "vitest"
import { openSandbox } from "../../src/cli/generate/examples/sandbox.ts"
import { BARE_KEY, bareApp } from "./bare-app.ts"

interface Response {
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: {
          readonly allOf?: readonly { readonly properties?: { code?: { enum: string[] } } }[]
        }
      }
    >
  >
}

interface Operation {
  readonly method: string
  readonly path: string
  /** The codes by status. */
  readonly listed: ReadonlyMap<number, readonly string[]>
}

const APIS = ["rs", "dd", "analytics"]

const ODD = [
  "%00",
  "a%00b",
  "%ff",
  "%",
  "%zz",
  "%2F",
  "%2e%2e",
  "..",
  ".",
  "%252e%252e",
  "%5C..%5C",
  "%EF%BB%BF",
  "%ED%A0%80",
  "x".repeat(4_000),
  "a;b=c",
  "%20",
  "%0D%0A",
]

async function operationsOf(app: FastifyInstance): Promise<readonly Operation[]> {
  const documents = await Promise.all(
    APIS.map(async (api) => {
      const answered = await app.inject({ url: `/openapi/${api}.json` })
      return answered.json<{
        paths: Record<string, Record<string, { responses: Record<string, Response> }>>
      }>()
    }),
  )
  return documents.flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        method: method.toUpperCase(),
        path,
        listed: new Map(
          Object.entries(responses).map(([status, { content }]) => [Number(status), codesOf(content)]),
        ),
      })),
    ),
  )
}

function codesOf(content: Response["content"]): readonly string[] {
  const parts = content?.["application/json"]?.schema?.allOf ?? []
  return parts.flatMap(({ properties }) => properties?.code?.enum ?? [])
}

/** Sends the path as it is: `fetch` and `inject` resolve dot segments. */
function send(
  port: number,
  { method, path, host = "localhost" }: { method: string; path: string; host?: string },
) {
  return new Promise<{ readonly status: number; readonly code: string | undefined }>((resolve, reject) => {
    const headers = {
      host,
      authorization: `Bearer ${BARE_KEY}`,
      "content-type": "application/json",
      ...(method === "GET" || method === "DELETE" ? {} : { "content-length": 2 }),
    }
    const asked = request({ port, method, path, headers, agent: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString()
        const { code } = (text.startsWith("{") ? JSON.parse(text) : {}) as { readonly code?: string }
        resolve({ status: answer.statusCode ?? 0, code })
      })
    })
    asked.on("error", reject)
    asked.end(method === "GET" || method === "DELETE" ? undefined : "{}")
  })
}

async function listening(hosts?: readonly string[]): Promise<{ app: FastifyInstance; port: number }> {
  const app = await bareApp(hosts === undefined ? {} : { hosts })
  await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { app, port: (app.server.address() as AddressInfo).port }
}

test("an odd id is answered by a code that the operation lists", async () => {
  const { app, port } = await listening()
  const unlisted: string[] = []
  let asked = 0
  for (const { method, path, listed } of await operationsOf(app)) {
    if (!path.includes("{")) continue
    for (const odd of ODD) {
      asked += 1
      const { status, code } = await send(port, { method, path: path.replaceAll(/\{\w+\}/g, odd) })
      if (code === undefined || listed.get(status)?.includes(code) !== true)
        unlisted.push(`${method} ${path} with ${odd.slice(0, 20)}: ${status} ${code}`)
    }
  }
  expect(unlisted).toEqual([])
  expect(asked).toBeGreaterThan(200)
})

test("so is one that reaches the service", async () => {
  const operations = await operationsOf(await bareApp())
  const sandbox = await openSandbox()
  const unlisted: string[] = []
  for (const { method, path, listed } of operations) {
    if (!path.includes("{") || !/^\/(?:rs|dd)\//.test(path)) continue
    for (const odd of ODD) {
      const headers = { "x-retailer-id": sandbox.siteId }
      const { status, body } = await sandbox.ask({
        method: method as "GET",
        path: path.replaceAll(/\{\w+\}/g, odd),
        headers,
        ...(method === "GET" || method === "DELETE" ? {} : { body: {} }),
      })
      const code = body["code"]
      // `inject` resolves dot segments, so some arrive at another path.
      if (status < 300 || /^(?:\.|%2e)+$/.test(odd)) continue
      if (typeof code !== "string" || listed.get(status)?.includes(code) !== true)
        unlisted.push(`${method} ${path} with ${odd.slice(0, 20)}: ${status} ${String(code)}`)
    }
  }
  expect(unlisted).toEqual([])
})

test("a host that is not served is answered by a code that every operation lists", async () => {
  const { app, port } = await listening(["known.example"])
  for (const { method, path, listed } of await operationsOf(await bareApp())) {
    const answered = await send(port, {
      method,
      path: path.replaceAll(/\{\w+\}/g, "x"),
      host: "other.example",
    })
    expect(answered, `${method} ${path}`).toEqual({ status: 421, code: "MISDIRECTED_REQUEST" })
    expect(listed.get(421), `${method} ${path}`).toEqual(["MISDIRECTED_REQUEST"])
  }
  expect(app.server.listening).toBe(true)
})
