/** One invariant of the swarm: its sentence, and the checks of a run. */

import type { Entry, EntryBody, TurnInput } from "../../engine/kernel/journal.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import { AdmissionRefused } from "../scenario/callers.ts"
import type { RunContext } from "../scenario/run-context.ts"
import type { Move, Plan } from "./plan.ts"

/** What came of a move: a command's value, its refusal, or nothing because the service crashed meanwhile. */
export type Outcome =
  | { readonly type: "taken"; readonly value: unknown }
  | { readonly type: "refused"; readonly code: string; readonly value: unknown }
  | { readonly type: "lost" }

export interface Answered {
  readonly move: Move
  readonly startedMs: number
  readonly endedMs: number
  readonly outcome: Outcome
  /** The request that entries of the journal name. */
  readonly request: string
}

/** Whether the key or the session of the call was refused, or its rate, so that no command ran. */
export function isTurnedAway(outcome: Outcome): boolean {
  return outcome.type === "refused" && outcome.value instanceof AdmissionRefused
}

/** Whether the call came too often. The sentences about answers are not about such calls. */
export function isTooOften(outcome: Outcome): boolean {
  return outcome.type === "refused" && outcome.code === "RATE_LIMITED"
}

/** The inputs of one check. A check keeps its own state between calls, and returns what is wrong, or null. */
export interface SwarmCheck {
  readonly onTurn?: (result: TurnResult, input: TurnInput) => string | null
  readonly onReceived?: (request: ReceivedRequest) => string | null
  /** Before a command of the plan begins. */
  readonly onAsked?: (move: Move) => string | null
  readonly onAnswered?: (answered: Answered) => string | null
  /** After a call with another key than the plan's own, which the two before do not see. */
  readonly onStranger?: (answered: Answered) => string | null
  /** After a call of a runner or an operator, which they do not see either. */
  readonly onPerson?: (answered: Answered) => string | null
  /** Before and after every call, by any caller, also one that came too often, which no other of these sees. */
  readonly onCalling?: (move: Move) => string | null
  readonly onCalled?: (answered: Answered) => string | null
  /** After a backup was restored; calls are held until then. */
  readonly onRestored?: (heldUntilMs: number) => void
  /** After every agenda entry, when nothing is half done. */
  readonly onInstant?: () => string | null
  /** When everything has ended. */
  readonly onEnd?: () => string | null
}

export interface Watched {
  readonly plan: Plan
  readonly run: RunContext
  /** The program that the run has. */
  readonly program: Program
  /** The parsed entry of a turn; each is parsed once for all checks. */
  readonly bodyOf: (entry: Entry) => EntryBody
}

export interface SwarmInvariant {
  /** The name is the sentence. */
  readonly sentence: string
  /** False for plans in which it need not hold. */
  readonly holdsFor?: (plan: Plan) => boolean
  /** Those plans in words, which go on after "it is checked": `only with …`, `not with …`. */
  readonly where?: string
  readonly check: (watched: Watched) => SwarmCheck
}

/** A sentence that did not hold. */
export interface Broken {
  readonly sentence: string
  readonly found: string
  readonly atMs: number
  readonly group: string | null
}
