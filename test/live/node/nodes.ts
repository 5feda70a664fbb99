/** Nodes of the live service on the machine's own clock, over one database and one outside world. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { exportJournal } from "../../../src/live/records/journal-export.ts"
import { RunningHost, layerLiveService } from "../../../src/live/services/live-service.ts"
import type { LiveServiceOptions, LiveServices } from "../../../src/live/services/live-service.ts"
import { ActorHost, Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { WebhookStore } from "../../../src/areas/webhooks/store.ts"
import type { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { GROUP_ROWS } from "../../../src/apps/composition/group-rows.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import type { Replayed } from "../../../src/simulation/replay.ts"
import { Database } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { GroupStore } from "../../../src/engine/store/group-store.ts"
import { groups } from "../../../src/engine/store/schema.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"

export interface Node {
  readonly run: <A, E>(effect: Effect.Effect<A, E, LiveServices | RunningHost | Database>) => Promise<A>
  readonly faults: readonly string[]
  /** An orderly stop: calls in flight are finished. */
  readonly stop: () => Promise<void>
  /** A crash: calls in flight are lost. */
  readonly crash: () => Promise<void>
}

export async function startNode(
  database: Layer.Layer<Database, DatabaseFault>,
  world: Pick<OutsideWorld, "layer">,
  options: Partial<LiveServiceOptions> = {},
): Promise<Node> {
  const faults: string[] = []
  const service = layerLiveService({
    digestKey: "nodes",
    secretKey: "nodes",
    onFault: (fault) => Effect.sync(() => void faults.push(fault.message)),
    ...options,
  })
  const runtime = ManagedRuntime.make(Layer.provideMerge(service, Layer.merge(world.layer, database)))
  await runtime.runtime()
  return {
    run: (effect) => runtime.runPromise(effect),
    faults,
    stop: () => runtime.dispose(),
    crash: async () => {
      await runtime.runPromise(Effect.flatMap(RunningHost, (host) => host.dropCalls))
      await runtime.dispose()
    },
  }
}

/** The whole journal of a node's database, replayed in the simulator. */
export async function replayed(node: Node): Promise<Replayed & { readonly record: string }> {
  const record = await exported(node)
  return { ...replayRecord(record, program), record }
}

/** For the end of a test: the node ran into no fault, and its journal replays. */
export async function allWell(node: Node): Promise<void> {
  const { difference } = await replayed(node)
  if (difference !== null) throw new Error(`the journal does not replay: ${difference.message}`)
  if (node.faults.length > 0) throw new Error(`outside any command: ${node.faults.join("; ")}`)
}

async function exported(node: Node): Promise<string> {
  const texts: string[] = []
  const write = (text: string) => Effect.sync(() => void texts.push(text))
  await node.run(exportJournal({ build: "test", charts: {}, write }))
  return texts.join("")
}

export interface PlantedDeliveries {
  readonly url: string
  readonly webhookId: string
  readonly count: number
  readonly backoffMs: readonly number[]
  readonly leaseMs: number
}

/** An endpoint, and deliveries to it that start at once, in one transaction. Their ids. */
export async function plantDeliveries(node: Node, planted: PlantedDeliveries): Promise<readonly string[]> {
  const { webhookId, url, count, backoffMs, leaseMs } = planted
  const ids = Array.from({ length: count }, (_, at) => `${webhookId}-${at}`)
  const body = Effect.gen(function* () {
    const host = yield* ActorHost
    const store = yield* WebhookStore
    const transaction = yield* Transaction
    const { nowMs } = transaction
    yield* store.insertEndpoint({
      webhookId,
      organizationId: "org_one",
      environment: "production",
      area: "reservations",
      siteId: null,
      url,
      subscribedEvents: ["reservation.status_changed"],
      isActive: true,
      secret: "whsec_1",
      consecutiveFailures: 0,
      disabledAtMs: null,
      disabledReason: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    for (const deliveryId of ids) {
      const eventId = `evt-${deliveryId}`
      const eventType = "reservation.status_changed"
      yield* store.insertBody({ eventId, eventType, subjectId: "res_1", body: "{}", createdAtMs: nowMs })
      yield* store.insertDelivery({
        deliveryId,
        webhookId,
        eventId,
        subjectId: "res_1",
        redeliveryOf: null,
        redeliveredAtMs: null,
      })
      const input = { endpointId: webhookId, eventId, attemptsMax: 8, backoffMs, leaseMs, resendsMax: 3 }
      yield* transaction.turn({
        to: `webhook-delivery/${deliveryId}`,
        start: { machine: "webhook-delivery@2", input },
        nonce: yield* host.nonce,
      })
    }
  })
  await node.run(
    Effect.flatMap(ActorHost, (host) =>
      host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
    ),
  )
  return ids
}

/** The state of a delivery. */
export async function stateOf(node: Node, deliveryId: string): Promise<string> {
  const address = `webhook-delivery/${deliveryId}`
  const group = await node.run(Effect.flatMap(ActorHost, (host) => host.read(address)))
  return String(group?.actors.get(address)?.snapshot.value)
}

export interface Standing {
  readonly state: string
  readonly attempt: number
}

/** The same of many by one query, from their rows: nothing due is taken for them. */
export async function standings(node: Node, ids: readonly string[]): Promise<readonly Standing[]> {
  const { orm } = await node.run(Database)
  const rows = await orm
    .select({
      address: groups.address,
      state: sql<string>`actors -> 0 ->> 'value'`,
      attempt: sql<string>`actors -> 0 -> 'context' ->> 'attempt'`,
    })
    .from(groups)
    .where(eq(groups.kind, "webhook-delivery"))
  const byAddress = new Map(rows.map(({ address, ...more }) => [address, more]))
  return ids.map((id) => {
    const { state = "", attempt } = byAddress.get(`webhook-delivery/${id}`) ?? {}
    return { state, attempt: Number(attempt) }
  })
}

export async function allStandAt(node: Node, ids: readonly string[], state: string): Promise<boolean> {
  return (await standings(node, ids)).every((one) => one.state === state)
}

/** The group as its row has it: nothing due is taken for it. */
export function rowOf(node: Node, address: string): Promise<Group | null> {
  return node.run(
    Effect.flatMap(Database, (database) =>
      Effect.map(
        new GroupStore(program, database, GROUP_ROWS).find(address),
        (found) => found?.group ?? null,
      ),
    ),
  )
}

/** Waits until it is so; the test's own bound ends a wait that would be for ever. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}
