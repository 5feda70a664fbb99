/** Answers that call back at the moment when they end. */

import { expect, test } from "vitest"
import { Later, isLater, onAnswer } from "../../../src/engine/services/later.ts"

function pending<A>(): {
  readonly later: Later<A>
  readonly resolve: (value: A) => void
  readonly reject: (thrown: unknown) => void
} {
  let ends = { resolve: (_: A): void => undefined, reject: (_: unknown): void => undefined }
  const later = new Later<A>((resolve, reject) => void (ends = { resolve, reject }))
  return { later, ...ends }
}

test("what follows runs when it ends, in order and without another turn, and at once after its end", () => {
  const { later, resolve } = pending<number>()
  const seen: string[] = []
  void later.then((value) => seen.push(`first ${value}`))
  void later.then((value) => value + 1).then((value) => seen.push(`second ${value}`))
  expect(seen).toEqual([])
  resolve(1)
  resolve(7)
  expect(seen).toEqual(["first 1", "second 2"])
  void later.then((value) => seen.push(`late ${value}`))
  expect(seen.at(-1)).toBe("late 1")
})

test("a failure passes by what follows a value, and what handles it gives a value", () => {
  const { later, reject } = pending<number>()
  const seen: unknown[] = []
  void later
    .then(() => seen.push("not this"))
    .then(undefined, (thrown: unknown) => [thrown])
    .then((value) => seen.push(value))
  void later
    .then(undefined, () => {
      throw new Error("a second one")
    })
    .then(undefined, (thrown: unknown) => seen.push((thrown as Error).message))
  reject("broken")
  expect(seen).toEqual([["broken"], "a second one"])
})

test("it waits for a promise that follows, and is awaited like one", async () => {
  const { later, resolve } = pending<number>()
  const doubled = later.then((value) => Promise.resolve(value * 2))
  resolve(4)
  expect(await doubled).toBe(8)
  await expect(later.then(() => Promise.reject(new Error("no")))).rejects.toThrow("no")
})

test("a value is no later answer", () => {
  expect([isLater(1), isLater(Promise.resolve()), isLater(pending().later)]).toEqual([false, true, true])
  expect(onAnswer(2, (value) => value + 1)).toBe(3)
})
