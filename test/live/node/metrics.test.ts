/**
 * Metrics and readiness over a real host: counters, figures that are measured at each scrape, and labels that must not
 * occur.
 */

import { sql } from "drizzle-orm"
import type { PgliteDatabase } from "drizzle-orm/pglite"
import { Effect, Fiber, TestClock, TestContext } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { machines } from "../../../machines/index.ts"
import {
  OVERLOADED_MS_MAX,
  PROBE_MS_MAX,
  ROUTES_MAX,
  WAKE_UP_SILENT_MS_MAX,
} from "../../../src/live/configuration/bounds.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { makeServiceMetrics } from "../../../src/live/observation/metrics.ts"
import type { ServiceMetrics } from "../../../src/live/observation/metrics.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import type { ProcessState } from "../../../src/live/observation/readiness.ts"
import {
  ReadinessNotes,
  databaseFound,
  readinessOf,
  watchWakeUp,
} from "../../../src/live/observation/readiness.ts"
import { discarded, failed, lost, succeeded } from "../../../src/engine/services/outbound/call-results.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { InFlight } from "../../../src/engine/store/in-flight.ts"
import { inTransaction } from "../../../src/engine/store/transaction.ts"
import { mailboxFigures } from "../../../src/engine/store/mailbox-figures.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import { plantDeliveries, startNode, stateOf, until } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const GOOD = "https://good.partner.example/events"
const ORGANIZATION = "org_one"

const database = emptiedDatabase()
let world = new OutsideWorld()
let metrics: ServiceMetrics
let node: Node

beforeEach(async () => {
  world = new OutsideWorld()
  metrics = makeServiceMetrics({ process: false })
  node = await startNode(database(), world, { observer: metrics.observer })
})
afterEach(() => node.stop())

