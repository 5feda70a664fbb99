/** Linking's rows in memory, over PGlite, and over PostgreSQL. */

import { Effect, Layer, Runtime } from "effect"
import { ActorHost } from "../../src/services/host.ts"
import { MemoryHost } from "../../src/simulation/memory-host.ts"
import { layerMemoryLinkingRows } from "../../src/simulation/memory-linking.ts"
import { program } from "../../src/simulation/program.ts"
import { layerGrantRows, layerLinkingLimitRows } from "../../src/store/grants.ts"
import { layerClientRows, layerLinkedUserRows, layerSmsCodeRows } from "../../src/store/linking.ts"
import { layerSecretBox } from "../../src/store/secret-box.ts"
import { overBothDatabases } from "../conformance/live-harnesses.ts"
import { START_MS } from "../conformance/memory.ts"
import { linkingPortsContract } from "./linking-ports.ts"

linkingPortsContract("memory", () => {
  const host = new MemoryHost({ program, seed: 7, startMs: START_MS, recording: "full" })
  const ports = Layer.merge(layerMemoryLinkingRows(host.store), Layer.succeed(ActorHost, host.port))
  const runtime = Effect.runSync(Effect.scoped(Layer.toRuntime(ports)))
  return { run: Runtime.runPromise(runtime) }
})

const overSql = Layer.mergeAll(
  layerClientRows,
  layerGrantRows,
  layerLinkedUserRows,
  layerLinkingLimitRows,
  layerSmsCodeRows,
).pipe(Layer.provide(layerSecretBox("contract")))

overBothDatabases((name, { make }) => {
  linkingPortsContract(name, () => {
    const harness = make()
    return { run: (effect) => harness.run(Effect.provide(effect, overSql)) }
  })
})
