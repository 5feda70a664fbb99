/**
 * The services in memory with each body of a transaction run twice, the first run rolled back: state that a body keeps
 * outside its transaction, such as a flag, is still set in the second run.
 */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { ActorHost } from "../../src/engine/services/host.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { memoryHarness } from "./memory.ts"
import { servicesContract } from "./services.ts"

servicesContract("memory, each body run twice", ({ policy = DEFAULT_POLICY } = {}) =>
  memoryHarness({ policy, rehearses: true }),
)

test("a body that keeps a flag outside its transaction answers otherwise when it is run twice", async () => {
  const answer = (rehearses: boolean): Promise<string> => {
    let hasRun = false
    const body = Effect.sync(() => {
      const said = hasRun ? "again" : "first"
      hasRun = true
      return said
    })
    return memoryHarness({ rehearses }).run(
      Effect.flatMap(ActorHost, (host) =>
        host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
      ),
    )
  }
  expect(await Promise.all([false, true].map(answer))).toEqual(["first", "again"])
})
