/**
 * Which events operators may send by hand, machine by machine. A text says why one may not: what a decision function or a
 * lock of an area stands before is asked of that area's API. Every event of every machine is in this table.
 */

import { Schema } from "effect"
import { BOT_STATUS_BY_EVENT } from "../../model/bot.ts"
import { DELIVERY_EVENT_BY_STATUS } from "../../model/delivery.ts"
import { EXCEPTION_CODES } from "../../model/handoff.ts"
import { CHOSEN_ID } from "../../model/ids.ts"
import { CANCELERS } from "../../model/reservation.ts"
import { Instant, measure } from "../../model/schema.ts"
import type { EventField, SendableEvents } from "../../model/sendable-event.ts"

type Entry = readonly EventField[] | string

const none: readonly EventField[] = []
const attempt: EventField = { name: "attempt", type: "count" }
const result = {
  "call.succeeded": [attempt],
  "call.failed": [attempt, { name: "reason", type: "id" }],
  "call.discarded": [attempt, { name: "reason", type: "id" }],
} as const satisfies Record<string, Entry>
const recordedAt: EventField = { name: "recordedAtMs", type: "instant" }
const walked: EventField = { name: "isWalked", type: "flag", isOptional: true }
const code: EventField = { name: "code", type: "choice", choices: EXCEPTION_CODES }
const report: readonly EventField[] = [
  { name: "occurredAtMs", type: "instant" },
  { name: "etaMs", type: "instant", isOptional: true, isNullable: true },
  walked,
]
const decided = "a decision function reads the facts for it; ask the area's API"
const errand = "errands are production's alone, where nothing is sent"

const reports = (fields: readonly EventField[]): Record<string, Entry> =>
  Object.fromEntries(Object.keys(BOT_STATUS_BY_EVENT).map((type) => [type, fields]))

const TABLE: Readonly<Record<string, Readonly<Record<string, Entry>> | string>> = {
  "bot@1": { ...reports(report), "reservation.ended": none },
  "courier-order@1": errand,
  "courier-payment@1": errand,
  "delivery@1": {
    ...Object.fromEntries(Object.values(DELIVERY_EVENT_BY_STATUS).map((type) => [type, none])),
    "cancel.requested": none,
    "step.advanced": none,
    "vehicle.changed": "the vehicle must be free, which the fleet's lock sees to; ask the area's API",
  },
  "open-link@1": { ...result, "open_link.dropped": none },
  "open-link@2": { ...result, "call.lost": [attempt], "open_link.dropped": none },
  "reservation@1": {
    "bot.arrived": none,
    "bot.departed": none,
    "cancel.requested": [{ name: "by", type: "choice", choices: CANCELERS.filter((by) => by !== "system") }],
    "order.loaded": none,
    "parts.ended": none,
    "window.moved": decided,
  },
  "runner-task@1": {
    ...reports([walked]),
    "bot.eta_changed": [{ name: "etaMs", type: "instant", isNullable: true }],
    "exception.cleared": [code],
    "exception.raised": [code],
    "load.recorded": [{ name: "photoId", type: "id", isNullable: true }],
    "open_link.failed": none,
    "open_link.opened": none,
    "open_link.retried": none,
    "order.given_up": none,
    "order.in_hand": none,
    "order.not_ready": [{ name: "readyEstimateAtMs", type: "instant", isNullable: true }],
    "order.ready": none,
    "payload.measured": [{ name: "measure", type: "weight" }],
    "reservation.ended": none,
    "runner.assigned": [{ name: "runnerId", type: "id", isNullable: true }],
    "runner.at_store": none,
    "runner.at_unit": [walked],
    "window.moved": [
      { name: "startsAtMs", type: "instant" },
      { name: "endsAtMs", type: "instant" },
    ],
  },
  "vehicle@1": {
    "customer.reached": none,
    "load.reported": none,
    "run.ended": [{ name: "deliveryId", type: "id" }],
    "run.offered": "the vehicle must be free, which the fleet's lock sees to; ask the area's API",
    "store.approached": none,
    "store.left": [recordedAt],
    "store.reached": [recordedAt],
    "unload.reported": none,
    "vehicle.went_offline": none,
    "vehicle.went_online": none,
  },
  "webhook-delivery@1": result,
  "webhook-delivery@2": {
    ...result,
    "call.lost": [attempt],
    "call.deferred": [attempt],
    "queue.released": [attempt],
  },
  "webhook-endpoint@1": {
    "attempt.failed": none,
    "attempt.succeeded": none,
    "endpoint.removed": none,
    "endpoint.switched_off": none,
    "endpoint.switched_on": none,
  },
}

/** What may be sent, by machine. */
export function sendableEvents(): Readonly<Record<string, SendableEvents>> {
  return Object.fromEntries(Object.keys(TABLE).map((machine) => [machine, sendableTo(machine)]))
}

/** What may be sent to actors of a machine; empty for one that takes nothing by hand. */
export function sendableTo(machine: string): SendableEvents {
  const events = TABLE[machine]
  if (events === undefined || typeof events === "string") return {}
  return Object.fromEntries(
    Object.entries(events).flatMap(([type, fields]) => (typeof fields === "string" ? [] : [[type, fields]])),
  )
}

/** Why an event is not sent; null where it is, or where nobody has said. */
export function reasonAgainst(machine: string, type: string): string | null {
  const events = TABLE[machine]
  const found = typeof events === "object" ? events[type] : events
  return typeof found === "string" ? found : null
}

const Id = Schema.String.pipe(
  Schema.filter((text) => CHOSEN_ID.test(text) || "must be an id: letters, digits, _ and -, 64 at most"),
)
const Count = Schema.Number.pipe(
  Schema.filter((value) => (Number.isInteger(value) && value >= 0) || "must be a whole number"),
)
/** Kilograms, as the machine takes a measured order. */
const Weight = Schema.transform(
  measure(1_000),
  Schema.Struct({ weightKg: Schema.Number, dimensionsCm: Schema.Null }),
  {
    strict: true,
    decode: (weightKg) => ({ weightKg, dimensionsCm: null }),
    encode: ({ weightKg }) => weightKg,
  },
)

/** The check of an event's fields. */
export function schemaOf(fields: readonly EventField[]): Schema.Schema<Readonly<Record<string, unknown>>> {
  const entries = fields.map((field) => {
    const one: Schema.Schema.AnyNoContext = plainSchema(field)
    const nullable = field.isNullable === true ? Schema.NullOr(one) : one
    return [field.name, field.isOptional === true ? Schema.optional(nullable) : nullable] as const
  })
  return Schema.Struct(Object.fromEntries(entries))
}

function plainSchema({ type, choices = [] }: EventField): Schema.Schema.AnyNoContext {
  switch (type) {
    case "choice":
      return Schema.String.pipe(
        Schema.filter((text) => choices.includes(text) || `must be one of ${choices.join(", ")}`),
      )
    case "count":
      return Count
    case "flag":
      return Schema.Boolean
    case "id":
      return Id
    case "instant":
      return Instant
    case "weight":
      return Weight
  }
}
