/**
 * Concurrent commands. A host in memory runs them one after another; a host that really runs them concurrently must
 * lock what each of them names. Every outcome here is valid for any order.
 */

import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import type { Refused } from "../../../src/model/values/errors.ts"
import type { ChangeWebhookRequest, CreateReservationRequest } from "../../../src/model/requests/requests.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../../src/model/webhook.ts"
import {
  HOOK,
  app,
  booked,
  booking,
  codeOf,
  handoffOf,
  holding,
  partner,
  reservationRows,
  reservations,
  runner,
  sandboxPartner,
  seen,
  subscribe,
  toldInShort,
  walk,
  webhooks,
} from "../harness.ts"
import type { MakeServicesHarness, ServiceTags, ServicesHarness } from "../harness.ts"

const OTHER = "https://other.partner.example/events"
const STALLS = ["stall_a", "stall_b", "stall_c"]

type Command<A> = Effect.Effect<A, Refused, ServiceTags>

/** Runs commands concurrently; returns each answer or refusal code, in the order of the commands. */
function atOnce<A>(
  h: ServicesHarness,
  commands: readonly Command<A>[],
): Promise<readonly Either.Either<A, string>[]> {
  const answers = commands.map((command) =>
    Effect.map(Effect.either(command), (answer) => Either.mapLeft(answer, (refusal) => refusal.code)),
  )
  return h.run(Effect.all(answers, { concurrency: "unbounded" }))
}

function codesOf(answers: readonly Either.Either<unknown, string>[]): readonly string[] {
  return answers.filter(Either.isLeft).map((answer) => answer.left)
}

function answersOf<A>(answers: readonly Either.Either<A, string>[]): readonly A[] {
  return answers.filter(Either.isRight).map((answer) => answer.right)
}

/** Open reservations of every stall that overlap the window, by their windows as they ended up. */
async function loadsIn(
  h: ServicesHarness,
  window: Pick<CreateReservationRequest, "arrival_window_start" | "arrival_window_end">,
): Promise<readonly number[]> {
  const { reservations: rows } = await h.run(reservations.list(partner, { limit: 100 }))
  const overlapping = rows.filter(
    (row) =>
      Date.parse(row.arrival_window_start) < window.arrival_window_end &&
      Date.parse(row.arrival_window_end) > window.arrival_window_start,
  )
  return STALLS.map((stall) => overlapping.filter((row) => row.stall_id === stall).length)
}

function unevenness(loads: readonly number[]): number {
  return Math.max(...loads) - Math.min(...loads)
}

