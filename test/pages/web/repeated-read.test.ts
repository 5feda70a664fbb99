/** How pages read again what changes, and how the runner's phone opens its storage, without a browser. */

import { openDB } from "idb"
import { afterEach, expect, test, vi } from "vitest"
import { repeatedRead } from "../../../src/pages/web/repeated-read.ts"
import { waitingMoves } from "../../../src/pages/web/runner/store.ts"

vi.mock("idb")

afterEach(() => {
  vi.unstubAllGlobals()
})

test("a read that fails is reported, and the next change is read", async () => {
  const reported = vi.fn<(cause: unknown) => void>()
  vi.stubGlobal("reportError", reported)
  const fault = new Error("the storage is full")
  const read = vi.fn<() => Promise<void>>().mockRejectedValueOnce(fault).mockResolvedValue()
  const reads = repeatedRead(read, 0)
  reads.soon()
  await vi.waitUntil(() => !reads.isReading())
  expect([read.mock.calls.length, reported.mock.calls]).toEqual([1, [[fault]]])
  reads.soon()
  await vi.waitUntil(() => !reads.isReading())
  expect(read).toHaveBeenCalledTimes(2)
})

test("what changes during a read is read once more, never at the same time, and nothing after the stop", async () => {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const read = vi
    .fn<() => Promise<void>>()
    .mockReturnValueOnce(first.promise)
    .mockReturnValueOnce(second.promise)
  const reads = repeatedRead(read, 0)
  for (let change = 0; change < 3; change += 1) reads.soon()
  expect(read).toHaveBeenCalledTimes(1)
  first.resolve()
  await vi.waitUntil(() => read.mock.calls.length === 2)
  reads.soon()
  reads.stop()
  second.resolve()
  await vi.waitUntil(() => !reads.isReading())
  expect(read).toHaveBeenCalledTimes(2)
})

test("the phone's storage is opened again after it could not be opened, and after the browser ended it", async () => {
  const opening = vi.mocked(openDB)
  opening.mockRejectedValueOnce(new Error("the connection is lost"))
  await expect(waitingMoves()).rejects.toThrow("the connection is lost")
  const storage = (moves: readonly object[]) =>
    ({ getAll: () => Promise.resolve(moves) }) as unknown as Awaited<ReturnType<typeof openDB>>
  opening.mockResolvedValueOnce(storage([{ id: 1 }]))
  expect(await waitingMoves()).toEqual([{ id: 1 }])
  expect(await waitingMoves()).toEqual([{ id: 1 }])
  expect(opening).toHaveBeenCalledTimes(2)
  opening.mock.lastCall?.[2]?.terminated?.()
  opening.mockResolvedValueOnce(storage([]))
  expect(await waitingMoves()).toEqual([])
})
