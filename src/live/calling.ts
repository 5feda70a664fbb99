/**
 * The composition root of the thread that sends webhooks: the service over the same database, without requests and
 * wake-up, which makes the calls that the main thread passes to it. It reports its counts at intervals, because every
 * message costs the main thread time.
 */

import { parentPort, workerData } from "node:worker_threads"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { layerNameLookup } from "./gateways/name-lookup.ts"
import { layerOutboundHttp } from "./gateways/outbound-http.ts"
import { layerSignedPhotos } from "./gateways/signed-photos.ts"
import { CurrentSpan } from "../engine/services/tracing.ts"
import { layerPostgres } from "../engine/store/database.ts"
import { layerTables } from "../engine/store/sql-tables.ts"
import { PhotoStore } from "../engine/services/photos/photo-store.ts"
import { CALL_THREAD_TELLS_MS } from "./configuration/bounds.ts"
import { layerKeepingHttp } from "./calls/kept-bodies.ts"
import { WaitingBodies } from "../apps/inspector/kept-bodies.ts"
import { layerBodyWriter } from "../apps/inspector/store/kept-bodies.ts"
import { CallHold, layerCallHold } from "./calls/call-hold.ts"
import type { CallThreadSetting, FromCallThread, ToCallThread, ToldThere } from "./calls/call-thread.ts"
import { RunningHost, layerLiveService } from "./services/live-service.ts"
import type { LiveObserver } from "./observation/observer.ts"
import { tracingTo } from "./observation/tracing.ts"
import { layerServiceLog, makeServiceLog } from "./observation/service-log.ts"

const {
  databaseUrl,
  connectionsMax,
  digestKey,
  secretKey,
  allowsLoopback,
  nameServers,
  logLevel,
  tracesEndpoint,
  node,
} = workerData as CallThreadSetting & { readonly node: string }
const say = (message: FromCallThread): void => parentPort?.postMessage(message)

let taken = 0
let told: ToldThere[] = []
let telling: NodeJS.Timeout | null = null

function tell(): void {
  telling = null
  const load = { inFlight: host.callsInFlight, free: host.callsFree }
  say({ type: "told", load: { taken, ...load }, told })
  told = []
}

function tellSoon(...news: readonly ToldThere[]): void {
  told.push(...news)
  telling ??= setTimeout(tell, CALL_THREAD_TELLS_MS)
}

const observer: LiveObserver = {
  onCommit: (turns) => tellSoon(["onCommit", turns]),
  onUndo: () => tellSoon(["onUndo"]),
  onRetry: () => tellSoon(["onRetry"]),
  onCall: (call, result) => tellSoon(["onCall", call, result]),
  onDeferred: () => tellSoon(["onDeferred"]),
  onBreaker: (change) => tellSoon(["onBreaker", change]),
  onBatch: (groups) => tellSoon(["onBatch", groups]),
  onWakeUp: () => tellSoon(["onWakeUp"]),
}

// This thread serves no photos, so their links lead nowhere.
const baseUrls = { production: "http://localhost", sandbox: "http://localhost" }
const bodies = new WaitingBodies()
const outside = Layer.mergeAll(
  layerKeepingHttp(bodies).pipe(Layer.provide(layerOutboundHttp)),
  layerBodyWriter(bodies),
  layerNameLookup({ servers: nameServers }),
  layerSignedPhotos({ key: "", baseUrls }).pipe(Layer.provide(PhotoStore.layer), Layer.provide(layerTables)),
)
const hold = new CallHold()
const service = layerLiveService({
  digestKey,
  secretKey,
  mayCall: () => !hold.isHeld,
  urlPolicy: { allowsLoopback },
  wakesUp: false,
  node,
  observer,
  onFault: ({ reason, at, found }) =>
    Effect.sync(() => {
      say({ type: "fault", fault: { reason, at, found } })
      // The report includes a call that may have ended with it.
      tellSoon()
    }),
})
const log = makeServiceLog({ level: logLevel, format: "json", write: (line) => say({ type: "line", line }) })
const managed = ManagedRuntime.make(
  Layer.merge(service, layerCallHold(hold)).pipe(
    Layer.provide(outside),
    Layer.provide(layerPostgres(databaseUrl, { connectionsMax })),
    Layer.provide(layerServiceLog(log)),
  ),
)
const tracing = await tracingTo(tracesEndpoint)
const host = await managed.runPromise(RunningHost)

async function stop(): Promise<void> {
  await managed.runPromise(Fiber.interrupt(releasing))
  await managed.runPromise(host.drain)
  if (telling !== null) clearTimeout(telling)
  tell()
  await managed.dispose()
  await tracing?.stop()
  parentPort?.close()
}

const releasing = managed.runFork(host.deferred.run)

parentPort?.on("message", (message: ToCallThread) => {
  if (message.type === "stop") return void stop()
  for (const { calls, traceparent } of message.calls) {
    taken += calls.length
    const span = traceparent === null ? null : (tracing?.resume(traceparent) ?? null)
    managed.runFork(Effect.locally(host.makeCalls(calls), CurrentSpan, span))
  }
  tellSoon()
})
say({ type: "ready" })
