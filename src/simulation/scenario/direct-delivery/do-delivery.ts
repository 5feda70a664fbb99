/** Direct delivery's `do` and `refuse` steps that are no operation of their own: each calls the same method of the same service as a request. */

import { Clock, Effect } from "effect"
import {
  ChangePickupWebhookRequest,
  InboundSmsRequest,
  RegisterPickupWebhookRequest,
  SupervisorRequest,
  TelemetryRequest,
} from "../../../model/requests/delivery-requests.ts"
import { rankOf } from "../../../model/delivery.ts"
import type { DeliveryStatus } from "../../../model/delivery.ts"
import { Refused } from "../../../model/values/errors.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { isoMs } from "../../../model/values/time.ts"
import { PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import type { DeliveryRow } from "../../../areas/direct-delivery/rows.ts"
import { InboundSms } from "../../../areas/messages/inbound-sms.ts"
import { DeliveryOperations } from "../../../areas/direct-delivery/delivery-operations.ts"
import { Vehicles } from "../../../areas/dispatch/vehicles.ts"
import { PickupWebhooks } from "../../../areas/webhooks/webhooks.ts"
import { everyMsAt, nextMove } from "../../../areas/dispatch/driving.ts"
import type { DELIVERY_COMMANDS } from "../language/delivery-words.ts"
import { placeAt } from "../language/delivery-world.ts"
import type { GivenVehicle } from "../language/language.ts"
import { deliverySiteIdOf, storeOf } from "../language/worlds.ts"
import { numberIfGiven, textIfGiven, textOf, timeIfGiven } from "../language/field-values.ts"
import type { CommandStep, Doing } from "../command-step.ts"
import type { DO_OPERATION } from "../operations.ts"
import type { RunContext } from "../run-context.ts"

export const DO_DELIVERY: Readonly<
  Record<
    Exclude<keyof typeof DELIVERY_COMMANDS, keyof typeof DO_OPERATION>,
    (run: RunContext, step: CommandStep) => Doing
  >
> = {
  "delivery.advance": (run, step) => advance(run, step),
  "delivery.supervise": (run, step) =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryOperations
      const request = yield* decodeRequest(SupervisorRequest, step.with)
      const { deliveryId } = yield* rowOf(run, step)
      return yield* deliveries.supervise(run.operations, deliveryId, request)
    }),
  "delivery.reassign": (run, step) =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryOperations
      const { deliveryId } = yield* rowOf(run, step)
      return yield* deliveries.reassign(run.operations, deliveryId, vehicleIdOf(textOf(step.with, "vehicle")))
    }),
  "vehicle.report": (run, step) => report(run, step),
  "vehicle.drive": (run, step) => driveToTheEnd(run, vehicleIdOf(step.for ?? "")),
  "vehicle.go_online": (run, step) =>
    Effect.flatMap(Vehicles, (vehicles) => vehicles.goOnline(run.operations, vehicleIdOf(step.for ?? ""))),
  "vehicle.go_offline": (run, step) =>
    Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(run.operations, vehicleIdOf(step.for ?? ""))),
  "sms.reply": (run, step) =>
    Effect.gen(function* () {
      const inbound = yield* InboundSms
      const { from, text } = yield* decodeRequest(InboundSmsRequest, step.with)
      const { environment, organizationId } = run.partner
      return yield* inbound.receive({ environment, organizationId, inboundId: null, from, text })
    }),
  "customer.reply": (run, step) =>
    Effect.gen(function* () {
      const { customer } = yield* rowOf(run, step)
      const inbound = yield* InboundSms
      const text = textOf(step.with, "text")
      const { environment, organizationId } = run.partner
      return yield* inbound.receive({
        environment,
        organizationId,
        inboundId: null,
        from: customer.phone,
        text,
      })
    }),
  "pickup_webhook.register": (run, step) => registerPickupWebhook(run, step),
  "pickup_webhook.change": (run, step) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      const named = yield* namedWebhook(run, step)
      const request = yield* decodeRequest(ChangePickupWebhookRequest, step.with)
      const changed = yield* webhooks.change(run.partner, named.webhookId, request)
      if (!named.urls.includes(changed.url)) named.urls.push(changed.url)
      if (request.rotate_secret === true) named.secrets.push(changed.secret)
      return changed
    }),
  "pickup_webhook.remove": (run, step) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      const { webhookId } = yield* namedWebhook(run, step)
      return yield* webhooks.remove(run.partner, webhookId)
    }),
}

/** Registers a receiver under a name; the same for `given.pickup_webhooks` and the step. */
export function registerPickupWebhook(run: RunContext, step: Pick<CommandStep, "as" | "with">): Doing {
  return Effect.gen(function* () {
    const webhooks = yield* PickupWebhooks
    const name = step.as ?? "webhook"
    const url = textIfGiven(step.with, "url") ?? `https://hooks.partner.example/${name}`
    const request = yield* decodeRequest(RegisterPickupWebhookRequest, {
      url,
      events: step.with["events"] ?? PICKUP_EVENT_TYPES,
    })
    const made = yield* webhooks.register(run.partner, request)
    run.webhooks.set(name, { webhookId: made.webhook_id, urls: [url], secrets: [made.secret] })
    return made
  })
}

