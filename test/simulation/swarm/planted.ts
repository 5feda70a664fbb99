/**
 * Planted bugs of the swarm: for each invariant a program, a store or a host with one bug that breaks it. Most of those for the
 * invariants of all scenarios are in test/simulation/scenarios, each with a scenario of its own.
 */

import { Context } from "effect"
import { assign, emit } from "xstate"
import { bot } from "../../../machines/bot.ts"
import { compartment } from "../../../machines/compartment.ts"
import { courierOrder } from "../../../machines/courier-order.ts"
import { courierPayment } from "../../../machines/courier-payment.ts"
import { delivery } from "../../../machines/delivery.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { openLink } from "../../../machines/open-link.ts"
import { reservation } from "../../../machines/reservation.ts"
import { runnerCall } from "../../../machines/runner-call.ts"
import { runnerTask } from "../../../machines/runner-task.ts"
import { vehicle } from "../../../machines/vehicle.ts"
import { webhookDelivery } from "../../../machines/webhook-delivery.ts"
import { webhookEndpoint } from "../../../machines/webhook-endpoint.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import type { EntryBody, TurnInput } from "../../../src/engine/kernel/journal.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import type { TurnResult } from "../../../src/engine/kernel/turn.ts"
import { newUuid } from "../../../src/model/ids.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { publish } from "../../../src/model/verbs.ts"
import { decisions } from "../../../src/apps/composition/areas.ts"
import { Admission } from "../../../src/http/access/admission.ts"
import { MeasuredSites } from "../../../src/areas/analytics/sites.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DELIVERY_SITE_ID, FLEET_ID } from "../../../src/simulation/scenario/language/delivery-world.ts"
import { Reservations } from "../../../src/areas/reservations/reservations.ts"
import { RunnerCalls } from "../../../src/areas/runner-phones/runner-calls.ts"
import { bestVehicle } from "../../../src/areas/dispatch/assignment.ts"
import { start } from "../../../src/engine/services/actors.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import type { ReceivedRequest } from "../../../src/simulation/outside-world.ts"
import type { SimulatedService } from "../../../src/simulation/simulated-service.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT } from "../../../src/simulation/swarm/run.ts"
import type { PlanOptions } from "../../../src/simulation/swarm/run.ts"
import { liveProgram } from "../scenarios/live-scenarios.ts"
import { PLANTED_BUGS, aLoadThrows, planted, rewritten } from "../scenarios/planted-bugs.ts"
import { COURIER_BUGS } from "../scenarios/planted-courier-bugs.ts"
import { DELIVERY_BUGS } from "../scenarios/planted-delivery-bugs.ts"

export interface SwarmBug {
  readonly breaks: string
  readonly says: string
  readonly options: Pick<PlanOptions, "plant" | "program">
  /** Where the search begins, for a bug that shows late. */
  readonly firstSeed?: number
}

type Plant = (service: SimulatedService) => void

/** Turns as every check sees them, with one bug of the engine. */
function seeing(change: (result: TurnResult, input: TurnInput) => readonly [TurnResult, TurnInput]): Plant {
  return ({ host }) => {
    const onTurn = host.onTurn.bind(host)
    host.onTurn = (listener) => onTurn((result, input) => listener(...change(result, input)))
  }
}

/** The entry of every such turn with a part of its body changed. */
function writingEntries(change: (body: EntryBody) => object | null): Plant {
  return seeing((result, input) => {
    if (result.entry === null) return [result, input]
    const body = JSON.parse(result.entry.text) as EntryBody
    const part = change(body)
    if (part === null) return [result, input]
    return [{ ...result, entry: { ...result.entry, text: JSON.stringify({ ...body, ...part }) } }, input]
  })
}

type Row = Readonly<Record<string, unknown>>

/** Rows of a table as they are written, with one bug of the repository; null writes nothing. */
function writingRows(table: string, change: (row: Row, before: Row | null) => Row | null): Plant {
  return ({ host }) => {
    const rows = host.store.table<Row>(table)
    const put = rows.put.bind(rows)
    rows.put = (key, row) => {
      const changed = change(row, rows.get(key))
      if (changed !== null) put(key, changed)
    }
  }
}

/** Requests as the checks see them. */
function receiving(change: (request: ReceivedRequest, number: number) => readonly ReceivedRequest[]): Plant {
  return ({ world }) => {
    let count = 0
    const onReceived = world.onReceived.bind(world)
    world.onReceived = (listener) =>
      onReceived((request) => {
        count += 1
        for (const one of change(request, count)) listener(one)
      })
  }
}

function deciding(name: string, decide: (...args: never[]) => object): Program {
  return { ...liveProgram, decisions: { ...liveProgram.decisions, [name]: decide as never } }
}

function changedGroup(group: Group, change: (context: object) => object): Group {
  const actors = [...group.actors].map(([address, actor]) => {
    const { snapshot } = actor
    const changed = Object.assign(
      Object.create(Object.getPrototypeOf(snapshot)) as typeof snapshot,
      snapshot,
      {
        context: change(snapshot.context as object),
      },
    )
    return [address, { ...actor, snapshot: changed }] as const
  })
  return { ...group, actors: new Map(actors) }
}

/** The transitions of a state inside another. */
function tableOf(
  config: unknown,
  outer: string,
  inner: string,
): Readonly<Record<string, unknown>> | undefined {
  const { states } = config as { readonly states: Readonly<Record<string, unknown>> }
  const { states: within } = states[outer] as { readonly states: Readonly<Record<string, unknown>> }
  return (within[inner] as { readonly on?: Readonly<Record<string, unknown>> }).on
}

