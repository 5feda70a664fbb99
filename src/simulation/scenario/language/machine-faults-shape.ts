/** The key `machine_faults` of a scenario: its reader and schema, and how it is written. */

import { MAILBOX_ENTRIES_MAX } from "../../../model/values/limits.ts"
import { FAULT_KINDS, NO_FAULTS } from "../machine-faults.ts"
import type { Faults, MachineFaultsGiven } from "../machine-faults.ts"
import { duration, mapped, optional, record, required, whole, yesOrNo } from "./shapes.ts"
import type { Shape } from "./shapes.ts"

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
  deferred_calls: optional(
    "calls to receivers of webhooks that wait for room",
    ofThousand("calls"),
    NO_FAULTS.deferredCalls,
  ),
  deferred_max: optional("how long at most", duration(), NO_FAULTS.deferredMsMax),
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
  deferredCalls: "deferred_calls",
  deferredMsMax: "deferred_max",
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

export const machineFaults: Shape<MachineFaultsGiven> = mapped(
  record("faults of the machines", MACHINE_FAULT_KEYS),
  ({ last, ...values }, refuse) => {
    const faults = Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, values[KEY_OF[kind]]]),
    ) as unknown as Faults
    const { lateResults, lateResultMsMax, lateTimers, lateTimerMsMax, restoresAtMs, backupAgeMs } = faults
    const { deferredCalls, deferredMsMax } = faults
    if (lateResults > 0 && lateResultMsMax === 0)
      return refuse("late_results without late_result_max", "late_result_max: 30s")
    if (lateTimers > 0 && lateTimerMsMax === 0)
      return refuse("late_timers without late_timer_max", "late_timer_max: 30s")
    if (deferredCalls > 0 && deferredMsMax === 0)
      return refuse("deferred_calls without deferred_max", "deferred_max: 30s")
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
