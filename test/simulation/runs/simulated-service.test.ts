/** The whole service on virtual time: the same run twice, stopped and restored, without recording, with lost calls. */

import { Effect, Runtime } from "effect"
import { describe, expect, test } from "vitest"
import { EngineFault } from "../../../src/engine/kernel/faults.ts"
import type { AgendaWatcher } from "../../../src/engine/kernel/simulated-time.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { ActorHost, Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { reservations } from "../../../src/areas/reservations/rows.ts"
import { memoryRowsOf } from "../../../src/engine/memory/memory-tables.ts"
import type { HostContent } from "../../../src/engine/memory/memory-host.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import type { SimulatedService } from "../../../src/simulation/simulated-service.ts"
import { isLong } from "../../long-tests.ts"
import { busyRun } from "./busy-run.ts"
import type { BusyOptions, BusyRun } from "./busy-run.ts"

const SEEDS = [1, 2, 3]
const straightRuns = new Map<string, BusyRun>()

/** A run that nothing disturbs, which others are compared with, made once. */
function straightRun(options: Omit<BusyOptions, "moveAfterMs" | "watch">): BusyRun {
  const key = JSON.stringify(options)
  const run = straightRuns.get(key) ?? busyRun(options)
  straightRuns.set(key, run)
  return run
}

function hashOf({ service }: BusyRun): string {
  return service.host.groups.hash()
}

function digestOf({ service }: BusyRun): string {
  return service.host.digest()
}

/** Everything that must have ended. */
function expectEnded({ service, reservationIds }: BusyRun): void {
  const { host } = service
  expect(host.groups.waiting()).toEqual([])
  expect(host.callsInFlight).toBe(0)
  const rows = memoryRowsOf(host.store, reservations)
  for (const id of reservationIds) expect(rows.get(id)?.status, id).toMatch(/^(completed|canceled)$/)
  const open = host.groups.all().flatMap((group) => [...group.timers.values()])
  expect(open).toEqual([])
}

function goThroughJson({ host }: SimulatedService): void {
  host.restore(JSON.parse(JSON.stringify(host.content())) as HostContent)
}

/** The first entry that differs from the expected run, or null. */
function differenceOf(found: BusyRun, expected: BusyRun): string | null {
  const [texts, expectedTexts] = [found, expected].map(({ service }) =>
    service.host.entries.map(({ entry }) => `${entry.group} r${entry.revision} ${entry.text}`),
  )
  const at = expectedTexts?.findIndex((text, index) => texts?.[index] !== text) ?? -1
  return at === -1 ? null : `entry ${at} is ${texts?.[at]}, expected ${expectedTexts?.[at]}`
}

