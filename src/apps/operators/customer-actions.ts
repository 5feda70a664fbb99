/** Lines of the audit log about a customer who waits at the door. */

import { Effect } from "effect"
import { outcomeOfOpening } from "../../areas/compartments/compartments.ts"
import type { Environment } from "../../model/caller.ts"
import { OperatorActions } from "./actions.ts"

/** Runs a customer's try to open the compartment, and notes it with its outcome. */
export function notingOpening(environment: Environment) {
  return <A, E>(deliveryId: string, opening: Effect.Effect<A, E>): Effect.Effect<A, E, OperatorActions> => {
    const action = {
      environment,
      actorType: "customer",
      actorId: deliveryId,
      action: "openOwnCompartment",
      subjectId: deliveryId,
    } as const
    const options = { outcomeOf: outcomeOfOpening }
    return Effect.flatMap(OperatorActions, (actions) => actions.noting(action, opening, options))
  }
}
