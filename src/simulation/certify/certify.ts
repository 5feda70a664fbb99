/**
 * A certification: sequences of faults, seed after seed, until one fails, and that one made as short as it can be. Every try has a course
 * of its own, so that a receiver never knows its ids.
 */

import type { WebhookArea } from "../../model/webhook.ts"
import { withoutParts } from "../swarm/shrink.ts"
import type { FaultName } from "./catalogue.ts"
import type { Course } from "./course.ts"
import { drawSteps } from "./draw.ts"
import type { Step } from "./draw.ts"
import { RequestsUsedUp, play } from "./play.ts"
import type { Allowance, Played, PlayedStep, Receiver } from "./play.ts"
import type { Failure } from "./state.ts"
import type { Secrets } from "./requests.ts"

export interface CertifyOptions {
  readonly api: WebhookArea
  readonly receiver: Receiver
  readonly secrets: Secrets
  readonly faults: readonly FaultName[]
  readonly seeds: Iterable<number>
  /** A course whose ids no receiver has seen. */
  readonly newCourse: () => Course
  readonly requestsMax: number
  readonly onSeed?: (seed: number, steps: number) => void
}

/** The shortest sequence that was found to fail. */
export interface Finding {
  readonly seed: number
  /** The last step is the one that failed. */
  readonly steps: readonly PlayedStep[]
  readonly failure: Failure
  /** False when the allowance ended before everything shorter was tried. */
  readonly isShortest: boolean
}

export interface Certification {
  /** `incomplete` when the allowance ended first. */
  readonly verdict: "passed" | "failed" | "incomplete"
  /** Seeds that were played to their end. */
  readonly seedsPassed: number
  readonly steps: number
  readonly requests: number
  readonly finding: Finding | null
}

export async function certify(options: CertifyOptions): Promise<Certification> {
  const { requestsMax, seeds, faults, newCourse, onSeed } = options
  const allowance: Allowance = { left: requestsMax }
  const tries = trying(options, allowance)
  let seedsPassed = 0
  let steps = 0
  const result = (verdict: Certification["verdict"], finding: Finding | null): Certification => {
    return { verdict, seedsPassed, steps, requests: requestsMax - allowance.left, finding }
  }
  for (const seed of seeds) {
    const course = newCourse()
    const drawn = drawSteps(seed, course, faults)
    const played = await tries(drawn, course)
    if (played === null) return result("incomplete", null)
    steps += played.steps.length
    if (played.failure !== null) {
      const { failure } = played
      return result("failed", { seed, ...(await shortest({ ...played, failure }, options, tries)) })
    }
    seedsPassed += 1
    onSeed?.(seed, played.steps.length)
  }
  return result("passed", null)
}

/** Plays steps with a course; null when the allowance has ended. */
type Tries = (steps: readonly Step[], course: Course) => Promise<Played | null>

function trying({ receiver, secrets }: CertifyOptions, allowance: Allowance): Tries {
  return async (steps, course) => {
    try {
      return await play(steps, { receiver, course, secrets, allowance })
    } catch (cause) {
      if (cause instanceof RequestsUsedUp) return null
      throw cause
    }
  }
}

interface Failed extends Played {
  readonly failure: Failure
}

/** First the failing step alone, then without parts of the others. */
async function shortest(
  failed: Failed,
  { newCourse }: CertifyOptions,
  tries: Tries,
): Promise<Omit<Finding, "seed">> {
  let best = failed
  let isShortest = true
  const search = shorterLists(() => best.steps.map(({ step }) => step))
  for (let next = search.next(); next.done !== true;) {
    const played = await tries(next.value, newCourse())
    if (played === null) {
      isShortest = false
      break
    }
    const { failure } = played
    const isSame = failure?.kind === failed.failure.kind
    if (failure !== null && isSame) best = { ...played, failure }
    next = search.next(isSame)
  }
  return { steps: best.steps, failure: best.failure, isShortest }
}

function* shorterLists(now: () => readonly Step[]): Generator<readonly Step[], void, boolean> {
  const all = now()
  if (all.length <= 1 || (yield all.slice(-1))) return
  let before: number
  do {
    before = now().length
    yield* withoutParts(now, function* (rest) {
      return rest.length > 0 && (yield rest)
    })
  } while (now().length < before)
}