const later = (ms: number) => ({ delays: { "window and grace": ms } })

const OF_JOURNALS: readonly SwarmBug[] = [
  {
    breaks: "the entries of a group are numbered without a gap and chained by their hashes",
    says: "an entry is chained onto nothing",
    options: {
      plant: seeing((result, input) => [
        { ...result, entry: result.entry && { ...result.entry, hash: "0" } },
        input,
      ]),
    },
  },
  {
    breaks: "every message, timer and result comes from the step that asked for it",
    says: "a message names another entry as its cause",
    options: {
      plant: writingEntries(({ by, cause }) =>
        by === "message" && cause !== null ? { cause: [cause[0], cause[1] + 100, 0] } : null,
      ),
    },
  },
  {
    breaks: "every published event comes from a step of its own entry",
    says: "an event names the entry before its own",
    options: {
      plant: seeing((result, input) => [
        {
          ...result,
          emissions: result.emissions.map((one) => ({
            ...one,
            cause: [one.cause[0], one.cause[1] - 1, 0] as const,
          })),
        },
        input,
      ]),
    },
  },
  {
    breaks: "a message is taken exactly once",
    says: "a message stays in its mailbox after its turn",
    options: {
      plant: ({ host }) => {
        const onTurn = host.onTurn.bind(host)
        host.onTurn = (listener) =>
          onTurn((result, input) => {
            listener(result, input)
            if (input.by === "message") listener({ ...result, messages: [] }, input)
          })
      },
    },
  },
  {
    breaks: "a timer is taken once, as it was armed, and never before it is due",
    says: "a timer says a minute more than it was armed for",
    options: {
      plant: seeing((result, input) => [
        result,
        input.by === "timer" ? { ...input, atMs: input.atMs + MINUTE_MS } : input,
      ]),
    },
  },
  {
    breaks: "time never goes back in a group",
    says: "a timer's turn has the instant before its group's last",
    options: {
      plant: seeing((result, input) => [input.by === "timer" ? { ...result, instantMs: 0 } : result, input]),
    },
  },
  {
    breaks: "an actor that is done never changes",
    says: "an event changes a webhook's delivery that is done",
    options: {
      plant: writingEntries(({ steps }) =>
        steps.some(({ status, did }) => status === "done" && did === "ignored")
          ? { steps: steps.map((one) => ({ ...one, value: "sending" })) }
          : null,
      ),
    },
  },
  {
    breaks: "a refused command changes no actor and no timer",
    says: "a refusal drops the timers of its group",
    options: {
      plant: seeing((result, input) => [
        result.outcome.type === "refused"
          ? { ...result, group: { ...result.group, timers: new Map() } }
          : result,
        input,
      ]),
    },
  },
  {
    breaks: "no two turns of different entries share a nonce",
    says: "a host gives every turn the same nonce",
    options: { plant: seeing((result, input) => [{ ...result, nonce: "0".repeat(32) }, input]) },
  },
  {
    breaks: "the journal of a group replays to the same entries",
    says: "a host changes a group between two turns",
    options: {
      plant: ({ host }) => {
        const put = host.groups.put.bind(host.groups)
        host.groups.put = (group) =>
          put(
            group.address.startsWith("reservation/")
              ? changedGroup(group, (context) => ({ ...context, seen: true }))
              : group,
          )
      },
    },
  },
  {
    breaks: "no journal names a person, a number, an address, a link or a secret",
    says: "a machine keeps the name of the person who canceled",
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({
          actions: { "note who canceled": assign({ canceledBy: "Ada Example" as never }) },
        }),
      ),
    },
  },
  {
    breaks: "a turn starts and stops only actors of its own group",
    says: "a group holds an actor of another",
    options: {
      plant: seeing((result, input) => {
        const actors = new Map(result.group.actors)
        for (const [, actor] of result.group.actors) actors.set("vehicle/veh_other", actor)
        return [{ ...result, group: { ...result.group, actors } }, input]
      }),
    },
  },
]

const OF_ROWS: readonly SwarmBug[] = [
  {
    breaks: "the row of a reservation shows its machine's status and window",
    says: "a completed reservation is written as arrived",
    options: {
      plant: writingRows("reservations", (row) =>
        row["status"] === "completed" ? { ...row, status: "arrived" } : row,
      ),
    },
  },
  {
    breaks: "the row of a delivery shows its machine's status and vehicle",
    says: "a cancelled delivery is written as scheduled",
    options: {
      plant: writingRows("deliveries", (row) =>
        row["status"] === "CANCELLED" ? { ...row, status: "SCHEDULED" } : row,
      ),
    },
  },
  {
    breaks: "the row of an errand shows its machine's phase and the end of its hold",
    says: "the end of a hold is not written",
    options: { plant: writingRows("courier-orders", (row) => ({ ...row, holdEndsAtMs: null })) },
  },
  {
    breaks: "the row of a vehicle says online as its machine does",
    says: "a vehicle is written as online for ever",
    options: { plant: writingRows("vehicles", (row) => ({ ...row, isOnline: true })) },
  },
  {
    breaks: "the row of an endpoint shows its machine's failures",
    firstSeed: 11,
    says: "failures of an endpoint are not written",
    options: { plant: writingRows("webhook-endpoints", (row) => ({ ...row, consecutiveFailures: 0 })) },
  },
  {
    breaks: "what was booked of a reservation never changes",
    says: "an update writes another order number",
    options: {
      plant: writingRows("reservations", (row, before) =>
        before === null ? row : { ...row, orderNumber: "other" },
      ),
    },
  },
  {
    breaks: "a delivery keeps its customer, its place and its terms",
    says: "an update adds a cent to the fee",
    options: {
      plant: writingRows("deliveries", (row, before) =>
        before === null ? row : { ...row, feeCents: Number(row["feeCents"]) + 1 },
      ),
    },
  },
  {
    breaks: "an update never goes back in time",
    says: "an update has the time of the creation",
    options: {
      plant: writingRows("reservations", (row) =>
        row["status"] === "completed" ? { ...row, updatedAtMs: row["createdAtMs"] } : row,
      ),
    },
  },
]