describe("a busy run", () => {
  test.each(SEEDS)("of seed %i is the same twice, and everything in it ends", (seed) => {
    const one = straightRun({ seed })
    const other = busyRun({ seed })
    expect(differenceOf(other, one)).toBeNull()
    expect(hashOf(other)).toBe(hashOf(one))
    expect(digestOf(other)).toBe(digestOf(one))
    expectEnded(one)
    expect(one.service.host.counts.turns).toBeGreaterThan(500)
  })

  test("of another seed has other ids", () => {
    const [one, other] = [1, 2].map((seed) => busyRun({ seed, reservations: 1 })) as [BusyRun, BusyRun]
    expect(hashOf(one)).not.toBe(hashOf(other))
    expect(digestOf(one)).not.toBe(digestOf(other))
  })

  test("restored from JSON between any two agenda entries has the same hash", () => {
    const options = { reservations: 5 }
    const straight = straightRun(options)
    const restored = busyRun({
      ...options,
      watch: (service) => ({ beforeEntry: () => goThroughJson(service) }),
    })
    expect(differenceOf(restored, straight)).toBeNull()
    expect(hashOf(restored)).toBe(hashOf(straight))
    expect(digestOf(restored)).toBe(digestOf(straight))
    expectEnded(restored)
  })

  test.each([0, 3, 14, 47, 200].map((minutes) => ({ minutes })))(
    "moved to a new service after $minutes minutes has the same hash",
    ({ minutes }) => {
      const straight = straightRun({ reservations: 5 })
      const moved = busyRun({ reservations: 5, moveAfterMs: minutes * MINUTE_MS })
      expect(hashOf(moved)).toBe(hashOf(straight))
      expect(digestOf(moved)).toBe(digestOf(straight))
      expectEnded(moved)
    },
  )

  test.each(SEEDS)("that loses calls at random points ends all the same (seed %i)", (seed) => {
    const chance = new Streams(seed)
    const run = busyRun({
      seed,
      watch: ({ host }) => ({
        beforeEntry: () => {
          if (chance.between("lost calls", { from: 0, to: 5 }) === 0) host.dropCalls()
        },
      }),
    })
    expectEnded(run)
    expect(hashOf(run)).not.toBe(hashOf(straightRun({ seed })))
  })

  test("that loses every call ends all the same, restored in between", () => {
    const run = busyRun({
      reservations: 5,
      watch: (service) => ({
        beforeEntry: () => {
          service.host.dropCalls()
          goThroughJson(service)
        },
      }),
    })
    expectEnded(run)
    expect(run.service.host.entries.some(({ entry }) => entry.text.includes('"by":"result"'))).toBe(false)
  })

  test.each(SEEDS)("without recording has the digest of the recorded one (seed %i)", (seed) => {
    const recorded = busyRun({ seed, reservations: 30 })
    const bare = busyRun({ seed, reservations: 30, recording: "off" })
    expect(bare.service.host.entries).toEqual([])
    expect(bare.service.host.groups.foldedCount).toBeGreaterThan(100)
    expect(bare.service.host.counts.lateMessages).toBe(0)
    expect(digestOf(bare)).toBe(digestOf(recorded))
  })

  test("without recording may be restored between any two entries too", () => {
    const options = {
      reservations: 40,
      everyMs: 10 * MINUTE_MS,
      hasWebhooks: false,
      recording: "off",
    } as const
    const restored = busyRun({
      ...options,
      watch: (service) => ({ beforeEntry: () => goThroughJson(service) }),
    })
    expect(restored.service.host.groups.foldedCount).toBeGreaterThan(10)
    expect(digestOf(restored)).toBe(digestOf(busyRun(options)))
  })
})

describe("memory without recording", () => {
  // Nine hours more than a tombstone is kept.
  const count = isLong ? 2_000 : 900

  test("is bounded over many reservations", () => {
    let entries = 0
    let groupsMax = 0
    let rowsMax = 0
    let tombstonesMax = 0
    const run = busyRun({
      reservations: count,
      everyMs: MINUTE_MS,
      hasWebhooks: false,
      recording: "off",
      watch: ({ host }) => ({
        afterEntry: () => {
          entries += 1
          groupsMax = Math.max(groupsMax, host.groups.size)
          if (entries % 5_000 !== 0) return
          rowsMax = Math.max(rowsMax, ...Object.values(host.store.content()).map((rows) => rows.length))
          tombstonesMax = Math.max(tombstonesMax, host.content().groups.tombstones.length)
        },
      }),
    })
    const { host } = run.service
    // A reservation lives for 55 minutes at most, is kept for an hour more, and its tombstone for another six.
    expect(groupsMax).toBeLessThan(130)
    expect(rowsMax, "a reservation has up to four reports").toBeLessThan(4 * 130)
    expect(tombstonesMax).toBeLessThan(6 * 60 + 10)
    expect(host.groups.foldedCount).toBeGreaterThan(0.9 * count)
    expect(host.groups.waiting()).toEqual([])
    expect(host.entries).toEqual([])
  })

  test("is bounded with webhooks, whose deliveries and bodies are forgotten as well", () => {
    let bodiesMax = 0
    let deliveriesMax = 0
    busyRun({
      reservations: 120,
      everyMs: 8 * MINUTE_MS,
      recording: "off",
      watch: ({ host }) => ({
        afterEntry: () => {
          bodiesMax = Math.max(bodiesMax, host.store.table("webhook-bodies").size)
          deliveriesMax = Math.max(deliveriesMax, host.store.table("webhook-deliveries").size)
        },
      }),
    })
    // Eight attempts take 3 hours and 2 minutes, and an hour later they are forgotten: about 40 reservations' worth.
    expect(bodiesMax).toBeLessThan(40 * 16)
    expect(deliveriesMax).toBeLessThan(40 * 16 * 3)
  })
})

