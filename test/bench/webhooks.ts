/**
 * How late webhooks of direct deliveries are when 1,000 of them fall due together: `npm run bench -- webhooks`. They are
 * spread over the endpoints of many organizations, as a busy minute spreads them; every one failed once and is due again at
 * one instant, counted by its endpoint's actor. On the embedded database and on a PostgreSQL of its own.
 */

import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { RunningHost } from "../../src/live/services/live-service.ts"
import { takeWhatIsDue } from "../../src/live/host/wake-up.ts"
import type { Partner } from "../../src/model/caller.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { PICKUP_WEBHOOK_BACKOFF_MS } from "../../src/model/values/limits.ts"
import { PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { fanOut } from "../../src/areas/webhooks/fan-out.ts"
import { PickupWebhooks } from "../../src/areas/webhooks/webhooks.ts"
import type { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { mailbox } from "../../src/engine/store/schema.ts"
import { startNode, until } from "../live/node/nodes.ts"
import type { Node } from "../live/node/nodes.ts"
import { onFreshDatabases, printLateness } from "./lateness.ts"
import { printMachine } from "./machine-line.ts"

const WEBHOOKS = 1_000
const ORGANIZATIONS = 50
const ROUNDS = 3
const FAILS = { type: "status", status: 500, afterMs: 1 } as const
const ACCEPTS = { type: "status", status: 200, afterMs: 20 } as const
const URLS = Array.from({ length: ORGANIZATIONS }, (_, at) => `https://hooks${at}.shop.example/events`)

export async function benchWebhooks(): Promise<void> {
  const [first = 0] = PICKUP_WEBHOOK_BACKOFF_MS
  printMachine()
  console.log(
    `${WEBHOOKS} webhooks to ${ORGANIZATIONS} endpoints, due ${first / 1000} s after a first failure;`,
  )
  console.log("ms from the instant at which all are due to the request\n")
  await onFreshDatabases(ROUNDS, show)
}

async function show(name: string, layer: Layer.Layer<Database, DatabaseFault>): Promise<void> {
  const database = ManagedRuntime.make(layer)
  const { orm } = await database.runPromise(Database)
  const shared = Layer.succeedContext((await database.runtime()).context)
  const world = new OutsideWorld()
  for (const url of URLS) world.script(url, [FAILS])
  const planter = await startNode(shared, world, { wakesUp: false })
  await plant(planter)
  await until(() => world.received.length >= WEBHOOKS)
  // Every failure has been counted, and every delivery waits for its second attempt.
  await until(async () => {
    await planter.run(Effect.flatMap(RunningHost, takeWhatIsDue))
    const waiting = await orm
      .select({ kind: mailbox.kind, count: sql<number>`count(*)::int` })
      .from(mailbox)
      .groupBy(mailbox.kind)
    return waiting.length === 1 && waiting[0]?.kind === "timer" && waiting[0].count === WEBHOOKS
  })
  await planter.stop()
  const dueMs = Date.now()
  await orm.update(mailbox).set({ dueMs })
  for (const url of URLS) world.script(url, [ACCEPTS])
  const node = await startNode(shared, world)
  await until(() => world.received.length >= 2 * WEBHOOKS)
  printLateness(
    name,
    world.received.slice(WEBHOOKS).map(({ atMs }) => atMs - dueMs),
  )
  await node.crash()
  await database.dispose()
}

/** Each organization's endpoint, and its share of the events in one transaction. */
async function plant(node: Node): Promise<void> {
  for (const [at, url] of URLS.entries()) {
    const organizationId = `org_${at}`
    const caller: Partner = {
      type: "partner",
      organizationId,
      environment: "production",
      permissions: PERMISSIONS,
    }
    const webhooks = Effect.serviceFunctions(PickupWebhooks)
    await node.run(webhooks.register(caller, { url, events: PICKUP_EVENT_TYPES }))
    await node.run(events(organizationId))
  }
}

const events = Effect.fnUntraced(function* (organizationId: string) {
  const host = yield* ActorHost
  const store = yield* Effect.context<WebhookStore>()
  const count = WEBHOOKS / ORGANIZATIONS
  const body = Effect.forEach(
    Array.from({ length: count }, (_, at) => `${organizationId}-${at}`),
    (eventId) =>
      Effect.gen(function* () {
        const about = { organizationId, environment: "production", area: "direct_delivery" } as const
        const text = JSON.stringify({
          event: "pickup_status.changed",
          data: { external_delivery_id: eventId },
        })
        const event = {
          ...about,
          eventId: () => eventId,
          eventType: "pickup_status.changed",
          siteId: null,
          cause: null,
        } as const
        const nonce = yield* host.nonce
        yield* fanOut({ ...event, subjectId: eventId, body: () => Routine.succeed(text) }, nonce)
      }),
    { discard: true },
  )
  yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(Effect.provide(body, store)) })
})
