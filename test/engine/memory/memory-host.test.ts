/** The actor host in memory: transactions, mailboxes, calls, and what it does when something waits that must not. */

import { Effect, Exit, Fiber, Runtime } from "effect"
import { describe, expect, test } from "vitest"
import { EngineFault, faultOf } from "../../../src/engine/kernel/faults.ts"
import type { FaultReason } from "../../../src/engine/kernel/faults.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import type { Call } from "../../../src/engine/kernel/turn.ts"
import { MAILBOX_ENTRIES_MAX } from "../../../src/model/values/limits.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import type { CallResult } from "../../../src/model/call-result.ts"
import { call, publish, refuse, send } from "../../../src/model/verbs.ts"
import type { Verb } from "../../../src/model/verbs.ts"
import { Transaction } from "../../../src/engine/services/host.ts"
import type { Observer, Performer } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import type { MemoryHostOptions } from "../../../src/engine/memory/memory-host.ts"
import { contextAt, doing, NOON_MS, puppets, startPuppet } from "../kernel/puppet.ts"

const ONE = "show/one"
const TWO = "shop/two"
const NONCE = "0".repeat(32)

interface Lab {
  readonly host: MemoryHost
  readonly runtime: Runtime.Runtime<never>
}

interface LabOptions extends Partial<MemoryHostOptions> {
  readonly observers?: readonly Observer[]
  readonly performers?: readonly Performer[]
}

function openLab({ observers = [], performers = [], ...options }: LabOptions = {}): Lab {
  const host = new MemoryHost({ program: puppets, seed: 1, startMs: NOON_MS, recording: "full", ...options })
  const runtime = Effect.runSync(host.simulated(Effect.runtime()))
  host.attach({ observers, performers }, runtime)
  return { host, runtime }
}

/** Runs an effect and everything due after it; its exit. */
function exitOf<A, E>({ host, runtime }: Lab, effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
  const fiber = Runtime.runFork(runtime)(effect)
  host.time.run()
  const exit = fiber.unsafePoll()
  if (exit === null) throw new Error("the effect still waits")
  return exit
}

function valueOf<A, E>(lab: Lab, effect: Effect.Effect<A, E>): A {
  const exit = exitOf(lab, effect)
  if (Exit.isFailure(exit)) throw faultOf(exit.cause)
  return exit.value
}

/** The fault that ends the run or the effect. */
function faultIn(lab: Lab, effect: Effect.Effect<unknown, unknown>): EngineFault {
  try {
    const exit = exitOf(lab, effect)
    if (Exit.isFailure(exit)) return faultOf(exit.cause)
  } catch (fault) {
    if (fault instanceof EngineFault) return fault
    throw fault
  }
  throw new Error("nothing was thrown")
}

function reasonOf(run: () => unknown): FaultReason {
  try {
    run()
  } catch (fault) {
    if (fault instanceof EngineFault) return fault.reason
    throw fault
  }
  throw new Error("nothing was thrown")
}

function begin(host: MemoryHost, address: string, verbs: readonly Verb[] = []): void {
  const verb = startPuppet(address, verbs)
  if (verb.type === "kernel.start")
    host.command({ to: address, start: { machine: verb.machine, input: verb.input } })
}

const act = (host: MemoryHost, to: string, ...verbs: readonly Verb[]) =>
  host.command({ to, event: doing(...verbs) })
const hear = (what: string) => ({ type: "hear", what })
const heardBy = (host: MemoryHost, address: string) => contextAt(host.groups.get(address), address).heard
const bodies = (host: MemoryHost): readonly EntryBody[] =>
  host.entries.map(({ entry }) => JSON.parse(entry.text) as EntryBody)
const turnOf = (to: string, event: ReturnType<typeof hear>) =>
  Effect.flatMap(Transaction, (transaction) => transaction.turn({ to, event, nonce: NONCE }))
const json = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

