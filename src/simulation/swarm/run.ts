/** Runs one plan: every actor's moves on its own, the faults, the invariants at every instant, and then the end. */

import { Cause, Context, Effect, Exit, Fiber, Runtime } from "effect"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import type { Program } from "../../engine/kernel/program.ts"
import { program as serviceProgram } from "../../apps/composition/program.ts"
import { PERMISSIONS } from "../../model/caller.ts"
import type { Requester } from "../../model/requester.ts"
import { DAY_MS, SECOND_MS } from "../../model/values/time.ts"
import { CurrentRequester } from "../../engine/services/requester.ts"
import { requesterOf } from "../scenario/callers.ts"
import type { AdmissionRefused } from "../scenario/callers.ts"
import { callCommand, doCommand } from "../scenario/do-command.ts"
import { numberIfGiven } from "../scenario/language/field-values.ts"
import { policyOf, rateLimitsOf } from "../scenario/language/given-policy.ts"
import { inject } from "../scenario/inject.ts"
import type { Scenario } from "../scenario/language/language.ts"
import { RunContext } from "../scenario/run-context.ts"
import { assertQuiet, both, prepare } from "../scenario/run.ts"
import { SiteClock } from "../scenario/language/site-clock.ts"
import { deliverySitesOf, worldOf } from "../scenario/language/worlds.ts"
import { simulateService } from "../simulated-service.ts"
import type { AgendaWatcher } from "../../engine/kernel/simulated-time.ts"
import type { SimulatedService, SimulatedServices } from "../simulated-service.ts"
import { hasLimits } from "./callers.ts"
import { Coverage } from "./coverage.ts"
import { NOWHERE } from "./nowhere.ts"
import { drivesHome, mending } from "./ending.ts"
import { isTooOften } from "./invariant.ts"
import type { Broken, Outcome, SwarmInvariant } from "./invariant.ts"
import { MachineFaults, isUndone } from "./machine-faults.ts"
import type { Crash } from "./machine-faults.ts"
import type { Act, Move, Plan } from "./plan.ts"
import { watch } from "./watch.ts"
import type { Watch } from "./watch.ts"

/** Everything ends this long after the faults: the longest window, its grace, and a day of repeated refunds. */
const ENDS_WITHIN_MS = 4 * DAY_MS

/** How often a caller sends a command again whose answer was lost. */
const RETRIES_MAX = 3

const RETRY_AFTER_MS = 2_000

export const EVERYTHING_ENDS = "everything ends within its bounds once the faults have ended"
export const NO_ENGINE_FAULT = "the engine finds no fault in itself"

export interface PlanRun {
  readonly plan: Plan
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly startMs: number
  readonly broken: readonly Broken[]
  readonly coverage: Coverage
  /** Every crash that a rate caused, in order. */
  readonly crashes: readonly Crash[]
  /** What the moves of the plan named, and what came of them. */
  readonly run: RunContext
}

export interface PlanOptions {
  readonly invariants: readonly SwarmInvariant[]
  /** A program other than the live one, with which tests plant bugs. */
  readonly program?: Program
  /** Called once with the service before anything happens; tests change it to plant bugs. */
  readonly plant?: (service: SimulatedService) => void
  /** The scenario that the plan comes from; without it, one with the plan's world. */
  readonly scenario?: Scenario
  /** Called once with the service. The watcher that it returns is called before and after every agenda entry. */
  readonly watch?: (service: SimulatedService) => AgendaWatcher
}

/** The plan's world as a scenario without steps. */
export function scenarioOf(plan: Plan): Scenario {
  return {
    title: `Seed ${plan.seed} of the swarm`,
    variant: null,
    course: null,
    because: "A seed of the swarm broke an invariant.",
    tags: ["seed"],
    clock: { local: "2026-03-02T11:30", timeZone: "America/Chicago" },
    permissions: PERMISSIONS,
    steps: [],
    always: [],
    promises: [],
    file: NOWHERE.file,
    ...plan.world,
  }
}

