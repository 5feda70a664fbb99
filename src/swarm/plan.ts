/** What one seed draws: a world, the moves of its actors, and the faults of the machine that runs the service. */

import type { CommandName, FaultName, FieldValues, Scenario } from "../simulation/scenario/language.ts"

/** A command of an actor, or a fault of the outside world, as the scenario language has them. */
export type Act =
  | {
      readonly verb: "do"
      readonly command: CommandName
      readonly as: string | null
      readonly for: string | null
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
}

/** Faults of the machines that run the service. Counts are "of a thousand". */
export interface Faults {
  /** Agenda entries before which the service crashes. */
  readonly crashes: number
  /** Agenda entries before which a node is lost, which another one notices. */
  readonly nodesLost: number
  /** Results of calls that are lost. */
  readonly lostResults: number
  /** Results of calls that come twice. */
  readonly doubledResults: number
  /** Results of calls that come late, and so in another order. */
  readonly lateResults: number
  readonly lateResultMsMax: number
  /** Timers that are taken late. */
  readonly lateTimers: number
  readonly lateTimerMsMax: number
  /** Commands whose answer is lost, and that the caller sends again. */
  readonly lostAnswers: number
  /** Commits of commands that fail. */
  readonly lostCommits: number
  /** Whether every body of a transaction runs twice, as after contention. */
  readonly runsBodiesTwice: boolean
  /** When an earlier program, which starts machines of earlier versions, is replaced by this one; null: this one all along. */
  readonly upgradesAtMs: number | null
  /** How many entries a mailbox holds; null: as many as in operation. */
  readonly mailboxEntriesMax: number | null
  /** When the database is replaced by a backup, while receivers and callers have seen more; null: never. */
  readonly restoresAtMs: number | null
  /** How old that backup is. */
  readonly backupAgeMs: number
  /** How long calls to the outside are held after the restore. */
  readonly heldMs: number
}

export const NO_FAULTS: Faults = {
  crashes: 0,
  nodesLost: 0,
  lostResults: 0,
  doubledResults: 0,
  lateResults: 0,
  lateResultMsMax: 0,
  lateTimers: 0,
  lateTimerMsMax: 0,
  lostAnswers: 0,
  lostCommits: 0,
  runsBodiesTwice: false,
  upgradesAtMs: null,
  mailboxEntriesMax: null,
  restoresAtMs: null,
  backupAgeMs: 0,
  heldMs: 0,
}

/** The world of a plan, as the scenario language has it. */
export type World = Pick<
  Scenario,
  "delivery" | "environment" | "pickupWebhooks" | "policy" | "seed" | "site" | "webhooks"
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
