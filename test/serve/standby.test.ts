/**
 * A served service over PostgreSQL that cannot work as it should: the database becomes a standby, or the node's clock is wrong.
 * `/readyz` and `/metrics` say so.
 */

import { join } from "node:path"
import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ROOT } from "../cli/command-line.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import type { PostgresServer } from "../engine/store/postgres-server.ts"
import { eventually } from "../eventually.ts"
import { startTwilio } from "../journeys/twilio-stand-in.ts"
import { readRoutes } from "./read-routes.ts"
import type { Read } from "./read-routes.ts"
import { dataFolder, startProcess } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"

const twilio = await startTwilio()
let server: PostgresServer
let service: ServiceProcess
let reads: readonly Read[]

beforeAll(async () => {
  server = await startServer()
  service = await startProcess(dataFolder(), undefined, {
    words: ["--demo"],
    env: {
      ...twilio.env,
      ...database(),
      CURBLINE_REQUESTS_PER_MINUTE: "100000",
      CURBLINE_ANALYTICS_PER_MINUTE: "100000",
    },
  })
  reads = await readRoutes(service, twilio.codeOf)
})
afterAll(async () => {
  twilio.close()
  await service.stop()
  await server.stop()
})

function database(): NodeJS.ProcessEnv {
  return { DATABASE_URL: server.url, CURBLINE_SECRET: "s".repeat(32), CURBLINE_FLEET_SPEED: "off" }
}

async function statuses(): Promise<readonly string[]> {
  const told: string[] = []
  for (const { name, send } of reads) {
    const answer = await send()
    await answer.arrayBuffer()
    told.push(`${name} ${answer.status}`)
  }
  return told
}

interface Ready {
  readonly status: number
  readonly writes: string
}

async function ready(): Promise<Ready> {
  const answer = await fetch(`${service.urls.production}/readyz`)
  const { checks } = (await answer.json()) as { readonly checks: { readonly writes: string } }
  return { status: answer.status, writes: checks.writes }
}

function create(): Promise<Response> {
  const { production } = service.access
  return fetch(`${production.base_url}/internal/v1/sites`, {
    method: "POST",
    headers: { Authorization: `Bearer ${production.operator_token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "East" }),
  })
}

test("every read is answered while the database takes no writes, and writes come back by themselves", async () => {
  const well = await statuses()
  expect(await ready()).toEqual({ status: 200, writes: "ok" })
  const created = (await create()).status
  expect(created).toBeLessThan(300)
  await server.becomeStandby()
  await eventually(async () =>
    expect(await ready()).toEqual({
      status: 503,
      writes: expect.stringMatching(/no host of the database takes writes|read-only transaction/) as string,
    }),
  )
  const refused = await create()
  expect([refused.status, refused.headers.has("retry-after")]).toEqual([503, true])
  expect(await statuses()).toEqual(well)
  const administrator = postgres(server.url, { max: 1 })
  await administrator`select pg_promote()`
  await administrator.end()
  await eventually(async () => expect(await ready()).toEqual({ status: 200, writes: "ok" }))
  expect((await create()).status).toBe(created)
  expect(await statuses()).toEqual(well)
})

test("a node whose clock is 90 s off does not start, and says so everywhere when it must", async () => {
  const env = {
    ...database(),
    NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
    CLOCK_OFF_MS: "90000",
  }
  const ahead = /the clock of this node is (?:89|90)\.\d s ahead of the database's/
  await expect(startProcess(dataFolder(), undefined, { env })).rejects.toThrow(ahead)
  const wrong = await startProcess(dataFolder(), undefined, {
    env: { ...env, CURBLINE_CLOCK_SECONDS_MAX: "off" },
  })
  const answer = await fetch(`${wrong.urls.production}/readyz`)
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { notes: { clock: expect.stringMatching(ahead) as string } },
  ])
  const figures = await (await fetch(`${wrong.urls.production}/metrics`)).text()
  expect(figures).toMatch(/^curbline_clock_ahead_seconds (89|90)/m)
  expect(figures).toMatch(/^curbline_retention_failing 0$/m)
  expect(wrong.log()).toMatch(ahead)
  await wrong.stop()
})