/** Samples by name and labels, as Prometheus reads them. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const figures = Effect.all({
    mailbox: mailboxFigures,
    callsInFlight: Effect.map(RunningHost, (host) => host.callsInFlight),
    areCallsHeld: Effect.succeed(false),
    isCallThreadReady: Effect.succeed(false),
  })
  const text = await metrics.text(await node.run(figures))
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]))
}

const PLAN = { webhookId: "w", url: GOOD, count: 1, backoffMs: [100], leaseMs: 9_000 }

describe("metrics", () => {
  test("count turns, entries, transactions, wake-ups and attempts of a delivery that succeeds the second time", async () => {
    world.script(GOOD, [
      { type: "status", status: 500, afterMs: 1 },
      { type: "status", status: 200, afterMs: 1 },
    ])
    const [id = ""] = await plantDeliveries(node, PLAN)
    // A read would take what is due before the wake-up does.
    await until(() => world.receivedAt(GOOD).length === 2)
    await until(async () => (await stateOf(node, id)) === "delivered")
    const found = await samples()
    expect(found.get('curbline_call_attempts_total{call="webhook",outcome="failed"}')).toBe(1)
    expect(found.get('curbline_call_attempts_total{call="webhook",outcome="succeeded"}')).toBe(1)
    // Its start, the failure, the timer, the success.
    expect(found.get('curbline_turns_total{machine="webhook-delivery",outcome="moved"}')).toBe(4)
    expect(found.get("curbline_journal_entries_total")).toBe(4)
    expect(found.get('curbline_transactions_total{outcome="committed"}')).toBeGreaterThanOrEqual(4)
    expect(found.get("curbline_wake_up_batches_total")).toBeGreaterThanOrEqual(1)
    expect(found.get("curbline_wake_up_groups_total")).toBe(1)
    expect(found.get("curbline_wake_up_rounds_total")).toBeGreaterThanOrEqual(1)
    expect(found.get("curbline_calls_under_way")).toBe(0)
  })

  test("count a transaction that is undone as undone, with no turn of it", async () => {
    const undone = Effect.flatMap(ActorHost, (host) =>
      host.run({ name: "a test", locks: {}, body: () => Routine.from(Effect.fail("no")) }),
    )
    await expect(node.run(undone)).rejects.toThrow("no")
    const found = await samples()
    expect(found.get('curbline_transactions_total{outcome="undone"}')).toBe(1)
    expect([...found.keys()].some((name) => name.startsWith("curbline_turns_total"))).toBe(false)
  })

  test("measure calls under way, mailbox depth, lateness and stopped groups when asked", async () => {
    world.script(GOOD, [{ type: "timeout" }])
    await plantDeliveries(node, PLAN)
    await until(() => world.receivedAt(GOOD).length === 1)
    const busy = await samples()
    expect(busy.get("curbline_calls_under_way")).toBe(1)
    expect(busy.get("curbline_mailbox_entries")).toBe(1)
    expect([busy.get("curbline_mailbox_due_entries"), busy.get("curbline_mailbox_lateness_seconds")]).toEqual(
      [0, 0],
    )
    await node.crash()
    node = await startNode(database(), world, {
      observer: metrics.observer,
      wakesUp: false,
    })
    await change(sql`update mailbox set due_ms = ${Date.now() - 60_000}`)
    const late = await samples()
    expect(late.get("curbline_mailbox_due_entries")).toBe(1)
    expect(late.get("curbline_mailbox_lateness_seconds")).toBeGreaterThanOrEqual(60)
    await change(sql`update groups set stopped_because = 'a fault'`)
    const stopped = await samples()
    expect(stopped.get("curbline_stopped_groups")).toBe(1)
    expect([
      stopped.get("curbline_mailbox_entries"),
      stopped.get("curbline_mailbox_lateness_seconds"),
    ]).toEqual([0, 0])
  })

  test("leave out what cannot be known now instead of showing an old figure", async () => {
    await metrics.text({
      mailbox: { entries: 7, dueEntries: 0, latenessMs: 0, deferredCalls: 4, stoppedGroups: 0 },
      callsInFlight: 0,
      areCallsHeld: false,
      isCallThreadReady: false,
    })
    const text = await metrics.text({
      mailbox: null,
      callsInFlight: 0,
      areCallsHeld: false,
      isCallThreadReady: false,
    })
    expect(text).not.toMatch(/^curbline_mailbox_entries /m)
    expect(text).toMatch(/^curbline_calls_under_way 0$/m)
  })

  test("name no delivery, endpoint, organization or address", async () => {
    world.script(GOOD, [{ type: "status", status: 200, afterMs: 1 }])
    const [id = ""] = await plantDeliveries(node, PLAN)
    await until(async () => (await stateOf(node, id)) === "delivered")
    metrics.onAnswer({
      environment: "sandbox",
      method: "GET",
      route: "/rs/v1/x/:id",
      status: 200,
      isCallerKnown: true,
      seconds: 0.1,
    })
    const names = [...(await samples()).keys()]
    expect(names.filter((name) => name.includes("/rs/v1/x/:id")).length).toBeGreaterThan(0)
    for (const name of names) {
      for (const secret of [id, GOOD, "partner", ORGANIZATION, "res_"]) expect(name).not.toContain(secret)
    }
  })

  test("of two services in one process do not mix", async () => {
    const other = makeServiceMetrics({ process: false })
    other.onFault()
    other.onCallsLeftOut(3)
    const figures = { mailbox: null, callsInFlight: 0, areCallsHeld: false, isCallThreadReady: false }
    const text = await other.text(figures)
    expect(text).toMatch(/^curbline_faults_total 1$/m)
    expect(text).toMatch(/^curbline_logged_calls_left_out_total 3$/m)
    expect((await samples()).get("curbline_faults_total")).toBe(0)
  })
})

/** What is ready over the database as it is now. */
function ready(state: ProcessState) {
  return Effect.map(databaseFound, (found) => readinessOf(state, found))
}

