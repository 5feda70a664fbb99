/**
 * A service with a webhook thread: webhooks arrive as they would without it, its counts are reported, and lost calls
 * are retried.
 */

import type { ServerResponse } from "node:http"
import { sql } from "drizzle-orm"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import type { Call } from "../../../src/engine/kernel/turn.ts"
import type { CallThread } from "../../../src/live/calls/call-thread.ts"
import { exportJournal } from "../../../src/live/records/journal-export.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { makeServiceMetrics } from "../../../src/live/observation/metrics.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { startReceiver } from "../../attacks/receiver.ts"
import type { Receiver } from "../../attacks/receiver.ts"
import { startRealService, threadOver } from "../../attacks/real-service.ts"
import type { RealService, RealServiceOptions } from "../../attacks/real-service.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import { until } from "./nodes.ts"

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A thread with the given body, which reports by `say`. */
function scripted(body: string): URL {
  const begin = `import { parentPort } from "node:worker_threads"; const say = (told) => parentPort.postMessage(told);`
  return new URL(`data:text/javascript,${encodeURIComponent(`${begin} ${body}`)}`)
}

/** One that is there, and ends when it is given something. */
const FICKLE = scripted('say({ type: "ready" }); parentPort.on("message", () => process.exit(3))')
const BROKEN = scripted('throw new Error("not today")')

async function freshDatabase(): Promise<string> {
  const { url, stop } = await startPostgres()
  closing.push(stop)
  return url
}

interface Started {
  readonly service: RealService
  readonly receiver: Receiver
  readonly book: (count: number) => Promise<void>
}

async function started(
  url: string,
  thread: CallThread,
  more: Pick<RealServiceOptions, "observer"> & { readonly answer?: (response: ServerResponse) => void } = {},
): Promise<Started> {
  const { answer, ...options } = more
  const receiver = await startReceiver(answer)
  const service = await startRealService({
    database: layerPostgres(url),
    allowsLoopback: true,
    thread,
    ...options,
  })
  closing.push(receiver.close, service.close)
  service.names.set("localhost", { type: "addresses", addresses: ["127.0.0.1"] })
  const body = { url: receiver.url, subscribed_events: ["reservation.status_changed"] }
  expect((await service.call("POST", "/rs/v1/webhooks", { body })).status).toBe(201)
  const book = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      const answered = await service.call("POST", "/rs/v1/reservations", { body: service.booking() })
      expect(answered.status).toBe(201)
    }
  }
  return { service, receiver, book }
}

function openDeliveries({ run }: RealService): Promise<number> {
  const counting = sql`select count(*)::int as count from groups where kind = 'webhook-delivery' and not is_settled`
  return run(
    Effect.flatMap(Database, ({ orm }) =>
      Effect.promise(async () => {
        const [row] = (await orm.execute(counting)) as { readonly count: number }[]
        return row?.count ?? Number.NaN
      }),
    ),
  )
}

function isReady({ run }: RealService): Promise<boolean> {
  return run(Effect.map(RunningHost, (host) => host.isCallThreadReady))
}

function deliveryIds({ arrived }: Receiver): readonly unknown[] {
  return arrived.map(({ headers }) => headers["x-service-delivery-id"])
}

test("webhooks leave from the thread, once each; what it counted is told, and the journal replays", async () => {
  const url = await freshDatabase()
  const metrics = makeServiceMetrics({ process: false })
  const { service, receiver, book } = await started(url, threadOver(url), { observer: metrics.observer })
  await book(1)
  await until(() => isReady(service))
  await book(20)
  await until(async () => receiver.arrived.length === 21 && (await openDeliveries(service)) === 0)
  expect(new Set(deliveryIds(receiver)).size).toBe(21)
  // The registration, and the webhook that started the thread: the others were resolved by the thread.
  expect(service.asked.filter((name) => name === "localhost")).toHaveLength(2)

  const inFlight = () => service.run(Effect.map(RunningHost, (host) => host.callsInFlight))
  await until(async () => (await inFlight()) === 0)
  const text = await metrics.text({
    mailbox: null,
    callsInFlight: 0,
    areCallsHeld: false,
    isCallThreadReady: await isReady(service),
  })
  expect(text).toContain('curbline_call_attempts_total{call="webhook",outcome="succeeded"} 21')
  expect(text).toContain('curbline_turns_total{machine="webhook-delivery",outcome="moved"} 42')
  expect(text).toContain("curbline_call_thread_ready 1")

  const lines: string[] = []
  await service.run(
    exportJournal({ build: "test", charts: {}, write: (line) => Effect.sync(() => void lines.push(line)) }),
  )
  expect(replayRecord(lines.join(""), program).difference).toBeNull()
})

