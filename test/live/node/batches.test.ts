/**
 * Batches of call results: no result waits for others, results that arrive meanwhile share a batch, failures affect
 * only their own item.
 */

import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { Batches } from "../../../src/live/concurrency/batches.ts"

const BOUNDS = { atOnceMax: 1, sizeMax: 3, company: () => Promise.resolve() }

/** Batches whose first waits to be let go; what each was given, in order. */
function held(fails: (item: number) => boolean = () => false, bounds = BOUNDS) {
  const given: (readonly number[])[] = []
  const gate = Promise.withResolvers<void>()
  const batches = new Batches<number>(bounds, async (items) => {
    given.push(items)
    if (given.length === 1) await gate.promise
    if (items.some(fails)) throw new Error(`not ${items.join()}`)
  })
  const add = async (...items: readonly number[]): Promise<readonly Promise<void>[]> => {
    const added = items.map((item) => batches.add(item))
    for (const one of added) one.catch(() => undefined)
    await nextTurn()
    return added
  }
  return { given, open: gate.resolve, add, forget: () => batches.forget() }
}

async function statuses(all: readonly Promise<void>[]): Promise<readonly string[]> {
  return (await Promise.allSettled(all)).map(({ status }) => status)
}

test("the first is begun at once; what comes meanwhile shares the next, up to its size", async () => {
  const { given, open, add } = held()
  const first = await add(1)
  const later = await add(2, 3, 4, 5)
  expect(given).toEqual([[1]])
  open()
  await Promise.all([...first, ...later])
  expect(given).toEqual([[1], [2, 3, 4], [5]])
})

test("another at the same time is begun for a whole batch, and for less the next one waits", async () => {
  const { given, open, add } = held(undefined, { ...BOUNDS, atOnceMax: 2 })
  const first = await add(1)
  const later = await add(2, 3)
  expect(given).toEqual([[1]])
  await Promise.all([...later, ...(await add(4))])
  expect(given).toEqual([[1], [2, 3, 4]])
  open()
  await Promise.all(first)
})

test("a batch that fails is taken apart: only the one that is at fault fails", async () => {
  const { given, open, add } = held((item) => item === 3)
  const all = [...(await add(1)), ...(await add(2, 3, 4))]
  open()
  expect(await statuses(all)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"])
  expect(given).toEqual([[1], [2, 3, 4], [2], [3], [4]])
})

test("items that no batch has taken are forgotten, and those of a batch that has begun are done", async () => {
  const { given, open, add, forget } = held()
  const all = [...(await add(1)), ...(await add(2, 3))]
  expect(forget()).toBe(2)
  open()
  expect(await statuses(all)).toEqual(["fulfilled", "rejected", "rejected"])
  await Promise.all(await add(4))
  expect(given).toEqual([[1], [4]])
})

test("items of the same instant share the first batch, and an empty batch is not begun", async () => {
  const instant = Promise.withResolvers<void>()
  const { given, open, add } = held(undefined, { ...BOUNDS, atOnceMax: 2, company: () => instant.promise })
  open()
  const few = await add(1, 2)
  expect(given).toEqual([])
  // Three items fill a batch, which begins at once and takes the two that waited for company.
  await Promise.all([...few, ...(await add(3))])
  instant.resolve()
  await Promise.all(await add(4))
  expect(given).toEqual([[1, 2, 3], [4]])
})