const OF_RESERVATIONS: readonly SwarmBug[] = [
  {
    breaks: "a reservation's status moves as the contract's table says",
    says: "a completed reservation can be canceled",
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
    breaks: "a bot's status moves only forward, and ABORTED is final",
    firstSeed: 70,
    says: "a bot that is ready may have arrived only",
    options: {
      program: rewritten(
        "bot@1",
        bot,
        ["states", "underway", "states", "ready", "on", "bot.arrived"],
        tableOf(bot.config, "underway", "inbound")?.["bot.arrived"],
      ),
    },
  },
  {
    breaks: "a handoff moves only to a step that may come next",
    says: "a runner who is at the store carries the order at once",
    options: {
      program: rewritten(
        "runner-task@1",
        runnerTask,
        ["states", "open", "states", "assigned", "on", "runner.at_store"],
        { target: "retrieved" },
      ),
    },
  },
  {
    breaks: "a reservation keeps its stall, zone and retailer",
    says: "a moved window takes another stall",
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({ actions: { "move the window": assign({ stallId: "stall_other" }) } }),
      ),
    },
  },
  {
    breaks: "the window moves only before the bot arrives",
    says: "the window of an arrived reservation can be moved",
    options: {
      program: rewritten(
        "reservation@1",
        reservation,
        ["states", "open", "states", "arrived", "on", "window.moved"],
        tableOf(reservation.config, "open", "confirmed")?.["window.moved"],
      ),
    },
  },
  {
    breaks: "no part of a finished reservation is still open",
    says: "a finished reservation sends no event to its parts",
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({ actions: { "tell the parts that it ended": assign({}) } }),
      ),
    },
  },
  {
    breaks: "milestones come in the order of a handoff, each once but the last",
    says: "every milestone is the second",
    options: {
      program: planted(
        "runner-task@1",
        runnerTask.provide({
          actions: {
            "announce the milestone": emit(
              publish("reservation.handoff_updated", { milestone: "order_in_hand" }),
            ),
          },
        }),
      ),
    },
  },
  {
    breaks: "a failed handoff published the exception that ended it",
    firstSeed: 38,
    says: "an order that does not fit ends the task in silence",
    options: {
      program: planted(
        "runner-task@1",
        runnerTask.provide({ actions: { "announce: the payload was rejected": assign({}) } }),
      ),
    },
  },
  {
    breaks: "bot_no_show by the clock comes after the whole wait at the bot",
    says: "the wait at the bot is cut to a minute",
    options: { program: planted("runner-task@1", runnerTask.provide({ delays: { "bot wait": MINUTE_MS } })) },
  },
  {
    breaks: "a runner gives up by the clock only after the window's end",
    says: "the runner gives up a minute after the arrival at the store",
    options: {
      program: planted("runner-task@1", runnerTask.provide({ delays: { "end of the window": MINUTE_MS } })),
    },
  },
  {
    breaks: "an open link is called at most as often as its policy allows",
    firstSeed: 68,
    says: "an open link has one attempt more",
    options: {
      program: planted(
        "open-link@2",
        openLink.provide({
          guards: {
            "attempts are used up": ({ context }) => context.attempt > context.attemptsMax,
            "it fails the last attempt": ({ context, event }) =>
              "attempt" in event &&
              event.attempt === context.attempt &&
              context.attempt > context.attemptsMax,
          },
        }),
      ),
    },
  },
  {
    breaks: "a window that ends completes what is loaded and cancels what is not",
    says: "the end of the window completes everything",
    options: {
      program: planted(
        "reservation@1",
        reservation.provide({ guards: { "the order is loaded": () => true } }),
      ),
    },
  },
  {
    breaks: "an idempotency key names one reservation",
    says: "every reservation is written under one key",
    options: { plant: writingRows("reservations", (row) => ({ ...row, idempotencyKey: "one" })) },
  },
  {
    breaks: "a reservation stands at an active stall of its zone",
    says: "a stall is made up",
    options: {
      program: deciding("book@1", (...[facts, asked, atMs]: Parameters<(typeof decisions)["book@1"]>) => {
        const decided = decisions["book@1"](facts, asked, atMs)
        return "refusal" in decided ? decided : { stallId: "stall_none" }
      }),
    },
  },
  {
    breaks: "a load is recorded once, with a photo or without",
    says: "a photo that lands later is the time of the load",
    options: {
      program: planted(
        "runner-task@1",
        runnerTask.provide({
          actions: {
            "add the photo": assign(({ event }) =>
              event.type === "load.recorded"
                ? { photoId: event.photoId, isPhotoSkipped: false, completedAtMs: event.atMs }
                : {},
            ),
          },
        }),
      ),
    },
  },
  {
    breaks: "no more open links are started than a handoff may use",
    says: "an open link that opened counts twice",
    options: {
      program: planted(
        "runner-task@1",
        runnerTask.provide({
          actions: { "note that it opened": assign({ openLinks: ({ context }) => context.openLinks + 1 }) },
        }),
      ),
    },
  },
]

