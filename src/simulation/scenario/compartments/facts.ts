/** The fact about a compartment at a customer's door. */

import { Effect } from "effect"
import { deliveryRowOf } from "../direct-delivery/do-delivery.ts"
import { ActorHost } from "../../../engine/services/host.ts"
import { numberIfGiven, textOf } from "../language/field-values.ts"
import { comparedFields, missing } from "../finding.ts"
import type { Finding } from "../finding.ts"
import type { FieldValues } from "../language/language.ts"
import type { RunContext } from "../run-context.ts"
import type { SimulatedServices } from "../../simulated-service.ts"
import { compartmentGroup, currentCompartment } from "../../../areas/compartments/compartments.ts"
import { openUrlOf } from "./do-compartment.ts"
import type { COMPARTMENT_EXPECTATIONS } from "../language/compartment-words.ts"

type LookUp = (run: RunContext, fields: FieldValues) => Effect.Effect<Finding, never, SimulatedServices>

export const LOOK_UP_COMPARTMENT: Readonly<Record<keyof typeof COMPARTMENT_EXPECTATIONS, LookUp>> = {
  compartment: (run, fields) => findCompartment(run, fields),
}

const findCompartment = Effect.fnUntraced(function* (run: RunContext, fields: FieldValues) {
  const name = textOf(fields, "compartment")
  const row = deliveryRowOf(run, name)
  if (row === null) return missing(name, "was never created")
  const group = compartmentGroup(row.deliveryId)
  const { state, triesLeft } = yield* (yield* ActorHost).view([group], currentCompartment(row.deliveryId))
  const attemptIds = callsOf(run, row.deliveryId)
  const actual: Readonly<Record<string, string>> = {
    state,
    tries_left: String(triesLeft),
    calls: String(attemptIds.length),
    attempt_ids: String(new Set(attemptIds).size),
  }
  const wrong = Object.entries(actual).flatMap(([field, found]) => {
    const wanted = fields[field]
    const expected = typeof wanted === "string" ? wanted : JSON.stringify(wanted)
    return wanted === undefined || expected === found ? [] : [{ field, expected, found }]
  })
  return {
    ...comparedFields(name, wrong),
    group,
    isLost: attemptIds.length > (numberIfGiven(fields, "calls") ?? Number.POSITIVE_INFINITY),
  }
})

/** The attempt id of each call that reached the fleet. */
function callsOf(run: RunContext, deliveryId: string): readonly string[] {
  const url = openUrlOf(run)
  const requests = url === null ? [] : run.service.world.receivedAt(url)
  return requests
    .map(({ body }) => JSON.parse(body) as { readonly attempt_id: string; readonly delivery_id: string })
    .filter((body) => body.delivery_id === deliveryId)
    .map((body) => body.attempt_id)
}
