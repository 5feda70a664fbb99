/**
 * Runs one scenario: its steps at their virtual times against the simulated service, its invariants at every turn, and
 * then everything that is still due.
 */

import { Cause, Effect, Either, Exit, Runtime } from "effect"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import type { AgendaWatcher } from "../../engine/kernel/simulated-time.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Entry } from "../../engine/kernel/journal.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { openedBy } from "../outside-world.ts"
import { nameOfFile, recordOfRun } from "../run-record.ts"
import type { Mark, RecordContext } from "../run-record.ts"
import { simulateService } from "../simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../simulated-service.ts"
import { errandGroup } from "../../areas/courier/errand.ts"
import { explainGroup } from "./causes.ts"
import { asPartnerNamed, addCallers } from "./callers.ts"
import { addPeople } from "./people.ts"
import { callCommand } from "./do-command.ts"
import { OPERATIONS, operate } from "./operations.ts"
import { placeCourier } from "./courier/do-courier.ts"
import { deliveryRowOf, placeVehicles, registerPickupWebhook } from "./direct-delivery/do-delivery.ts"
import { MomentsBefore, takeExpect } from "./expecting.ts"
import { failedText, waitTexts } from "./finding.ts"
import { inject, scriptedAnswers } from "./inject.ts"
import { watchInvariants } from "./invariants.ts"
import type { Violation } from "./invariants.ts"
import { policyOf, rateLimitsOf } from "./language/given-policy.ts"
import type { Promise as RunPromise, Scenario, Step, TimeRef } from "./language/language.ts"
import { SiteClock } from "./language/site-clock.ts"
import { RunContext } from "./run-context.ts"
import type { Failure, RunRefusal } from "./run-context.ts"
import { deliverySitesOf, worldOf } from "./language/worlds.ts"

export interface RunOptions {
  readonly seed?: number
  /** A program other than the live one, with which tests plant bugs. */
  readonly program?: Program
  /** Continues after a refused `do`: only invariants can fail then. */
  readonly isTolerant?: boolean
  /** Called once with the service. The watcher that it returns is called before and after every agenda entry. */
  readonly watch?: (service: SimulatedService) => AgendaWatcher
  /** Called once when everything is over, with names and rows that the result does not have. */
  readonly atEnd?: (run: RunContext) => void
}

export interface ScenarioRun {
  readonly scenario: Scenario
  readonly seed: number
  readonly verdict: "passed" | "failed"
  readonly failures: readonly Failure[]
  /** Violated invariants; each is also a failure. */
  readonly violations: readonly Violation[]
  /** Steps whose command was refused unexpectedly; only a tolerant run has more than one. */
  readonly refused: readonly { readonly step: Step; readonly code: RunRefusal }[]
  readonly startMs: EpochMs
  readonly endMs: EpochMs
  readonly virtualMs: number
  readonly events: number
  readonly hash: string
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
  readonly marks: readonly Mark[]
  /** The names that the scenario gave, by group. */
  readonly names: Readonly<Record<GroupAddress, string>>
}

/** The lines of a scenario's run as a record, each ending in a newline. */
export function recordOf(run: ScenarioRun, context: RecordContext): string {
  const { title, variant, file, clock, machineFaults = null } = run.scenario
  const repeatsResults = (machineFaults?.faults.doubledResults ?? 0) > 0
  const timeZone = clock.timeZone
  return recordOfRun({ ...run, name: nameOfFile(file), title, variant, timeZone, repeatsResults }, context)
}

/**
 * Runs a scenario to its end. Throws EngineFault when the engine or a machine breaks; a scenario that fails is a normal
 * result.
 */