describe("a transaction", () => {
  test("commits rows and groups together, and tells listeners after it", () => {
    const lab = openLab()
    const { host } = lab
    begin(host, ONE)
    const rows = host.store.table<string>("rows")
    const told: unknown[] = []
    host.onTurn((result) => told.push([result.group.revision, rows.get("a")]))
    const body = Effect.gen(function* () {
      yield* turnOf(ONE, hear("x"))
      rows.put("a", "written after the turn")
      expect(told).toEqual([])
    })
    valueOf(lab, host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }))
    expect(heardBy(host, ONE)).toEqual(["x"])
    expect(told).toEqual([[2, "written after the turn"]])
  })

  test("that fails leaves nothing: no row, no group, no timer, no message, no call, no entry", () => {
    const called: Call[] = []
    const lab = openLab({ performers: [noting(called)] })
    const { host } = lab
    begin(host, ONE)
    host.store.table<string>("rows").put("old", "before")
    host.store.table<string>("rows").put("kept", "before")
    const before = json(host.content())
    const turns = host.counts.turns
    const body = Effect.gen(function* () {
      const transaction = yield* Transaction
      yield* transaction.turn({ to: ONE, event: { type: "wait", delays: [5] }, nonce: NONCE })
      yield* transaction.turn({
        to: ONE,
        event: doing(send("shop/new", hear("x")), call("webhook", 1)),
        nonce: NONCE,
      })
      yield* transaction.turn({ to: TWO, start: { machine: "puppet@1", input: {} }, nonce: NONCE })
      host.store.table<string>("rows").put("old", "after")
      host.store.table<string>("rows").put("new", "after")
      host.store.table<string>("rows").delete("kept")
      host.store.table<string>("rows").put("kept", "after")
      return yield* Effect.fail("changed its mind")
    })
    expect(
      exitOf(
        lab,
        host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      ),
    ).toEqual(Exit.fail("changed its mind"))
    const after = json(host.content())
    expect(after.groups).toEqual(before.groups)
    expect(new Map(after.rows["rows"])).toEqual(new Map(before.rows["rows"]))
    expect(host.entries).toHaveLength(1)
    expect(host.counts.turns).toBe(turns)
    expect(called).toEqual([])
    expect(host.time.nowMs, "no timer was left to fire").toBe(NOON_MS)
    expect(host.groups.get(TWO)).toBeNull()
  })

  test("that refuses commits: the entry stays and the rows of the refusal too", () => {
    const lab = openLab()
    const { host } = lab
    begin(host, ONE)
    const body = Effect.gen(function* () {
      const transaction = yield* Transaction
      const answer = yield* transaction.turn({ to: ONE, event: doing(refuse("INVALID_STATE")), nonce: NONCE })
      host.store.table<string>("rows").put("report", "not applied")
      return answer
    })
    expect(
      valueOf(
        lab,
        host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      ),
    ).toMatchObject({
      type: "refused",
      code: "INVALID_STATE",
    })
    expect(host.groups.get(ONE)?.revision).toBe(2)
    expect(host.counts.refusals).toBe(1)
    expect(host.store.table<string>("rows").get("report")).toBe("not applied")
  })

  test("sees its own turns and rows", () => {
    const lab = openLab()
    begin(lab.host, ONE)
    const body = Effect.gen(function* () {
      const transaction = yield* Transaction
      yield* turnOf(ONE, hear("x"))
      const group = yield* transaction.group(ONE)
      return [contextAt(group, ONE).heard, transaction.nowMs]
    })
    expect(
      valueOf(
        lab,
        lab.host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      ),
    ).toEqual([["x"], NOON_MS])
  })

  test("shows its turns to the areas before it commits, those that they cause included", () => {
    const seen: string[] = []
    const observers: Observer[] = [
      {
        kind: "show",
        observe: (result) =>
          Routine.gen(function* () {
            const transaction = yield* Transaction
            seen.push(`show r${result.group.revision}`)
            if (result.emissions.length === 0) return
            yield* transaction.turn({ to: TWO, start: { machine: "puppet@1", input: {} }, nonce: NONCE })
          }),
        forget: () => Routine.void,
      },
      { kind: "shop", observe: () => Routine.sync(() => void seen.push("shop")), forget: () => Routine.void },
    ]
    const { host } = openLab({ observers })
    const committed: string[] = []
    host.onTurn((result) => committed.push(`${result.group.address} after ${seen.length} seen`))
    begin(host, ONE)
    act(host, ONE, publish("opened"))
    expect(seen).toEqual(["show r1", "show r2", "shop"])
    expect(committed).toEqual([`${ONE} after 1 seen`, `${ONE} after 3 seen`, `${TWO} after 3 seen`])
  })
})

