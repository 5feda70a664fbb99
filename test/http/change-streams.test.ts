/** Live streams over a journal that the test plays: topics, slow readers, long gaps, early ends and checks of rights. */

import type { Readable } from "node:stream"
import { Effect, Layer } from "effect"
import { afterEach, expect, test, vi } from "vitest"
import { ChangeStreams } from "../../src/http/change-streams.ts"
import type { Watcher } from "../../src/http/change-streams.ts"
import { ChangedGroups } from "../../src/engine/services/changed-groups.ts"
import type { Changes, Topic } from "../../src/engine/services/changed-groups.ts"
import { STREAM_CHECK_MS } from "../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { DigestKey } from "../../src/engine/services/digest-key.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { eventually } from "../eventually.ts"

const TOPIC: Topic = "organization/sandbox/org_1"

const WATCHER: Watcher = {
  session: "ses_1",
  scope: "org_1",
  topics: [TOPIC],
  allowed: async () => [TOPIC],
}

interface Journal {
  readonly last?: Routine<number>
  readonly after?: (position: number) => Changes
}

function streamsOver({ last, after }: Journal): ChangeStreams {
  const changed = Layer.succeed(ChangedGroups, {
    last: last ?? Routine.succeed(0),
    after: (position) => Routine.sync(() => after?.(position) ?? { position, looked: 0, changes: [] }),
  })
  const context = Layer.merge(changed, Layer.succeed(DigestKey, { key: "digests" }))
  return new ChangeStreams((effect) => Effect.runPromise(Effect.provide(effect, context)))
}

function changesOf(count: number, revisionOf: () => number): Changes["changes"] {
  return Array.from({ length: count }, (_, at) => ({
    address: `delivery/dlv_${at}`,
    revision: revisionOf(),
    topics: [TOPIC],
  }))
}

const open = (streams: ChangeStreams, lastId: string | null = null): Promise<Readable> =>
  streams.open(WATCHER, lastId)

/** The id of the first event of a stream. */
function idIn(stream: Readable): string {
  return /^id: (.*)$/mu.exec(String(stream.read()))?.[1] ?? ""
}

/** Everything that a stream has brought so far. */
function textOf(stream: Readable): () => string {
  let text = ""
  stream.on("data", (chunk) => (text += String(chunk)))
  return () => text
}

const opened: ChangeStreams[] = []
afterEach(() => {
  for (const streams of opened.splice(0)) streams.close()
})

test("a client that does not read is disconnected, and others are not", async () => {
  let revision = 0
  const streams = streamsOver({
    after: (position) => ({ position, looked: 1, changes: changesOf(600, () => (revision += 1)) }),
  })
  opened.push(streams)
  const [slow, quick] = [await open(streams), await open(streams)]
  quick.resume()
  await eventually(() => expect(slow.destroyed).toBe(true))
  expect(quick.destroyed).toBe(false)
  expect(streams.size).toBe(1)
})

test("a client that missed too many changes gets `reset` and stays connected", async () => {
  let last = 0
  const streams = streamsOver({
    last: Routine.sync(() => last),
    after: (position) =>
      position >= 2_000
        ? { position, looked: 0, changes: [] }
        : { position: 2_000, looked: 2_000, changes: changesOf(2_000, () => 1) },
  })
  opened.push(streams)
  const id = idIn(await open(streams))
  last = 2_000
  const stream = await open(streams, id)
  const text = String(stream.read())
  expect(text.match(/^event: .*$/gmu)).toEqual(["event: open", "event: reset"])
  expect(stream.destroyed).toBe(false)
  expect(streams.size).toBe(2)
})

test("an id hides its position, and a client that resumes with it gets the later changes again", async () => {
  const asked: number[] = []
  const streams = streamsOver({
    last: Routine.succeed(41),
    after: (position) => {
      asked.push(position)
      return { position, looked: 1, changes: changesOf(1, () => 7) }
    },
  })
  opened.push(streams)
  const id = idIn(await open(streams))
  expect(id).toMatch(/^[\w-]{22}$/)
  asked.splice(0)
  const resumed = String((await open(streams, id)).read())
  expect(asked).toEqual([41])
  expect(resumed).toContain('data: {"group":"delivery/dlv_0","revision":7}')
  for (const foreign of ["41", "0", `${id}=`])
    expect(String((await open(streams, foreign)).read())).toContain("event: reset")
})