export function runScenario(scenario: Scenario, options: RunOptions = {}): ScenarioRun {
  if ((scenario.machineFaults ?? null) !== null)
    throw new Error("a scenario with machine_faults runs in the swarm")
  const seed = options.seed ?? scenario.seed
  const clock = new SiteClock(scenario.clock)
  const world = worldOf(scenario)
  const service = simulateService({
    seed,
    startMs: clock.startMs,
    sites: world.sites,
    deliverySites: deliverySitesOf(scenario),
    recording: "full",
    policy: policyOf(scenario.policy),
    rateLimits: rateLimitsOf(scenario.policy),
    ...(options.program === undefined ? {} : { program: options.program }),
  })
  const run = new RunContext({ scenario, service, clock, world, isTolerant: options.isTolerant === true })
  const watched = watchInvariants(
    service,
    scenario.always.map((one) => one.name),
  )
  const moments = new MomentsBefore(run)
  const steps = Runtime.runFork(service.runtime)(drive(run, moments), { immediate: false })
  service.host.time.run(Number.POSITIVE_INFINITY, both(moments.watcher, options.watch?.(service) ?? {}))
  const exit = steps.unsafePoll()
  if (exit === null) {
    throw new EngineFault({
      reason: "the agenda is empty and a fiber waits",
      at: null,
      found: "the scenario's steps",
    })
  }
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) throw faultOf(exit.cause)
  assertQuiet(service)
  watched.atEnd()
  moments.standing.end()
  failViolated(run, watched.violations)
  checkPromises(run)
  options.atEnd?.(run)
  return resultOfRun(run, seed, watched.violations)
}

/** Each violated invariant is a failure. */
export function failViolated(run: RunContext, violations: readonly Violation[]): void {
  const { clock, scenario } = run
  for (const { sentence, found, atMs, group } of violations) {
    const place = scenario.always.find((one) => one.name === sentence)?.place ?? null
    run.fail({
      message: `invariant broken at ${clock.show(atMs)}: ${sentence}`,
      expected: sentence,
      actual: found,
      why: explainGroup(run, group),
      place,
    })
  }
}

export function resultOfRun(run: RunContext, seed: number, violations: readonly Violation[]): ScenarioRun {
  const { host } = run.service
  return {
    scenario: run.scenario,
    seed,
    verdict: run.failures.length === 0 ? "passed" : "failed",
    failures: run.failures,
    violations,
    refused: run.refused,
    startMs: run.clock.startMs,
    endMs: host.time.nowMs,
    virtualMs: host.time.nowMs - run.clock.startMs,
    events: host.counts.turns,
    hash: host.groups.hash(),
    entries: host.entries,
    marks: run.marks,
    names: namesIn(run),
  }
}

/** The names that a scenario gave, by group. */
export function namesIn(run: RunContext): Readonly<Record<GroupAddress, string>> {
  const { reservationIds, errandIds, webhooks, service } = run
  const deliveries = [...service.host.store.table<{ readonly deliveryId: string }>("deliveries").keys()]
  return Object.fromEntries([
    ...[...reservationIds].map(([name, id]) => [`reservation/${id}`, name] as const),
    ...[...errandIds].map(([name, id]) => [`courier-order/${id}`, name] as const),
    ...[...webhooks].map(([name, { webhookId }]) => [`webhook-endpoint/${webhookId}`, name] as const),
    ...deliveries.flatMap((id) => {
      const name = run.deliveryName(id)
      return name === null ? [] : [[`delivery/${id}`, name] as const]
    }),
  ])
}

/** Checks at the end that every actor is settled or allowed to rest, and that no fiber is alive; throws otherwise. */
export function assertQuiet(service: SimulatedService): void {
  const waiting = service.host.groups.waiting()
  if (waiting.length > 0) {
    throw new EngineFault({
      reason: "the agenda is empty and an actor waits",
      at: waiting[0] ?? null,
      found: `${waiting.length} actors wait for nothing that is due`,
    })
  }
  const { callsInFlight, time } = service.host
  if (time.fibersAlive > 0) {
    const found = `${time.fibersAlive} fibers are alive, ${callsInFlight} of them calls`
    throw new EngineFault({ reason: "the agenda is empty and a fiber waits", at: null, found })
  }
}