function promoteExpired({ quote, ...pool }: Facts<"promote@3">) {
  const chosen = quote === null || !quote.isAvailable ? null : bestVehicle(pool)
  return chosen === null ? { refusal: "QUOTE_UNAVAILABLE" } : { vehicleId: chosen.vehicleId }
}

const OF_DELIVERIES: readonly SwarmBug[] = [
  {
    breaks: "a delivery starts from a live and available quote, with its terms",
    firstSeed: 11,
    says: "a quote that has run out is honoured",
    options: { program: deciding("promote@3", promoteExpired) },
  },
  {
    breaks: "an external id names one delivery",
    says: "every delivery is written under one external id",
    options: { plant: writingRows("deliveries", (row) => ({ ...row, externalDeliveryId: "one" })) },
  },
  {
    breaks: "a vehicle has at most one active run and one behind it",
    firstSeed: 429,
    says: "a live quote is honoured beyond the places",
    options: { program: deciding("promote@3", promoteExpired) },
  },
  {
    breaks: "no delivery is a run of two vehicles",
    says: "a vehicle queues a run that it carries out already",
    options: {
      program: planted(
        "vehicle@1",
        vehicle.provide({
          actions: {
            "take the run": assign(({ event }) =>
              event.type === "run.offered"
                ? { activeId: event.deliveryId, queuedIds: [event.deliveryId] }
                : {},
            ),
          },
        }),
      ),
    },
  },
  {
    breaks: "vehicle and delivery name each other when no message is under way",
    says: "the vehicle gets no event when its run is over",
    options: {
      program: planted(
        "delivery@1",
        delivery.provide({ actions: { "tell the vehicle that the run is over": assign({}) } }),
      ),
    },
  },
  {
    breaks: "a completed delivery of production is charged once, and no other is",
    says: "charges are not written",
    options: { plant: writingRows("charges", () => null) },
  },
  {
    breaks: "an ended delivery says when it ended, and only then",
    says: "the completion is not noted",
    options: {
      program: planted("delivery@1", delivery.provide({ actions: { "note the completion": assign({}) } })),
    },
  },
  {
    breaks: "the sandbox sends no text to a customer",
    says: "a text of the sandbox waits to be sent",
    options: { plant: writingRows("messages", (row) => ({ ...row, status: "pending" })) },
  },
  {
    breaks: "a customer gets each notice once",
    says: "a notice is written again under another id",
    options: {
      plant: ({ host }) => {
        const rows = host.store.table<Row>("messages")
        const put = rows.put.bind(rows)
        rows.put = (key, row) => {
          put(key, row)
          put(`${key} again`, { ...row, messageId: `${String(row["messageId"])} again` })
        }
      },
    },
  },
  {
    breaks: "a compartment is opened only at the customer's door",
    firstSeed: 28,
    says: "a compartment opens wherever its vehicle is",
    options: {
      program: planted(
        "compartment@1",
        compartment.provide({ guards: { "the vehicle is not at the door": () => false } }),
      ),
      // The call looks at the row once more.
      plant: writingRows("deliveries", (row) =>
        row["status"] === "ASSIGNED" ? { ...row, status: "ARRIVED_AT_CUSTOMER" } : row,
      ),
    },
  },
  {
    breaks: "a vehicle carries out its runs in the order in which they came",
    says: "the run behind the active one is forgotten",
    options: {
      program: planted(
        "vehicle@1",
        vehicle.provide({
          actions: {
            "promote the queued run": assign({ activeId: null, queuedIds: [], atStoreSinceMs: null }),
          },
        }),
      ),
    },
  },
]

/** The processor's books as they are written. */
function writingBooks(change: (state: string) => string): Plant {
  return ({ world }) => {
    const { books } = world.processor
    const set = books.set.bind(books)
    books.set = (id, kept) => set(id, { ...kept, state: change(kept.state) as never })
  }
}