describe("a scenario whose program waits for nothing", () => {
  const scenario: Scenario = {
    title: "nothing happens",
    variant: null,
    course: null,
    because: "it shows what the runner notices",
    tags: [],
    seed: 1,
    clock: { local: "2026-03-02T10:00", timeZone: "America/Chicago" },
    environment: "sandbox",
    permissions: ["reservations:read", "reservations:write"],
    site: { builtIn: "sandbox-test", stalls: 3, activeStalls: 3, hasRunner: true },
    webhooks: [],
    pickupWebhooks: [],
    delivery: null,
    policy: {},
    steps: [],
    always: [],
    promises: [],
    file: "scenarios/nothing-happens.yaml",
  }
  const faultOfRun = (during: (service: SimulatedService) => void): EngineFault => {
    let isDone = false
    try {
      runScenario(scenario, {
        watch: (service) => ({
          beforeEntry: () => {
            if (!isDone) during(service)
            isDone = true
          },
        }),
      })
    } catch (fault) {
      if (fault instanceof EngineFault) return fault
      throw fault
    }
    throw new Error("the run ended quietly")
  }

  test("ends quietly when nothing waits", () => {
    expect(runScenario(scenario)).toMatchObject({ verdict: "passed", events: 0, virtualMs: 0 })
  })

  test("is stopped when a call is still under way on an empty agenda", () => {
    const fault = faultOfRun(({ host, runtime }) => {
      host.attach(
        {
          observers: [],
          performers: [
            { call: "open_link", leaseMs: 8_000, perform: () => Effect.async<never>(() => undefined) },
          ],
        },
        runtime,
      )
      host.command({
        to: "open-link/one",
        start: {
          machine: "open-link@2",
          input: { attemptsMax: 1, backoffMs: [], leaseMs: HOUR_MS, resendsMax: 1 },
        },
      })
      host.command({ to: "open-link/one", event: { type: "open_link.dropped" } })
    })
    expect(fault.reason).toBe("the agenda is empty and a fiber waits")
  })

  test("is stopped when a fiber that something forked and forgot is alive on an empty agenda", () => {
    const forgotten = Effect.forkDaemon(Effect.async<never>(() => undefined))
    const fault = faultOfRun(({ runtime }) => void Runtime.runFork(runtime)(forgotten))
    expect(fault).toMatchObject({
      reason: "the agenda is empty and a fiber waits",
      found: "1 fibers are alive, 0 of them calls",
    })
  })

  test("is stopped by an engine fault in a fiber that no other fiber joins", () => {
    const outside = Effect.gen(function* () {
      const host = yield* ActorHost
      const { turn } = yield* Transaction
      yield* turn({ to: "bot/one", event: { type: "bot.arrived" }, nonce: yield* host.nonce })
    })
    const forgotten = Effect.gen(function* () {
      const host = yield* ActorHost
      yield* Effect.forkDaemon(
        host.run({ name: "a test", locks: { groups: [] }, body: () => Routine.from(outside) }),
      )
    })
    const fault = faultOfRun(({ runtime }) => void Runtime.runFork(runtime)(forgotten))
    expect(fault).toMatchObject({ reason: "a group is not locked", at: "bot/one" })
  })

  test("is stopped when an actor neither settled nor resting waits on an empty agenda", () => {
    const fault = faultOfRun(({ host }) => {
      host.command({ to: "bot/one", start: { machine: "bot@1", input: { hasRunner: false } } })
    })
    expect(fault).toMatchObject({ reason: "the agenda is empty and an actor waits", at: "bot/one" })
  })

  test("is stopped when its steps wait for something that never comes", () => {
    const waits: Scenario["steps"][number] = {
      verb: "wait",
      at: null,
      until: { type: "offset", ms: HOUR_MS },
      place: { file: scenario.file, line: 1, column: 1 },
    }
    const loseEveryEntry = ({ host }: SimulatedService): AgendaWatcher => ({
      beforeEntry: () => void host.time.agenda.take(),
    })
    expect(() => runScenario({ ...scenario, steps: [waits] }, { watch: loseEveryEntry })).toThrow(
      "the agenda is empty and a fiber waits: the scenario's steps",
    )
    expect(runScenario({ ...scenario, steps: [waits] })).toMatchObject({
      verdict: "passed",
      virtualMs: HOUR_MS,
    })
  })
})