describe("readiness", () => {
  const fine = { isStopping: false, silentMs: 10, sheddingMs: 0, notes: new ReadinessNotes() }

  test("holds when the database answers, all migrations ran and the wake-up comes around", async () => {
    expect(await node.run(ready(fine))).toEqual({
      database: null,
      migrations: null,
      writes: null,
      wake_up: null,
      stop: null,
      load: null,
    })
  })

  test("bears a burst, and does not hold once requests have been turned away for 10 s", async () => {
    const burst = await node.run(ready({ ...fine, sheddingMs: OVERLOADED_MS_MAX - 1 }))
    expect(burst.load).toBeNull()
    const overload = await node.run(ready({ ...fine, sheddingMs: OVERLOADED_MS_MAX }))
    expect(overload.load).toBe("has turned requests away for 10 s")
  })

  test.each([
    ["the stop has begun", { ...fine, isStopping: true }, { stop: "has begun" }],
    [
      "the wake-up has never come around",
      { ...fine, silentMs: null },
      { wake_up: "has not come around yet" },
    ],
    [
      "the wake-up is stuck",
      { ...fine, silentMs: WAKE_UP_SILENT_MS_MAX + 1 },
      { wake_up: `came around ${WAKE_UP_SILENT_MS_MAX / 1000} s ago` },
    ],
  ])("does not hold when %s", async (_, state, found) => {
    expect(await node.run(ready(state))).toMatchObject({ database: null, ...found })
  })

  test("does not hold over a database of an older program", async () => {
    const before = await change(sql`delete from migrations where name like '0003%' returning name`)
    const found = await node.run(ready(fine))
    await change(sql`insert into migrations values (${before[0]?.name})`)
    expect(found.migrations).toBe(`lacks ${before[0]?.name}`)
  })

  test("does not hold over a database that a newer program has changed", async () => {
    await change(sql`insert into migrations values ('9999_future.sql')`)
    const found = await node.run(ready(fine))
    await change(sql`delete from migrations where name = '9999_future.sql'`)
    expect(found.migrations).toBe("a newer program has added 9999_future.sql: upgrade this node")
    expect((await node.run(ready(fine))).migrations).toBeNull()
  })

  test("holds over one that a newer program has changed so that this one may run beside it, with a note", async () => {
    await change(sql`insert into migrations values ('9999_future.sql', true)`)
    const notes = new ReadinessNotes()
    const found = await node.run(ready({ ...fine, notes }))
    await change(sql`delete from migrations where name = '9999_future.sql'`)
    expect([found.migrations, notes.migrations]).toEqual([
      null,
      "a newer program has added 9999_future.sql: upgrade this node",
    ])
    await node.run(ready({ ...fine, notes }))
    expect(notes.migrations).toBeNull()
  })

  test("does not hold while the disk is full, holds again when it is not, and reads go on meanwhile", async () => {
    const well = await node.run(Database)
    let isFull = true
    const full = Object.assign(new Error("could not extend file: No space left on device"), { code: "53100" })
    const orm = new Proxy(well.orm, {
      get: (target, name) =>
        name === "transaction" && isFull
          ? () => Promise.reject(full)
          : (Reflect.get(target, name, target) as unknown),
    })
    const disk: Database["Type"] = { ...well, orm, writing: { failedBy: null, committed: 0 } }
    const look = () => Effect.runPromise(Effect.provideService(ready(fine), Database, disk))
    // Found without a request that has failed.
    expect((await look()).writes).toContain("No space left")
    const write = Effect.exit(inTransaction(disk, Effect.void))
    await Effect.runPromise(write)
    const found = await look()
    expect(found).toMatchObject({
      database: null,
      writes: expect.stringContaining("No space left") as string,
    })
    isFull = false
    expect((await look()).writes).toBeNull()
    expect(disk.writing.failedBy).toBeNull()
  })

  test("does not hold over a database that fails, and one that never answers is not waited for", async () => {
    const over = (ask: () => Promise<never>): Promise<unknown> => {
      const orm = { select: () => ({ from: ask }) } as unknown as Database["Type"]["orm"]
      const service = {
        type: "pglite",
        orm,
        byKey: orm,
        jobs: { url: () => "" },
        inFlight: new InFlight(),
        writing: { failedBy: null, committed: 0 },
        waits: { onWait: () => undefined },
      } as const
      const asked = Effect.gen(function* () {
        const asking = yield* Effect.fork(Effect.provideService(ready(fine), Database, service))
        yield* TestClock.adjust(PROBE_MS_MAX)
        return yield* Fiber.join(asking)
      })
      return Effect.runPromise(Effect.provide(asked, TestContext.TestContext))
    }
    const away = {
      database: "does not answer",
      migrations: "unknown: the database does not answer",
      writes: "unknown: the database does not answer",
      wake_up: null,
      stop: null,
      load: null,
    }
    expect(await over(() => Promise.reject(new Error("away")))).toEqual(away)
    expect(await over(() => new Promise(() => undefined))).toEqual(away)
  })

  test("knows how long ago the wake-up came around", () => {
    let nowMs = 1_000
    const { observer, silentMs } = watchWakeUp(NO_OBSERVER, () => nowMs)
    expect(silentMs()).toBeNull()
    observer.onWakeUp()
    nowMs += 250
    expect(silentMs()).toBe(250)
  })
})

function change(statement: ReturnType<typeof sql>): Promise<readonly { readonly name?: string }[]> {
  return node.run(
    Effect.flatMap(Database, ({ orm }) =>
      Effect.promise(async () => (await (orm as PgliteDatabase).execute<{ name?: string }>(statement)).rows),
    ),
  )
}

