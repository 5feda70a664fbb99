/** The verdict over the journal and the rows of a database. */

import { Effect } from "effect"
import type { Context } from "effect"
import { EngineFault } from "../../engine/kernel/faults.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Entry, EntryBody } from "../../engine/kernel/journal.ts"
import { exportJournal } from "../records/journal-export.ts"
import type { Requester } from "../../model/requester.ts"
import { MemoryGroups } from "../../engine/memory/memory-groups.ts"
import { replayRecord } from "../../simulation/replay.ts"
import type { ReplayedTurn } from "../../simulation/replay.ts"
import type { Database } from "../../engine/store/database.ts"
import { readJournal } from "../../engine/store/journal-pages.ts"
import { CATALOGUE } from "../../simulation/swarm/catalogue.ts"
import type { Coverage } from "../../simulation/swarm/coverage.ts"
import type { Answered, Broken } from "../../simulation/swarm/invariant.ts"
import type { Plan } from "../../simulation/swarm/plan.ts"
import { callerKindOf } from "../../simulation/swarm/callers.ts"
import { isTooOften } from "../../simulation/swarm/invariant.ts"
import { DAYS_OF_SITES } from "../../simulation/swarm/invariants/sites.ts"
import { ABOUT_KEPT_ROWS, ABOUT_REQUESTS } from "./answers.ts"
import type { Mirror } from "./mirror.ts"
import type { Stage } from "./stage.ts"

export const SAME_DECISIONS = "the database answers and decides as memory does"
export const SAME_HASH = "memory repeats the order in which the database committed, to the same hash"
export const ALL_SETTLED = "every actor in the database is done or may rest"

/**
 * What a run in memory of the same plan reached and this run did not, or the other way round; null: nothing. Webhooks that leave at one
 * instant reach a receiver in the order of their answers' arrival, so attempts are not compared where its answers are scripted.
 */
export function differsFrom(plan: Plan, memory: Coverage, sql: Coverage): string | null {
  const isScripted = plan.moves.some(({ act }) => act.verb === "inject" && act.fault.startsWith("webhook."))
  for (const kind of ["answer", "decision", "transition"] as const) {
    const [one, other] = [memory.counts.get(kind), sql.counts.get(kind)]
    for (const name of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
      const [inMemory, inSql] = [one?.get(name) ?? 0, other?.get(name) ?? 0]
      if (isScripted && (name.startsWith("webhook-delivery: ") || name.startsWith("webhook-endpoint: ")))
        continue
      if (inMemory !== inSql)
        return `${kind} "${name}": ${inMemory} times in memory, ${inSql} times in the database`
    }
  }
  return null
}

export interface Judging {
  readonly plan: Plan
  readonly stage: Stage
  readonly context: Context.Context<Database>
  readonly mirror: Mirror
  readonly coverage: Coverage
  readonly program: Program
  /** Every answer that a caller got, in order. */
  readonly answers: readonly Answered[]
}

export interface Verdict {
  readonly hash: string
  readonly entries: number
  readonly broken: readonly Broken[]
}

export async function judged(judging: Judging): Promise<Verdict> {
  const { context, mirror, program, stage } = judging
  const texts: string[] = []
  const write = (text: string) => Effect.sync(() => void texts.push(text))
  const { hash, entries } = await Effect.runPromise(
    Effect.provide(exportJournal({ build: "swarm", charts: {}, write }), context),
  )
  await Effect.runPromise(mirror.ofInvariants)
  const turns: ReplayedTurn[] = []
  const replayed = replayRecord(texts.join(""), program, null, (turn) => turns.push(turn))
  const broken: Broken[] = []
  const note = (sentence: string, found: string | null, group: string | null = null): void => {
    if (found === null || broken.some((one) => one.sentence === sentence)) return
    broken.push({ sentence, found, atMs: stage.run.nowMs, group })
  }
  if (replayed.difference !== null) note(SAME_HASH, replayed.difference.message)
  else if (replayed.hashes[0] !== hash) note(SAME_HASH, `${hash} and ${replayed.hashes[0] ?? "no run"}`)
  const groups = new MemoryGroups(program)
  for (const { result } of turns) groups.put(result.group)
  const waiting = groups.waiting()
  if (waiting.length > 0) note(ALL_SETTLED, `${waiting[0]} waits, and ${waiting.length - 1} more`)
  check(judging, await named(turns, context), groups, note)
  return { hash, entries, broken }
}

