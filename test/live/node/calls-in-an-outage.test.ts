/** Calls whose results cannot be stored: an outage of the database is no fault, and one line in the log. */

import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Logger } from "effect"
import { expect, test } from "vitest"
import { makeOutgoingCalls } from "../../../src/live/calls/outgoing-calls.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import { succeeded } from "../../../src/engine/services/outbound/call-results.ts"
import { databaseFault } from "../../../src/engine/store/database.ts"
import { ConnectionLost } from "../../../src/engine/store/connection.ts"

const PERFORMER = {
  call: "open",
  leaseMs: 1_000,
  perform: ({ attempt }: { readonly attempt: number }) => Effect.succeed(succeeded(attempt)),
}

/** The faults and the log of three calls, of which all but the last have a result that is not stored. */
async function notStored(why: unknown) {
  const faults: string[] = []
  const lines: string[] = []
  let taken = 0
  const made = Effect.gen(function* () {
    const calls = yield* makeOutgoingCalls({
      observer: NO_OBSERVER,
      resultsWaitMs: 0,
      onFault: (fault) => Effect.sync(() => void faults.push(fault.message)),
      onRoom: () => undefined,
      takeResults: () => Effect.suspend(() => ((taken += 1) < 3 ? Effect.die(why) : Effect.void)),
    })
    calls.attach([PERFORMER])
    for (const attempt of [1, 2, 3]) {
      yield* calls.beginUnqueued([
        { actor: "res_1/open", call: PERFORMER.call, attempt, cause: ["res_1", 1, 0] },
      ])
      while (calls.inFlight > 0) yield* Effect.promise(() => nextTurn())
    }
  })
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  await Effect.runPromise(
    Effect.scoped(made).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger))),
  )
  expect(taken).toBe(3)
  return { faults, lines }
}

test("a database that is away is no fault of the program", async () => {
  expect(await notStored(databaseFault("a transaction", new ConnectionLost("lost")))).toEqual({
    faults: [],
    lines: ["the making of outbound calls failed", "the making of outbound calls works again"],
  })
})

test("any other reason is one", async () => {
  const { faults, lines } = await notStored(new Error("a rule is broken"))
  expect(faults).toEqual(Array.from({ length: 2 }, () => "a fiber died: a rule is broken"))
  expect(lines).toEqual([])
})