const OF_ERRANDS: readonly SwarmBug[] = [
  {
    breaks: "an errand moves only to a state that may come next",
    firstSeed: 65,
    says: "a cancel after a lapsed hold ends the quote only",
    options: {
      program: rewritten(
        "courier-order@1",
        courierOrder,
        ["states", "open", "states", "lapsed", "on", "cancel.requested"],
        "expired",
      ),
    },
  },
  {
    breaks: "a hold ends fifteen minutes after it was taken, or ten more after a failed payment",
    says: "a hold lasts sixteen minutes",
    options: { program: holding(16 * MINUTE_MS) },
  },
  {
    breaks: "no hold reaches beyond the pickup horizon",
    says: "a hold lasts two hours",
    options: { program: holding(2 * HOUR_MS) },
  },
  {
    breaks: "a quote lasts until thirty minutes after its hold, and never gets shorter",
    says: "a hold does not lengthen the quote",
    options: {
      program: planted(
        "courier-order@1",
        courierOrder.provide({
          actions: {
            "take the hold": assign({
              holdEndsAtMs: ({ event, context }) => event.atMs + context.policy.holdMs,
            }),
          },
        }),
      ),
    },
  },
  {
    breaks: "what was authorized is captured, given back or still open, and nothing else",
    says: "a capture is written down as a refund",
    options: { plant: writingBooks((state) => (state === "captured" ? "refunded" : state)) },
  },
  {
    breaks: "an errand has at most one fee authorized or taken",
    says: "the processor authorizes every credential twice",
    options: {
      plant: ({ world }) => {
        const { books } = world.processor
        const set = books.set.bind(books)
        books.set = (id, kept) => {
          set(`${id} again`, kept)
          return set(id, kept)
        }
      },
    },
  },
  {
    breaks: "no fee is taken before the errand's order was reported",
    says: "an authorization takes the fee at once",
    options: { plant: writingBooks((state) => (state === "authorized" ? "captured" : state)) },
  },
  {
    breaks: "a booked errand is one delivery, and no other errand is",
    says: "a booking starts no delivery",
    options: {
      program: planted(
        "courier-order@1",
        courierOrder.provide({ actions: { "start the delivery": assign({}) } }),
      ),
    },
  },
  {
    breaks: "an ended errand says when it ended and why",
    says: "the end of an errand is not noted",
    options: {
      program: planted("courier-order@1", courierOrder.provide({ actions: { "note the end": assign({}) } })),
    },
  },
  {
    breaks: "holds and runs never take more places than the fleet has",
    says: "a vehicle is held although none is free",
    options: {
      program: deciding("reserve-errand@2", (facts: { readonly isTimely: boolean }) =>
        facts.isTimely ? {} : { refusal: "TIMING_NOT_FEASIBLE" },
      ),
    },
  },
  {
    breaks: "a fee that the processor did not give back is known as owed",
    firstSeed: 301,
    says: "the last failure to release a fee counts as a release",
    options: {
      program: rewritten("courier-payment@1", courierPayment, ["states", "unvoided"], {
        always: "#courier-payment.voided",
      }),
    },
  },
  {
    breaks: "only a failed, cancelled or declined errand gives its fee back",
    says: "a captured fee goes back at once",
    options: {
      program: rewritten(
        "courier-payment@1",
        courierPayment,
        ["states", "capturing", "states", "calling", "on", "call.succeeded"],
        "#courier-payment.refunding",
      ),
    },
  },
]

function holding(ms: number): Program {
  return planted(
    "courier-order@1",
    courierOrder.provide({
      actions: {
        "take the hold": assign({
          holdEndsAtMs: ({ event }) => event.atMs + ms,
          quoteEndsAtMs: ({ event }) => event.atMs + ms + HOUR_MS,
        }),
      },
    }),
  )
}

const OF_WEBHOOKS: readonly SwarmBug[] = [
  {
    breaks: "every webhook is accepted, or uses up its attempts, or its endpoint was switched off",
    says: "an attempt that failed counts as delivered",
    options: {
      program: rewritten(
        "webhook-delivery@2",
        webhookDelivery,
        ["states", "sending", "on", "call.failed"],
        "delivered",
      ),
    },
  },
  {
    breaks: "an event is queued for exactly the active endpoints that listen to it",
    says: "a delivery of an event is not written",
    options: { plant: writingRows("webhook-deliveries", () => null) },
  },
  {
    breaks: "attempts of a webhook are as far apart as the contract says",
    says: "every pause lasts a second",
    options: {
      program: planted(
        "webhook-delivery@2",
        webhookDelivery.provide({ delays: { "pause before the next attempt": 1_000 } }),
      ),
    },
  },
  {
    breaks: "every webhook is signed with a secret that its endpoint has or had",
    says: "a signature is made of another body",
    options: { plant: receiving((request) => [{ ...request, body: `${request.body} ` }]) },
  },
  {
    breaks: "one event has one id and one body at every endpoint",
    says: "every request has a body of its own",
    options: {
      plant: receiving((request, number) => [
        { ...request, body: JSON.stringify({ ...(JSON.parse(request.body) as object), number }) },
      ]),
    },
  },
  {
    breaks: "a webhook leaves only while its delivery is sending",
    says: "a request leaves again when another one does",
    options: {
      plant: ({ world }) => {
        const sent: ReceivedRequest[] = []
        receiving((request) => {
          sent.push(request)
          return [request, sent[0] ?? request]
        })({ world } as SimulatedService)
      },
    },
  },
  {
    breaks: "events of one subject are ordered by occurred_at and event_id",
    says: "an event says a microsecond more than it occurred at",
    options: {
      plant: writingRows("webhook-bodies", (row) => ({
        ...row,
        body: String(row["body"]).replace(/(\.\d{5})\dZ/, "$19Z"),
      })),
    },
  },
  {
    breaks: "no webhook contains a secret",
    says: "a body shows the endpoint's secret",
    options: {
      plant: receiving((request) => [
        { ...request, body: request.body.replace("{", '{"secret":"whsec_1",') },
      ]),
    },
  },
  {
    breaks: "an endpoint is disabled by its owner, or after fifty failures in a row",
    says: "three failures disable an endpoint",
    options: {
      program: planted(
        "webhook-endpoint@1",
        webhookEndpoint.provide({
          guards: { "it is one failure too many": ({ context }) => context.consecutiveFailures >= 2 },
        }),
      ),
    },
  },
]

