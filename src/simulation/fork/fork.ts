/**
 * A fork: from a moment of a journal a run goes on in the simulator, with the steps of a what-if file. Groups, timers, messages and
 * calls in flight are those of the journal; rows are invented (invented-rows.ts); the world answers as recorded unless the
 * file says otherwise (recorded-answers.ts).
 */

import { Cause, Effect, Exit, Runtime } from "effect"
import type { Fiber } from "effect"
import { groupOf, idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { PERMISSIONS } from "../../model/caller.ts"
import { SEED_MAX } from "../../model/values/limits.ts"
import { instantsOf, wallClockAt } from "../../model/values/local-time.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { RANK } from "../../engine/kernel/agenda.ts"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import { digest } from "../../engine/kernel/hash.ts"
import type { Entry } from "../../engine/kernel/journal.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { openUrlOf } from "../scenario/compartments/do-compartment.ts"
import { placeCourier } from "../scenario/courier/do-courier.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import { webhookDeliveries, webhookEndpoints } from "../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { ReplayedTurn } from "../replay.ts"
import type { RecordedRun } from "../run-record.ts"
import { MomentsBefore } from "../scenario/expecting.ts"
import type { LocalStart, Scenario } from "../scenario/language/language.ts"
import { namesIn, takeSteps } from "../scenario/run.ts"
import { RunContext } from "../scenario/run-context.ts"
import type { Failure } from "../scenario/run-context.ts"
import type { Mark } from "../run-record.ts"
import { SiteClock } from "../scenario/language/site-clock.ts"
import { simulateService } from "../simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../simulated-service.ts"
import {
  ENDPOINT_SECRET,
  Organizations,
  deliverySitesIn,
  endpointUrl,
  fleetIn,
  inventRest,
  inventRows,
  startsIn,
  worldIn,
} from "./invented-rows.ts"
import type { Inventing } from "./invented-rows.ts"
import { callsInFlight, commandsAfter, contentAt, followsAnswer, groupsAt } from "./journal.ts"
import type { Journal } from "./journal.ts"
import { RecordedAnswers } from "./recorded-answers.ts"
import { sendingsOf } from "./sendings.ts"
import type { ForkPoint, WhatIf } from "./what-if.ts"

export interface Fork {
  /** The new course as a run: the journal's entries up to the moment, then its own. */
  readonly run: RecordedRun
  /** How many of its entries are the journal's. */
  readonly kept: number
  readonly failures: readonly Failure[]
  /** Commands of the journal that the new course has no actor for, each in words. */
  readonly leftOut: readonly string[]
  /** Calls to the outside that were answered as recorded. */
  readonly answeredAsRecorded: number
  /** For groups whose ids differ: the group of the journal that a group of the new course stands for. */
  readonly recordedGroupOf: (group: GroupAddress) => GroupAddress
}

/** What a what-if file of this journal may refer to. */
export function forkPoint(journal: Journal): ForkPoint {
  const { areaByEndpoint } = new Organizations(journal, [])
  const endpoints = [...areaByEndpoint.keys()].map((id) => `webhook-endpoint/${id}`)
  const groups = new Set([...groupsAt(journal).keys(), ...endpoints])
  return { atMs: journal.atMs, timeZone: journal.timeZone, groups: [...groups] }
}

/** Runs to the end of everything that is due. Throws EngineFault when the engine or a machine breaks. */
export function runFork(journal: Journal, whatIf: WhatIf, program: Program): Fork {
  const nameByGroup = new Map([...whatIf.groupByName].map(([name, group]) => [group, name]))
  const inventing: Inventing = {
    environment: whatIf.environment,
    nameByGroup,
    organizations: new Organizations(journal, whatIf.groupByName.values()),
    fleetId: fleetIn(journal),
  }
  const answers = new RecordedAnswers(journal)
  const { published, sendings } = sendingsOf(journal, journal.kept)
  const seed = seedOf(journal, whatIf)
  const clock = clockAt(journal)
  const world = worldIn(journal)
  const held: { run: RunContext | null } = { run: null }
  const service = simulateService({
    seed,
    startMs: journal.atMs,
    sites: world.sites,
    deliverySites: deliverySitesIn(inventing),
    recording: "full",
    courier: { fleetId: inventing.fleetId },
    program,
    withAreas: (areas) =>
      answers.over(areas, {
        sendings,
        isScripted: (call) => held.run !== null && isScripted(held.run, call),
      }),
  })
  load(service, inventing, journal)
  const { host } = service
  host.onTurn((result, input) => {
    published.note(result)
    sendings.note(input, published)
  })
  const run = new RunContext({
    scenario: scenarioOf(whatIf, clock),
    service,
    clock: new SiteClock(clock),
    world,
    isTolerant: false,
  })
  held.run = run
  nameGroups(run, inventing, whatIf)
  placeCourier(run)
  const leftOut: string[] = []
  const moments = new MomentsBefore(run)
  const steps = Runtime.runFork(service.runtime)(takeSteps(run, moments))
  const calls = callsInFlight(journal)
  // After the steps at the moment itself: they may script the answers.
  host.time.schedule(journal.atMs, RANK.command, () => host.resumeCalls(calls))
  const commands = whatIf.commands === "recorded" ? commandsAfter(journal) : []
  const repeating = Runtime.runFork(service.runtime)(repeat(run, { journal, commands, inventing, leftOut }))
  host.time.run(Number.POSITIVE_INFINITY, moments.watcher)
  moments.standing.end()
  for (const fiber of [steps, repeating]) assertEnded(fiber)
  const recorded = sendingsOf(journal, journal.turns.length).sendings
  return {
    run: recordedRunOf(journal, { run, whatIf, seed }),
    kept: journal.kept,
    failures: run.failures,
    leftOut,
    answeredAsRecorded: answers.used,
    recordedGroupOf: (group) => {
      const name = sendings.nameByGroup.get(group)
      return (name === undefined ? undefined : recorded.groupByName.get(name)) ?? group
    },
  }
}

/** Rethrows a defect. Both fibers only wait for virtual time. */
function assertEnded(fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
  const exit = fiber.unsafePoll()
  if (exit === null) {
    const found = "the steps of the what-if file"
    throw new EngineFault({ reason: "the agenda is empty and a fiber waits", at: null, found })
  }
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) throw faultOf(exit.cause)
}