describe("a transaction that does what it must not", () => {
  const suspending = {
    sleeps: Effect.sleep(5),
    "sleeps for no time": Effect.sleep(0),
    yields: Effect.yieldNow(),
    "awaits a promise": Effect.promise(() => Promise.resolve()),
    "waits for a fiber": Effect.flatMap(Effect.fork(Effect.sleep(1)), Fiber.join),
    "waits for a callback that comes at once": Effect.async<void>((resume) => resume(Effect.yieldNow())),
  } as const
  test.each(Object.entries(suspending))("it %s: a fault", (_, waits) => {
    const lab = openLab()
    begin(lab.host, ONE)
    const body = Effect.zipRight(turnOf(ONE, hear("x")), waits)
    const fault = faultIn(
      lab,
      lab.host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
    )
    expect(fault.reason).toBe("a transaction suspended")
  })

  test("a sleep outside a transaction is fine, right after one and in another fiber", () => {
    const lab = openLab()
    const { host } = lab
    begin(host, ONE)
    const whole = Effect.zipRight(
      host.port.run({
        name: "a test",
        locks: { groups: [ONE] },
        body: () => Routine.from(turnOf(ONE, hear("x"))),
      }),
      Effect.sleep(5),
    )
    valueOf(lab, Effect.zipRight(Effect.zip(Effect.sleep(3), whole), Effect.void))
    expect(host.time.nowMs).toBe(NOON_MS + 8)
  })

  test("a turn on a group outside its locks is a fault", () => {
    const lab = openLab()
    begin(lab.host, ONE)
    begin(lab.host, TWO)
    const fault = faultIn(
      lab,
      lab.host.port.run({
        name: "a test",
        locks: { groups: [ONE] },
        body: () => Routine.from(turnOf(TWO, hear("x"))),
      }),
    )
    expect(fault).toMatchObject({ reason: "a group is not locked", at: TWO })
    expect(heardBy(lab.host, TWO)).toEqual([])
  })

  test("a group that it starts is locked by being new", () => {
    const lab = openLab()
    const body = Effect.gen(function* () {
      const transaction = yield* Transaction
      yield* transaction.turn({ to: TWO, start: { machine: "puppet@1", input: {} }, nonce: NONCE })
      yield* turnOf(TWO, hear("x"))
    })
    valueOf(lab, lab.host.port.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
    expect(heardBy(lab.host, TWO)).toEqual(["x"])
  })

  test("a part that it starts in a running group outside its locks is a fault", () => {
    const lab = openLab()
    begin(lab.host, TWO)
    const body = Effect.flatMap(Transaction, (transaction) =>
      transaction.turn({ to: `${TWO}/part`, start: { machine: "puppet@1", input: {} }, nonce: NONCE }),
    )
    expect(
      faultIn(
        lab,
        lab.host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      ).reason,
    ).toBe("a group is not locked")
    expect(lab.host.groups.get(TWO)?.actors.size).toBe(1)
  })

  test("a transaction inside a transaction is a fault, and the outer one leaves nothing", () => {
    const lab = openLab()
    const { host } = lab
    begin(host, ONE)
    const nested = Effect.zipRight(
      turnOf(ONE, hear("x")),
      host.port.run({
        name: "a test",
        locks: { groups: [ONE] },
        body: () => Routine.from(turnOf(ONE, hear("y"))),
      }),
    )
    expect(
      faultIn(
        lab,
        host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(nested) }),
      ).reason,
    ).toBe("a transaction suspended")
    expect(heardBy(host, ONE)).toEqual([])
    expect(host.command({ to: ONE, event: hear("z") }).type, "the host is free again").toBe("answered")
  })

  test("a fault inside it leaves nothing of it", () => {
    const lab = openLab()
    begin(lab.host, ONE)
    const body = Effect.zipRight(turnOf(ONE, hear("x")), turnOf(`${ONE}/ghost`, hear("x")))
    expect(
      faultIn(
        lab,
        lab.host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      ).reason,
    ).toBe("an address is unknown")
    expect(heardBy(lab.host, ONE)).toEqual([])
    expect(lab.host.entries).toHaveLength(1)
  })
})