test("connections that were closed are counted by their reason, and what the process holds is shown", async () => {
  const figures = { mailbox: null, callsInFlight: 0, isCallThreadReady: false, areCallsHeld: false }
  metrics.onConnectionClosed("unread")
  const text = await metrics.text({ ...figures, embeddedMemoryBytes: 5 })
  expect(text).toContain('curbline_connections_closed_total{reason="pipelined"} 0\n')
  expect(text).toContain('curbline_connections_closed_total{reason="unread"} 1\n')
  expect(text).toMatch(/^curbline_array_buffers_bytes [1-9]/m)
  expect(text).toContain("curbline_embedded_memory_bytes 5\n")
  expect(await metrics.text(figures)).not.toContain("curbline_embedded_memory_bytes 5")
})

describe("figures of answers", () => {
  const figures = {
    mailbox: { entries: 1e7, dueEntries: 1e6, latenessMs: 1e8, deferredCalls: 1e6, stoppedGroups: 1e4 },
    callsInFlight: 2_000,
    areCallsHeld: false,
    isCallThreadReady: false,
    admission: { inFlight: 512, waiting: 1_000, limit: 512 },
    scheduledWork: { problem: null, lastCompletedMs: 1_800_000_000_000 },
    clockAheadMs: -1_234.567,
    embeddedMemoryBytes: 4e9,
  }

  /** As many routes as a program may have. */
  const everyAnswer = (statuses: readonly number[], isCallerKnown = true) =>
    (["production", "sandbox"] as const).flatMap((environment) =>
      Array.from({ length: 100 }, (_, at) => {
        const route = `/surface-${at % 20}/v1/organizations/:organization_id/deliveries/:id/${at}`
        return ["DELETE", "GET", "PATCH", "POST"].flatMap((method) =>
          statuses.map((status) => ({
            environment,
            method,
            route,
            status,
            seconds: 0.012345678,
            isCallerKnown,
          })),
        )
      }).flat(),
    )
  const seriesIn = (text: string) => [
    ...text.matchAll(/^curbline_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm),
  ]

  test("stay under 200 KB, whatever routes, methods, statuses, machines and calls there are", async () => {
    const made = makeServiceMetrics({ process: true })
    const statuses = [200, 201, 400, 401, 404, 422, 500, 503]
    const answers = [...everyAnswer([303, 405, 501], false), ...everyAnswer(statuses)]
    for (const answer of answers) made.onAnswer(answer)
    for (const machine of Object.keys(machines))
      for (const outcome of ["moved", "refused", "unchanged"] as const)
        made.observer.onCommit([{ machine, outcome, isKept: true }])
    for (const call of Array.from({ length: 10 }, (_, at) => `capture_payment_${at}`))
      for (const result of [succeeded(1, 200), failed(1, "timeout"), discarded(1, "moved_on"), lost(1)])
        made.observer.onCall(call, result)
    for (const to of [true, false])
      made.observer.onBreaker({ endpoint: "one", isOpen: to, openBreakers: 100_000 })
    const text = await made.text(figures)
    expect(text.length).toBeLessThan(200_000)
    const counts = seriesIn(text)
    expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(answers.length)
    expect(text).toMatch(/route="other",status="4xx"/)
    expect(text).toMatch(/route="other",status="5xx"/)
  })

  test("of statuses that strangers cause on every route leave callers with a key theirs", async () => {
    const made = makeServiceMetrics({ process: false })
    // Without a key, for another host, with a header twice, with another method; pages without a session; overload.
    for (const answer of everyAnswer([401, 421, 400, 405, 303, 200, 503], false)) made.onAnswer(answer)
    const served = everyAnswer([201]).slice(0, ROUTES_MAX.known.served)
    const honest = everyAnswer([404, 409, 422, 429, 500]).slice(-5)
    for (const answer of [...served, ...honest]) made.onAnswer(answer)
    const series = seriesIn(await made.text(figures)).map(([, labels = ""]) => labels)
    expect(series.filter((labels) => labels.includes('status="201"'))).toHaveLength(served.length)
    for (const { route, status } of honest)
      expect(series.filter((labels) => labels.includes(`route="${route}",status="${status}"`))).toHaveLength(
        1,
      )
  })

  test("of one status that a caller with a key causes on every route leave other statuses theirs", async () => {
    const made = makeServiceMetrics({ process: false })
    for (const answer of [...everyAnswer([404, 503]), ...everyAnswer([409, 500]).slice(-2)])
      made.onAnswer(answer)
    const series = seriesIn(await made.text(figures)).map(([, labels = ""]) => labels)
    expect(series.filter((labels) => /route="\/.*status="(409|500)"/.test(labels))).toHaveLength(2)
  })
})
