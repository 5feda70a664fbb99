/**
 * Planted bugs: programs, hosts and stores that break one invariant each. A bug brings the scenario in which it shows;
 * with the live program that scenario breaks nothing.
 */

import { assign, createMachine, emit, enqueueActions } from "xstate"
import type { AnyStateMachine } from "xstate"
import type { MachineId } from "../../../machines/index.ts"
import { openLink } from "../../../machines/open-link.ts"
import { reservation } from "../../../machines/reservation.ts"
import type { ReservationContext } from "../../../machines/reservation.ts"
import { runnerTask } from "../../../machines/runner-task.ts"
import { webhookDelivery } from "../../../machines/webhook-delivery.ts"
import type { Decided, DecisionFunction } from "../../../machines/contracts.ts"
import { decisions } from "../../../src/apps/composition/areas.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import type { AgendaWatcher } from "../../../src/engine/kernel/simulated-time.ts"
import { HOUR_MS, msUntil } from "../../../src/model/values/time.ts"
import type { Stamp } from "../../../src/model/values/time.ts"
import { publish } from "../../../src/model/verbs.ts"
import type { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import type { ScenarioBuilder } from "../../../src/simulation/scenario/builder.ts"
import type { RunOptions } from "../../../src/simulation/scenario/run.ts"
import type { SimulatedService } from "../../../src/simulation/simulated-service.ts"
import type { WebhookBody } from "../../../src/areas/webhooks/store.ts"
import { liveProgram } from "./live-scenarios.ts"

export interface PlantedBug {
  readonly says: string
  /** The invariant that must catch it. */
  readonly breaks: string
  readonly shownBy: ScenarioBuilder
  readonly options: RunOptions
}

/** Reservations that end otherwise than they should; random partners must find these, too. */
export const cancelerIsNotNoted = planted(
  "reservation@1",
  reservation.provide({ actions: { "note who canceled": assign({}) } }),
)

export const nothingDropsTheOpenLink = planted(
  "runner-task@1",
  runnerTask.provide({ actions: { "drop the open link": assign({}) } }),
)

export const theFirstStallIsTaken: Program = {
  ...liveProgram,
  decisions: { ...liveProgram.decisions, "book@1": firstStall },
}

/** No invariant but the engine itself must catch this one. */
export const aLoadThrows = planted(
  "runner-task@1",
  runnerTask.provide({
    actions: {
      "record the load": assign(() => {
        throw new Error("the load is too heavy to record")
      }),
    },
  }),
)

const lunch = scenario("Lunch", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: { webhooks: [{ as: "partner", events: "all" }] },
})
const booked = lunch.do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
const canceled = booked
  .at("+1m")
  .do("reservation.cancel", { for: "lunch", with: { reason: "no longer hungry" } })