test("a stop waits for what the thread has under way, and its result is kept", async () => {
  const url = await freshDatabase()
  const held: ServerResponse[] = []
  let isHolding = false
  const { service, book } = await started(url, threadOver(url), {
    answer: (response) => void (isHolding ? held.push(response) : response.writeHead(204).end()),
  })
  // The first one is sent beside the thread, which takes a while to start.
  await book(1)
  await until(() => isReady(service))
  isHolding = true
  await book(1)
  await until(() => held.length === 1)
  const closed = service.close()
  setTimeout(() => held.forEach((response) => response.writeHead(204).end()), 200)
  await closed
  closing.pop()
  const again = await startRealService({ database: layerPostgres(url) })
  closing.push(again.close)
  expect(await openDeliveries(again)).toBe(0)
})

test("a thread that exceeds its memory limit ends and is logged; the process goes on", async () => {
  const url = await freshDatabase()
  const ends: unknown[] = []
  const greedy = scripted(
    'say({ type: "ready" }); parentPort.on("message", () => { const all = []; while (all.length < 100) all.push(new Array(1e6).fill(0.5)) })',
  )
  const thread = threadOver(url, { script: greedy, onEnd: (cause) => ends.push(cause) })
  const { service, receiver, book } = await started(url, thread)
  await book(1)
  await until(() => isReady(service))
  await book(1)
  await until(() => ends.length === 1)
  expect(ends).toEqual([expect.objectContaining({ code: "ERR_WORKER_OUT_OF_MEMORY" })])
  // The first one was made beside the thread.
  await until(() => receiver.arrived.length === 1)
})

test("a thread that ends by itself is told of, and what it was given comes back through the lease", async () => {
  const url = await freshDatabase()
  const ends: unknown[] = []
  const thread = threadOver(url, { script: FICKLE, onEnd: (cause) => ends.push(cause) })
  const { service, receiver, book } = await started(url, thread)
  await book(1)
  await until(() => isReady(service))
  await book(1)
  await until(() => ends.length === 1)
  expect(await isReady(service)).toBe(false)
  await until(() => receiver.arrived.length === 1)
  // As if the lease of the lost one had run out.
  const due = sql`update mailbox set due_ms = 0 where key like '%lease%'`
  await service.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.execute(due))))
  await until(async () => receiver.arrived.length === 2 && (await openDeliveries(service)) === 0)
  expect(new Set(deliveryIds(receiver)).size).toBe(2)
})

test("where no thread begins, webhooks leave from the one that answers", async () => {
  const url = await freshDatabase()
  const ends: unknown[] = []
  const thread = threadOver(url, { script: BROKEN, onEnd: (cause) => ends.push(cause) })
  const { service, receiver, book } = await started(url, thread, { observer: NO_OBSERVER })
  await book(3)
  await until(async () => receiver.arrived.length === 3 && (await openDeliveries(service)) === 0)
  await until(() => ends.length > 0)
  expect(String(ends[0])).toContain("not today")
  expect(await isReady(service)).toBe(false)
})

