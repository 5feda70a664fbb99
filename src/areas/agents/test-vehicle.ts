/** The synthetic vehicle that carries the errands of an organization's test users. */

import type { Operator } from "../../model/caller.ts"
import { Routine } from "../../engine/services/routine.ts"
import { testFleetOf } from "../courier/settings.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { Vehicles } from "../dispatch/vehicles.ts"

const OPERATIONS: Operator = { type: "operator", by: "ops", environment: "sandbox" }

function vehicleOf(organizationId: string): string {
  return `vehicle_agents_${organizationId}`
}

/** Does nothing when there is one. */
export const ensureTestVehicle = Routine.fn(function* (organizationId: string) {
  yield* (yield* Vehicles).register({
    vehicleId: vehicleOf(organizationId),
    fleetId: testFleetOf(organizationId),
    environment: "sandbox",
    label: "Test vehicle",
    isSynthetic: true,
    isOnline: true,
  })
})

/** False without a vehicle. */
export const isTestVehicleOnline = Routine.fn(function* (organizationId: string) {
  return (yield* (yield* VehicleRows).byId(vehicleOf(organizationId)))?.isOnline === true
})

/** While it is offline, there is no capacity. */
export const setTestVehicle = Routine.fn(function* (organizationId: string, isOnline: boolean) {
  yield* ensureTestVehicle(organizationId)
  const vehicles = yield* Vehicles
  yield* vehicles[isOnline ? "goOnline" : "goOffline"](OPERATIONS, vehicleOf(organizationId))
})