describe("mailboxes", () => {
  test("what is due is taken before a command, timers before messages", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    host.command({ to: ONE, event: { type: "wait", delays: [0] } })
    act(host, TWO, send(ONE, hear("a message")))
    host.command({ to: ONE, event: hear("a command") })
    expect(heardBy(host, ONE)).toEqual([{ atMs: NOON_MS }, "a message", "a command"])
    const agenda = host.time.entries
    host.time.run()
    expect(host.time.entries, "nothing of it is left on the agenda").toBe(agenda)
  })

  test("what is due is taken before a transaction and before a read", () => {
    const lab = openLab()
    const { host } = lab
    for (const address of [ONE, TWO]) begin(host, address)
    act(host, TWO, send(ONE, hear("first")))
    const group = Effect.runSync(host.port.read(ONE))
    expect(contextAt(group, ONE).heard).toEqual(["first"])
    act(host, TWO, send(ONE, hear("second")))
    const seen = host.port.run({
      name: "a test",
      locks: { groups: [ONE] },
      body: () => Routine.from(Effect.flatMap(Transaction, (transaction) => transaction.group(ONE))),
    })
    expect(contextAt(Effect.runSync(host.simulated(seen)), ONE).heard).toEqual(["first", "second"])
  })

  test("a timer that a due timer arms for the same instant comes before messages and the command too", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    host.command({ to: ONE, event: { type: "wait", delays: [0, 0, 0] } })
    act(host, TWO, send(ONE, hear("a message")))
    host.command({ to: ONE, event: hear("a command") })
    expect(heardBy(host, ONE)).toEqual([
      { atMs: NOON_MS },
      { atMs: NOON_MS },
      { atMs: NOON_MS },
      "a message",
      "a command",
    ])
  })

  test("a message crosses to another group with its sender's instant and cause, as a turn of its own", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    act(host, ONE, send(TWO, hear("hello")), startPuppet("shop/three", [publish("opened")]))
    expect(heardBy(host, TWO)).toEqual([])
    host.time.run()
    expect(heardBy(host, TWO)).toEqual(["hello"])
    expect(bodies(host).slice(3)).toMatchObject([
      { to: TWO, by: "message", event: hear("hello"), instantMs: NOON_MS, cause: [ONE, 2, 0] },
      { to: "shop/three", by: "message", machine: "puppet@1", instantMs: NOON_MS, cause: [ONE, 2, 0] },
    ])
  })

  test("a group's instant never goes back, and its messages carry it on", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    const group = host.groups.get(ONE)
    if (group === null) throw new Error("no group")
    host.groups.put({ ...group, instantMs: NOON_MS + 500, occurredUs: (NOON_MS + 500) * 1_000 })
    act(host, ONE, send(TWO, hear("from ahead")))
    expect(host.groups.get(ONE)?.instantMs).toBe(NOON_MS + 500)
    host.time.run()
    expect(host.groups.get(TWO)?.instantMs).toBe(NOON_MS + 500)
    expect(bodies(host).at(-1)).toMatchObject({ to: TWO, atMs: NOON_MS + 500, instantMs: NOON_MS + 500 })
  })

  test("messages of one sender arrive in the order they were sent", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    act(host, ONE, ...["a", "b", "c"].map((what) => send(TWO, hear(what))))
    host.time.run()
    expect(heardBy(host, TWO)).toEqual(["a", "b", "c"])
  })

  test("timers of all groups fire in due order", () => {
    const { host } = openLab()
    const fired: unknown[] = []
    host.onTurn(
      (result, input) =>
        input.by === "timer" && fired.push([result.group.address, host.time.nowMs - NOON_MS]),
    )
    for (const [address, delays] of [
      ["show/a", [30, 5]],
      ["show/b", [10, 10]],
      ["show/c", [20]],
    ] as const) {
      begin(host, address)
      host.command({ to: address, event: { type: "wait", delays } })
    }
    host.time.run()
    expect(fired).toEqual([
      ["show/b", 10],
      ["show/c", 20],
      ["show/b", 20],
      ["show/a", 30],
      ["show/a", 35],
    ])
  })

  test("a message to an unknown address ends the run", () => {
    const { host } = openLab()
    begin(host, ONE)
    act(host, ONE, send("shop/unknown", hear("x")))
    expect(reasonOf(() => host.time.run())).toBe("an address is unknown")
  })

  test("a mailbox holds so many messages and no more, and its timers count among them", () => {
    const flood =
      (count: number, delays: readonly number[]): (() => void) =>
      () => {
        const { host } = openLab()
        begin(host, ONE)
        begin(host, TWO)
        host.command({ to: TWO, event: { type: "wait", delays } })
        act(host, ONE, ...Array.from({ length: count }, () => send(TWO, hear("x"))))
      }
    expect(flood(MAILBOX_ENTRIES_MAX - 1, [60_000])).not.toThrow()
    expect(reasonOf(flood(MAILBOX_ENTRIES_MAX + 1, []))).toBe("a mailbox is full")
    expect(reasonOf(flood(MAILBOX_ENTRIES_MAX, [60_000]))).toBe("a mailbox is full")
  })

  test("a full mailbox fails the sender, which stands as if it had not been asked", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    const before = json(host.content())
    const messages = Array.from({ length: MAILBOX_ENTRIES_MAX + 1 }, () => send(TWO, hear("x")))
    expect(reasonOf(() => act(host, ONE, ...messages))).toBe("a mailbox is full")
    expect(json(host.content().groups)).toEqual(before.groups)
    expect(act(host, ONE, send(TWO, hear("y"))).type).toBe("answered")
    host.time.run()
    expect(heardBy(host, TWO)).toEqual(["y"])
  })

  test("a message that meets a full mailbox is tried again, and no later one overtakes it", () => {
    const { host } = openLab({ mailboxEntriesMax: () => 2 })
    const three = "shop/three"
    for (const address of [ONE, TWO, three]) begin(host, address)
    host.command({ to: three, event: { type: "wait", delays: [90_000] } })
    const twice = doing(send(three, hear("x")), send(three, hear("x")))
    act(host, ONE, send(TWO, twice), send(TWO, hear("y")))
    host.time.run()
    const toTwo = host.entries
      .map(({ entry, instantMs }) => ({ ...(JSON.parse(entry.text) as EntryBody), instantMs }))
      .filter(({ to, by }) => to === TWO && by === "message")
    expect(toTwo.map(({ event }) => event?.type)).toEqual(["do", "hear"])
    expect(toTwo.map(({ instantMs }) => instantMs - NOON_MS)).toEqual([120_000, 120_000])
    expect(heardBy(host, three)).toEqual([{ atMs: NOON_MS + 90_000 }, "x", "x"])
  })

  test("a transaction that is rehearsed draws the same numbers as one that is not", () => {
    const drawn = (rehearses: boolean): string => {
      const lab = openLab({ rehearses })
      begin(lab.host, ONE)
      const body = Effect.flatMap(lab.host.port.nonce, (nonce) =>
        Effect.flatMap(Transaction, (open) => open.turn({ to: ONE, event: hear(nonce), nonce })),
      )
      valueOf(
        lab,
        lab.host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
      )
      return lab.host.groups.hash()
    }
    expect(drawn(true)).toBe(drawn(false))
  })
})