test("a stream that ends while it is opened gets no text after its end", async () => {
  let answer: ((last: number) => void) | undefined
  const streams = streamsOver({
    last: Routine.suspend(() => Effect.promise(() => new Promise<number>((resolve) => (answer = resolve)))),
  })
  const opening = open(streams)
  await eventually(() => expect(answer).toBeDefined())
  streams.close()
  answer?.(0)
  const stream = await opening
  const faults: unknown[] = []
  stream.on("error", (cause) => faults.push(cause))
  const texts = await stream.toArray()
  expect({ faults, texts }).toEqual({ faults: [], texts: [] })
})

test("a check of rights that fails ends neither the process nor the stream", async () => {
  const unhandled: unknown[] = []
  const note = (cause: unknown) => unhandled.push(cause)
  process.on("unhandledRejection", note)
  try {
    let checks = 0
    const streams = streamsOver({})
    opened.push(streams)
    const allowed = () => Promise.reject(new Error(`the database is away (${(checks += 1)})`))
    const stream = await streams.open({ ...WATCHER, allowed }, null)
    streams.recheck("org_1")
    await eventually(() => expect(checks).toBeGreaterThan(0))
    // Node reports an unhandled rejection after the microtasks of the turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
    expect(stream.destroyed).toBe(false)
    expect(streams.size).toBe(1)
  } finally {
    process.off("unhandledRejection", note)
  }
})

test("a check that fails keeps no other stream from its end", async () => {
  const streams = streamsOver({})
  opened.push(streams)
  const faulty = await streams.open(
    { ...WATCHER, allowed: () => Promise.reject(new Error("of this one")) },
    null,
  )
  const over = await streams.open({ ...WATCHER, allowed: async () => null }, null)
  over.resume()
  streams.recheck("org_1")
  await eventually(() => expect(over.readableEnded).toBe(true))
  expect(faulty.destroyed).toBe(false)
})

test("a stream of two topics gets a group of both once, and none of a third", async () => {
  const sent = [
    { address: "delivery/dlv_1", revision: 1, topics: ["site/sandbox/s", "fleet/sandbox/f"] as const },
    { address: "delivery/dlv_2", revision: 1, topics: ["site/sandbox/other"] as const },
  ]
  const streams = streamsOver({
    after: (position) =>
      position >= 2 ? { position, looked: 0, changes: [] } : { position: 2, looked: 2, changes: sent },
  })
  opened.push(streams)
  const text = textOf(await streams.open({ ...WATCHER, topics: ["site/sandbox/s", "fleet/sandbox/f"] }, null))
  await eventually(() => expect(text()).toContain("dlv_1"))
  expect(text().match(/"group":"[^"]*"/gu)).toEqual(['"group":"delivery/dlv_1"'])
})

test("a check changes what a stream follows, and ends it without rights; other scopes are not checked", async () => {
  let revision = 0
  const streams = streamsOver({
    after: (position) => ({
      position,
      looked: 1,
      changes: [{ address: "vehicle/veh_1", revision: (revision += 1), topics: ["fleet/sandbox/new"] }],
    }),
  })
  opened.push(streams)
  let topics: readonly Topic[] | null = ["fleet/sandbox/new"]
  const watcher = { ...WATCHER, topics: ["fleet/sandbox/old"], allowed: async () => topics } as const
  const stream = await streams.open(watcher, null)
  const [text, other] = [textOf(stream), await streams.open({ ...watcher, scope: "org_2" }, null)]
  const otherText = textOf(other)
  streams.recheck("org_1")
  await eventually(() => expect(text()).toContain("vehicle/veh_1"))
  expect(otherText()).not.toContain("vehicle/veh_1")
  topics = null
  streams.recheck("org_1")
  await eventually(() => expect(stream.readableEnded).toBe(true))
  expect(other.readableEnded).toBe(false)
})

test("a clock that is set back holds up no check of rights", async () => {
  const streams = streamsOver({})
  opened.push(streams)
  const stream = await streams.open({ ...WATCHER, allowed: async () => null }, null)
  stream.resume()
  const [atMs, passedMs] = [Date.now(), performance.now()]
  const clock = vi.spyOn(Date, "now").mockReturnValue(atMs - 10 * MINUTE_MS)
  const passed = vi.spyOn(performance, "now").mockReturnValue(passedMs + STREAM_CHECK_MS)
  try {
    await eventually(() => expect(stream.readableEnded).toBe(true))
  } finally {
    clock.mockRestore()
    passed.mockRestore()
  }
})
