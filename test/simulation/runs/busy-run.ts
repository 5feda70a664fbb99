/**
 * Busy run: a short life of the whole service with a bit of everything: walks, cancellations, expiries, runners who
 * call open links, and webhooks of which one works, one fails and one never answers. Commands stand on the agenda from
 * the beginning, so that a run can be stopped and restored between any two entries.
 */

import { Effect, Exit, Runtime } from "effect"
import { RANK } from "../../../src/engine/kernel/agenda.ts"
import { faultOf } from "../../../src/engine/kernel/faults.ts"
import type { AgendaWatcher } from "../../../src/engine/kernel/simulated-time.ts"
import type { Operator, Partner } from "../../../src/model/caller.ts"
import type { Refused } from "../../../src/model/values/errors.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { EpochMs } from "../../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../../src/model/webhook.ts"
import { PLACEHOLDER_PHOTO } from "../../../src/engine/services/photos/photo-files.ts"
import { Reservations } from "../../../src/areas/reservations/reservations.ts"
import type { Created } from "../../../src/areas/reservations/reservations.ts"
import { RunnerTasks } from "../../../src/areas/reservations/runner-tasks.ts"
import { SandboxWalk } from "../../../src/areas/reservations/sandbox-walk.ts"
import { Webhooks } from "../../../src/areas/webhooks/webhooks.ts"
import type { HostContent } from "../../../src/engine/memory/memory-host.ts"
import { SCENARIO_ORGANIZATION } from "../../../src/simulation/scenario/language/delivery-world.ts"
import { worldOf } from "../../../src/simulation/scenario/language/worlds.ts"
import { simulateService } from "../../../src/simulation/simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../../../src/simulation/simulated-service.ts"

const START_MS = Date.UTC(2026, 2, 2, 10)

const WORLD = worldOf({ site: { builtIn: "sandbox-test", stalls: 3, activeStalls: 3, hasRunner: true } })
const PARTNER: Partner = {
  type: "partner",
  organizationId: SCENARIO_ORGANIZATION,
  environment: "sandbox",
  permissions: ["reservations:read", "reservations:write", "webhooks:manage"],
}
const RUNNER: Operator = { type: "operator", by: "runner", environment: "sandbox" }

/** What one reservation of the run does. */
type Story = "walked" | "canceled" | "forgotten" | "handed over" | "link fails"
const STORIES: readonly Story[] = ["walked", "handed over", "canceled", "link fails", "forgotten"]

export interface BusyRun {
  readonly service: SimulatedService
  readonly reservationIds: readonly string[]
  /** Codes of commands that were refused, in order. */
  readonly refusals: readonly string[]
}

export interface BusyOptions {
  readonly seed?: number
  readonly reservations?: number
  readonly recording?: "full" | "off"
  /** Milliseconds between two bookings. */
  readonly everyMs?: number
  readonly hasWebhooks?: boolean
  readonly watch?: (service: SimulatedService) => AgendaWatcher
  /** Moves the whole run, as JSON, to a new service at these milliseconds, or at the next moment without a call. */
  readonly moveAfterMs?: number
}

type Doing = Effect.Effect<unknown, Refused, SimulatedServices>

interface Command {
  readonly atMs: EpochMs
  readonly do: () => Doing
}

/** Runs to the end of the agenda. */
export function busyRun(options: BusyOptions = {}): BusyRun {
  const reservationIds: string[] = []
  const refusals: string[] = []
  const commands = commandsOf(options, reservationIds)
  const take = (service: SimulatedService, { do: what }: Command): void => {
    const fiber = Runtime.runFork(service.runtime)(
      what().pipe(Effect.catchAll((refused) => Effect.sync(() => refusals.push(refused.code)))),
    )
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit)) service.host.time.fail(faultOf(exit.cause))
    })
  }
  const schedule = (service: SimulatedService, afterMs: EpochMs): void => {
    for (const command of commands) {
      if (command.atMs <= afterMs) continue
      service.host.time.schedule(command.atMs, RANK.command, () => take(service, command))
    }
  }
  const service = openService(options, START_MS)
  schedule(service, START_MS - 1)
  const watcher = options.watch?.(service) ?? {}
  if (options.moveAfterMs === undefined) {
    service.host.time.run(Number.POSITIVE_INFINITY, watcher)
    return { service, reservationIds, refusals }
  }
  let untilMs = START_MS + options.moveAfterMs
  for (service.host.time.run(untilMs); service.host.callsInFlight > 0; service.host.time.run(untilMs))
    untilMs += 1
  const content = JSON.parse(JSON.stringify(service.host.content())) as HostContent
  const other = openService(options, content.nowMs)
  other.host.restore(content)
  schedule(other, untilMs)
  other.host.time.run()
  return { service: other, reservationIds, refusals }
}

