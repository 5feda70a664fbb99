/**
 * A node for tests that kill it: a process that books and delivers without end and prints a line for each accepted
 * command. At its start it checks whether the answers of earlier nodes are true. Usage: `node
 * test/live/node/crashing-node.ts '<CrashingNodeOptions as JSON>'`.
 */

import { flushCompileCache } from "node:module"
import { Effect, Layer, ManagedRuntime } from "effect"
import { layerLiveService } from "../../../src/live/services/live-service.ts"
import type { EnvironmentPolicy } from "../../../src/engine/services/policies.ts"
import { DEFAULT_POLICY } from "../../../src/engine/services/policies.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { rankOf } from "../../../src/model/delivery.ts"
import type { DeliveryStatus } from "../../../src/model/delivery.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliveryRows } from "../../../src/areas/direct-delivery/rows.ts"
import { OutboundHttp } from "../../../src/engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../../src/engine/services/outbound/outbound-http.ts"
import { ReservationRows } from "../../../src/areas/reservations/rows.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { layerPglite, layerPostgres } from "../../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../../src/engine/store/database.ts"
import { SANDBOX_SITE, north } from "../../conformance/delivery-world.ts"
import { partner, reservations, sandboxPartner } from "../../conformance/harness.ts"
import { fastClock } from "./fast-clock.ts"
import type { FastTime } from "./fast-clock.ts"

export interface CrashingNodeOptions {
  readonly database: { readonly url: string } | { readonly folder: string }
  /** The address to which webhooks are really sent, whatever their URL. */
  readonly receiver: string
  readonly time: FastTime
  /** Begins every idempotency key. */
  readonly name: string
  /** Of each API. */
  readonly clients: number
  /** The answers before this node's start. */
  readonly told: readonly Told[]
}

/** An answer to a caller: a booking, or a delivery's status. */
export type Told =
  | { readonly type: "booked"; readonly key: string; readonly id: string }
  | { readonly type: "delivered"; readonly key: string; readonly status: DeliveryStatus }

/** Between two bookings of a client, on the fast clock: a machine with two cores has time for everything else. */
const PAUSE_MS = 4 * SECOND_MS

/** Windows close as soon as they end. */
export const CRASH_POLICY: EnvironmentPolicy = {
  ...DEFAULT_POLICY,
  reservation: { ...DEFAULT_POLICY.reservation, windowGraceMs: 0 },
}

export function crashDatabase(place: CrashingNodeOptions["database"]): Layer.Layer<Database, DatabaseFault> {
  return "url" in place ? layerPostgres(place.url) : layerPglite(place)
}

/** The outside world, but requests reach the receiver through a real socket. */
export function layerReceiver(receiver: string): OutsideWorld["layer"] {
  const post = ({ headers, body, timeoutMs }: OutboundRequest): Promise<OutboundAnswer> =>
    fetch(receiver, { method: "POST", headers, body, signal: AbortSignal.timeout(timeoutMs) }).then(
      ({ status }) => ({ type: "answered", status }),
      () => ({ type: "unanswered", reason: "connection_failed" }),
    )
  return Layer.merge(
    new OutsideWorld().layer,
    Layer.succeed(OutboundHttp, { post: (request) => Effect.promise(() => post(request)) }),
  )
}

function say(told: Told) {
  return Effect.sync(() => process.stdout.write(`told ${JSON.stringify(told)}\n`))
}

/** True when the answer is still right. A delivery may have progressed since. */
export function isTrue(told: Told): Effect.Effect<boolean, never, DeliveryRows | ReservationRows> {
  return Effect.gen(function* () {
    if (told.type === "booked") {
      const row = yield* (yield* ReservationRows).byKey({ ...partner, key: told.key })
      return row?.reservationId === told.id
    }
    const row = yield* (yield* DeliveryRows).byExternalId(SANDBOX_SITE, told.key)
    if (row === null || told.status === "CANCELLED" || row.status === "CANCELLED") {
      return row?.status === "CANCELLED"
    }
    return rankOf(row.status) >= rankOf(told.status)
  })
}

