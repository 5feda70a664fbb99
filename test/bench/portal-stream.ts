/**
 * The benchmark of the portal's live streams: 1,000 clients on one node while nothing happens. `npm run bench -- portal-stream`. The
 * clients are another process. Fails when they cost the node more than a tenth of a processor.
 */

import { fork } from "node:child_process"
import { get } from "node:http"
import { setTimeout as after } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Layer, ManagedRuntime } from "effect"
import Fastify from "fastify"
import { SECOND_MS } from "../../src/model/time.ts"
import type { PortalCaller } from "../../src/portal/caller.ts"
import { addStream } from "../../src/portal/http/stream.ts"
import { PortalSessions } from "../../src/portal/sessions.ts"
import { layerChangedGroups } from "../../src/portal/store/changes.ts"
import { layerPglite } from "../../src/store/database.ts"
import { printMachine } from "./machine-line.ts"

const CLIENTS = 1_000
const MEASURED_MS = 30 * SECOND_MS
const SHARE_MAX = 0.1

export async function benchPortalStream(): Promise<void> {
  printMachine()
  // Rights are checked each minute by two reads a client; here they are only called.
  const sessions = { callerOf: () => Effect.succeed(callerOf(0)) } as unknown as PortalSessions["Type"]
  const runtime = ManagedRuntime.make(
    Layer.merge(layerChangedGroups, Layer.succeed(PortalSessions, sessions)).pipe(
      Layer.provideMerge(layerPglite("memory")),
    ),
  )
  const app = Fastify()
  let clients = 0
  addStream(app, {
    run: (effect) => runtime.runPromise(effect),
    baseUrl: "http://127.0.0.1",
    callerOf: async () => callerOf((clients += 1)),
  })
  await app.listen({ port: 0, host: "127.0.0.1" })
  const idle = await shareOf("without clients")
  const address = app.server.address()
  const url = typeof address === "object" ? `http://127.0.0.1:${address?.port}/portal/api/stream` : ""
  const child = fork(fileURLToPath(import.meta.url), [url])
  await new Promise((resolve) => child.once("message", resolve))
  const busy = await shareOf(`with ${CLIENTS} clients`)
  child.kill()
  await app.close()
  await runtime.dispose()
  const added = busy - idle
  console.log(`${CLIENTS} idle clients cost ${(added * 100).toFixed(1)} % of a processor`)
  if (added > SHARE_MAX) process.exitCode = 1
}

/** Ten streams for each session. */
function callerOf(client: number): PortalCaller {
  const organizationId = `org_${client % 100}`
  return {
    session: { sessionId: `ses_${Math.floor(client / 10)}`, environment: "sandbox" },
    organization: { organizationId, environments: ["sandbox"] },
  } as unknown as PortalCaller
}

/** The share of one processor that this process takes. */
async function shareOf(name: string): Promise<number> {
  await after(2 * SECOND_MS)
  const before = process.cpuUsage()
  const beganMs = performance.now()
  await after(MEASURED_MS)
  const { user, system } = process.cpuUsage(before)
  const share = (user + system) / 1_000 / (performance.now() - beganMs)
  console.log(`${name.padEnd(20)} ${(share * 100).toFixed(1)} % of a processor`)
  return share
}

/** The process of the clients. */
async function connect(url: string): Promise<void> {
  for (let client = 0; client < CLIENTS; client += 1) {
    await new Promise<void>((resolve) => {
      get(url, { agent: false }, (response) => {
        response.resume()
        resolve()
      })
    })
  }
  process.send?.("connected")
}

const [, , url] = process.argv
if (url?.startsWith("http://127.0.0.1:") === true) await connect(url)
