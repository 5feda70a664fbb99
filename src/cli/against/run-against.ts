/** Runs one scenario against the sandbox of a service: its steps as calls at their times on the organization's clock, which stands and is moved. */

import type { EpochMs } from "../../model/values/time.ts"
import { scriptedAnswers } from "../../simulation/scenario/inject.ts"
import type { Scenario, Step, TimeRef } from "../../simulation/scenario/language/language.ts"
import { failedText, waitTexts } from "../../simulation/scenario/finding.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import { SEND, registerPickupWebhook, registerWebhook } from "./commands.ts"
import { Checks } from "./expecting.ts"
import { INJECT } from "./faults.ts"
import { ownPlace, placeOfKey } from "./place.ts"
import type { RunPlace } from "./place.ts"
import type { Receiver } from "./receiver.ts"
import { RemoteRun } from "./remote-run.ts"
import type { Unchecked } from "./remote-run.ts"
import { StandingClock } from "./sandbox-clock.ts"
import { CallRefused } from "./sandbox-host.ts"
import type { Ask, HostAnswer } from "./sandbox-host.ts"
import { startAfter, whyNotRun, whyNotSent } from "./sendable.ts"
import type { NotSent } from "./sendable.ts"

/** The service and what the runs call it with. */
export interface Service {
  readonly url: string
  /** The key's organization; null when each run makes its own. */
  readonly ask: Ask | null
  readonly operate: Ask | null
  /** From which deliveries of the key's organization start. */
  readonly siteId: string | null
  readonly receiver: Receiver
}

export type AgainstResult =
  | { readonly is: "not run"; readonly scenario: Scenario; readonly reason: NotSent }
  | {
      readonly is: "run"
      readonly run: ScenarioRun
      readonly state: RemoteRun
      readonly unchecked: readonly Unchecked[]
    }

export interface Watching {
  /** Ends the run before its next step, or the next move of the clock. */
  readonly signal?: AbortSignal
  /** Called before each step, with its index. */
  readonly onStep?: (step: Step, index: number, nowMs: EpochMs) => void
}

/**
 * Rejects with a CallRefused or a HostAway when the run cannot be made, and with the signal's reason when it was stopped; a
 * scenario that fails is a normal result.
 */
export async function runAgainst(
  service: Service,
  scenario: Scenario,
  watching: Watching = {},
): Promise<AgainstResult> {
  const means = {
    hasOperator: service.operate !== null,
    isOwnOrganization: service.ask !== null,
    hasDeliverySite: service.siteId !== null,
  }
  const reason = whyNotRun(scenario, means)
  if (reason !== null) return { is: "not run", scenario, reason }
  const place = await placeFor(service, scenario)
  try {
    const state = await begun(service, place, { scenario, signal: watching.signal })
    try {
      await drive(state, watching)
    } finally {
      await ended(state)
    }
    await state.readEvents()
    return { is: "run", run: resultOf(state), state, unchecked: state.unchecked }
  } finally {
    await place.close()
  }
}

function placeFor({ url, ask, operate, siteId }: Service, scenario: Scenario): Promise<RunPlace> {
  if (ask !== null) return placeOfKey({ ask, operate, siteId })
  if (operate === null) throw new Error("a run needs a key or an operator's token")
  return ownPlace(url, operate, scenario)
}

async function begun(
  service: Service,
  place: RunPlace,
  { scenario, signal }: { readonly scenario: Scenario; readonly signal: AbortSignal | undefined },
): Promise<RemoteRun> {
  const sandbox = await StandingClock.freeze(place.controls, signal)
  const start = startAfter(scenario, sandbox.nowMs)
  const { url, receiver } = service
  const run = new RemoteRun({ scenario, url, place, receiver, sandbox, start })
  receiver.begin(() => sandbox.instant())
  await sandbox.advance(run.clock.startMs)
  await run.beginEvents()
  return run
}

/** Takes back what goes on by itself in an organization that existed before. */
async function ended(run: RemoteRun): Promise<void> {
  if (run.place.organizationId !== null) return
  const { control } = run.place
  for (const { webhookId } of run.webhooks.values())
    await control({ method: "PUT", path: `/rs/v1/webhooks/${webhookId}`, body: { is_active: false } })
  await run.sandbox.resume()
}

async function drive(run: RemoteRun, { signal, onStep }: Watching): Promise<void> {
  const { scenario } = run
  await prepare(run)
  const checks = new Checks(run)
  for (const [index, step] of scenario.steps.entries()) {
    signal?.throwIfAborted()
    onStep?.(step, index, run.nowMs)
    if (step.at !== null) await waitUntil(run, checks, { step, time: step.at })
    run.stepMs = run.nowMs
    if (!(await takeStep(run, checks, step))) break
    await checks.look()
  }
  checks.end()
  leaveWholeRunUnchecked(run)
}