export function runPlan(plan: Plan, options: PlanOptions): PlanRun {
  const { invariants, program = serviceProgram } = options
  const faults = new MachineFaults(plan)
  const run = prepared(plan, faults, { program, scenario: options.scenario ?? scenarioOf(plan) })
  const { host } = run.service
  faults.startOn(host)
  options.plant?.(run.service)
  const seen = watch({ plan, run, invariants, program })
  faults.tell(seen)
  const coverage = new Coverage(run.service, seen.bodyOf)
  const startMs = host.time.nowMs
  const untilMs = startMs + plan.faultsEndMs + ENDS_WITHIN_MS
  const broken: Broken[] = []
  const note = (sentence: string, found: string, group: string | null = null): void => {
    broken.push({ sentence, found, atMs: host.time.nowMs, group })
  }
  try {
    const actors = Runtime.runFork(run.service.runtime)(drive(run, { plan, faults, seen, coverage }))
    const own = {
      beforeEntry: faults.beforeEntry,
      ...(seen.agenda.afterEntry === undefined ? {} : { afterEntry: seen.agenda.afterEntry }),
    }
    const watcher = options.watch?.(run.service)
    host.time.run(untilMs, watcher === undefined ? own : both(own, watcher))
    const next = host.time.agenda.peek()
    if (next !== undefined)
      note(EVERYTHING_ENDS, `something is still due ${next.dueMs - untilMs} ms after the bound`)
    else endOf(run, actors)
    if (next === undefined) seen.atEnd()
  } catch (fault) {
    if (!(fault instanceof EngineFault)) throw fault
    note(NO_ENGINE_FAULT, fault.message, fault.at)
  }
  for (const [kind, times] of faults.happened) coverage.add("fault", kind, times)
  const { fullMailboxes } = host.counts
  if (fullMailboxes > 0) coverage.add("fault", "full mailboxes", fullMailboxes)
  return {
    plan,
    hash: host.groups.hash(),
    events: host.counts.turns,
    virtualMs: host.time.nowMs - startMs,
    startMs,
    broken: [...seen.broken, ...broken],
    coverage,
    crashes: faults.crashes,
    run,
  }
}

function endOf(run: RunContext, actors: Fiber.RuntimeFiber<unknown, unknown>): void {
  const exit = actors.unsafePoll()
  if (exit === null) {
    throw new EngineFault({ reason: "the agenda is empty and a fiber waits", at: null, found: "an actor" })
  }
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) throw faultOf(exit.cause)
  assertQuiet(run.service)
}

interface Prepared {
  readonly program: Program
  readonly scenario: Scenario
}

function prepared(plan: Plan, faults: MachineFaults, { program, scenario }: Prepared): RunContext {
  const clock = new SiteClock(scenario.clock)
  const world = worldOf(scenario)
  const service = simulateService({
    seed: plan.seed,
    startMs: clock.startMs,
    sites: world.sites,
    deliverySites: deliverySitesOf(scenario),
    recording: "full",
    policy: faults.policyOf(policyOf(scenario.policy)),
    rateLimits: rateLimitsOf(scenario.policy),
    rehearses: plan.faults.runsBodiesTwice,
    hostFaults: faults.hostFaults,
    withAreas: faults.withAreas,
    program,
  })
  return new RunContext({ scenario, service, clock, world, isTolerant: true })
}

/** What the moves of a plan need of a run; also over a database. */
export interface Driving {
  readonly plan: Plan
  readonly faults: Pick<MachineFaults, "began" | "crash" | "ended" | "losesAnswer">
  readonly seen: Pick<Watch, "answered" | "asked">
  readonly coverage: Pick<Coverage, "add">
  /** Before each command, and before each fault that begins or ends. */
  readonly before?: Effect.Effect<void>
  /** The services that answer a command now; default: those of the run's start. */
  readonly services?: () => Context.Context<SimulatedServices>
  /** Whether a defect means that the caller got no answer. */
  readonly isLost?: (cause: Cause.Cause<unknown>) => boolean
}

/** Every actor's moves at their times, each actor on its own. */
export const drive = Effect.fnUntraced(function* (run: RunContext, driving: Driving) {
  yield* prepare(run)
  yield* driveMoves(run, driving)
})

/** The same in a world that is prepared. */
export const driveMoves = Effect.fnUntraced(function* (run: RunContext, driving: Driving) {
  const { plan } = driving
  const startMs = run.nowMs
  const byActor = new Map<string, Move[]>()
  for (const move of [...plan.moves, ...mending(plan), ...drivesHome(plan)]) {
    const own = byActor.get(move.actor)
    if (own === undefined) byActor.set(move.actor, [move])
    else own.push(move)
  }
  yield* Effect.forEach([...byActor.values()], (moves) => course(run, driving, { moves, startMs }), {
    concurrency: "unbounded",
  })
})

