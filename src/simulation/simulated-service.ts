/** One simulated run of the whole service: the same machines and services as live, over memory and virtual time. */

import { Context, Effect, Layer, Runtime } from "effect"
import type { EpochMs } from "../model/time.ts"
import type { Program } from "../kernel/program.ts"
import { Catalog } from "../services/catalog/catalog.ts"
import { ActorHost, Areas } from "../services/host.ts"
import { UrlPolicy, layerUrlPolicy } from "../services/outbound/url-policy.ts"
import { DEFAULT_POLICY, Policies, layerPolicies } from "../services/policies.ts"
import type { EnvironmentPolicy } from "../services/policies.ts"
import { layerAreas } from "../services/areas.ts"
import { DigestKey, Reservations, layerReservations } from "../services/reservations/reservations.ts"
import { ReservationRows } from "../services/reservations/rows.ts"
import { RunnerTasks, layerRunnerTasks } from "../services/reservations/runner-tasks.ts"
import { SandboxWalk, layerSandboxWalk } from "../services/reservations/sandbox-walk.ts"
import { Webhooks, layerWebhooks } from "../services/webhooks/webhooks.ts"
import { WebhookStore } from "../services/webhooks/store.ts"
import { MemoryHost } from "./memory-host.ts"
import { layerMemoryCatalog, layerMemoryReservationRows, layerMemoryWebhookStore } from "./memory-rows.ts"
import type { WorldSite } from "./memory-rows.ts"
import { OutsideWorld } from "./outside-world.ts"
import { program as serviceProgram } from "./program.ts"

/** Everything that a caller of the simulated service may use. */
export type SimulatedServices =
  | ActorHost
  | Catalog
  | Policies
  | ReservationRows
  | Reservations
  | RunnerTasks
  | SandboxWalk
  | UrlPolicy
  | WebhookStore
  | Webhooks

export interface SimulatedServiceOptions {
  readonly seed: number
  readonly startMs: EpochMs
  readonly sites: readonly WorldSite[]
  readonly recording: "full" | "off"
  readonly policy?: EnvironmentPolicy
  /** Another program than the live one: tests plant bugs through it. */
  readonly program?: Program
}

export interface SimulatedService {
  readonly host: MemoryHost
  readonly world: OutsideWorld
  readonly runtime: Runtime.Runtime<SimulatedServices>
}

/** Builds the service; nothing has happened yet and the clock stands at `startMs`. */
export function simulateService(options: SimulatedServiceOptions): SimulatedService {
  const { seed, startMs, recording, sites } = options
  const host = new MemoryHost({ program: options.program ?? serviceProgram, seed, startMs, recording })
  const world = new OutsideWorld()
  const ports = Layer.mergeAll(
    Layer.succeed(ActorHost, host.port),
    Layer.succeed(DigestKey, { key: "simulated" }),
    layerMemoryCatalog(sites),
    layerMemoryReservationRows(host.store),
    layerMemoryWebhookStore(host.store),
    layerPolicies(options.policy ?? DEFAULT_POLICY),
    layerUrlPolicy().pipe(Layer.provideMerge(world.layer)),
  )
  const services = Layer.mergeAll(layerAreas, layerReservations, layerRunnerTasks, layerSandboxWalk, layerWebhooks)
  // Layers are built before time begins: they wait for nothing, and hold nothing that needs closing.
  const context = Effect.runSync(Effect.scoped(Layer.build(Layer.provideMerge(services, ports))))
  const runtime = Effect.runSync(
    host.simulated(Effect.provide(Effect.runtime<SimulatedServices | Areas>(), context)),
  )
  host.attach(Context.get(context, Areas), runtime as Runtime.Runtime<never>)
  return { host, world, runtime }
}