/** Endpoints that exist from the start. */
async function prepare(run: RemoteRun): Promise<void> {
  const { webhooks, pickupWebhooks } = run.scenario
  const registering = [
    ...webhooks.map((given) => ({ given, register: registerWebhook })),
    ...pickupWebhooks.map((given) => ({ given, register: registerPickupWebhook })),
  ]
  for (const { given, register } of registering) {
    const { as, of, events, answers } = given
    run.receiver.script(`https://hooks.partner.example/${as}`, scriptedAnswers(answers))
    const ask = of === undefined ? run.place.control : run.key(of).ask
    const step = { as, with: { events: [...events] } }
    const answer = await register(run, step, ask)
    if (!answer.isAccepted) throw new CallRefused({ method: "POST", path: `the endpoint ${as}` }, answer)
  }
}

/** Invariants and promises look into the service. */
function leaveWholeRunUnchecked(run: RemoteRun): void {
  for (const { name, place } of run.scenario.always)
    run.leaveUnchecked(`always: ${name}`, "invariants look into the service", place)
  for (const { of, place } of run.scenario.promises)
    run.leaveUnchecked(`promises: ${of}`, "figures of the engine are inside of the service", place)
}

async function waitUntil(
  run: RemoteRun,
  checks: Checks,
  { step, time }: { readonly step: Step; readonly time: TimeRef },
): Promise<void> {
  const untilMs = run.clock.resolve(time, run.nowMs)
  if (untilMs < run.nowMs) {
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
  await checks.advance(untilMs)
}

/** False when later steps would have no meaning. */
async function takeStep(run: RemoteRun, checks: Checks, step: Step): Promise<boolean> {
  switch (step.verb) {
    case "do":
      return takeDo(run, step)
    case "refuse":
      await takeRefuse(run, step)
      return true
    case "expect":
      await checks.expect(step)
      return true
    case "never":
    case "at_most":
      await checks.begin(step)
      return true
    case "inject": {
      const fault = INJECT[step.fault]
      if (typeof fault !== "string") fault(run, step)
      run.mark("step", `inject ${step.fault}`, step.place)
      return true
    }
    case "wait":
      run.mark("step", `wait until ${run.clock.show(run.clock.resolve(step.until, run.nowMs))}`, step.place)
      await waitUntil(run, checks, { step, time: step.until })
      return true
  }
}

async function takeDo(run: RemoteRun, step: Extract<Step, { verb: "do" }>): Promise<boolean> {
  const answer = await sent(run, step)
  if (answer.isAccepted) {
    run.mark("step", `do ${step.command}`, step.place)
    return true
  }
  const code = codeOf(answer)
  run.fail({
    message: `${step.command} was refused with ${code}`,
    expected: `${step.command} is taken`,
    actual: `it was refused with ${code}: ${answer.message}`,
    why: [],
    place: step.place,
  })
  return false
}

async function takeRefuse(run: RemoteRun, step: Extract<Step, { verb: "refuse" }>): Promise<void> {
  const { command, code: wanted, place, retryAfterMs } = step
  const why = whyNotSent(step, run.scenario.environment, { hasOperator: run.place.operate !== null })
  if (why !== null) return run.leaveUnchecked(`refuse ${command} with ${wanted}`, why, place)
  const answer = await sent(run, step)
  const was = answer.isAccepted ? "taken" : `refused with ${codeOf(answer)}: ${answer.message}`
  if (answer.isAccepted || codeOf(answer) !== wanted) {
    const message = `expected ${command} to be refused with ${wanted}, it was ${was}`
    const expected = `${command} is refused with ${wanted}`
    return run.fail({ message, expected, actual: `it was ${was}`, why: [], place })
  }
  const seconds = answer.retryAfterSeconds
  if (retryAfterMs !== undefined && seconds !== retryAfterMs / 1_000) {
    const texts = waitTexts(wanted, {
      wantedMs: retryAfterMs,
      foundMs: seconds === null ? null : seconds * 1_000,
    })
    return run.fail({ ...texts, message: failedText(texts), why: [], place })
  }
  run.mark("pass", `${command} is refused with ${wanted}`, place)
}

function sent(run: RemoteRun, step: Extract<Step, { verb: "do" | "refuse" }>): Promise<HostAnswer> {
  const sendable = SEND[step.command]
  if (typeof sendable === "string") throw new Error(`${step.command} cannot be sent: ${sendable}`)
  return sendable.send(run, step)
}

function codeOf({ code, status }: HostAnswer): string {
  return code ?? String(status)
}

/** As the runs in memory are: without entries, which are inside of the service. */
function resultOf(run: RemoteRun): ScenarioRun {
  const { scenario, failures, marks, events } = run
  const startMs: EpochMs = run.clock.startMs
  return {
    scenario,
    seed: scenario.seed,
    verdict: failures.length === 0 ? "passed" : "failed",
    failures,
    violations: [],
    refused: [],
    startMs,
    endMs: run.nowMs,
    virtualMs: run.nowMs - startMs,
    events,
    hash: "",
    entries: [],
    marks,
    names: {},
  }
}
