/** A command of a step: the input of the `do` tables. */

import type { Effect } from "effect"
import type { Refused } from "../../model/values/errors.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import type { CommandName, FieldValues } from "./language/language.ts"

/** A command on its services; `Refusal` is how it may be refused. */
export type Doing<Refusal = Refused> = Effect.Effect<unknown, Refusal, SimulatedServices>

export interface CommandStep {
  readonly command: CommandName
  readonly as: string | null
  readonly for: string | null
  /** The partner, key or person that calls; absent: the scenario's own. */
  readonly by?: string
  readonly with: FieldValues
}
