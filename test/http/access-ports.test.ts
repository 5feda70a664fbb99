/** The ports of access, in memory. */

import { Effect, Layer, Runtime } from "effect"
import { layerMemoryAccessRows, layerMemoryRateCounter } from "../../src/simulation/memory-access.ts"
import { ActorHost } from "../../src/services/host.ts"
import { START_MS } from "../conformance/memory.ts"
import { MemoryHost } from "../../src/simulation/memory-host.ts"
import { program } from "../../src/simulation/program.ts"
import { accessPortsContract } from "./access-ports.ts"

accessPortsContract("memory", () => {
  const host = new MemoryHost({ program, seed: 7, startMs: START_MS, recording: "full" })
  const ports = Layer.mergeAll(
    layerMemoryAccessRows(host.store),
    layerMemoryRateCounter,
    Layer.succeed(ActorHost, host.port),
  )
  const runtime = Effect.runSync(Effect.scoped(Layer.toRuntime(ports)))
  return { run: Runtime.runPromise(runtime) }
})