/** Another seed than the recorded run's: its numbers up to the moment must not come again as new ids. */
function seedOf({ name, seed, atMs, kept }: Journal, whatIf: WhatIf): number {
  const text = digest(`fork ${name} ${seed} ${atMs} ${kept} ${whatIf.seed}`)
  return Number.parseInt(text.slice(0, 12), 16) % SEED_MAX
}

function load(service: SimulatedService, inventing: Inventing, journal: Journal): void {
  const { host } = service
  const groups = groupsAt(journal)
  host.restore({ ...host.content(), nowMs: journal.atMs, ...contentAt(journal) })
  for (const { input, result } of startsIn(journal)) {
    const group = groups.get(result.group.address)
    if (group !== undefined) inventRows(host, inventing, { input, group })
  }
  inventRest(host, inventing, journal)
  for (const address of groups.keys()) host.project(address)
}

/** The scenario that a what-if file is from here on. */
function scenarioOf(whatIf: WhatIf, clock: LocalStart): Scenario {
  const { title, environment, seed, steps, file } = whatIf
  return {
    title,
    variant: null,
    because: title,
    tags: [],
    seed,
    clock,
    environment,
    permissions: [...PERMISSIONS],
    site: { builtIn: null, stalls: 0, activeStalls: 0, hasRunner: true },
    webhooks: [],
    pickupWebhooks: [],
    delivery: { fields: {}, vehicles: [] },
    policy: {},
    steps,
    always: [],
    promises: [],
    course: null,
    file,
  }
}

/** The moment on the clock of the site, in whole seconds: times of steps count from its day. */
function clockAt({ atMs, timeZone }: Journal): LocalStart {
  const secondMs = Math.floor(atMs / SECOND_MS) * SECOND_MS
  const wall = wallClockAt(secondMs, timeZone)
  const isSecond = instantsOf(wall, timeZone)[1] === secondMs
  const local = new Date(wall).toISOString().slice(0, 19)
  return { local, timeZone, ...(isSecond ? { occurrence: "second" } : {}) }
}

function nameGroups(run: RunContext, inventing: Inventing, { groupByName }: WhatIf): void {
  for (const [name, group] of groupByName) {
    const id = idOf(group)
    const kind = kindOf(group)
    if (kind === "reservation") run.reservationIds.set(name, id)
    if (kind === "courier-order") run.errandIds.set(name, id)
    if (kind === "webhook-endpoint") {
      const urls = [endpointUrl(inventing, id)]
      run.webhooks.set(name, { webhookId: id, urls, secrets: [ENDPOINT_SECRET] })
    }
  }
}

