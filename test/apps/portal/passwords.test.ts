/** Hashing of passwords: how many at once, and that strangers at the portal delay no operator. */

import { readFile } from "node:fs/promises"
import { Context, Effect, Either, Fiber, Layer, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { layerArgon2 } from "../../../src/live/gateways/argon2.ts"
import { Passwords } from "../../../src/apps/portal/people/passwords.ts"
import { PASSWORDS_AT_ONCE_MAX, PASSWORDS_WAITING_MAX } from "../../../src/model/values/limits.ts"

let portal: Passwords["Type"]
let operators: Passwords["Type"]

beforeAll(async () => {
  const made = (atOnceMax: number): Promise<Passwords["Type"]> =>
    Effect.runPromise(
      Effect.flatMap(Scope.make(), (scope) => Layer.buildWithScope(layerArgon2(atOnceMax), scope)).pipe(
        Effect.map((context) => Context.get(context, Passwords)),
      ),
    )
  portal = await made(PASSWORDS_AT_ONCE_MAX)
  operators = await made(1)
})

const flood: Fiber.RuntimeFiber<unknown, unknown>[] = []
afterAll(async () => {
  await Effect.runPromise(Fiber.interruptAll(flood))
})

test("a flood at the portal is refused there beyond its bound, delays no operator, and leaves a thread for files", async () => {
  for (let count = 0; count < PASSWORDS_WAITING_MAX; count += 1)
    flood.push(Effect.runFork(portal.hash(`lemon tractor window ${count}`)))
  const refused = await Effect.runPromise(Effect.either(portal.verify(null, "lemon tractor window")))
  expect(Either.isLeft(refused)).toBe(true)
  expect(await Effect.runPromise(operators.verify(null, "lemon tractor window"))).toBe(false)
  await readFile(import.meta.filename)
  // The operator did not wait for the portal's turn.
  const waiting = await Effect.runPromise(Effect.forEach(flood, (fiber) => Fiber.poll(fiber)))
  expect(waiting.filter(({ _tag }) => _tag === "None").length).toBeGreaterThan(0)
})