const course = Effect.fnUntraced(function* (
  run: RunContext,
  driving: Driving,
  { moves, startMs }: { readonly moves: readonly Move[]; readonly startMs: number },
) {
  for (const move of moves) {
    yield* Effect.sleep(Math.max(0, startMs + move.atMs - run.nowMs))
    const { act, place = null } = move
    const mark =
      place === null
        ? null
        : run.mark("step", act.verb === "do" ? `do ${act.command}` : `inject ${act.fault}`, place)
    if (act.verb === "inject") {
      // A fault may look up whom it strikes, such as the URL of a fleet.
      if (driving.before !== undefined) yield* driving.before
      happen(run, driving.faults, act)
      continue
    }
    const requests = yield* untilAnswered(run, driving, { move, act })
    if (mark !== null) run.moveMarkToEntry(mark, ({ request }) => requests.has(request))
  }
})

/** A crash also interrupts the commands in flight, which a scenario does not have. */
function happen(run: RunContext, faults: Driving["faults"], act: Extract<Act, { verb: "inject" }>): void {
  if (act.fault === "service.crashes" || act.fault === "node.lost")
    faults.crash(act.fault, numberIfGiven(act.with, "turns") ?? 0)
  else inject(run, act)
}

interface Asked {
  readonly move: Move
  readonly act: Extract<Act, { verb: "do" }>
}

/** Whether the call's key or session is checked: strangers' and people's always, the plan's own where its world has limits. */
function isAdmitted(plan: Plan, act: Asked["act"]): boolean {
  return act.by !== undefined || hasLimits(plan)
}

/** How long a caller waits before the same call comes again; null: its answer was final. */
function waitOf(outcome: Outcome): number | null {
  if (outcome.type === "lost") return RETRY_AFTER_MS
  if (!isTooOften(outcome)) return null
  const { retryAfterSeconds } = outcome.value as AdmissionRefused
  return (retryAfterSeconds ?? 0) * SECOND_MS
}

/** A caller that gets no answer sends the command again, and one that came too often once it may. Returns the ids of all its requests. */
const untilAnswered = Effect.fnUntraced(function* (run: RunContext, driving: Driving, asked: Asked) {
  const { faults, seen, coverage } = driving
  const requests = new Set<string>()
  for (let tries = 0; tries <= RETRIES_MAX; tries += 1) {
    const startedMs = run.nowMs
    const requester = requesterOf(run, asked.act)
    requests.add(requester.request)
    seen.asked(asked.move)
    if (driving.before !== undefined) yield* driving.before
    const outcome = yield* once(run, driving, { ...asked, requester })
    const { request } = requester
    seen.answered({ move: asked.move, startedMs, endedMs: run.nowMs, outcome, request })
    const word = outcome.type === "refused" ? outcome.code : outcome.type
    coverage.add("answer", `${asked.act.command} ${word}`)
    const waitsMs = waitOf(outcome)
    if (waitsMs === null && !faults.losesAnswer()) break
    yield* Effect.sleep(waitsMs ?? RETRY_AFTER_MS)
  }
  return requests
})

const once = Effect.fnUntraced(function* (
  run: RunContext,
  driving: Driving,
  { act, requester }: Asked & { readonly requester: Requester },
) {
  const { plan, faults, services, isLost = isUndone } = driving
  const command = isAdmitted(plan, act)
    ? callCommand(run, act, requester)
    : Effect.locally(doCommand(run, act), CurrentRequester, requester)
  const fiber = yield* Effect.fork(
    services === undefined ? command : Effect.mapInputContext(command, Context.merge(services())),
  )
  faults.began(fiber)
  const exit = yield* Fiber.await(fiber)
  faults.ended(fiber)
  if (Exit.isSuccess(exit)) return { type: "taken", value: exit.value } satisfies Outcome
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "Some")
    return { type: "refused", code: failure.value.code, value: failure.value } satisfies Outcome
  if (Cause.isInterruptedOnly(exit.cause) || isLost(exit.cause)) return { type: "lost" } satisfies Outcome
  return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
})
