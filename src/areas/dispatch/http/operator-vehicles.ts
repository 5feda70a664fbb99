/** Reports of vehicles. Source: production moves. */

import { Schema } from "effect"
import { Fix, TelemetryRequest } from "../../../model/requests/delivery-requests.ts"
import { Refused } from "../../../model/values/errors.ts"
import { CHOSEN_ID } from "../../../model/ids.ts"
import { CATALOG_ID_LENGTH_MAX } from "../../../model/values/limits.ts"
import { text } from "../../../model/values/schema.ts"
import { Vehicles } from "../vehicles.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

/** One fix, or several under `fixes`. */
const TelemetryBody = Schema.Union(Schema.Struct({ fixes: TelemetryRequest }), Fix)
const LineRequest = Schema.Struct({ is_online: Schema.Boolean })

const Id = Schema.String.pipe(
  Schema.filter((id) => CHOSEN_ID.test(id) || "must be 1 to 64 letters, digits, _ and -"),
  Schema.annotations({ jsonSchema: { type: "string", pattern: CHOSEN_ID.source } }),
)
const NewVehicle = Schema.Struct({
  vehicle_id: Id,
  fleet_id: Id,
  label: text({ max: CATALOG_ID_LENGTH_MAX }),
  is_synthetic: Schema.optionalWith(Schema.Boolean, { default: () => false }).annotations({
    description: "True: it sends no reports, and the sandbox's advance moves it; only in the sandbox.",
  }),
}).annotations({
  identifier: "NewVehicle",
  description: "A vehicle that reports for itself, unless it is synthetic.",
})

const ONLY_IN_THE_SANDBOX = {
  code: "VALIDATION_ERROR",
  problems: [{ field: "is_synthetic", message: "must be false outside of the sandbox" }],
} as const

const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())
const add = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/vehicles",
  operationId: "addVehicle",
  summary: "Add a vehicle, on line, to a fleet; one that is there stays as it is",
  body: NewVehicle,
  answers: { 200: Schema.Struct({ vehicle: NewVehicle }) },
  commands: [
    {
      noun: { word: "vehicles", description: "vehicles of a fleet; the service must be running" },
      verb: "add",
      description: "add a vehicle that sends its own reports; an existing one does not change",
      inputs: [
        ["vehicle_id", "<vehicle-id>", "as it reports under"],
        ["fleet_id", "--fleet <id>", "the fleet, such as CURBLINE_COURIER_FLEET names"],
        ["label", "--label <text>", "for people; the id if absent", "first argument"],
        ["is_synthetic", "--synthetic", "it sends no reports: the sandbox's advance moves it"],
      ],
      did: "added the vehicle",
    },
  ],
  *handle({ caller: { environment } }, sent) {
    const vehicle = yield* sent
    const { vehicle_id: vehicleId, fleet_id: fleetId, label, is_synthetic: isSynthetic } = vehicle
    if (isSynthetic && environment !== "sandbox") return yield* new Refused({ ...ONLY_IN_THE_SANDBOX })
    const vehicles = yield* Vehicles
    yield* vehicles.register({ vehicleId, fleetId, label, environment, isSynthetic, isOnline: true })
    return { vehicle }
  },
})

const report = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/vehicles/{id}/telemetry",
  operationId: "reportTelemetry",
  summary: "Position fixes of a vehicle and what it says of its load; a repeat changes nothing",
  body: TelemetryBody,
  answers: { 200: Schema.Struct({ stored: Count, repeated: Count, older: Count }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const vehicles = yield* Vehicles
    const fixes = "fixes" in request ? request.fixes : [request]
    return yield* vehicles.report(caller, id, fixes)
  },
})

const goLine = operatorEndpoint({
  method: "PATCH",
  path: "/internal/v1/vehicles/{id}",
  operationId: "changeVehicle",
  summary: "Take a vehicle on or off line; its runs stay with it",
  body: LineRequest,
  answers: { 200: Schema.Struct({ vehicle_id: Schema.String, is_online: Schema.Boolean }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }, sent) {
    const { is_online } = yield* sent
    const vehicles = yield* Vehicles
    yield* is_online ? vehicles.goOnline(caller, id) : vehicles.goOffline(caller, id)
    return { vehicle_id: id, is_online }
  },
})

export const vehicles = [add, report, goLine]
