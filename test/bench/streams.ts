/**
 * The benchmark of the live streams: 1,000 clients of sites on one node while nothing happens. `npm run bench -- streams`. The clients
 * are another process, and their rights are checked in the database. Fails when they cost the node more than a tenth of a processor.
 */

import { fork } from "node:child_process"
import { get } from "node:http"
import { setTimeout as after } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect, Layer, ManagedRuntime } from "effect"
import Fastify from "fastify"
import { OperatorRows } from "../../src/http/access/operator-tokens.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { ChangeStreams } from "../../src/http/change-streams.ts"
import { prepareCallers } from "../../src/http/gate.ts"
import { layerQuietHost } from "../../src/live/services/management.ts"
import { READY_AHEAD_MS_MAX } from "../../src/model/values/limits.ts"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { addSiteStream } from "../../src/apps/operations/http/stream.ts"
import { SiteTopics } from "../../src/apps/operations/site-topics.ts"
import { DigestKey } from "../../src/engine/services/digest-key.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { layerChangedGroups } from "../../src/engine/store/changed-groups.ts"
import { layerPglite } from "../../src/engine/store/database.ts"
import { OperatedSites } from "../../src/apps/operations/operated-sites.ts"
import { OperatorAccountRows } from "../../src/apps/operators/rows.ts"
import { OperatorSessionRows, OperatorSessions } from "../../src/apps/operators/operator-sessions.ts"
import { layerAttemptCounter } from "../../src/engine/store/window-counter.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { printMachine } from "./machine-line.ts"

const CLIENTS = 1_000
const PER_SESSION = 10
/** Longer than a minute, so that the rights of each client are checked. */
const MEASURED_MS = 70 * SECOND_MS
const SHARE_MAX = 0.1
const [environment, siteId] = ["production", "site_bench"] as const

/** Each id is a site here. */
const layerEverySite = Layer.succeed(OperatedSites, { sitesOf: (_, __, id) => Routine.succeed([id]) })

export async function benchStreams(): Promise<void> {
  printMachine()
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      layerEverySite,
      layerChangedGroups,
      SiteTopics.layer,
      OperatorSessions.layer,
      OperatorTokens.layer,
    ).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          layerAttemptCounter,
          CatalogRows.layer,
          OperatorAccountRows.layer,
          OperatorRows.layer,
          OperatorSessionRows.layer,
        ),
      ),
      Layer.provideMerge(
        Layer.mergeAll(layerTables, layerQuietHost, Layer.succeed(DigestKey, { key: "digests" })),
      ),
      Layer.provideMerge(layerPglite("memory")),
    ),
  )
  const tokens = await runtime.runPromise(prepared)
  const app = Fastify()
  prepareCallers(app)
  const streams = new ChangeStreams((effect) => runtime.runPromise(effect))
  addSiteStream(app, {
    streams,
    run: (effect) => runtime.runPromise(effect),
    host: { environment, baseUrl: "http://127.0.0.1" },
  })
  await app.listen({ port: 0, host: "127.0.0.1" })
  const idle = await shareOf("without clients")
  const address = app.server.address()
  const port = typeof address === "object" ? address?.port : 0
  const child = fork(fileURLToPath(import.meta.url), [`http://127.0.0.1:${port}`])
  child.send(tokens)
  await new Promise((resolve) => child.once("message", resolve))
  const busy = await shareOf(`with ${streams.size} clients`)
  child.kill()
  streams.close()
  await app.close()
  await runtime.dispose()
  const added = busy - idle
  console.log(`${CLIENTS} idle clients cost ${(added * 100).toFixed(1)} % of a processor`)
  if (added > SHARE_MAX) process.exitCode = 1
}

/** A site, and a token for each ten clients. */
const prepared = Effect.gen(function* () {
  const host = yield* ActorHost
  const { sites } = yield* CatalogRows
  const site = {
    siteId,
    name: "Bench",
    timezone: null,
    organizationId: null,
    isActive: true,
    fleetId: "fleet_bench",
    address: null,
    place: null,
    area: null,
    priceCents: null,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: false,
    dispatchPolicy: "earliest_free" as const,
  }
  yield* host.run({ name: "bench", locks: {}, body: () => sites.insert(environment, site) })
  const operators = yield* OperatorTokens
  const made = yield* Effect.forEach(Array.from({ length: CLIENTS / PER_SESSION }), () =>
    operators.make({ environment, label: "bench" }),
  )
  return made.map(({ value }) => value)
})

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
async function connect(base: string, tokens: readonly string[]): Promise<void> {
  const url = `${base}/internal/v1/sites/${siteId}/stream`
  for (let client = 0; client < CLIENTS; client += 1) {
    const headers = { authorization: `Bearer ${tokens[Math.floor(client / PER_SESSION)]}` }
    await new Promise<void>((resolve, reject) => {
      get(url, { agent: false, headers }, (response) => {
        response.resume()
        if (response.statusCode === 200) resolve()
        else reject(new Error(`a client got ${response.statusCode}`))
      })
    })
  }
  process.send?.("connected")
}

const [, , base] = process.argv
if (base?.startsWith("http://127.0.0.1:") === true) {
  process.once("message", (tokens) => void connect(base, tokens as readonly string[]))
}
