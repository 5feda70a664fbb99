/**
 * One contestant of the API's race in a process of its own: `ours` as `curbline serve` runs it, or a hand-written handler. Tells
 * where it listens in one line of JSON, then at every line of its standard input the processor time that it has used, and lives
 * until that ends.
 */

import { openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { readConfiguration } from "../../src/live/configuration/configuration.ts"
import { readDemo } from "../../src/live/demo/demo-file.ts"
import { startService } from "../../src/live/main.ts"
import { logLines } from "../../src/live/observation/log-lines.ts"
import { makeServiceLog } from "../../src/live/observation/service-log.ts"
import { layerLocalFiles } from "../../src/engine/store/local-files.ts"
import { freePort } from "../free-port.ts"
import { dataFolder } from "../serve/service-process.ts"
import { SECRET, startPlain } from "./api-plain.ts"
import type { CpuTimes, ServerMessage, ServerOrder } from "./api-plain.ts"

const workers: Worker[] = []
process.on("worker", (worker) => {
  workers.push(worker)
  worker.once("exit", () => workers.splice(workers.indexOf(worker), 1))
})

const order = JSON.parse(process.argv[2] ?? "{}") as ServerOrder
const server = order.contestant === "ours" ? await ours(order) : await startPlain(order)
console.log(JSON.stringify(server.told))
createInterface({ input: process.stdin })
  .on("line", () => void cpuTimes().then((times) => console.log(JSON.stringify(times))))
  .once("close", () => {
    void server.close().then(() => process.exit(0))
  })

async function cpuTimes(): Promise<CpuTimes> {
  const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system
  const calls = await Promise.all(workers.map(async (worker) => sum(await worker.cpuUsage())))
  const [all, main] = [sum(process.cpuUsage()), sum(process.threadCpuUsage())]
  return { all, main, calls: calls.reduce((some, one) => some + one, 0) }
}

async function ours({ databaseUrl, hookUrl, zones }: ServerOrder) {
  const data = dataFolder()
  const environment = {
    CURBLINE_ALLOW_LOCAL_TARGETS: "true",
    CURBLINE_BOT_REPORTS_PER_MINUTE: "1000000",
    CURBLINE_DATA: data,
    CURBLINE_REQUESTS_PER_MINUTE: "1000000",
    CURBLINE_SECRET: SECRET,
    DATABASE_URL: databaseUrl,
    NODE_ENV: "development",
  }
  const flags = { "--production-port": String(await freePort()), "--sandbox-port": String(await freePort()) }
  const configuration = Effect.runSync(readConfiguration({ environment, flags }))
  const file = openSync(join(data, "log"), "a")
  const { write } = logLines({ file, put: (to, bytes) => writeSync(to, bytes) }, configuration.logFormat)
  const log = makeServiceLog({ level: configuration.logLevel, format: configuration.logFormat, write })
  const service = await startService({ configuration, log, demo: "anywhere" })
  const demo = await Effect.runPromise(Effect.provide(readDemo(data), layerLocalFiles))
  if (demo === null) throw new Error("there is no demo")
  const {
    api_key: key,
    base_url: url,
    operator_token: token,
    retailer_id,
    site_id,
    zone_id,
  } = demo.production
  const ask = async (method: string, path: string, body: object | null, by = token) => {
    const headers = { authorization: `Bearer ${by}`, "content-type": "application/json" }
    const sent = body === null ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, sent)
    const said = (await answer.json()) as { readonly data: Readonly<Record<string, unknown>> }
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(said)}`)
    return said.data
  }
  const { grants } = await ask("GET", "/internal/v1/grants", null)
  const of = (grants as readonly Record<string, string>[]).find((grant) => grant["zone_id"] === zone_id)
  const made: string[] = []
  while (made.length < zones) {
    const named = { site_id, name: `Curb ${made.length}` }
    const { zone } = await ask("POST", "/internal/v1/zones", named)
    const { zone_id: id = "" } = zone as Readonly<Record<string, string>>
    for (const label of ["A1", "A2", "A3"]) await ask("POST", "/internal/v1/stalls", { zone_id: id, label })
    await ask("PUT", `/internal/v1/zones/${id}/retailers/${retailer_id}`, null)
    const granted = `organizations/${of?.["organization_id"]}/grants/${id}/${retailer_id}`
    await ask("PUT", `/internal/v1/${granted}`, null)
    made.push(id)
  }
  const hook = { url: hookUrl, subscribed_events: ["reservation.status_changed"] }
  await ask("POST", "/rs/v1/webhooks", hook, key)
  const told: ServerMessage = {
    port: Number(new URL(url).port),
    key,
    zones: made,
    retailerId: retailer_id,
  }
  const close = async (): Promise<void> => {
    await service.stop()
    rmSync(data, { recursive: true, force: true })
  }
  return { told, close }
}