/** True once a step of the file answers for the receiver of a call. */
function isScripted(run: RunContext, call: Call): boolean {
  const { world } = run.service
  const hasInjected = (fault: string): boolean =>
    run.marks.some(({ text }) => text.startsWith(`inject ${fault}`))
  if (call.call.endsWith("_payment")) return hasInjected("payments.")
  const url = urlOf(run, call)
  return url !== null && (world.hasScript(url) || hasInjected("host.fault"))
}

function urlOf(run: RunContext, { actor, call }: Call): string | null {
  const { store } = run.service.host
  const id = idOf(actor)
  switch (call) {
    case "open_link":
      return memoryRowsOf(store, reservations).get(id)?.openLinkUrl ?? null
    case "open_compartment":
      return openUrlOf(run)
    case "webhook": {
      const sending = memoryRowsOf(store, webhookDeliveries).get(id)
      return memoryRowsOf(store, webhookEndpoints).get(sending?.webhookId ?? "")?.url ?? null
    }
    default:
      return null
  }
}

interface Repeating {
  readonly journal: Journal
  readonly commands: readonly ReplayedTurn[]
  readonly inventing: Inventing
  readonly leftOut: string[]
}

/** The commands of the journal at their times, with what was read for them then. */
const repeat = Effect.fnUntraced(function* (
  run: RunContext,
  { journal, commands, inventing, leftOut }: Repeating,
) {
  for (const command of commands) {
    const { input } = command
    yield* Effect.sleep(Math.max(0, input.instantMs - run.nowMs))
    // A second wait ends after every answer of this instant.
    if (followsAnswer(journal, command)) yield* Effect.sleep(0)
    const why = whyImpossible(run, command)
    if (why === null) yield* repeatOne(run, inventing, command)
    else
      leftOut.push(
        `${run.clock.show(input.instantMs)} ${input.event?.type ?? "start"} for ${input.to}: ${why}`,
      )
  }
})

function whyImpossible(
  { service: { host } }: RunContext,
  { input: { to, start } }: ReplayedTurn,
): string | null {
  const group = host.groups.get(groupOf(to))
  if (start !== undefined) return group === null ? null : "it is there already"
  return group?.actors.has(to) === true ? null : "it is not there in this course"
}

function repeatOne(
  { service: { host } }: RunContext,
  inventing: Inventing,
  { input }: ReplayedTurn,
): Effect.Effect<void, never, SimulatedServices> {
  const { to, event, start, facts, decision, nonce } = input
  const group = groupOf(to)
  return Effect.flatMap(ActorHost, (actors) =>
    actors.run({
      name: "a command of the journal",
      locks: start === undefined ? { groups: [group] } : {},
      body: () =>
        Routine.gen(function* () {
          const transaction = yield* Transaction
          const outcome = yield* transaction.turn({
            to,
            nonce,
            ...(event === undefined ? {} : { event }),
            ...(start === undefined ? {} : { start }),
            ...(facts === null ? {} : { facts }),
            ...(decision === null ? {} : { decision }),
            environment: inventing.environment,
          })
          const found = yield* transaction.group(group)
          if (start !== undefined && outcome.type === "answered" && found !== null)
            inventRows(host, inventing, { input, group: found })
        }),
    }),
  )
}

interface Ended {
  readonly run: RunContext
  readonly whatIf: WhatIf
  readonly seed: number
}

function recordedRunOf(journal: Journal, { run, whatIf, seed }: Ended): RecordedRun {
  const { host } = run.service
  const kept = journal.turns
    .slice(0, journal.kept)
    .flatMap(({ result }) => entryOf(result.entry, result.instantMs))
  const first: Mark = {
    atMs: journal.atMs,
    level: "step",
    text: `what if: ${whatIf.title}`,
    place: null,
    afterEntries: kept.length,
  }
  const marks = run.marks.map((mark) => ({ ...mark, afterEntries: mark.afterEntries + kept.length }))
  return {
    name: journal.name,
    title: `${journal.title}: what if ${whatIf.title}`,
    variant: "what if",
    seed,
    startMs: journal.clock0Ms,
    timeZone: journal.timeZone,
    marks: [first, ...marks],
    entries: [...kept, ...host.entries],
    virtualMs: host.time.nowMs - journal.clock0Ms,
    verdict: run.failures.length === 0 ? "passed" : "failed",
    hash: host.groups.hash(),
    forkOf: journal.number,
    names: { ...namesIn(run), ...journal.names },
  }
}

function entryOf(entry: Entry | null, instantMs: EpochMs) {
  return entry === null ? [] : [{ entry, instantMs }]
}
