/** A served service whose database becomes a standby: reads go on, writes are answered 503, `/readyz` says so, and nobody restarts anything. */

import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres } from "../engine/store/postgres-server.ts"
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
  server = await startPostgres()
  service = await startProcess(dataFolder(), undefined, {
    words: ["--demo"],
    env: {
      ...twilio.env,
      DATABASE_URL: server.url,
      CURBLINE_SECRET: "s".repeat(32),
      CURBLINE_FLEET_SPEED: "off",
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
