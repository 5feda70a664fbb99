/**
 * The service of one errand on virtual time: its connector as an HTTP client reaches it, a user who has linked a number,
 * and a vehicle that drives by itself. Callers are plain functions: time passes only in `send`, `wait` and what is done
 * to the service.
 */

import { Cause, Clock, Effect, Exit, FiberId, Option, Runtime } from "effect"
import type { Fiber } from "effect"
import { answer as answerOf, isMethod } from "../../apps/mcp/connector.ts"
import { METHOD_NOT_FOUND } from "../../apps/mcp/replied.ts"
import { CourierCheckout } from "../../areas/courier/checkout.ts"
import { CourierOperations } from "../../areas/courier/courier-operations.ts"
import { Courier } from "../../areas/courier/courier.ts"
import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { putStore, putUser } from "../../areas/courier/memory/courier-rows.ts"
import { everyMsAt, nextMove } from "../../areas/dispatch/driving.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import type { Operator } from "../../model/caller.ts"
import type { CourierEnvelope } from "../../model/courier.ts"
import { HOUR_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { FLEET_ID } from "../scenario/language/delivery-world.ts"
import { simulateService } from "../simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../simulated-service.ts"
import type { Outside } from "./desk.ts"
import type { Disturbance } from "./errand.ts"

/** A JSON-RPC message with an answer. */
export interface Message {
  readonly result?: { readonly [name: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Calls of the endpoint so far. */
export interface Traffic {
  /** Every request: tool calls, and what an agent reads before. */
  readonly requests: number
  readonly toolCalls: number
  /** Status calls. */
  readonly polls: number
  /** Of all requests and answers as JSON. */
  readonly bytes: number
  /** Of all requests, and of the answers as they are sent. */
  readonly wireBytes: number
}

/** A client of the newest revision, which says with each request that it can do nothing beside it: it shows no cards. */
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** After it nothing of an errand is open any more. */
const SETTLED_MS = 5 * HOUR_MS
const USER_ID = "usr_errand"
const VEHICLE_ID = "veh_errand"
const OPERATIONS: Operator = { type: "operator", by: "ops", environment: "production" }

export class ErrandWorld {
  readonly #service: SimulatedService
  readonly #vehicle: Fiber.RuntimeFiber<never>
  readonly #sentBytes: (answer: string) => number
  #traffic: Traffic = { requests: 0, toolCalls: 0, polls: 0, bytes: 0, wireBytes: 0 }
  #deliveryId: string | null = null

  /** `sentBytes`: how long an answer is on the wire. */
  constructor(startMs: EpochMs, sentBytes: (answer: string) => number) {
    this.#sentBytes = sentBytes
    this.#service = simulateService({ seed: 1, startMs, sites: [], recording: "off" })
    const { store } = this.#service.host
    putUser(store, USER_ID, { phone: "+15125550142", isEnabled: true })
    for (const listing of DEMO_STORES) putStore(store, listing)
    const vehicle = {
      vehicleId: VEHICLE_ID,
      fleetId: FLEET_ID,
      label: "errand",
      isSynthetic: true,
      isOnline: true,
    }
    this.#do(
      Effect.flatMap(Vehicles, (vehicles) => vehicles.register({ ...vehicle, environment: "production" })),
    )
    this.#vehicle = Runtime.runFork(this.#service.runtime)(driving)
  }

  get nowMs(): EpochMs {
    return this.#service.host.time.nowMs
  }

  get traffic(): Traffic {
    return this.#traffic
  }

  /** Sends a request and waits for its answer. */
  send(method: string, params: { readonly [name: string]: unknown }): Message {
    const id = this.#traffic.requests + 1
    const request = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } })
    const sent = JSON.parse(request) as { readonly params: Readonly<Record<string, unknown>> }
    const message = isMethod(method)
      ? this.#do(
          answerOf({ userId: USER_ID, method, params: sent.params }).pipe(
            Effect.map((result): Message => ({ result: { ...result } })),
            Effect.catchAll(({ code, message: said }) =>
              Effect.succeed<Message>({ error: { code, message: said } }),
            ),
          ),
        )
      : { error: METHOD_NOT_FOUND }
    const reply = JSON.stringify({ jsonrpc: "2.0", id, ...message })
    const { requests, toolCalls, polls, bytes, wireBytes } = this.#traffic
    this.#traffic = {
      requests: requests + 1,
      toolCalls: toolCalls + Number(method === "tools/call"),
      polls: polls + Number(sent.params["name"] === "get_delivery_status"),
      bytes: bytes + bytesOf(request) + bytesOf(reply),
      wireBytes: wireBytes + bytesOf(request) + this.#sentBytes(reply),
    }
    const received = JSON.parse(reply) as Message
    const envelope = received.result?.["structuredContent"] as Partial<CourierEnvelope> | undefined
    this.#deliveryId = envelope?.delivery_id ?? this.#deliveryId
    return received
  }

  wait(ms: number): void {
    const { time } = this.#service.host
    const untilMs = time.nowMs + Math.max(0, ms)
    time.run(untilMs)
    time.advanceTo(untilMs)
  }

  /** Lets everything end that has a time limit. The vehicle stops. */
  settle(): void {
    this.#vehicle.unsafeInterruptAsFork(FiberId.none)
    this.wait(SETTLED_MS)
  }

  /** The user pays on the page behind the link; true when the fee is paid. */
  payAt(url: string, instrument: string): boolean {
    const token = url.split("/").at(-1) ?? ""
    const { type } = this.#do(Effect.flatMap(CourierCheckout, (checkout) => checkout.pay(token, instrument)))
    return type === "paid"
  }

  happen(what: Outside): void {
    if (what.type !== "fails") return this.disturb(what.type)
    const { reason, refunds } = what
    const deliveryId = this.#deliveryId ?? ""
    this.#do(
      Effect.flatMap(CourierOperations, (operations) => operations.fail(deliveryId, { reason, refunds })),
    )
  }

  disturb(what: Disturbance): void {
    const { world } = this.#service
    switch (what) {
      case "payments_fail":
      case "payments_work":
        world.processor.isDown = what === "payments_fail"
        return
      case "look_ups_fail":
      case "look_ups_work":
        world.isStoreDirectoryDown = what === "look_ups_fail"
        return
      case "vehicle_goes":
        this.#do(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(OPERATIONS, VEHICLE_ID)))
        return
      case "vehicle_comes":
        this.#do(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOnline(OPERATIONS, VEHICLE_ID)))
    }
  }

  /** The last delivery as the service has it; null when there is none. */
  status(): CourierEnvelope | null {
    const id = this.#deliveryId
    return id === null
      ? null
      : this.#do(Effect.flatMap(Courier, (courier) => courier.status(USER_ID, { delivery_id: id })))
  }

  /** How many fees the processor keeps: taken, or approved and not released. */
  get feesKept(): number {
    const books = [...this.#service.world.processor.books.values()]
    return books.filter(({ state }) => state === "authorized" || state === "captured").length
  }

  #do<A, E>(effect: Effect.Effect<A, E, SimulatedServices>): A {
    const { host, runtime } = this.#service
    const fiber = Runtime.runFork(runtime)(effect, { immediate: true })
    for (;;) {
      host.time.run(host.time.nowMs)
      const exit = fiber.unsafePoll()
      if (exit !== null) return valueOf(exit)
      const next = host.time.agenda.peek()
      if (next === undefined)
        throw new EngineFault({
          reason: "the agenda is empty and a fiber waits",
          at: null,
          found: "a call of an errand",
        })
      host.time.run(next.dueMs)
    }
  }
}

function valueOf<A, E>(exit: Exit.Exit<A, E>): A {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  throw failure instanceof Error ? failure : faultOf(exit.cause)
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Drives the vehicle like the simulated fleet of a live service, at a street's speed. */
const driving = Effect.gen(function* () {
  const vehicles = yield* Vehicles
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    for (const run of yield* vehicles.activeRuns(OPERATIONS)) {
      const move = nextMove(run, { nowMs, speed: 1 })
      if (move?.type === "fix") yield* Effect.ignore(vehicles.report(OPERATIONS, run.vehicleId, [move.fix]))
    }
    yield* Effect.sleep(everyMsAt(1))
  }
})
