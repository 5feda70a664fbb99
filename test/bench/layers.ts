/**
 * What it takes to build a simulated service's layers: in order, as every scenario, seed and replication does, against Effect's own
 * `Layer.build` of the same layers. `npm run bench -- layers`.
 */

import { Effect, Layer } from "effect"
import type { Context, Scope } from "effect"
import { program } from "../../src/apps/composition/program.ts"
import { builtInOrder } from "../../src/engine/library-internals/layers.ts"
import { MemoryHost } from "../../src/engine/memory/memory-host.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { layerSimulated } from "../../src/simulation/simulated-service.ts"
import { world } from "../conformance/world.ts"
import { printMachine } from "./machine-line.ts"

const BUILDS = 100
const ROUNDS = 5

const layers = () => {
  const options = { sites: world, recording: "full" } as const
  const host = new MemoryHost({ program, seed: 7, startMs: 0, recording: "full", rehearses: false })
  return layerSimulated({ host, world: new OutsideWorld(), options })
}

/** Processor time of one build, in ms. */
function timeOf(build: () => Effect.Effect<Context.Context<never>, never, Scope.Scope>): number {
  const all = Array.from({ length: BUILDS }, () => Effect.scoped(build()))
  const before = process.cpuUsage()
  for (const one of all) Effect.runSync(one)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / BUILDS
}

export function benchLayers(): void {
  printMachine()
  const rounds = Array.from({ length: ROUNDS + 1 }, () => {
    const [inOrder, ofEffect] = [timeOf(() => builtInOrder(layers())), timeOf(() => Layer.build(layers()))]
    return { inOrder, ofEffect, ratio: ofEffect / inOrder }
    // The first round compiles the code.
  }).slice(1)
  for (const { inOrder, ofEffect, ratio } of rounds)
    console.log(
      `in order ${inOrder.toFixed(1)} ms, Layer.build ${ofEffect.toFixed(1)} ms: ${ratio.toFixed(1)} times`,
    )
}