export function concurrencyTests(make: MakeServicesHarness): void {
  describe("commands at the same time", () => {
    test("V7: bookings at once fill the stalls evenly", async () => {
      const h = make()
      const request = booking(h)
      const answers = await atOnce(
        h,
        Array.from({ length: 12 }, () => reservations.create(partner, request)),
      )
      expect(codesOf(answers)).toEqual([])
      expect(await loadsIn(h, request)).toEqual([4, 4, 4])
    })

    test("V7: bookings at once of windows that overlap in part leave no stall out", async () => {
      const h = make()
      const first = booking(h)
      const second = booking(h, { arrival_window_end: first.arrival_window_end + MINUTE_MS })
      const answers = await atOnce(
        h,
        Array.from({ length: 10 }, (_, at) => reservations.create(partner, at % 2 === 0 ? first : second)),
      )
      expect(codesOf(answers)).toEqual([])
      expect(unevenness(await loadsIn(h, first))).toBeLessThanOrEqual(1)
    })

    test.each(["into", "out of"] as const)(
      "V7: bookings at once with a window that moves %s theirs see it where it is",
      async (direction) => {
        const h = make()
        const request = booking(h)
        const { arrival_window_start, arrival_window_end } = request
        const here = { arrival_window_start, arrival_window_end }
        const away = {
          arrival_window_start: arrival_window_end + 30 * MINUTE_MS,
          arrival_window_end: arrival_window_end + 60 * MINUTE_MS,
        }
        // The first reservation of an empty zone gets the stall that wins ties, so every order of commands can end
        // evenly.
        const moving = await booked(h, direction === "into" ? away : here)
        const creations = Array.from({ length: 9 }, () => reservations.create(partner, request))
        const move = reservations.moveWindow(partner, moving, direction === "into" ? here : away)
        const answers = await atOnce<unknown>(h, [...creations.slice(0, 4), move, ...creations.slice(4)])
        expect(codesOf(answers)).toEqual([])
        const loads = await loadsIn(h, here)
        expect(loads.reduce((sum, load) => sum + load, 0)).toBe(direction === "into" ? 10 : 9)
        expect(unevenness(loads)).toBeLessThanOrEqual(1)
        expect(await loadsIn(h, away)).toEqual(direction === "into" ? [0, 0, 0] : [1, 0, 0])
      },
    )

    test("V9: of many requests at once with one key, one books and all answer it", async () => {
      const h = make()
      await subscribe(h)
      const request = booking(h)
      const answers = await atOnce(
        h,
        Array.from({ length: 8 }, () => reservations.create(partner, request, "key")),
      )
      expect(codesOf(answers)).toEqual([])
      expect(answersOf(answers).filter((one) => !one.isReplay)).toHaveLength(1)
      expect(new Set(answersOf(answers).map((one) => one.reservation.reservation_id)).size).toBe(1)
      expect((await h.run(reservations.list(partner, {}))).reservations).toHaveLength(1)
      expect(await toldInShort(h)).toEqual(["null > confirmed"])
    })

    test("V10: of two different requests at once with one key, one books and the other is refused", async () => {
      const h = make()
      const requests = [booking(h), booking(h, { order_number: "A-1002" })]
      const answers = await atOnce(
        h,
        requests.map((request) => reservations.create(partner, request, "key")),
      )
      expect(codesOf(answers)).toEqual(["IDEMPOTENCY_KEY_REUSED"])
      expect((await h.run(reservations.list(partner, {}))).reservations).toHaveLength(1)
    })

    test("E5: of twelve registrations at once ten make an endpoint", async () => {
      const h = make()
      const request = { url: HOOK, subscribed_events: EVENT_TYPES }
      const answers = await atOnce(
        h,
        Array.from({ length: 12 }, () => webhooks.register(partner, request)),
      )
      expect(codesOf(answers)).toEqual(["WEBHOOK_LIMIT_REACHED", "WEBHOOK_LIMIT_REACHED"])
      const list = await h.run(webhooks.list(partner))
      expect(list.map((one) => one.webhook_id).toSorted()).toEqual(
        answersOf(answers)
          .map((one) => one.webhook_id)
          .toSorted(),
      )
      expect(new Set(list.map((one) => one.webhook_id)).size).toBe(10)
    })

    test("V14: of many cancels at once one cancels; the others answer its reason and publish nothing", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const answers = await atOnce(
        h,
        [1, 2, 3, 4, 5, 6].map((count) => reservations.cancel(partner, id, `reason ${count}`)),
      )
      expect(codesOf(answers)).toEqual([])
      const { cancel_reason } = await seen(h, id)
      expect(cancel_reason).toMatch(/^reason [1-6]$/)
      expect(new Set(answersOf(answers).map((one) => one.cancel_reason))).toEqual(new Set([cancel_reason]))
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > canceled"])
    })

    test.each([
      ["ARRIVED", "DEPARTED"],
      ["DEPARTED", "ARRIVED"],
    ] as const)("T2: %s and %s at once tell every status once, in its order", async (one, other) => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const answers = await atOnce(
        h,
        [one, other].map((status) => reservations.reportBot(partner, id, { status })),
      )
      // Whether ARRIVED came in time or met a finished reservation is random; the published events are not.
      expect([[], ["INVALID_STATE"]]).toContainEqual(codesOf(answers))
      expect(await seen(h, id)).toMatchObject({ status: "completed", bot: { status: "DEPARTED" } })
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > arrived", "arrived > completed"])
    })

    test("T4: of reports at once each is kept, once, applied exactly where it was accepted", async () => {
      const h = make()
      const id = await booked(h)
      const statuses = ["SECURED", "INBOUND", "READY_FOR_HANDOFF", "ARRIVED"] as const
      const answers = await atOnce(
        h,
        statuses.map((status) => reservations.reportBot(partner, id, { status })),
      )
      expect(codesOf(answers).filter((code) => code !== "BOT_STATUS_REGRESSION")).toEqual([])
      const kept = await h.run(reservationRows.reports(id))
      expect(kept.map((one) => one.status).toSorted()).toEqual(statuses.toSorted())
      const accepted = statuses.filter((_, at) => Either.isRight(answers[at] ?? Either.left("none")))
      expect(
        kept
          .filter((one) => one.isApplied)
          .map((one) => one.status)
          .toSorted(),
      ).toEqual(accepted.toSorted())
      expect((await seen(h, id)).bot?.status).toBe("SECURED")
    })

    test("a cancel and a DEPARTED at once end the reservation one way, and the other is refused", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const answers = await atOnce<unknown>(h, [
        reservations.cancel(partner, id),
        reservations.reportBot(partner, id, { status: "DEPARTED" }),
      ])
      expect(codesOf(answers)).toEqual(["INVALID_STATE"])
      const endings = {
        canceled: ["null > confirmed", "confirmed > canceled"],
        completed: ["null > confirmed", "confirmed > arrived", "arrived > completed"],
      }
      const { status } = await seen(h, id)
      if (status !== "canceled" && status !== "completed") throw new Error(`it is still ${status}`)
      expect(await toldInShort(h)).toEqual(endings[status])
    })

    test("of many runners at once one is assigned", async () => {
      const h = make()
      const id = await booked(h)
      const answers = await atOnce(
        h,
        [1, 2, 3, 4, 5].map((count) => runner.assign(app, id, `run_${count}`)),
      )
      expect(answersOf(answers).map((one) => handoffOf(one).status)).toEqual(["ASSIGNED"])
      expect(new Set(codesOf(answers))).toEqual(new Set(["INVALID_STATE"]))
    })

    test("S1: of ten steps of the walk at once nine are taken, each once", async () => {
      const h = make()
      const id = await booked(h, {}, sandboxPartner)
      const answers = await atOnce(
        h,
        Array.from({ length: 10 }, () => walk.advance(sandboxPartner, id, {})),
      )
      expect(codesOf(answers)).toEqual(["INVALID_STATE"])
      const steps = answersOf(answers).map((one) => ("step" in one ? one.step : "none"))
      expect(new Set(steps)).toEqual(
        new Set([
          "runner_assigned",
          "runner_at_store",
          "order_in_hand",
          "bot_arrived",
          "runner_at_bot",
          "bot_ready",
          "runner_loaded",
          "bot_secured",
          "bot_departed",
        ]),
      )
      expect(steps).toHaveLength(9)
    })

    const manager = holding("webhooks:manage")
    const narrow = { subscribed_events: ["reservation.exception"] } as const
    const races: readonly [string, ChangeWebhookRequest, ChangeWebhookRequest][] = [
      ["url", { url: HOOK }, { url: OTHER }],
      ["subscribed_events", { subscribed_events: EVENT_TYPES }, narrow],
      ["is_active", { is_active: true }, { is_active: false }],
    ]
    const orders = races.flatMap(([field, back, change]) => [
      [field, "first", back, change] as const,
      [field, "last", back, change] as const,
    ])
    test.each(orders)(
      "E10: %s sent back unchanged, asked %s, never undoes another's change without reservations:read",
      async (_, place, back, change) => {
        const h = make()
        const { webhook_id: id } = await subscribe(h)
        const sentBack = Array.from({ length: 4 }, () => webhooks.change(manager, id, back))
        const changed = webhooks.change(partner, id, change)
        const answers = await atOnce(h, place === "first" ? [...sentBack, changed] : [changed, ...sentBack])
        expect(codesOf(answers).filter((code) => code !== "PERMISSION_DENIED")).toEqual([])
        expect(await h.run(webhooks.list(partner))).toMatchObject([change])
        expect(await codeOf(h, webhooks.change(manager, id, back))).toBe("PERMISSION_DENIED")
      },
    )

    test("E11: of rotations at once each gives a secret of its own, and one of them is in force", async () => {
      const h = make()
      const { webhook_id: id } = await subscribe(h)
      const answers = await atOnce(
        h,
        [1, 2, 3, 4].map(() => webhooks.change(partner, id, { rotate_secret: true })),
      )
      const secrets = answersOf(answers).map((one) => one.secret)
      expect(new Set(secrets).size).toBe(4)
      const [endpoint] = await h.run(webhooks.list(partner))
      expect(secrets.map((secret) => `…${secret.slice(-4)}`)).toContain(endpoint?.secret)
    })
  })
}
