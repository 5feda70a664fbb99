/** Checks invariants during a run, and collects the first violation of each sentence. */

import type { Entry, EntryBody } from "../kernel/journal.ts"
import type { Program } from "../kernel/program.ts"
import type { AgendaWatcher } from "../kernel/simulated-time.ts"
import type { RunContext } from "../simulation/scenario/run-context.ts"
import type { Answered, Broken, SwarmInvariant } from "./invariant.ts"
import type { Move, Plan } from "./plan.ts"

export interface Watch {
  readonly broken: readonly Broken[]
  readonly asked: (move: Move) => void
  readonly answered: (answered: Answered) => void
  readonly agenda: AgendaWatcher
  readonly atEnd: () => void
  readonly bodyOf: (entry: Entry) => EntryBody
}

interface Watching {
  readonly plan: Plan
  readonly run: RunContext
  readonly program: Program
  readonly invariants: readonly SwarmInvariant[]
}

export function watch({ plan, run, program, invariants }: Watching): Watch {
  const { host, world } = run.service
  const broken: Broken[] = []
  const bodyOf = parsedOnce()
  const checks = invariants
    .filter(({ holdsFor }) => holdsFor?.(plan) ?? true)
    .map(({ sentence, check }) => ({ sentence, check: check({ plan, run, program, bodyOf }) }))
  const note = (sentence: string, found: string | null, group: string | null = null): void => {
    if (found === null || broken.some((one) => one.sentence === sentence)) return
    broken.push({ sentence, found, atMs: host.time.nowMs, group })
  }
  host.onTurn((result, input) => {
    for (const { sentence, check } of checks)
      note(sentence, check.onTurn?.(result, input) ?? null, result.group.address)
  })
  world.onReceived((request) => {
    for (const { sentence, check } of checks) note(sentence, check.onReceived?.(request) ?? null)
  })
  const instant = checks.filter(({ check }) => check.onInstant !== undefined)
  return {
    broken,
    bodyOf,
    asked: (move) => {
      for (const { sentence, check } of checks) note(sentence, check.onAsked?.(move) ?? null)
    },
    answered: (answered) => {
      for (const { sentence, check } of checks) note(sentence, check.onAnswered?.(answered) ?? null)
    },
    agenda: {
      afterEntry: () => {
        for (const { sentence, check } of instant) note(sentence, check.onInstant?.() ?? null)
      },
    },
    atEnd: () => {
      for (const { sentence, check } of checks) note(sentence, check.onEnd?.() ?? null)
    },
  }
}

/** Entries are checked when they are written, so only the last one is kept. */
function parsedOnce(): (entry: Entry) => EntryBody {
  let last: Entry | null = null
  let body: EntryBody | null = null
  return (entry) => {
    if (body === null || last !== entry) {
      last = entry
      body = JSON.parse(entry.text) as EntryBody
    }
    return body
  }
}