export function both(one: AgendaWatcher, other: AgendaWatcher): AgendaWatcher {
  return {
    beforeEntry: () => {
      one.beforeEntry?.()
      other.beforeEntry?.()
    },
    afterEntry: () => {
      one.afterEntry?.()
      other.afterEntry?.()
    },
  }
}

const drive = Effect.fnUntraced(function* (run: RunContext, moments: MomentsBefore) {
  yield* prepare(run)
  yield* takeSteps(run, moments)
})

/** Everything that is given before the first step: people, endpoints, vehicles and receivers. */
export const prepare = Effect.fnUntraced(function* (run: RunContext) {
  addCallers(run)
  yield* addPeople(run)
  for (const given of run.scenario.webhooks) {
    if (given.answers.length > 0)
      run.service.world.script(`https://hooks.partner.example/${given.as}`, scriptedAnswers(given.answers))
    // Prepared with all permissions, whatever the scenario's own key may do.
    const partner = asPartnerNamed(run, given.of, ["webhooks:manage", "reservations:read"])
    const step = { as: given.as, for: null, with: { events: [...given.events] } }
    yield* Effect.orDie(operate(partner, step, OPERATIONS["webhook.register"]))
  }
  yield* placeDelivery(run)
})

/** Every step at its time, until one of them makes the rest meaningless. */
export const takeSteps = Effect.fnUntraced(function* (run: RunContext, moments: MomentsBefore) {
  for (const step of run.scenario.steps) {
    if (step.at !== null) yield* waitUntil(run, step, step.at)
    run.stepMs = run.nowMs
    const goesOn = yield* takeStep(run, step, moments)
    if (!goesOn) return
  }
})

/** The vehicles and receivers of direct delivery. */
const placeDelivery = Effect.fnUntraced(function* (run: RunContext) {
  const { delivery, pickupWebhooks } = run.scenario
  placeCourier(run)
  if (delivery !== null) yield* placeVehicles(run, delivery.vehicles)
  for (const { as, of, events, answers: refs } of pickupWebhooks) {
    run.service.world.script(`https://hooks.partner.example/${as}`, scriptedAnswers(refs))
    yield* registerPickupWebhook(asPartnerNamed(run, of, ["webhooks:manage"]), {
      as,
      with: { events: [...events] },
    }).pipe(Effect.orDie)
  }
})

/** A time that has passed already is a failure: the step would run at another time than its file says. */
function waitUntil(run: RunContext, step: Step, time: TimeRef): Effect.Effect<void> {
  return Effect.suspend(() => {
    const untilMs = run.clock.resolve(time, run.nowMs)
    if (untilMs < run.nowMs && !run.isTolerant) {
      const [expected, actual] = [run.clock.show(untilMs), run.clock.show(run.nowMs)]
      const message = `expected this step at ${expected}, found that the step before lasted until ${actual}`
      run.fail({
        message,
        expected: `it is ${expected}`,
        actual: `it is ${actual}`,
        why: [],
        place: step.place,
      })
    }
    return Effect.sleep(Math.max(0, untilMs - run.nowMs))
  })
}

/** False when later steps would have no meaning. */
function takeStep(
  run: RunContext,
  step: Step,
  moments: MomentsBefore,
): Effect.Effect<boolean, never, SimulatedServices> {
  switch (step.verb) {
    case "do":
      return takeDo(run, step)
    case "refuse":
      return takeRefuse(run, step)
    case "expect":
      return Effect.as(takeExpect(run, moments, step), true)
    case "never":
    case "at_most":
      return Effect.as(moments.standing.begin(step), true)
    case "inject":
      return Effect.sync(() => {
        inject(run, step)
        run.mark("step", `inject ${step.fault}`, step.place)
        return true
      })
    case "wait":
      return Effect.suspend(() => {
        run.mark("step", `wait until ${run.clock.show(run.clock.resolve(step.until, run.nowMs))}`, step.place)
        return Effect.as(waitUntil(run, step, step.until), true)
      })
  }
}

