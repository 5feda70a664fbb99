/**
 * A node that is made to be killed: a process of its own that books without end and says what was accepted, a line
 * each, after the service has said so. Usage: `node test/live/crashing-node.ts '<CrashingNodeOptions as JSON>'`.
 */

import { Effect, Layer, ManagedRuntime } from "effect"
import { layerLiveService } from "../../src/live/live-service.ts"
import type { EnvironmentPolicy } from "../../src/services/policies.ts"
import { DEFAULT_POLICY } from "../../src/services/policies.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/time.ts"
import { OutboundHttp } from "../../src/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../src/services/outbound/outbound-http.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { layerPglite, layerPostgres } from "../../src/store/database.ts"
import type { Database, DatabaseFault } from "../../src/store/database.ts"
import { partner, reservations } from "../conformance/harness.ts"
import { fastClock } from "./fast-clock.ts"
import type { FastTime } from "./fast-clock.ts"

export interface CrashingNodeOptions {
  readonly database: { readonly url: string } | { readonly folder: string }
  /** Where webhooks are really sent, whatever their URL. */
  readonly receiver: string
  readonly time: FastTime
  /** Begins every idempotency key. */
  readonly name: string
  readonly clients: number
}

/** Between two bookings of a client, on the fast clock: a machine with two cores has time for everything else. */
const PAUSE_MS = 6 * SECOND_MS

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

/** One client: books, says so, books again. */
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
      arrival_window_start: nowMs + 5 * MINUTE_MS,
      arrival_window_end: nowMs + 10 * MINUTE_MS,
      open_link_url: "https://open.partner.example/doors/7",
    }
    const { reservation } = yield* reservations.create(partner, request, key)
    yield* Effect.sync(() => process.stdout.write(`accepted ${reservation.reservation_id} ${key}\n`))
    yield* Effect.sleep(PAUSE_MS)
  })
  // On a machine that stands still for seconds the fast clock passes the window before it is booked: that is no failure.
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
  await runtime.runtime()
  process.stdout.write("ready\n")
  const clients = Array.from({ length: options.clients }, (_, number) => client(options, number))
  await runtime.runPromise(
    Effect.withClock(Effect.all(clients, { concurrency: "unbounded" }), fastClock(options.time)),
  )
}