const deliveries = Effect.serviceFunctions(DirectDelivery)

/** One client of the sandbox's deliveries: a quote, a delivery, some steps, and mostly a cancel that frees its place. */
function shop(options: CrashingNodeOptions, number: number) {
  let ordered = 0
  const one = Effect.gen(function* () {
    ordered += 1
    const key = `${options.name}-shop${number}-${ordered}`
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const request = {
      external_delivery_id: key,
      customer: { phone: "+15125550123" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: north(2_000),
      ready_by: nowMs + 20 * MINUTE_MS,
      order_items: [{ name: "Milk", quantity: 2 }],
    }
    yield* deliveries.quote(sandboxPartner, SANDBOX_SITE, request)
    const made = yield* deliveries.create(sandboxPartner, SANDBOX_SITE, { external_delivery_id: key })
    yield* say({ type: "delivered", key, status: made.delivery.status })
    for (let step = 0; step < (ordered * 5 + number) % 9; step += 1) {
      const { status } = yield* deliveries.advance(sandboxPartner, SANDBOX_SITE, key)
      yield* say({ type: "delivered", key, status })
    }
    if (ordered % 4 !== 0) {
      const cancel = { status: "CANCELLED" } as const
      const { status } = yield* deliveries.cancel(sandboxPartner, SANDBOX_SITE, key, cancel)
      yield* say({ type: "delivered", key, status })
    }
    yield* Effect.sleep(PAUSE_MS)
  })
  // Full vehicles make no delivery, a walk to the end leaves nothing to cancel, and a quote may expire on a slow machine.
  const fine = ["QUOTE_UNAVAILABLE", "INVALID_STATE", "QUOTE_EXPIRED"]
  const allowed = Effect.catchTag(one, "Refused", (refused) =>
    fine.includes(refused.code) ? Effect.sleep(PAUSE_MS) : Effect.fail(refused),
  )
  return Effect.forever(allowed)
}

/** One client: books, prints it, and books again. */
function client(options: CrashingNodeOptions, number: number) {
  let booked = 0
  const one = Effect.gen(function* () {
    booked += 1
    const key = `${options.name}-${number}-${booked}`
    const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const request = {
      zone_id: "zone_curb",
      retailer_id: "retailer_grocer",
      order_number: key,
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      arrival_window_start: nowMs + MINUTE_MS,
      arrival_window_end: nowMs + 6 * MINUTE_MS,
      open_link_url: "https://open.partner.example/doors/7",
    }
    const { reservation } = yield* reservations.create(partner, request, key)
    yield* say({ type: "booked", key, id: reservation.reservation_id })
    yield* Effect.sleep(PAUSE_MS)
  })
  // On a machine that pauses for seconds the fast clock passes the window before it is booked: that is no failure.
  const late = Effect.catchTag(one, "Refused", (refused) =>
    refused.code === "WINDOW_IN_PAST" ? Effect.void : Effect.fail(refused),
  )
  return Effect.forever(late)
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? "{}") as CrashingNodeOptions
  const layer = Layer.provideMerge(
    layerLiveService({ digestKey: "crash", secretKey: "crash", policy: CRASH_POLICY }),
    Layer.merge(layerReceiver(options.receiver), crashDatabase(options.database)),
  ).pipe(Layer.provide(Layer.setClock(fastClock(options.time))))
  const runtime = ManagedRuntime.make(layer)
  for (const told of options.told) {
    if (!(await runtime.runPromise(isTrue(told)))) process.stdout.write(`untrue ${JSON.stringify(told)}\n`)
  }
  flushCompileCache()
  process.stdout.write("ready\n")
  const clients = Array.from({ length: options.clients }, (_, number) => [
    client(options, number),
    shop(options, number),
  ]).flat()
  await runtime.runPromise(
    Effect.withClock(Effect.all(clients, { concurrency: "unbounded" }), fastClock(options.time)),
  )
}
