/** One simulated run of the whole service: the same machines and services as live, over memory and virtual time. */

import type { Runtime } from "effect"
import { Context, Effect, Layer } from "effect"
import type { EpochMs } from "../model/time.ts"
import type { Program } from "../kernel/program.ts"
import type { Catalog } from "../services/catalog/catalog.ts"
import { ActorHost, Areas } from "../services/host.ts"
import type { UrlPolicy } from "../services/outbound/url-policy.ts"
import { layerUrlPolicy } from "../services/outbound/url-policy.ts"
import { DEFAULT_POLICY, layerPolicies } from "../services/policies.ts"
import type { EnvironmentPolicy, Policies } from "../services/policies.ts"
import { layerAreas } from "../services/areas.ts"
import type { Reservations } from "../services/reservations/reservations.ts"
import { DigestKey, layerReservations } from "../services/reservations/reservations.ts"
import type { ReservationRows } from "../services/reservations/rows.ts"
import type { RunnerTasks } from "../services/reservations/runner-tasks.ts"
import { layerRunnerTasks } from "../services/reservations/runner-tasks.ts"
import type { SandboxWalk } from "../services/reservations/sandbox-walk.ts"
import { layerSandboxWalk } from "../services/reservations/sandbox-walk.ts"
import type { Webhooks } from "../services/webhooks/webhooks.ts"
import { layerWebhooks } from "../services/webhooks/webhooks.ts"
import type { WebhookStore } from "../services/webhooks/store.ts"
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
  const services = Layer.mergeAll(
    layerAreas,
    layerReservations,
    layerRunnerTasks,
    layerSandboxWalk,
    layerWebhooks,
  )
  // Layers are built before time begins: they wait for nothing, and hold nothing that needs closing.
  const context = Effect.runSync(Effect.scoped(Layer.build(Layer.provideMerge(services, ports))))
  const runtime = Effect.runSync(
    host.simulated(Effect.provide(Effect.runtime<SimulatedServices | Areas>(), context)),
  )
  host.attach(Context.get(context, Areas), runtime)
  return { host, world, runtime }
}
