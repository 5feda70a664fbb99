/** What one seed draws: a world, the moves of its actors, and the faults of the machine that runs the service. */

import type { CommandName, FaultName, FieldValues, Place, Scenario } from "../scenario/language/language.ts"
import type { Faults } from "../scenario/machine-faults.ts"

/** A command of an actor, or a fault of the outside world, as the scenario language has them. */
export type Act =
  | {
      readonly verb: "do"
      readonly command: CommandName
      readonly as: string | null
      readonly for: string | null
      /** The partner, key or person that calls; absent: the scenario's own. */
      readonly by?: string
      readonly with: FieldValues
    }
  | {
      readonly verb: "inject"
      readonly fault: FaultName
      readonly for: string | null
      readonly with: FieldValues
    }

export interface Move {
  /** Since the start of the run. */
  readonly atMs: number
  /** Who moves: the moves of one actor wait for each other, those of others do not. */
  readonly actor: string
  readonly act: Act
  /** Where a scenario says it; absent for a move that was drawn. */
  readonly place?: Place
}

/** The world of a plan, as the scenario language has it. */
export type World = Pick<
  Scenario,
  | "delivery"
  | "environment"
  | "keys"
  | "operators"
  | "partners"
  | "pickupWebhooks"
  | "policy"
  | "runners"
  | "seed"
  | "site"
  | "sites"
  | "webhooks"
>

export interface Plan {
  readonly seed: number
  readonly world: World
  readonly faults: Faults
  /** Sorted by time; moves of one instant in the order in which they begin. */
  readonly moves: readonly Move[]
  /** After this the faults have ended, and everything must end. */
  readonly faultsEndMs: number
}