/** The turns with the requests that asked for them, which the database keeps beside its entries and no record has. */
async function named(
  turns: readonly ReplayedTurn[],
  context: Context.Context<Database>,
): Promise<readonly ReplayedTurn[]> {
  const requesterOf = new Map<string, Requester>()
  const reading = readJournal({
    begin: () => Effect.void,
    page: (page) =>
      Effect.sync(() => {
        for (const { entry } of page)
          if (entry.requester !== undefined) requesterOf.set(entry.hash, entry.requester)
      }),
    end: () => Effect.void,
  })
  await Effect.runPromise(Effect.provide(reading, context))
  return turns.map((turn) => {
    const { entry } = turn.result
    const requester = entry === null ? undefined : requesterOf.get(entry.hash)
    if (entry === null || requester === undefined) return turn
    return { ...turn, result: { ...turn.result, entry: { ...entry, requester } } }
  })
}

/** Invariants that the turns in the order of their commits and the final rows show. */
function check(
  { plan, stage, program, coverage, answers }: Judging,
  turns: readonly ReplayedTurn[],
  groups: MemoryGroups,
  note: (sentence: string, found: string | null, group?: string | null) => void,
): void {
  const { run } = stage
  const entries = turns.flatMap(({ result: { entry, instantMs } }) =>
    entry === null ? [] : [{ entry, instantMs }],
  )
  Object.assign(run.service.host, { entries, groups })
  const bodyOf = (entry: Entry): EntryBody => JSON.parse(entry.text) as EntryBody
  const checks = CATALOGUE.filter(
    ({ sentence, holdsFor }) =>
      !NEEDS_THE_INSTANT.has(sentence) && sentence !== DAYS_OF_SITES && (holdsFor?.(plan) ?? true),
  ).map(({ sentence, check: begin }) => ({ sentence, check: begin({ plan, run, program, bodyOf }) }))
  for (const { sentence, check: one } of checks) {
    try {
      for (const request of run.service.world.received) note(sentence, one.onReceived?.(request) ?? null)
      for (const { input, result } of turns)
        note(sentence, one.onTurn?.(result, input) ?? null, result.group.address)
      if (ABOUT_REQUESTS.has(sentence))
        for (const answer of answers) note(sentence, one.onCalled?.(answer) ?? null)
      if (ABOUT_KEPT_ROWS.has(sentence))
        for (const answer of answers)
          if (isOwn(plan, answer)) note(sentence, one.onAnswered?.(answer) ?? null)
      note(sentence, one.onEnd?.() ?? null)
    } catch (fault) {
      if (!(fault instanceof EngineFault)) throw fault
      note(sentence, fault.message, fault.at)
    }
  }
  for (const { result } of turns) if (result.entry !== null) coverage.note(bodyOf(result.entry))
}

/** An answer to a call of the plan itself, which its limits did not turn away. */
function isOwn(plan: Plan, { move, outcome }: Answered): boolean {
  return callerKindOf(plan, move.act) === "own" && !isTooOften(outcome)
}

/** Sentences that need the rows, the clock or the receivers of the instant of a turn, and not the final ones. */
export const NEEDS_THE_INSTANT: ReadonlySet<string> = new Set([
  "a webhook leaves only while its delivery is sending",
  "an event is queued for exactly the active endpoints that listen to it",
  "every webhook is signed with a secret that its endpoint has or had",
  "no fee is taken before the errand's order was reported",
  "no open link is called after success, cancel or end",
  "the snapshot in an event equals the state at that moment",
  "what was authorized is captured, given back or still open, and nothing else",
  "a compartment is opened only at the customer's door",
  "a run goes to the vehicle that a look at the whole fleet would choose",
  "no run waits behind others while an online vehicle has a free place",
])