const departed = booked.at("+1m").do("bot.report", { for: "lunch", with: { status: "DEPARTED" } })
const opening = booked
  .do("runner.assign", { for: "lunch" })
  .do("runner.at_store", { for: "lunch" })
  .do("runner.order_in_hand", { for: "lunch" })
  .do("bot.report", { for: "lunch", with: { status: "READY_FOR_HANDOFF" } })

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    says: "a completed reservation can be canceled",
    breaks: "no reservation leaves a final status",
    shownBy: departed.at("+1m").do("reservation.cancel", { for: "lunch" }),
    options: {
      program: rewritten(
        "reservation@1",
        reservation,
        ["states", "completed", "on", "cancel.requested"],
        "canceled",
      ),
    },
  },
  {
    says: "a reservation that is canceled again opens anew",
    breaks: "no reservation leaves a final status",
    shownBy: canceled.at("+1m").do("reservation.cancel", { for: "lunch" }),
    options: {
      program: rewritten(
        "reservation@1",
        reservation,
        ["states", "canceled", "on", "cancel.requested"],
        "open",
      ),
    },
  },
  {
    says: "the canceler is not recorded",
    breaks: "canceled_by is set exactly when canceled, and cancel_reason only then",
    shownBy: canceled,
    options: { program: cancelerIsNotNoted },
  },
  {
    says: "a load counts as a cancel by the runner",
    breaks: "canceled_by is set exactly when canceled, and cancel_reason only then",
    shownBy: opening
      .at("+1m")
      .do("runner.at_unit", { for: "lunch" })
      .at("+1m")
      .do("runner.load", { for: "lunch" }),
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({
          actions: { "note the load": assign({ isLoaded: true, canceledBy: "runner" }) },
        }),
      ),
    },
  },
  {
    says: "a restart forgets the microsecond of the last event",
    breaks: "occurred_at strictly increases within a reservation",
    shownBy: booked
      .at("+1m")
      .do("bot.report", { for: "lunch", with: { status: "ARRIVED" } })
      .at("+0s")
      .do("bot.report", { for: "lunch", with: { status: "DEPARTED" } }),
    options: { watch: restarting((group) => ({ ...group, occurredUs: 0 })) },
  },
  {
    says: "an event is written down with the status before it",
    breaks: "the snapshot in an event equals the state at that moment",
    shownBy: departed,
    options: { watch: writing((body) => body.replace('"status":"completed"', '"status":"confirmed"')) },
  },
  {
    says: "an event is written down without its handoff",
    breaks: "the snapshot in an event equals the state at that moment",
    shownBy: booked.at("+1m").do("runner.assign", { for: "lunch" }).do("runner.at_store", { for: "lunch" }),
    options: { watch: writing((body) => body.replace(/"handoff":\{[^}]*\}/, '"handoff":null')) },
  },
  {
    says: "an event tells who cancels later",
    breaks: "the snapshot in an event equals the state at that moment",
    shownBy: canceled,
    options: { watch: writing((body) => body.replace('"canceled_by":null', '"canceled_by":"partner"')) },
  },
  {
    says: "an event tells the window before it was moved",
    breaks: "the snapshot in an event equals the state at that moment",
    shownBy: booked
      .at("+1m")
      .do("reservation.move_window", { for: "lunch", with: { window: ["12:45", "13:15"] } })
      .at("+1m")
      .do("reservation.cancel", { for: "lunch" }),
    options: { watch: writingFirst(/"arrival_window_start":"[^"]*"/) },
  },
  {
    says: "an event tells the label that the bot had before",
    breaks: "the snapshot in an event equals the state at that moment",
    shownBy: booked
      .at("+1m")
      .do("bot.report", { for: "lunch", with: { status: "ARRIVED", label: "blue" } })
      .at("+1m")
      .do("bot.report", { for: "lunch", with: { status: "DEPARTED", label: "green" } }),
    options: { watch: writingFirst(/"label":"[^"]*"/) },
  },
  {
    says: "no change of status is published",
    breaks: "every status change is published exactly once",
    shownBy: booked,
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({ actions: { "announce the status": assign({}) } }),
      ),
    },
  },
  {
    says: "every change of status is published twice",
    breaks: "every status change is published exactly once",
    shownBy: booked,
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({
          actions: {
            "announce the status": enqueueActions(({ enqueue, context }, { status }) => {
              const told = publish("reservation.status_changed", { previous_status: context.announced })
              enqueue.emit(told)
              enqueue.emit(told)
              enqueue.assign({ announced: status })
            }),
          },
        }),
      ),
    },
  },
  {
    says: "the status before is always confirmed",
    breaks: "every status change is published exactly once",
    shownBy: booked,
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({
          actions: {
            "announce the status": emit(
              publish("reservation.status_changed", { previous_status: "confirmed" }),
            ),
          },
        }),
      ),
    },
  },
  {
    says: "a repeated cancel is told again",
    breaks: "every status change is published exactly once",
    shownBy: canceled.at("+1m").do("reservation.cancel", { for: "lunch" }),
    options: {
      program: rewritten("reservation@1", reservation, ["states", "canceled", "on", "cancel.requested"], {
        actions: { type: "announce the status", params: { status: "canceled" } },
      }),
    },
  },
  {
    says: "the end of a task does not drop its open link",
    breaks: "no open link is called after success, cancel or end",
    shownBy: opening
      .inject("open_link.answers", { for: "lunch", with: { answers: [500] } })
      .do("runner.at_unit", { for: "lunch" })
      .at("+1s")
      .do("reservation.cancel", { for: "lunch" }),
    options: { program: nothingDropsTheOpenLink },
  },
  {
    says: "an open link that was answered is called again",
    breaks: "no open link is called after success, cancel or end",
    shownBy: opening.do("runner.at_unit", { for: "lunch" }),
    options: {
      program: rewritten(
        "open-link@2",
        openLink,
        ["states", "trying", "states", "calling", "on", "call.succeeded"],
        [
          { guard: "it fails the last attempt", target: "#open-link.opened" },
          { guard: "it answers the current attempt", target: "#open-link.trying.waiting" },
        ],
      ),
    },
  },
  {
    says: "there is a ninth attempt",
    breaks: "no webhook is attempted more than eight times",
    shownBy: lunch
      .inject("webhook.answers", { for: "partner", with: { answers: [500] } })
      .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } }),
    options: {
      program: planted(
        "webhook-delivery@2",
        webhookDelivery.provide({
          guards: {
            "attempts are used up": ({ context }) => context.attempt > context.attemptsMax,
            "it fails the last attempt": ({ context, event }) =>
              event.attempt === context.attempt && context.attempt > context.attemptsMax,
          },
        }),
      ),
    },
  },
  {
    says: "an event is composed anew for its second attempt",
    breaks: "every attempt of a delivery sends the same bytes",
    shownBy: lunch
      .inject("webhook.answers", { for: "partner", with: { answers: [500, 200] } })
      .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } }),
    options: { watch: rewritingAfterTheFirstRequest },
  },
  {
    says: "the first stall is taken whatever stands there",
    breaks: "no stall is shared without need",
    shownBy: booked.do("reservation.create", { as: "dinner", with: { window: ["12:00", "12:30"] } }),
    options: { program: theFirstStallIsTaken },
  },
  {
    says: "the clock of the window is an hour late",
    breaks: "every accepted reservation ends by its window's end plus grace",
    shownBy: booked,
    options: { program: lateWindows() },
  },
  {
    says: "the clock of the window never runs out, and the bot leaves hours later",
    breaks: "every accepted reservation ends by its window's end plus grace",
    shownBy: booked.at("+3h").do("bot.report", { for: "lunch", with: { status: "DEPARTED" } }),
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({ delays: { "window and grace": 100 * HOUR_MS } }),
      ),
    },
  },
]