describe("a thread of its own", () => {
  const call: Call = { actor: "webhook-delivery/d_1", call: "webhook", attempt: 1, cause: ["", 1, 0] }

  interface Watched {
    readonly thread: CallThread
    readonly ends: readonly unknown[]
    /** ms until a call may start it again, of each end. */
    readonly pauses: readonly number[]
    readonly lines: readonly string[]
    readonly faults: readonly string[]
  }

  function watched(script: URL): Watched {
    const [ends, lines, faults]: [unknown[], string[], string[]] = [[], [], []]
    const pauses: number[] = []
    const thread = threadOver("", {
      script,
      onEnd: (cause, pauseMs) => {
        ends.push(cause)
        pauses.push(pauseMs)
      },
      onLine: (line) => lines.push(line),
    })
    thread.attach({ node: "node_1", observer: NO_OBSERVER, onFault: ({ message }) => faults.push(message) })
    closing.push(() => thread.end())
    return { thread, ends, pauses, lines, faults }
  }

  async function ready(script: URL): Promise<Watched> {
    const all = watched(script)
    expect(all.thread.takes(call)).toBe(false)
    await until(() => all.thread.takes(call))
    return all
  }

  test("takes webhooks alone", async () => {
    const { thread } = await ready(scripted('say({ type: "ready" }); parentPort.on("message", () => {})'))
    expect(thread.takes({ ...call, call: "open_link" })).toBe(false)
  })

  test("counts what was given to it until it tells how it stands", async () => {
    const { thread } = await ready(
      scripted(`let taken = 0; say({ type: "ready" }); parentPort.on("message", ({ calls }) => {
        taken += calls.flatMap((given) => given.calls).length; say({ type: "told", load: { taken, inFlight: 1, free: 1999 }, told: [] }) })`),
    )
    thread.give([call, call, call])
    expect([thread.inFlight, thread.free]).toEqual([3, 1_997])
    await until(() => thread.inFlight === 1)
    expect(thread.free).toBe(1_999)
    thread.give([call])
    expect([thread.inFlight, thread.free]).toEqual([2, 1_998])
  })

  test("is heard: its log, and what ended in a fault", async () => {
    const { lines, faults } = await ready(
      scripted(`say({ type: "line", line: "hello" }); say({ type: "fault", fault:
        { reason: "a call is unknown", at: "webhook-delivery/d_1", found: "nothing" } });
        say({ type: "ready" }); parentPort.on("message", () => {})`),
    )
    expect(lines).toEqual(["hello"])
    expect(faults).toEqual([expect.stringContaining("a call is unknown")])
  })

  test("is given what still waits for company before it is stopped, and takes nothing more", async () => {
    const { thread, lines, ends } = await ready(
      scripted(`let count = 0; say({ type: "ready" }); parentPort.on("message", (told) => {
        if (told.type === "calls") count += told.calls.flatMap((given) => given.calls).length
        else { say({ type: "line", line: String(count) }); parentPort.close() } })`),
    )
    thread.give([call, call])
    await thread.stop()
    expect(lines).toEqual(["2"])
    expect(thread.takes(call)).toBe(false)
    expect(ends).toEqual([])
  })

  test("that is not ready yet is not waited for by a stop", async () => {
    const { thread, ends } = watched(scripted("setInterval(() => {}, 1_000)"))
    expect(thread.takes(call)).toBe(false)
    await thread.stop()
    expect(thread.takes(call)).toBe(false)
    expect(ends).toEqual([])
  })

  test("that ends at each call starts again after longer pauses, and after the shortest once it has made calls", async () => {
    const atFirst = 'say({ type: "ready" }); parentPort.on("message", () => process.exit(1))'
    const later = `say({ type: "told", load: { taken: 0, inFlight: 0, free: 2000 }, told: [] }); ${atFirst}`
    const pausesOf = async (script: URL, times: number): Promise<readonly number[]> => {
      const { thread, pauses } = watched(script)
      for (let time = 1; time <= times; time += 1) {
        await until(() => thread.takes(call))
        thread.give([call])
        await until(() => pauses.length === time)
      }
      return pauses
    }
    expect(await pausesOf(scripted(atFirst), 2)).toEqual([1_000, 2_000])
    expect(await pausesOf(scripted(later), 2)).toEqual([1_000, 1_000])
  })

  test("that cannot be made is told of once, and asked for again after a pause", () => {
    const { thread, ends } = watched(new URL("https://nowhere.example/calling.js"))
    expect([thread.takes(call), thread.takes(call)]).toEqual([false, false])
    expect(ends).toHaveLength(1)
  })
})