const OF_CONTRACTS: readonly SwarmBug[] = [
  {
    breaks: "every answer about a reservation is one that its contract allows",
    firstSeed: 87,
    says: "a bot that is ready may have arrived only",
    options: {
      program: rewritten("bot@1", bot, ["states", "underway", "states", "ready", "on", "bot.arrived"], {
        actions: "take the repeat",
      }),
    },
  },
  {
    breaks: "every answer about a delivery is one that its contract allows",
    says: "a cancelled delivery refuses another cancel",
    options: {
      program: rewritten("delivery@1", delivery, ["states", "cancelled", "on", "cancel.requested"], {
        actions: "refuse in this state",
      }),
    },
  },
  {
    breaks: "every answer about an errand is one that its contract allows",
    says: "an errand without a hold can be paid",
    options: {
      program: rewritten(
        "courier-order@1",
        courierOrder,
        ["states", "open", "states", "quoted", "on", "confirm.requested"],
        {
          actions: "answer that the payment failed",
        },
      ),
    },
  },
  {
    breaks: "a call under one key has one answer",
    says: "answers are not kept",
    options: { plant: writingRows("courier-claims", () => null) },
  },
  {
    breaks: "no user reaches another user's errand",
    says: "every errand is written as Ada's",
    options: { plant: writingRows("courier-orders", (row) => ({ ...row, userId: "usr_ada" })) },
  },
]

/** The group with every actor on another machine. */
function onOtherMachine(group: Group): Group {
  return {
    ...group,
    actors: new Map(
      [...group.actors].map(([address, actor]) => [address, { ...actor, machine: "another@9" }]),
    ),
  }
}

const OF_MACHINES: readonly SwarmBug[] = [
  {
    breaks: "no more messages wait in a mailbox than it holds",
    firstSeed: 92,
    says: "what waits in a mailbox is not counted",
    options: {
      plant: ({ host }) => {
        host.groups.messagesFor = () => []
      },
    },
  },
  {
    breaks: "nothing leaves while calls are held after a restore",
    firstSeed: 129,
    says: "the hold on calls is not looked at",
    options: {
      plant: ({ host }) => {
        Object.defineProperty(host, "areCallsHeld", { value: false })
      },
    },
  },
  {
    breaks: "an actor keeps the version of the machine that it started with",
    says: "a second turn goes to another machine",
    options: {
      plant: seeing((result, input) =>
        result.entry === null || result.entry.revision < 2
          ? [result, input]
          : [{ ...result, group: onOtherMachine(result.group) }, input],
      ),
    },
  },
  {
    breaks: "an id of a webhook names one body, whatever was restored",
    firstSeed: 227,
    says: "the ids of events come from the backup again",
    options: {
      plant: ({ host }) => {
        const restoreBackup = host.restoreBackup.bind(host)
        host.restoreBackup = (backup, heldUntilMs) => {
          restoreBackup(backup, heldUntilMs)
          host.streams.restore(backup.content.streams)
        }
      },
    },
  },
]

const OF_RUNS: readonly SwarmBug[] = [
  {
    breaks: EVERYTHING_ENDS,
    says: "the clock of the window runs out in a year",
    options: { program: planted("reservation@1", reservation.provide(later(365 * DAY_MS))) },
  },
  { breaks: NO_ENGINE_FAULT, says: "recording a load throws", options: { program: aLoadThrows } },
]

/** Bugs of scenarios that the swarm does not look for: three need names, commands or a policy of their own scenario, the others show late, and their invariant has another. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "a cancelled delivery can be advanced",
  "a vehicle that could take a near door on its trip is passed over",
  "the vehicle with the most runs is taken",
  "the end of a task does not drop its open link",
  "the clock of the window never runs out, and the bot leaves hours later",
])

/** Where bugs that show late show first. */
const FIRST_SEEDS: Readonly<Record<string, number>> = {
  "a vehicle that comes back to the store takes the delivery back": 71,
  "a live quote is honoured beyond the places": 247,
  "the vehicle gets no event when its run is over": 51,
}

const OF_SCENARIOS: readonly SwarmBug[] = [
  ...[...PLANTED_BUGS, ...DELIVERY_BUGS, ...COURIER_BUGS].flatMap(({ says, breaks, options: { program } }) =>
    program === undefined || LEFT_OUT.has(says)
      ? []
      : [{ says, breaks, options: { program }, firstSeed: FIRST_SEEDS[says] ?? 1 }],
  ),
  {
    breaks: "occurred_at strictly increases within a reservation",
    says: "the clock of events has whole minutes",
    options: {
      plant: seeing((result, input) => {
        const emissions = result.emissions.map((one) => ({
          ...one,
          occurredUs: one.occurredUs - (one.occurredUs % (MINUTE_MS * 1000)),
        }))
        return [{ ...result, emissions }, input]
      }),
    },
  },
  {
    breaks: "the snapshot in an event equals the state at that moment",
    says: "an event is written down with the status before it",
    options: {
      plant: writingRows("webhook-bodies", (row) => ({
        ...row,
        body: String(row["body"]).replace('"status":"completed"', '"status":"confirmed"'),
      })),
    },
  },
  {
    breaks: "every attempt of a delivery sends the same bytes",
    says: "every second request ends with a space",
    options: {
      plant: receiving((request, number) => [
        number % 2 === 0 ? { ...request, body: `${request.body} ` } : request,
      ]),
    },
  },
  {
    breaks: "no run waits behind others while an online vehicle has a free place",
    says: "one vehicle gets all runs",
    options: {
      program: deciding("promote@3", (...args: Parameters<(typeof decisions)["promote@3"]>) => {
        const decided = decisions["promote@3"](...args)
        return "refusal" in decided ? decided : { vehicleId: "veh_van-0" }
      }),
    },
  },
]