const takeDo = Effect.fnUntraced(function* (run: RunContext, step: Extract<Step, { verb: "do" }>) {
  const tried = yield* Effect.either(callCommand(run, step))
  if (Either.isRight(tried)) {
    run.mark("step", `do ${step.command}`, step.place)
    return true
  }
  const refused = tried.left
  run.refused.push({ step, code: refused.code })
  if (run.isTolerant) return true
  run.fail({
    message: `${step.command} was refused with ${refused.code}`,
    expected: `${step.command} is taken`,
    actual: `it was refused with ${refused.code}: ${refused.message}`,
    why: explainGroup(run, groupNamed(run, step.for)),
    place: step.place,
  })
  return false
})

const takeRefuse = Effect.fnUntraced(function* (run: RunContext, step: Extract<Step, { verb: "refuse" }>) {
  const tried = yield* Effect.either(callCommand(run, step))
  const actual = Either.isRight(tried) ? "taken" : tried.left.code
  if (actual === step.code && hasOtherWait(run, step, tried)) return true
  if (actual === step.code) {
    run.mark("pass", `${step.command} is refused with ${step.code}`, step.place)
    return true
  }
  run.fail({
    message: `expected ${step.command} to be refused with ${step.code}, it was ${Either.isRight(tried) ? "taken" : `refused with ${actual}`}`,
    expected: `${step.command} is refused with ${step.code}`,
    actual: Either.isRight(tried) ? "it was taken" : `it was refused with ${actual}: ${tried.left.message}`,
    why: explainGroup(run, groupNamed(run, step.for)),
    place: step.place,
  })
  return true
})

/** Fails the step when the refusal asks for another wait than the step says. */
function hasOtherWait(
  run: RunContext,
  step: Extract<Step, { verb: "refuse" }>,
  tried: Either.Either<unknown, object>,
): boolean {
  const { retryAfterMs } = step
  if (retryAfterMs === undefined) return false
  const seconds =
    Either.isLeft(tried) && "retryAfterSeconds" in tried.left ? tried.left.retryAfterSeconds : null
  if (seconds === retryAfterMs / 1_000) return false
  const texts = waitTexts(step.code, {
    wantedMs: retryAfterMs,
    foundMs: typeof seconds === "number" ? seconds * 1_000 : null,
  })
  run.fail({ ...texts, message: failedText(texts), why: [], place: step.place })
  return true
}

function groupNamed(run: RunContext, name: string | null): string | null {
  const id = name === null ? null : run.reservationId(name)
  if (id !== null) return `reservation/${id}`
  const errandId = run.errandIds.get(name ?? "")
  if (errandId !== undefined) return errandGroup(errandId)
  const row = name === null ? null : deliveryRowOf(run, name)
  return row === null ? null : `delivery/${row.deliveryId}`
}

export function checkPromises(run: RunContext): void {
  for (const promise of run.scenario.promises) checkPromise(run, promise)
}

function checkPromise(run: RunContext, promise: RunPromise): void {
  const figure = figures(run)[promise.of]
  if (holds(figure, promise)) return
  run.fail({
    message: `promise broken: ${promise.of} ${promise.comparison} ${promise.bound}, it is ${figure}`,
    expected: `${promise.of} ${promise.comparison} ${promise.bound}`,
    actual: `it is ${figure}`,
    why: [],
    place: promise.place,
  })
}

function figures(run: RunContext): Readonly<Record<RunPromise["of"], number>> {
  const { host, world } = run.service
  const openings = world.received.map(openedBy)
  const count = (kind: (typeof openings)[number]): number => openings.filter((one) => one === kind).length
  return {
    events: host.counts.turns,
    refusals: host.counts.refusals,
    webhook_attempts: count(null),
    open_link_calls: count("open link"),
    virtual_minutes: (host.time.nowMs - run.clock.startMs) / 60_000,
  }
}

function holds(figure: number, { comparison, bound }: RunPromise): boolean {
  switch (comparison) {
    case "<":
      return figure < bound
    case "<=":
      return figure <= bound
    case "=":
      return figure === bound
    case ">=":
      return figure >= bound
    case ">":
      return figure > bound
  }
}