/** One step, or as many as it takes to reach the status of `to`; none if it is past that. */
const advance = Effect.fnUntraced(function* (run: RunContext, step: CommandStep) {
  const service = yield* DirectDelivery
  const name = step.for ?? ""
  const to = textIfGiven(step.with, "to") as DeliveryStatus | undefined
  const siteId = siteIdOfOrder(run, step)
  const one = service.advance(run.partner, siteId, name)
  if (to === undefined) return yield* one
  let record = yield* service.read(run.partner, siteId, name)
  while (rankOf(record.status) < rankOf(to)) record = yield* one
  return record
})

/** Adds the vehicles: in the sandbox a synthetic one, in production the given ones, or one by default. */
export const placeVehicles = Effect.fnUntraced(function* (run: RunContext, given: readonly GivenVehicle[]) {
  const vehicles = yield* Vehicles
  const { environment } = run.scenario
  const usual: readonly Pick<GivenVehicle, "as" | "fields">[] = [{ as: "van", fields: {} }]
  for (const { as, fields } of given.length === 0 ? usual : given) {
    const vehicleId = vehicleIdOf(as)
    const isSynthetic = environment === "sandbox" || fields["synthetic"] === true
    const isOnline = fields["online"] !== false
    const { fleetId, northM } = storeOf(run.scenario, textIfGiven(fields, "site"))
    yield* vehicles.register({
      vehicleId,
      fleetId,
      environment,
      label: as,
      isSynthetic,
      isOnline,
    })
    const north = numberIfGiven(fields, "north_m") ?? 1_000
    const fix = { ...placeAt({ north: northM + north }), recorded_at: run.nowMs }
    if (!isSynthetic) yield* Effect.orDie(vehicles.report(run.operations, vehicleId, [fix]))
  }
})

/** The id behind a vehicle's name. */
export function vehicleIdOf(name: string): string {
  return `veh_${name}`
}

/**
 * The row of a named delivery, or null while it is only quoted. A name may be an order at several sites; without a site it
 * is the one of its last quote.
 */
export function deliveryRowOf(
  run: RunContext,
  name: string,
  site = run.siteByQuote.get(name),
): DeliveryRow | null {
  const rows = run.service.host.store.table<DeliveryRow>("deliveries")
  const siteId = site === undefined ? null : deliverySiteIdOf(run, site)
  const isOne = (row: DeliveryRow): boolean =>
    row.externalDeliveryId === name && (siteId === null || row.siteId === siteId)
  return rows.all().find(isOne) ?? null
}

/** The site of a step about an order that was quoted before. */
export function siteIdOfOrder(run: RunContext, { for: name, with: fields }: CommandStep): string {
  return deliverySiteIdOf(run, textIfGiven(fields, "site") ?? run.siteByQuote.get(name ?? ""))
}

function report(run: RunContext, step: CommandStep): Doing {
  return Effect.gen(function* () {
    const vehicles = yield* Vehicles
    const recorded = timeIfGiven(step.with, "recorded_at")
    const recordedMs = recorded === undefined ? run.nowMs : run.clock.resolve(recorded, run.nowMs)
    const east = numberIfGiven(step.with, "east_m") ?? 0
    const home = run.scenario.delivery?.vehicles.find(({ as }) => as === step.for)?.fields ?? {}
    const { northM } = storeOf(run.scenario, textIfGiven(step.with, "site") ?? textIfGiven(home, "site"))
    const north = northM + (numberIfGiven(step.with, "north_m") ?? 0)
    const fixes = yield* decodeRequest(TelemetryRequest, [
      { ...placeAt({ east, north }), recorded_at: isoMs(recordedMs), load: step.with["load"] },
    ])
    return yield* vehicles.report(run.operations, vehicleIdOf(step.for ?? ""), fixes)
  })
}

/** Drives like the simulated fleet of a live service, at real speed; without a run the vehicle stays where it is. */
const driveToTheEnd = Effect.fnUntraced(function* ({ operations }: RunContext, vehicleId: string) {
  const deliveries = yield* DeliveryOperations
  const vehicles = yield* Vehicles
  const everyMs = everyMsAt(1)
  const currentRun = Effect.map(vehicles.activeRuns(operations), (runs) =>
    runs.find((one) => one.vehicleId === vehicleId),
  )
  let run = yield* currentRun
  while (run !== undefined) {
    const move = nextMove(run, { nowMs: yield* Clock.currentTimeMillis, speed: 1 })
    if (move?.type === "fix") yield* vehicles.report(operations, vehicleId, [move.fix])
    if (move?.type === "supervise")
      yield* deliveries.supervise(operations, run.deliveryId, { status: move.status })
    yield* Effect.sleep(everyMs)
    run = yield* currentRun
  }
})

/** A name whose command was refused, or that was only quoted, has no delivery. */
function rowOf(run: RunContext, step: CommandStep): Effect.Effect<DeliveryRow, Refused> {
  const row = deliveryRowOf(run, step.for ?? "")
  return row === null ? Effect.fail(new Refused({ code: "DELIVERY_NOT_FOUND" })) : Effect.succeed(row)
}

function namedWebhook(run: RunContext, step: CommandStep) {
  const named = run.webhooks.get(step.for ?? "")
  return named === undefined ? Effect.fail(new Refused({ code: "NOT_FOUND" })) : Effect.succeed(named)
}