const OF_STRANGERS: readonly SwarmBug[] = [
  {
    breaks: "no partner reaches another partner's reservation or delivery",
    says: "a reservation is written as the other partner's",
    options: { plant: writingRows("reservations", (row) => ({ ...row, organizationId: "org_rival" })) },
  },
  {
    breaks: "a key that is revoked, expired or unknown opens nothing",
    says: "the end of a key is not written",
    options: {
      plant: writingRows("api-keys", (row) => ({ ...row, expiresAtMs: null, revokedAtMs: null })),
    },
  },
]

type Judge = Admission["Type"]["judge"]

/** The admission of calls, with one bug. */
function admitting(change: (judge: Judge, host: SimulatedService["host"]) => Judge): Plant {
  return ({ runtime, host }) => {
    const admission: { judge: Judge } = Context.get(runtime.context, Admission)
    admission.judge = change(admission.judge, host)
  }
}

const OF_LIMITS: readonly SwarmBug[] = [
  {
    breaks:
      "a call is refused for its rate exactly when its minute is used up, and says when the next begins",
    says: "calls are taken from another budget",
    options: { plant: admitting((judge) => (arrival) => judge({ ...arrival, budget: "analytics" })) },
  },
  {
    breaks:
      "a call is refused for its rate exactly when its minute is used up, and says when the next begins",
    says: "the next minute begins a second late",
    options: {
      plant: admitting(
        (judge) => (arrival) =>
          Routine.map(judge(arrival), (verdict) =>
            verdict.type === "admitted" || verdict.budget === null
              ? verdict
              : {
                  ...verdict,
                  budget: { ...verdict.budget, resetSeconds: verdict.budget.resetSeconds + 1 },
                },
          ),
      ),
    },
  },
  {
    breaks: "a call that was turned away has changed nothing",
    says: "runners are called about every call that is turned away",
    options: {
      plant: admitting((judge, { port }) =>
        Routine.fn(function* (arrival) {
          const verdict = yield* judge(arrival)
          if (verdict.type === "admitted") return verdict
          const nonce = yield* port.nonce
          const { environment } = arrival
          const input = { siteId: "site", reservationId: null, ringMs: MINUTE_MS }
          yield* port.run({
            name: "call runners",
            locks: {},
            body: () =>
              start("runner-call@1", {
                to: `runner-call/${newUuid(nonce, "call to runners")}`,
                input,
                environment,
                organizationId: null,
                nonce,
              }),
          })
          return verdict
        }),
      ),
    },
  },
]

/** Phones whose sessions end at another time. */
function endingPhones(endsAtMs: (row: Row, before: Row | null) => unknown): Plant {
  return writingRows("runner-phones", (row, before) => ({ ...row, endsAtMs: endsAtMs(row, before) }))
}

const neverSignedOut = endingPhones((row, before) => before?.["endsAtMs"] ?? row["endsAtMs"])

const OF_PEOPLE: readonly SwarmBug[] = [
  {
    breaks: "people outside of their shift do nothing, and are asked to sign in",
    says: "the end of a phone's session is not written",
    options: { plant: neverSignedOut },
  },
  {
    breaks: "people on their shift are not asked to sign in",
    says: "a phone is signed out after five minutes",
    options: { plant: endingPhones((row) => Number(row["pairedAtMs"]) + 5 * MINUTE_MS) },
  },
  {
    breaks: "a task is taken only by a runner who is on shift at its site",
    says: "the end of a phone's session is not written",
    options: { plant: neverSignedOut },
  },
  {
    breaks: "a phone moves only the tasks of its runner",
    says: "every task is written as Ben's",
    options: {
      program: planted(
        "runner-task@1",
        runnerTask.provide({ actions: { "note the runner": assign({ runnerId: "ben" }) } }),
      ),
    },
  },
  {
    breaks: "a call to runners belongs to the first who answers, and to no other",
    firstSeed: 159,
    says: "every runner who answers has the call",
    options: {
      program: rewritten("runner-call@1", runnerCall, ["states", "answered", "on", "runner.answered"], {
        actions: "note who answered",
      }),
    },
  },
  {
    breaks: "an operator does what the role allows, at the sites of the operator, and nothing else",
    firstSeed: 22,
    says: "every operator is written as an administrator",
    options: { plant: writingRows("operator-tokens", (row) => ({ ...row, role: "admin" })) },
  },
]

/** Analytics with another time zone for every site. */
const countedInUtc: Plant = ({ runtime }) => {
  const sites: { site: MeasuredSites["Type"]["site"] } = Context.get(runtime.context, MeasuredSites)
  const { site } = sites
  sites.site = (scope, siteId) =>
    Routine.map(site(scope, siteId), (found) => found && { ...found, timezone: "UTC" })
}

/** Phones that answer calls to the runners of every site. */
const answeringEverywhere: Plant = ({ runtime, host }) => {
  const calls: { answer: RunnerCalls["Type"]["answer"] } = Context.get(runtime.context, RunnerCalls)
  const { answer } = calls
  const rows = host.store.table<{ readonly siteId: string }>("runner-calls")
  calls.answer = (phone, callId) => answer({ ...phone, siteId: rows.get(callId)?.siteId ?? "" }, callId)
}