/** Answers every call after a while; `results` by attempt, the last for ever. */
function answering(
  called: Call[],
  { afterMs, type }: { afterMs: number; type: CallResult["type"] },
): Performer {
  return {
    call: "webhook",
    leaseMs: 90_000,
    perform: (made) =>
      Effect.gen(function* () {
        called.push(made)
        yield* Effect.sleep(afterMs)
        return { type, attempt: made.attempt, reason: "as scripted" }
      }),
  }
}

function noting(called: Call[]): Performer {
  return answering(called, { afterMs: 0, type: "call.succeeded" })
}

describe("calls", () => {
  test("leave only after the commit, and come back as a turn of their own with their attempt", () => {
    const called: Call[] = []
    const lab = openLab({ performers: [answering(called, { afterMs: 40, type: "call.failed" })] })
    const { host } = lab
    begin(host, ONE)
    const body = Effect.gen(function* () {
      const transaction = yield* Transaction
      yield* transaction.turn({ to: ONE, event: doing(call("webhook", 3)), nonce: NONCE })
      expect(called).toEqual([])
      expect(host.callsInFlight).toBe(0)
    })
    valueOf(lab, host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }))
    expect(called).toEqual([{ actor: ONE, call: "webhook", attempt: 3, cause: [ONE, 2, 0] }])
    expect(host.callsInFlight).toBe(0)
    expect(bodies(host).at(-1)).toMatchObject({
      to: ONE,
      by: "result",
      event: { type: "call.failed", attempt: 3, reason: "as scripted" },
      instantMs: NOON_MS + 40,
      cause: [ONE, 2, 0],
    })
  })

  test("the fiber that committed goes on before its calls leave", () => {
    const log: string[] = []
    const performers = [
      {
        call: "webhook",
        leaseMs: 90_000,
        perform: (made: Call) =>
          Effect.sync(() => (log.push("called"), { type: "call.succeeded", attempt: made.attempt } as const)),
      },
    ]
    const lab = openLab({ performers })
    const { host } = lab
    begin(host, ONE)
    const body = Effect.flatMap(Transaction, (transaction) =>
      transaction.turn({ to: ONE, event: doing(call("webhook", 1)), nonce: NONCE }),
    )
    valueOf(
      lab,
      Effect.zipRight(
        host.port.run({ name: "a test", locks: { groups: [ONE] }, body: () => Routine.from(body) }),
        Effect.sync(() => log.push("went on")),
      ),
    )
    expect(log).toEqual(["went on", "called"])
  })

  test("a result for an actor that has moved on is ignored and changes nothing but the journal", () => {
    const called: Call[] = []
    const { host } = openLab({ performers: [answering(called, { afterMs: 40, type: "call.succeeded" })] })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    host.time.run(NOON_MS + 10)
    host.command({ to: ONE, event: { type: "finish" } })
    const before = host.groups.get(ONE)
    host.time.run()
    const after = host.groups.get(ONE)
    expect(after?.actors.get(ONE)?.snapshot).toEqual(before?.actors.get(ONE)?.snapshot)
    expect(bodies(host).at(-1)).toMatchObject({ by: "result", steps: [{ did: "ignored" }], refused: null })
    expect(after?.revision).toBe((before?.revision ?? 0) + 1)
  })

  test("calls that are dropped, as by a crash, bring no result", () => {
    const called: Call[] = []
    const { host } = openLab({ performers: [answering(called, { afterMs: 40, type: "call.succeeded" })] })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    host.time.run(NOON_MS + 10)
    expect(host.callsInFlight).toBe(1)
    host.dropCalls()
    host.time.run()
    expect(called).toHaveLength(1)
    expect(host.callsInFlight).toBe(0)
    expect(bodies(host).map((body) => body.by)).not.toContain("result")
  })

  test("calls that are dropped before they left never leave", () => {
    const called: Call[] = []
    const { host } = openLab({ performers: [noting(called)] })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    host.dropCalls()
    host.time.run()
    expect(called).toEqual([])
  })

  test("a performer that dies ends the run", () => {
    const performers = [
      { call: "webhook", leaseMs: 90_000, perform: () => Effect.die(new Error("no route")) },
    ]
    const { host } = openLab({ performers })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    expect(() => host.time.run()).toThrow("no route")
  })

  test("a performer that awaits a promise is still in flight when the agenda is empty", () => {
    const performers = [
      {
        call: "webhook",
        leaseMs: 90_000,
        perform: () => Effect.promise(() => Promise.resolve({ type: "call.succeeded", attempt: 1 } as const)),
      },
    ]
    const { host } = openLab({ performers })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    host.time.run()
    expect(host.callsInFlight).toBe(1)
  })
})

