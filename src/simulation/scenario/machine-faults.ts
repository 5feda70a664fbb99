/**
 * Faults of the machines that run the service, as a scenario gives them: how often each happens, and when they end. The swarm draws
 * the same faults, so that a seed that failed can be written as a scenario.
 */

import { MAILBOX_ENTRIES_MAX } from "../../model/limits.ts"
import { counted } from "./counted.ts"
import { duration, mapped, optional, record, required, whole, yesOrNo } from "./shapes.ts"
import type { Shape } from "./shapes.ts"
import { showDuration } from "./shown-duration.ts"

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

export interface MachineFaultsGiven {
  readonly faults: Faults
  /** Since the start. Then everything works again, and everything must end. */
  readonly endMs: number
}

const ofThousand = (of: string) => whole(`${of} of a thousand`, { min: 0, max: 1000 })

/** Of the map under `machine_faults`. */
export const MACHINE_FAULT_KEYS = {
  last: required("how long they last; then everything works again, and everything must end", duration()),
  crashes: optional("moments before which the service crashes", ofThousand("moments"), NO_FAULTS.crashes),
  nodes_lost: optional("moments before which a node is lost", ofThousand("moments"), NO_FAULTS.nodesLost),
  lost_results: optional("results of calls that are lost", ofThousand("results"), NO_FAULTS.lostResults),
  doubled_results: optional(
    "results of calls that come twice",
    ofThousand("results"),
    NO_FAULTS.doubledResults,
  ),
  late_results: optional("results of calls that come late", ofThousand("results"), NO_FAULTS.lateResults),
  late_result_max: optional("how late at most", duration(), NO_FAULTS.lateResultMsMax),
  late_timers: optional("timers that are taken late", ofThousand("timers"), NO_FAULTS.lateTimers),
  late_timer_max: optional("how late at most", duration(), NO_FAULTS.lateTimerMsMax),
  lost_answers: optional(
    "answers to commands that are lost; the caller asks again",
    ofThousand("answers"),
    NO_FAULTS.lostAnswers,
  ),
  lost_commits: optional(
    "commits of commands that fail; the caller asks again",
    ofThousand("commits"),
    NO_FAULTS.lostCommits,
  ),
  runs_bodies_twice: optional(
    "whether every transaction is tried twice, as when two collide",
    yesOrNo,
    NO_FAULTS.runsBodiesTwice,
  ),
  upgrade_at: optional(
    "after this long an earlier program is replaced by this one",
    duration(),
    NO_FAULTS.upgradesAtMs,
  ),
  mailbox_entries: optional(
    "how many messages wait for one group at most",
    whole("messages", { min: 1, max: MAILBOX_ENTRIES_MAX }),
    NO_FAULTS.mailboxEntriesMax,
  ),
  restore_at: optional(
    "after this long the database is replaced by a backup",
    duration(),
    NO_FAULTS.restoresAtMs,
  ),
  backup_age: optional("how old that backup is", duration(), NO_FAULTS.backupAgeMs),
  calls_held: optional("how long calls wait after that", duration(), NO_FAULTS.heldMs),
}

/** The YAML key of each fault. */
const KEY_OF: Readonly<Record<keyof Faults, Exclude<keyof typeof MACHINE_FAULT_KEYS, "last">>> = {
  crashes: "crashes",
  nodesLost: "nodes_lost",
  lostResults: "lost_results",
  doubledResults: "doubled_results",
  lateResults: "late_results",
  lateResultMsMax: "late_result_max",
  lateTimers: "late_timers",
  lateTimerMsMax: "late_timer_max",
  lostAnswers: "lost_answers",
  lostCommits: "lost_commits",
  runsBodiesTwice: "runs_bodies_twice",
  upgradesAtMs: "upgrade_at",
  mailboxEntriesMax: "mailbox_entries",
  restoresAtMs: "restore_at",
  backupAgeMs: "backup_age",
  heldMs: "calls_held",
}

const FAULT_KINDS = Object.keys(NO_FAULTS) as (keyof Faults)[]

export const machineFaults: Shape<MachineFaultsGiven> = mapped(
  record("faults of the machines", MACHINE_FAULT_KEYS),
  ({ last, ...values }, refuse) => {
    const faults = Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, values[KEY_OF[kind]]]),
    ) as unknown as Faults
    const { lateResults, lateResultMsMax, lateTimers, lateTimerMsMax, restoresAtMs, backupAgeMs } = faults
    if (lateResults > 0 && lateResultMsMax === 0)
      return refuse("late_results without late_result_max", "late_result_max: 30s")
    if (lateTimers > 0 && lateTimerMsMax === 0)
      return refuse("late_timers without late_timer_max", "late_timer_max: 30s")
    if (restoresAtMs !== null && backupAgeMs > restoresAtMs)
      return refuse("backup_age is longer than restore_at: the backup would be from before the start")
    return { faults, endMs: last }
  },
)

/** The map under `machine_faults`; `durationText` writes a duration. */
export function writtenFaults(
  { faults, endMs }: MachineFaultsGiven,
  durationText: (ms: number) => string,
): object {
  const kept = FAULT_KINDS.filter((kind) => faults[kind] !== NO_FAULTS[kind])
  const written = kept.map((kind) => {
    const value = faults[kind]
    return [KEY_OF[kind], typeof value === "number" && isDuration(kind) ? durationText(value) : value]
  })
  return { last: durationText(endMs), ...Object.fromEntries(written) }
}

function isDuration(kind: keyof Faults): boolean {
  return kind.endsWith("Ms") || kind.endsWith("MsMax")
}

const SAYS: Readonly<Record<keyof Faults, (faults: Faults) => string>> = {
  crashes: ({ crashes }) => `the service crashes before ${crashes} of a thousand agenda entries`,
  nodesLost: ({ nodesLost }) => `a node is lost before ${nodesLost} of a thousand agenda entries`,
  lostResults: ({ lostResults }) => `${lostResults} of a thousand results of calls are lost`,
  doubledResults: ({ doubledResults }) => `${doubledResults} of a thousand results of calls come twice`,
  lateResults: ({ lateResults, lateResultMsMax }) =>
    `${lateResults} of a thousand results of calls come late, by at most ${showDuration(lateResultMsMax)}`,
  lateResultMsMax: () => "",
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