/** Reads that find an order by its number at the first store, whatever the store of the call. */
const readingAtOneStore: Plant = ({ runtime }) => {
  const deliveries: { read: DirectDelivery["Type"]["read"] } = Context.get(runtime.context, DirectDelivery)
  const { read } = deliveries
  deliveries.read = (caller, _site, externalId) => read(caller, DELIVERY_SITE_ID, externalId)
}

/** Every store has the price of the first. */
const onePrice: Plant = ({ host }) => {
  const rows = host.store.table<Row>("sites")
  for (const key of rows.keys()) {
    const row = rows.get(key)
    if (row !== null) rows.put(key, { ...row, priceCents: row["priceCents"] === null ? null : 799 })
  }
}

/** Only a plan with stores at several sites shows them. */
const OF_STORES: readonly SwarmBug[] = [
  {
    breaks: "a vehicle carries orders only of the stores that its fleet serves",
    says: "vehicles of every fleet are written into the first one",
    options: { plant: writingRows("vehicles", (row) => ({ ...row, fleetId: FLEET_ID })) },
  },
  {
    breaks: "a compartment is opened by the fleet that carries its order",
    firstSeed: 430,
    says: "every fleet is asked at the URL of the first one",
    options: {
      plant: writingRows("fleet-settings", (row) => ({ ...row, openUrl: "https://fleet.example/open" })),
    },
  },
  {
    breaks: "every answer about a delivery is one that its contract allows",
    firstSeed: 36,
    says: "an order is found by its number alone, whatever the store",
    options: { plant: readingAtOneStore },
  },
  {
    breaks: "every answer about a delivery is one that its contract allows",
    says: "every store has the price of the first",
    options: { plant: onePrice },
  },
]

const OF_SITES: readonly SwarmBug[] = [
  ...OF_STORES,
  {
    breaks: "a booking is kept at the site that it names",
    firstSeed: 36,
    says: "bookings of one site are written to another",
    options: {
      plant: writingRows("reservations", (row) =>
        row["zoneId"] === "zone_site_east" ? { ...row, zoneId: "zone_site_south" } : row,
      ),
    },
  },
  {
    breaks: "a booking is kept at the site that it names",
    says: "a stall is that of another site with the same label",
    options: {
      plant: writingRows("reservations", (row) => ({
        ...row,
        stallId: String(row["stallId"]).replace("stall_site_south", "stall_scenario"),
      })),
    },
  },
  {
    breaks: "people reach what is at their sites, and nothing of another site",
    says: "every operator is written as one of all sites",
    options: { plant: writingRows("operator-tokens", (row) => ({ ...row, siteIds: null })) },
  },
  {
    breaks: "people reach what is at their sites, and nothing of another site",
    says: "phones of a further site are paired with the first one",
    options: {
      plant: writingRows("runner-phones", (row) => ({
        ...row,
        siteId: String(row["siteId"]).replace(
          /^5ce4a210-0000-4000-8000-0{11}[23]$/,
          "d0a1b2c3-0000-4000-8000-00000000d001",
        ),
      })),
    },
  },
  {
    breaks: "people reach what is at their sites, and nothing of another site",
    firstSeed: 302,
    says: "a phone answers calls of every site",
    options: { plant: answeringEverywhere },
  },
  {
    breaks: "a stay is counted at the site of its stall",
    says: "stays at a further site are written to another",
    options: {
      plant: writingRows("stall-sessions", (row) => ({
        ...row,
        siteId: String(row["siteId"]).replace(/000000000002$/, "000000000001"),
      })),
    },
  },
  {
    breaks: "the days of a site's figures are those of its own time zone",
    says: "days are counted in UTC",
    options: { plant: countedInUtc },
  },
]

/** A service that answers a cancellation and cancels nothing. */
const cancelingNothing: Plant = ({ runtime }) => {
  const reservations: { cancel: Reservations["Type"]["cancel"] } = Context.get(runtime.context, Reservations)
  const { read } = Context.get(runtime.context, Reservations)
  reservations.cancel = (caller, id) => read(caller, id)
}

const OF_COMMANDS: readonly SwarmBug[] = [
  {
    breaks: "every accepted command has its entry, its own or that of the call that it repeats",
    says: "a cancellation is answered and nothing is canceled",
    options: { plant: cancelingNothing },
  },
  {
    breaks: "every accepted command has its entry, its own or that of the call that it repeats",
    says: "entries name another request than the one that asked",
    options: {
      plant: seeing((result, input) => {
        const { entry } = result
        if (entry?.requester === undefined) return [result, input]
        const requester = { ...entry.requester, request: entry.hash }
        return [{ ...result, entry: { ...entry, requester } }, input]
      }),
    },
  },
]

export const SWARM_BUGS: readonly SwarmBug[] = [
  ...OF_SCENARIOS,
  ...OF_JOURNALS,
  ...OF_COMMANDS,
  ...OF_ROWS,
  ...OF_RESERVATIONS,
  ...OF_DELIVERIES,
  ...OF_ERRANDS,
  ...OF_WEBHOOKS,
  ...OF_CONTRACTS,
  ...OF_MACHINES,
  ...OF_RUNS,
  ...OF_STRANGERS,
  ...OF_LIMITS,
  ...OF_PEOPLE,
  ...OF_SITES,
]
