/** The server of the embedded database ends under a running service, as a checkpoint on a full disk ends it. */

import { mkdirSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { curblineHere } from "../cli/same-process.ts"
import { eventually } from "../eventually.ts"
import { call, dataFolder, preparedDataFolder, startProcess } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"

const data = preparedDataFolder()
let service: ServiceProcess

beforeAll(async () => {
  service = await startProcess(data)
})
afterAll(async () => void (await service.stop()))

async function ready(): Promise<readonly [number, unknown]> {
  const response = await fetch(`${service.urls.sandbox}/readyz`)
  return [response.status, await response.json()]
}

test("calls are answered 503 and the probe fails at once; the service heals without a restart", async () => {
  const { sandbox } = service.access
  // Each checkpoint writes a file of this name.
  const obstacle = join(data, "database/pg_logical/replorigin_checkpoint.tmp")
  mkdirSync(obstacle)
  const file = join(dataFolder(), "curbline.backup")
  expect(await curblineHere("backup", file, "--data", data)).toEqual({
    status: 1,
    out: "",
    err: expect.stringMatching(
      /^error: the running service failed: copying the database failed .*Is a directory\n$/,
    ) as string,
  })
  const asked = await call(sandbox, "GET", "/rs/v1/retailers")
  expect([asked.status, asked.body.code]).toEqual([503, "UNAVAILABLE"])
  const unknown = "unknown: the database does not answer"
  expect(await ready()).toMatchObject([
    503,
    { checks: { database: "does not answer", migrations: unknown, writes: unknown, wake_up: "ok" } },
  ])
  rmdirSync(obstacle)
  await eventually(async () => expect((await call(sandbox, "GET", "/rs/v1/retailers")).status).toBe(200))
  await eventually(async () => expect((await ready())[0]).toBe(200))
  expect(await curblineHere("backup", file, "--data", data)).toMatchObject({ status: 0 })
  expect(service.log()).toContain("the embedded database ended and is opened again")
  expect(service.log()).toMatch(/the embedded database is open again, \d+\.\d s after it ended/)
})