describe("an empty agenda", () => {
  test("an actor that neither settled nor rests is found", () => {
    const { host } = openLab()
    begin(host, ONE, [startPuppet("./part")])
    begin(host, TWO)
    host.command({ to: TWO, event: { type: "finish" } })
    expect(host.groups.waiting()).toEqual([])
    host.command({ to: `${ONE}/part`, event: { type: "hang" } })
    host.time.run()
    expect(host.groups.waiting()).toEqual([`${ONE}/part`])
  })

  test("a fiber that still waits is found even if a fiber forked it", () => {
    const { host, runtime } = openLab()
    const fiber = Runtime.runFork(runtime)(Effect.async<never>(() => undefined))
    host.time.run()
    expect(fiber.unsafePoll()).toBeNull()
  })
})

describe("folding", () => {
  const folding = { recording: "off", foldAfterMs: HOUR_MS, tombstoneAfterMs: 2 * HOUR_MS } as const
  const pass = (host: MemoryHost, ms: number): void => {
    host.time.advanceTo(host.time.nowMs + ms)
    begin(host, `clock/${host.time.nowMs}`)
  }

  test("a settled group is folded after a while, its rows are forgotten, and its turns stay in the digest", () => {
    const forgotten: string[] = []
    const observers: Observer[] = [
      {
        kind: "show",
        observe: () => Routine.void,
        forget: (group) => Routine.sync(() => void forgotten.push(group)),
      },
    ]
    const [kept, folded] = [openLab(), openLab({ ...folding, observers })]
    for (const { host } of [kept, folded]) {
      begin(host, ONE)
      begin(host, TWO)
      host.command({ to: ONE, event: { type: "finish" } })
      pass(host, HOUR_MS - 1)
    }
    expect(folded.host.groups.get(ONE)).not.toBeNull()
    for (const { host } of [kept, folded]) pass(host, 1)
    expect(folded.host.groups.get(ONE)).toBeNull()
    expect(folded.host.groups.get(TWO), "it may still be moved").not.toBeNull()
    expect(folded.host.groups.foldedCount).toBe(1)
    expect(forgotten).toEqual([ONE])
    expect(folded.host.entries).toEqual([])
    expect(folded.host.digest()).toBe(kept.host.digest())
  })

  test("a group with a timer, or one that was moved since, is not folded", () => {
    const { host } = openLab(folding)
    begin(host, ONE)
    host.command({ to: ONE, event: { type: "finish" } })
    pass(host, HOUR_MS - 1)
    expect(host.command({ to: ONE, event: hear("late") })).toMatchObject({
      type: "refused",
      code: "INVALID_STATE",
    })
    pass(host, 1)
    expect(host.groups.get(ONE)).not.toBeNull()
    pass(host, HOUR_MS)
    expect(host.groups.get(ONE)).toBeNull()
  })

  test("a group with a call under way is not folded before its result", () => {
    const called: Call[] = []
    const performers = [answering(called, { afterMs: 3 * HOUR_MS, type: "call.succeeded" })]
    const { host } = openLab({ ...folding, performers })
    begin(host, ONE)
    act(host, ONE, call("webhook", 1))
    host.command({ to: ONE, event: { type: "finish" } })
    host.time.run(NOON_MS + 10)
    pass(host, 2 * HOUR_MS)
    expect(host.groups.get(ONE)).not.toBeNull()
    host.time.run()
    pass(host, HOUR_MS)
    expect(host.groups.get(ONE)).toBeNull()
  })

  test("a group with a message in its mailbox is not folded before it took it", () => {
    const { host } = openLab(folding)
    begin(host, ONE)
    begin(host, TWO)
    host.command({ to: ONE, event: { type: "finish" } })
    host.time.advanceTo(NOON_MS + HOUR_MS)
    act(host, TWO, send(ONE, hear("on time")))
    expect(host.groups.get(ONE)).not.toBeNull()
    host.time.run()
    expect(host.counts.lateMessages).toBe(0)
  })

  test("a message to a folded group is dropped and counted, and the tombstone is forgotten in the end", () => {
    const { host } = openLab(folding)
    begin(host, ONE)
    begin(host, TWO)
    host.command({ to: ONE, event: { type: "finish" } })
    pass(host, HOUR_MS)
    act(host, TWO, send(ONE, hear("too late")), startPuppet(ONE))
    host.time.run()
    expect(host.counts.lateMessages).toBe(2)
    expect(host.groups.get(ONE)).toBeNull()
    expect(host.groups.isFolded(ONE)).toBe(true)
    pass(host, 2 * HOUR_MS)
    expect(host.groups.isFolded(ONE)).toBe(false)
    expect(host.content().groups.tombstones.map(([group]) => group)).not.toContain(ONE)
  })

  test("a command to a folded group is a fault, and so is its second start", () => {
    const { host } = openLab(folding)
    begin(host, ONE)
    host.command({ to: ONE, event: { type: "finish" } })
    pass(host, HOUR_MS)
    expect(reasonOf(() => host.command({ to: ONE, event: hear("x") }))).toMatch(
      /address is unknown|was folded/,
    )
    expect(reasonOf(() => begin(host, ONE))).toMatch(/started twice|was folded/)
  })
})

