/** Checks invariants during a run, and collects the first violation of each sentence. */

import type { Entry, EntryBody } from "../../engine/kernel/journal.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { AgendaWatcher } from "../../engine/kernel/simulated-time.ts"
import type { RunContext } from "../scenario/run-context.ts"
import { callerKindOf } from "./callers.ts"
import { isTooOften } from "./invariant.ts"
import type { Answered, Broken, SwarmCheck, SwarmInvariant } from "./invariant.ts"
import type { Move, Plan } from "./plan.ts"

export interface Watch {
  readonly broken: readonly Broken[]
  readonly asked: (move: Move) => void
  readonly answered: (answered: Answered) => void
  readonly agenda: AgendaWatcher
  /** A backup was taken, and later restored: every check then knows what had happened until the backup, and no more. */
  readonly onBackup: () => void
  readonly onRestored: (heldUntilMs: number) => void
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
  const wanted = invariants.filter(({ holdsFor }) => holdsFor?.(plan) ?? true)
  const begun = () =>
    wanted.map(({ sentence, check }) => ({ sentence, check: check({ plan, run, program, bodyOf }) }))
  let checks = begun()
  const note = (sentence: string, found: string | null, group: string | null = null): void => {
    if (found === null || broken.some((one) => one.sentence === sentence)) return
    broken.push({ sentence, found, atMs: host.time.nowMs, group })
  }
  const past = new Past(plan)
  host.onTurn((result, input) => {
    past.add((check) => check.onTurn?.(result, input))
    for (const { sentence, check } of checks)
      note(sentence, check.onTurn?.(result, input) ?? null, result.group.address)
  })
  world.onReceived((request) => {
    past.add((check) => check.onReceived?.(request))
    for (const { sentence, check } of checks) note(sentence, check.onReceived?.(request) ?? null)
  })
  const ofInstants = () => checks.filter(({ check }) => check.onInstant !== undefined)
  let instant = ofInstants()
  return {
    broken,
    bodyOf,
    onBackup: () => past.mark(),
    onRestored: (heldUntilMs) => {
      checks = begun()
      instant = ofInstants()
      past.repeat(checks.map(({ check }) => check))
      for (const { check } of checks) check.onRestored?.(heldUntilMs)
    },
    asked: (move) => {
      const isOwn = callerKindOf(plan, move.act) === "own"
      for (const { sentence, check } of checks) {
        note(sentence, check.onCalling?.(move) ?? null)
        if (isOwn) note(sentence, check.onAsked?.(move) ?? null)
      }
    },
    answered: (answered) => {
      const listener = LISTENERS[callerKindOf(plan, answered.move.act)]
      for (const { sentence, check } of checks) {
        note(sentence, check.onCalled?.(answered) ?? null)
        if (!isTooOften(answered.outcome)) note(sentence, check[listener]?.(answered) ?? null)
      }
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

const LISTENERS = { own: "onAnswered", person: "onPerson", stranger: "onStranger" } as const

/** What checks were shown, for a plan in which a backup is restored. */
class Past {
  readonly #isKept: boolean
  #shown: ((check: SwarmCheck) => void)[] = []
  #marked = 0

  constructor({ faults }: Plan) {
    this.#isKept = faults.restoresAtMs !== null
  }

  add(show: (check: SwarmCheck) => void): void {
    if (this.#isKept) this.#shown.push(show)
  }

  mark(): void {
    this.#marked = this.#shown.length
  }

  /** Shows everything up to the mark again. The rows are those of the backup by now, so what a check finds is no finding. */
  repeat(checks: readonly SwarmCheck[]): void {
    this.#shown.length = this.#marked
    for (const show of this.#shown) for (const check of checks) show(check)
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
