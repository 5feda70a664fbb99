/**
 * Faults of the machines that run the service, as a scenario gives them: how often each happens, and when they end. The swarm draws
 * the same faults, so that a seed that failed can be written as a scenario.
 */

import { counted } from "./language/counted.ts"
import { showDuration } from "./language/shown-duration.ts"

/** Counts are "of a thousand". */
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
  /** Calls that wait for room at their receiver before they are sent, of machines that know such a wait: those of webhooks. */
  readonly deferredCalls: number
  readonly deferredMsMax: number
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
  deferredCalls: 0,
  deferredMsMax: 0,
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

export interface MachineFaultsGiven {
  readonly faults: Faults
  /** Since the start. Then everything works again, and everything must end. */
  readonly endMs: number
}

export const FAULT_KINDS = Object.keys(NO_FAULTS) as (keyof Faults)[]

const SAYS: Readonly<Record<keyof Faults, (faults: Faults) => string>> = {
  crashes: ({ crashes }) => `the service crashes before ${crashes} of a thousand agenda entries`,
  nodesLost: ({ nodesLost }) => `a node is lost before ${nodesLost} of a thousand agenda entries`,
  lostResults: ({ lostResults }) => `${lostResults} of a thousand results of calls are lost`,
  doubledResults: ({ doubledResults }) => `${doubledResults} of a thousand results of calls come twice`,
  lateResults: ({ lateResults, lateResultMsMax }) =>
    `${lateResults} of a thousand results of calls come late, by at most ${showDuration(lateResultMsMax)}`,
  lateResultMsMax: () => "",
  deferredCalls: ({ deferredCalls, deferredMsMax }) =>
    `${deferredCalls} of a thousand calls to receivers of webhooks wait for room, for at most ${showDuration(deferredMsMax)}`,
  deferredMsMax: () => "",
  lateTimers: ({ lateTimers, lateTimerMsMax }) =>
    `${lateTimers} of a thousand timers are taken late, by at most ${showDuration(lateTimerMsMax)}`,
  lateTimerMsMax: () => "",
  lostAnswers: ({ lostAnswers }) =>
    `${lostAnswers} of a thousand answers are lost, and the caller asks again`,
  lostCommits: ({ lostCommits }) => `${lostCommits} of a thousand commits of commands fail`,
  runsBodiesTwice: () => "every body of a transaction runs twice",
  mailboxEntriesMax: ({ mailboxEntriesMax }) =>
    `a mailbox holds ${counted(mailboxEntriesMax ?? 0, "entry", "entries")}`,
  restoresAtMs: ({ restoresAtMs, backupAgeMs, heldMs }) =>
    `the database is replaced after ${showDuration(restoresAtMs ?? 0)} by a backup that is ${showDuration(backupAgeMs)} old, and calls are held for ${showDuration(heldMs)}`,
  backupAgeMs: () => "",
  heldMs: () => "",
  upgradesAtMs: ({ upgradesAtMs }) => `the program is upgraded after ${showDuration(upgradesAtMs ?? 0)}`,
}

/** What the faults are, in words. */
export function faultWords(faults: Faults): readonly string[] {
  return FAULT_KINDS.filter((kind) => faults[kind] !== NO_FAULTS[kind])
    .map((kind) => SAYS[kind](faults))
    .filter((said) => said !== "")
}