/** The live program with one machine changed. */
export function planted(id: MachineId, machine: AnyStateMachine): Program {
  return { ...liveProgram, machines: { ...liveProgram.machines, [id]: machine } }
}

/** The live program with one part of a machine's table other than written. */
export function rewritten(
  id: MachineId,
  machine: AnyStateMachine,
  path: readonly string[],
  value: unknown,
): Program {
  const config = replaced(machine.config, path, value)
  return planted(id, createMachine(config as never, machine.implementations as never))
}

function replaced(table: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const object = table as { readonly [key: string]: unknown }
  return { ...object, [key]: replaced(object[key], rest, value) }
}

export function lateWindows(): Program {
  return planted(
    "reservation@1",
    reservation.provide({
      delays: {
        "window and grace": ({ context, event }: { context: ReservationContext; event: Stamp }) =>
          msUntil(context.endsAtMs + context.windowGraceMs, event) + HOUR_MS,
      },
    }),
  )
}

function firstStall(...[facts, asked, atMs]: Parameters<DecisionFunction<"book@1">>): Decided<"book@1"> {
  const decided = decisions["book@1"](facts, asked, atMs)
  const [first] = facts.stalls
  return "refusal" in decided || first === undefined ? decided : { stallId: first.stallId }
}

type KeptGroup = ReturnType<MemoryHost["content"]>["groups"]["groups"][number]

/** A host that is rebuilt between any two entries, each group changed on the way. */
function restarting(change: (group: KeptGroup) => KeptGroup): (service: SimulatedService) => AgendaWatcher {
  return ({ host }) => ({
    beforeEntry: () => {
      const content = host.content()
      host.restore({ ...content, groups: { ...content.groups, groups: content.groups.groups.map(change) } })
    },
  })
}

/** A store that writes other bodies of events than it is given. */
function writing(change: (body: string) => string): (service: SimulatedService) => AgendaWatcher {
  return ({ host }) => {
    const bodies = host.store.table<WebhookBody>("webhook-bodies")
    const put = bodies.put.bind(bodies)
    bodies.put = (key, row) => put(key, { ...row, body: change(row.body) })
    return {}
  }
}

/** A store that writes the part of a body for ever as the first body had it. */
function writingFirst(part: RegExp): (service: SimulatedService) => AgendaWatcher {
  return (service) => {
    let first: string | null = null
    return writing((body) => {
      first ??= part.exec(body)?.[0] ?? null
      return first === null ? body : body.replace(part, first)
    })(service)
  }
}

/** A store in which an event changes after its first attempt. */
function rewritingAfterTheFirstRequest({ host, world }: SimulatedService): AgendaWatcher {
  const bodies = host.store.table<WebhookBody>("webhook-bodies")
  return {
    afterEntry: () => {
      const [first] = world.received
      const id = first?.headers["X-Service-Event-Id"] ?? ""
      const row = bodies.get(id)
      if (row !== null) bodies.put(id, { ...row, body: `${first?.body} ` })
    },
  }
}
