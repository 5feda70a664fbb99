/** What the log has of the outbox and of the simulated fleet while the database is away. */

import { Effect, Layer, Logger, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { DeliveryOperations } from "../../../src/areas/direct-delivery/delivery-operations.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { Senders } from "../../../src/areas/messages/senders.ts"
import { layerSending } from "../../../src/areas/messages/sending.ts"
import { layerPlayedFleet } from "../../../src/live/demo/played-fleet.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

/** The lines of two minutes and a half. */
async function linesOf(working: Layer.Layer<never>): Promise<readonly string[]> {
  const lines: string[] = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const running = Effect.scoped(Effect.zipRight(Layer.build(working), TestClock.adjust(2.5 * MINUTE_MS)))
  await Effect.runPromise(
    running.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext),
    ),
  )
  return lines
}

const away = (): never => {
  throw new Error("the database is away")
}

/** A port of which the work needs one method alone. */
function port<Port>(methods: Partial<Port>): Port {
  return methods as Port
}

test("messages: one line, then one a minute", async () => {
  const needs = Layer.mergeAll(
    Layer.succeed(ActorHost, port<ActorHost["Type"]>({ run: () => Routine.sync(away) })),
    Layer.succeed(MessageRows, port<MessageRows["Type"]>({})),
    Layer.succeed(Senders, { mail: () => Effect.succeed({ type: "sent" }), sms: null }),
  )
  expect(await linesOf(layerSending.pipe(Layer.provide(needs)))).toEqual(
    Array.from({ length: 3 }, () => "sending messages failed"),
  )
})

test("the simulated fleet: the same", async () => {
  const needs = Layer.mergeAll(
    Layer.succeed(Vehicles, port<Vehicles["Type"]>({ activeRuns: () => Routine.sync(away) })),
    Layer.succeed(DeliveryOperations, port<DeliveryOperations["Type"]>({})),
  )
  expect(await linesOf(layerPlayedFleet(1).pipe(Layer.provide(needs)))).toEqual(
    Array.from({ length: 3 }, () => "the simulated fleet failed"),
  )
})
