/** The player of courses where something fails: a fault of a service, an expectation that is not met, a node that has taken over. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { CoursePlayer } from "../../src/areas/clock/moves.ts"
import { ClockRows } from "../../src/areas/clock/rows.ts"
import type { ClockMove } from "../../src/areas/clock/rows.ts"
import type { Course, CourseStep } from "../../src/areas/courses/course.ts"
import { layerCoursePlayer } from "../../src/areas/courses/play.ts"
import { CourseRows } from "../../src/areas/courses/rows.ts"
import { DirectDelivery } from "../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { SANDBOX_SITE } from "../conformance/delivery-world.ts"
import { created, openShop } from "./shop.ts"
import type { Shop } from "./shop.ts"

const NODE = "node_1"

function step(act: CourseStep["act"]): CourseStep {
  return { says: "Something happens", at: null, act }
}

const ADVANCES = step({ do: "delivery.advance", to: null })
const GOES_OFFLINE = step({ do: "vehicle.go_offline" })
const GOES_ONLINE = step({ do: "vehicle.go_online" })
const REFUSES = step({ do: "webhook.answers", status: 503 })

function expects(status: string): CourseStep {
  return step({ do: "expect", fact: { of: "delivery", fields: { status } }, by: null })
}

function courseOf(steps: readonly CourseStep[]): Course {
  const about = { name: "a_test", title: "A test", about: "Something fails." }
  return { ...about, kind: "delivery", from: ["SCHEDULED"], handoff: null, startMs: 0, steps }
}

/** A move of a delivery's organization with a course of these steps, as a node has begun it. */
async function begun(shop: Shop, steps: readonly CourseStep[]): Promise<ClockMove> {
  await created(shop)
  const { api } = shop
  const atMs = api.now()
  const { organizationId } = api
  const move: ClockMove = {
    moveId: "move_1",
    organizationId,
    nodeId: NODE,
    status: "running",
    wasStanding: false,
    beforeOffsetMs: 0,
    fromMs: atMs,
    toMs: atMs,
    atMs,
    entries: 0,
    turns: 0,
    course: "a_test",
    startedAtMs: atMs,
    endedAtMs: null,
  }
  await api.run(
    Effect.gen(function* () {
      const row = yield* (yield* DeliveryRows).byExternalId(SANDBOX_SITE, "order-1")
      const clocks = yield* ClockRows
      const courses = yield* CourseRows
      const about = { moveId: "move_1", organizationId, subjectId: row?.deliveryId ?? "", isMade: false }
      const progress = { status: "running", step: 0, number: 0, scenarioMs: 0, baseMs: atMs } as const
      const run = { ...about, ...progress, course: courseOf(steps), refusal: null, startedAtMs: atMs }
      yield* (yield* ActorHost).run({
        name: "a test",
        locks: {},
        body: () => Routine.from(Effect.zipRight(clocks.insertMove(move), courses.insertRun(run))),
      })
    }),
  )
  return move
}

type Playing = (player: CoursePlayer["Type"]) => Effect.Effect<unknown>

/** With a player of its own; `withFault`: advances of deliveries die. */
function playing(shop: Shop, play: Playing, withFault = false): Promise<unknown> {
  const played = Effect.provide(Effect.flatMap(CoursePlayer, play), layerCoursePlayer)
  if (!withFault) return shop.api.run(played)
  return shop.api.run(
    Effect.flatMap(DirectDelivery, (direct) =>
      Effect.provideService(played, DirectDelivery, {
        ...direct,
        advance: () => Routine.dieMessage("the disk is gone"),
      }),
    ),
  )
}

/** At most as often as a course of these tests has turns. */
function toTheEnd(move: ClockMove): Playing {
  return (player) =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 10; turn += 1) if ((yield* player.play(move)).type === "over") return
      return yield* Effect.dieMessage("the course does not end")
    })
}

function ended({ api }: Shop) {
  return api.run(
    Effect.gen(function* () {
      const courses = yield* CourseRows
      const run = yield* courses.run("move_1")
      const steps = yield* courses.steps("move_1")
      const answer = yield* (yield* WebhookStore).answerFor(run?.subjectId ?? "")
      const vehicle = yield* (yield* VehicleRows).byId("veh_1")
      return {
        end: [run?.status, run?.refusal],
        steps: steps.map(({ outcome, code }) => (code === null ? outcome : `${outcome} ${code}`)),
        answer,
        isOnline: vehicle?.isOnline,
      }
    }),
  )
}

test("a fault of a step ends the course as failed; the vehicle and the receivers come back", async () => {
  const shop = await openShop("sandbox")
  const move = await begun(shop, [REFUSES, GOES_OFFLINE, ADVANCES, expects("ASSIGNED"), GOES_ONLINE])
  await playing(shop, toTheEnd(move), true)
  expect(await ended(shop)).toEqual({
    end: ["failed", "INTERNAL_ERROR"],
    steps: ["done", "done", "refused INTERNAL_ERROR", "not_run", "done"],
    answer: null,
    isOnline: true,
  })
})

test("an expectation that is not met ends the course as failed, after its last step", async () => {
  const shop = await openShop("sandbox")
  const move = await begun(shop, [expects("LOADED"), ADVANCES, expects("ASSIGNED")])
  await playing(shop, toTheEnd(move))
  expect(await ended(shop)).toMatchObject({
    end: ["failed", "EXPECTATION_NOT_MET"],
    steps: ["not_as_expected", "done", "as_expected"],
  })
})

test("a stop plays what restores something, and ends the course", async () => {
  const shop = await openShop("sandbox")
  const move = await begun(shop, [GOES_OFFLINE, REFUSES, ADVANCES, GOES_ONLINE])
  await playing(shop, ({ play, stop }) =>
    Effect.zipRight(Effect.zipRight(play(move), play(move)), stop(move)),
  )
  expect(await ended(shop)).toEqual({
    end: ["stopped", null],
    steps: ["done", "done", "not_run", "done"],
    answer: null,
    isOnline: true,
  })
})

test("a stop of a move that another node has taken over leaves the course to that node", async () => {
  const shop = await openShop("sandbox")
  const move = await begun(shop, [ADVANCES, GOES_ONLINE])
  await shop.api.run(
    Effect.flatMap(ClockRows, (rows) =>
      Effect.flatMap(ActorHost, (host) =>
        host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(rows.changeMove("move_1", { nodeId: "node_2" })),
        }),
      ),
    ),
  )
  await playing(shop, ({ stop }) => stop(move))
  expect(await ended(shop)).toMatchObject({ end: ["running", null], steps: [] })
})