function openService({ seed = 1, recording = "full" }: BusyOptions, startMs: EpochMs): SimulatedService {
  const service = simulateService({ seed, startMs, sites: WORLD.sites, recording })
  const { world } = service
  world.script("https://partner-link-fails.example/open", [{ type: "status", status: 503, afterMs: 40 }])
  world.script("https://partner-handed-over.example/open", [{ type: "status", status: 200, afterMs: 900 }])
  world.script("https://hooks.partner.example/failing", [{ type: "status", status: 500, afterMs: 30 }])
  world.script("https://hooks.partner.example/silent", [{ type: "timeout" }])
  return service
}

/** Ids are noted by number, for the commands that follow. */
function commandsOf(options: BusyOptions, reservationIds: string[]): readonly Command[] {
  const { reservations = 10, everyMs = 4 * MINUTE_MS, hasWebhooks = true } = options
  const commands: Command[] = hasWebhooks ? [{ atMs: START_MS, do: registerAll }] : []
  for (let number = 0; number < reservations; number += 1) {
    const story = STORIES[number % STORIES.length] ?? "walked"
    const beginMs = START_MS + number * everyMs + SECOND_MS
    const url = `https://partner-${story.replaceAll(" ", "-")}.example/open`
    const note = ({ reservation }: Created): void => {
      reservationIds[number] = reservation.reservation_id
    }
    commands.push({ atMs: beginMs, do: () => Effect.map(book(number, beginMs, url), note) })
    for (const [afterMs, what] of storyOf(story)) {
      commands.push({ atMs: beginMs + afterMs, do: () => what(reservationIds[number] ?? "") })
    }
  }
  return commands
}

function registerAll(): Doing {
  return Effect.forEach(["working", "failing", "silent"], (name) =>
    Effect.flatMap(Webhooks, (webhooks) =>
      webhooks.register(PARTNER, {
        url: `https://hooks.partner.example/${name}`,
        subscribed_events: name === "silent" ? ["reservation.status_changed"] : EVENT_TYPES,
      }),
    ),
  )
}

function book(
  number: number,
  nowMs: EpochMs,
  openLinkUrl: string,
): Effect.Effect<Created, Refused, Reservations> {
  return Effect.flatMap(Reservations, (reservations) =>
    reservations.create(
      PARTNER,
      {
        zone_id: WORLD.zoneId,
        retailer_id: WORLD.retailerId,
        order_number: `order-${number}`,
        end_user_name: "Pat Example",
        end_user_phone: "+15125550100",
        arrival_window_start: nowMs + 10 * MINUTE_MS,
        arrival_window_end: nowMs + 40 * MINUTE_MS,
        open_link_url: openLinkUrl,
      },
      `key-${number}`,
    ),
  )
}

function storyOf(story: Story): readonly (readonly [afterMs: number, what: (id: string) => Doing])[] {
  const walk = (id: string): Doing =>
    Effect.flatMap(SandboxWalk, (service) => service.advance(PARTNER, id, {}))
  const runner =
    (
      act: (tasks: RunnerTasks["Type"], id: string) => Effect.Effect<unknown, Refused>,
    ): ((id: string) => Doing) =>
    (id) =>
      Effect.flatMap(RunnerTasks, (tasks) => act(tasks, id))
  const report =
    (status: "ARRIVED" | "READY_FOR_HANDOFF" | "SECURED" | "DEPARTED") =>
    (id: string): Doing =>
      Effect.flatMap(Reservations, (reservations) => reservations.reportBot(PARTNER, id, { status }))
  const toTheBot = [
    [1 * MINUTE_MS, runner((tasks, id) => tasks.assign(RUNNER, id, "run_1"))],
    [3 * MINUTE_MS, runner((tasks, id) => tasks.atStore(RUNNER, id))],
    [6 * MINUTE_MS, runner((tasks, id) => tasks.orderInHand(RUNNER, id))],
    [11 * MINUTE_MS, report("ARRIVED")],
    [12 * MINUTE_MS, runner((tasks, id) => tasks.atUnit(RUNNER, id))],
    [13 * MINUTE_MS, report("READY_FOR_HANDOFF")],
  ] as const
  switch (story) {
    case "walked":
      return Array.from({ length: 10 }, (_, at) => [(at + 2) * MINUTE_MS, walk] as const)
    case "canceled":
      return [
        [1 * MINUTE_MS, runner((tasks, id) => tasks.assign(RUNNER, id, "run_1"))],
        [
          5 * MINUTE_MS,
          (id) =>
            Effect.flatMap(Reservations, (reservations) => reservations.cancel(PARTNER, id, "changed plans")),
        ],
      ]
    case "forgotten":
      return []
    case "handed over":
      return [
        ...toTheBot,
        [14 * MINUTE_MS, runner((tasks, id) => tasks.load(RUNNER, id, PLACEHOLDER_PHOTO.bytes))],
        [15 * MINUTE_MS, report("SECURED")],
        [16 * MINUTE_MS, report("DEPARTED")],
      ]
    case "link fails":
      return toTheBot
  }
}
