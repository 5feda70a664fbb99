/** Management in memory. */

import { Effect, Layer } from "effect"
import { layerOperatorTokens } from "../../src/services/access/operator-tokens.ts"
import { layerCatalogAdmin } from "../../src/services/catalog/catalog-admin.ts"
import { ActorHost } from "../../src/services/host.ts"
import { layerMemoryAccessRows } from "../../src/simulation/memory-access.ts"
import { layerMemoryCatalogRows } from "../../src/simulation/memory-catalog.ts"
import { MemoryHost } from "../../src/simulation/memory-host.ts"
import { layerMemoryOperatorRows } from "../../src/simulation/memory-operators.ts"
import { program } from "../../src/simulation/program.ts"
import { managementContract } from "./management.ts"
import type { ManagementPorts } from "./management.ts"
import { START_MS, runToEnd } from "./memory.ts"

managementContract("memory", () => {
  const host = new MemoryHost({ program, seed: 7, startMs: START_MS, recording: "full" })
  const ports = Layer.mergeAll(
    layerMemoryAccessRows(host.store),
    layerMemoryCatalogRows(host.store),
    layerMemoryOperatorRows(host.store),
    Layer.succeed(ActorHost, host.port),
  )
  const services = Layer.mergeAll(layerCatalogAdmin, layerOperatorTokens)
  const context = Effect.runSync(Effect.scoped(Layer.build(Layer.provideMerge(services, ports))))
  const runtime = Effect.runSync(host.simulated(Effect.provide(Effect.runtime<ManagementPorts>(), context)))
  return { run: (effect) => runToEnd(effect, { runtime, time: host.time }) }
})
