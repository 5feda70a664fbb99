/** `do` and `refuse` steps about a compartment at a customer's door: each calls the same method of the same service as a request. */

import { Effect, Struct } from "effect"
import { Refused } from "../../../model/values/errors.ts"
import { FleetSettingsRequest } from "../../../model/requests/fleet-requests.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import type { CommandStep, Doing } from "../command-step.ts"
import { textIfGiven } from "../language/field-values.ts"
import type { RunContext } from "../run-context.ts"
import { storeOf } from "../language/worlds.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import { deliveryRowOf, siteIdOfOrder } from "../direct-delivery/do-delivery.ts"
import { FLEET_ID } from "../language/delivery-world.ts"
import { FleetSettings, fleetSettings } from "../../../areas/dispatch/fleet-settings.ts"
import { Compartments } from "../../../areas/compartments/compartments.ts"
import type { COMPARTMENT_COMMANDS } from "../language/compartment-words.ts"

export const DO_COMPARTMENT: Readonly<
  Record<keyof typeof COMPARTMENT_COMMANDS, (run: RunContext, step: CommandStep) => Doing>
> = {
  "fleet.change": (run, step) =>
    Effect.gen(function* () {
      const { fleetId } = storeOf(run.scenario, textIfGiven(step.with, "site"))
      const request = yield* decodeRequest(FleetSettingsRequest, Struct.omit(step.with, "site"))
      return yield* (yield* FleetSettings).change(run.operations, fleetId, request)
    }),
  "compartment.open": (run, step) =>
    Effect.gen(function* () {
      const name = step.for ?? ""
      // Read first, as the page does: a delivery that is not the retailer's is refused.
      const service = yield* DirectDelivery
      yield* service.read(run.partner, siteIdOfOrder(run, step), name)
      const row = yield* rowOf(run, name)
      const digits = textIfGiven(step.with, "digits") ?? row.customer.phone.slice(-4)
      return yield* (yield* Compartments).open(row, digits)
    }),
  "compartment.grant": (run, step) =>
    Effect.gen(function* () {
      const { deliveryId } = yield* rowOf(run, step.for ?? "")
      return yield* (yield* Compartments).grant(run.operations, deliveryId)
    }),
}

/** Where the scenario's own fleet is asked to open; null before it has a URL. */
export function openUrlOf(run: RunContext): string | null {
  const { environment } = run.scenario
  const rows = memoryRowsOf(run.service.host.store, fleetSettings).all()
  return rows.find((row) => row.environment === environment && row.fleetId === FLEET_ID)?.openUrl ?? null
}

function rowOf(run: RunContext, name: string) {
  const row = deliveryRowOf(run, name)
  return row === null ? Effect.fail(new Refused({ code: "DELIVERY_NOT_FOUND" })) : Effect.succeed(row)
}