describe("content", () => {
  test("goes through JSON to another host, which goes on from the same instant with the same numbers", () => {
    const first = openLab().host
    begin(first, ONE)
    begin(first, TWO)
    first.time.run()
    first.command({ to: ONE, event: { type: "wait", delays: [10, 20] } })
    first.time.run(NOON_MS + 10)
    act(first, ONE, send(TWO, hear("on its way")))
    const second = openLab({ startMs: 0, seed: 1 }).host
    second.restore(json(first.content()))
    expect(second.time.nowMs).toBe(first.time.nowMs)
    for (const host of [first, second]) {
      host.time.run()
      begin(host, "show/new")
    }
    expect(second.groups.hash()).toBe(first.groups.hash())
    expect(heardBy(second, TWO)).toEqual(["on its way"])
    expect(json(second.content())).toEqual(json(first.content()))
  })

  test("replaces what the host had: groups, rows, timers and messages of before are gone", () => {
    const { host } = openLab()
    begin(host, ONE)
    const early = json(host.content())
    host.command({ to: ONE, event: { type: "wait", delays: [10] } })
    begin(host, TWO)
    act(host, TWO, send(ONE, hear("never")))
    host.store.table<string>("rows").put("a", "b")
    host.restore(early)
    host.time.run()
    expect(host.time.nowMs).toBe(NOON_MS)
    expect(host.groups.get(TWO)).toBeNull()
    expect(heardBy(host, ONE)).toEqual([])
    expect(host.store.table<string>("rows").size).toBe(0)
  })

  test("stays as it was taken while the run goes on", () => {
    const { host } = openLab({ recording: "off", foldAfterMs: HOUR_MS })
    begin(host, ONE)
    const content = host.content()
    const text = JSON.stringify(content)
    host.command({ to: ONE, event: { type: "finish" } })
    host.time.run()
    expect(JSON.stringify(content)).toBe(text)
  })

  test("a message is delivered once, though the host was restored while it waited", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    act(host, ONE, send(TWO, hear("once")))
    for (let times = 0; times < 3; times += 1) host.restore(json(host.content()))
    host.time.run()
    expect(heardBy(host, TWO)).toEqual(["once"])
  })

  test("a mailbox that is exactly full can be restored", () => {
    const { host } = openLab()
    begin(host, ONE)
    begin(host, TWO)
    act(host, ONE, ...Array.from({ length: MAILBOX_ENTRIES_MAX }, () => send(TWO, hear("x"))))
    const content = json(host.content())
    expect(() => host.restore(content)).not.toThrow()
  })
})
