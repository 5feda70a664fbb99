/** One input into one group: what a turn makes of it, and where it stops. */

import { createMachine, emit, raise } from "xstate"
import type { AnyStateMachine } from "xstate"
import { describe, expect, test } from "vitest"
import { EngineFault } from "../../../src/engine/kernel/faults.ts"
import { persistGroup, reviveGroup } from "../../../src/engine/kernel/group.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import { chain, GENESIS } from "../../../src/engine/kernel/hash.ts"
import type { EntryBody, TurnInput } from "../../../src/engine/kernel/journal.ts"
import { takeTurn } from "../../../src/engine/kernel/turn.ts"
import type { TurnResult } from "../../../src/engine/kernel/turn.ts"
import { GROUP_ACTORS_MAX, MAILBOX_ENTRIES_MAX, TURN_STEPS_MAX } from "../../../src/model/values/limits.ts"
import type { JsonObject } from "../../../src/model/values/json.ts"
import { call, publish, refuse, reply, send } from "../../../src/model/verbs.ts"
import type { Verb } from "../../../src/model/verbs.ts"
import { contextAt, doing, inputOf, NOON_MS, puppets, startOf, startPuppet, taken } from "./puppet.ts"
import type { PuppetInput } from "./puppet.ts"

const ROOT = "show/one"

const hear = (what: string): JsonObject & { readonly type: string } => ({ type: "hear", what })
const take = (before: Group | null, part: PuppetInput): TurnResult =>
  taken(takeTurn(puppets, before, inputOf(part)))
const started = (verbs: readonly Verb[] = [], more: Partial<TurnInput> = {}): Group =>
  taken(takeTurn(puppets, null, startOf(ROOT, verbs, more))).group
const bodyOf = (result: TurnResult): EntryBody => JSON.parse(result.entry?.text ?? "null") as EntryBody

function faultFrom(run: () => unknown): EngineFault {
  try {
    run()
  } catch (fault) {
    if (fault instanceof EngineFault) return fault
    throw fault
  }
  throw new Error("nothing was thrown")
}

describe("inside a group", () => {
  test("messages are taken in the order they were sent, and answers after them", () => {
    const group = started([startPuppet("./a"), startPuppet("./b")])
    const result = take(group, {
      to: ROOT,
      event: doing(
        send("./a", doing(send("./b", hear("by a, first")), send(".", hear("by a, second")))),
        send("./b", hear("by the root, second")),
        send(".", hear("by the root, third")),
      ),
    })
    expect(contextAt(result.group, `${ROOT}/b`).heard).toEqual(["by the root, second", "by a, first"])
    expect(contextAt(result.group, ROOT).heard).toEqual(["by the root, third", "by a, second"])
    expect(bodyOf(result).steps.map((step) => step.a)).toEqual([
      ROOT,
      `${ROOT}/a`,
      `${ROOT}/b`,
      ROOT,
      `${ROOT}/b`,
      ROOT,
    ])
  })

  test("a start is carried out before the next verb, so that the new actor can be written to at once", () => {
    const group = started()
    const result = take(group, {
      to: ROOT,
      event: doing(
        send(".", hear("sent first")),
        startPuppet("./a", [startPuppet("./b", [publish("b.began")]), publish("a.began")]),
        publish("root.went_on"),
        send("./a", hear("welcome")),
        send("./b", hear("welcome")),
      ),
    })
    expect(result.emissions.map((emission) => emission.event)).toEqual(["b.began", "a.began", "root.went_on"])
    expect(contextAt(result.group, `${ROOT}/a`).heard).toEqual(["welcome"])
    expect(contextAt(result.group, `${ROOT}/b`).heard).toEqual(["welcome"])
  })

  test("every event of a turn carries the instant, whatever its sender", () => {
    const result = take(started([startPuppet("./a")]), {
      to: ROOT,
      event: doing(send("./a", hear("x"))),
      instantMs: NOON_MS + 7,
    })
    expect(bodyOf(result).steps.map((step) => (step.on as JsonObject)["atMs"])).toEqual([
      NOON_MS + 7,
      NOON_MS + 7,
    ])
  })

  test("what goes to another group leaves the turn as a message with the sender's instant and cause", () => {
    const group = started([startPuppet("./a")])
    const result = take(group, {
      to: ROOT,
      event: doing(send("./a", doing(send("show/two", hear("far")), startPuppet("show/three")))),
      instantMs: NOON_MS + 5,
    })
    expect(result.messages).toEqual([
      { to: "show/two", event: hear("far"), instantMs: NOON_MS + 5, cause: [ROOT, 2, 1] },
      {
        to: "show/three",
        start: { machine: "puppet@1", input: { verbs: [] } },
        instantMs: NOON_MS + 5,
        cause: [ROOT, 2, 1],
      },
    ])
    expect([...result.group.actors.keys()]).toEqual([ROOT, `${ROOT}/a`])
  })

  test("calls leave the turn with actor, attempt and cause; the last reply is the answer", () => {
    const result = take(started(), {
      to: ROOT,
      event: doing(call("webhook", 3), reply({ n: 1 }), reply({ n: 2 })),
    })
    expect(result.calls).toEqual([{ actor: ROOT, call: "webhook", attempt: 3, cause: [ROOT, 2, 0] }])
    expect(result.outcome).toEqual({ type: "answered", value: { n: 2 } })
  })

  test("a message that no state takes is recorded as ignored and refuses nothing", () => {
    const result = take(started([startPuppet("./a")]), {
      to: ROOT,
      event: doing(send("./a", { type: "unheard of" })),
    })
    expect(result.outcome.type).toBe("answered")
    expect(bodyOf(result).steps.map((step) => step.did)).toEqual(["handled", "ignored"])
  })
})

describe("refusals", () => {
  test("a refusal discards everything but its entry, and counts as a revision", () => {
    const before = started([startPuppet("./a")])
    const result = take(before, {
      to: ROOT,
      instantMs: NOON_MS + 9,
      event: doing(
        publish("too.soon"),
        call("webhook", 1),
        send("./a", hear("never")),
        startPuppet("./b"),
        send("show/two", hear("never")),
        refuse("BOT_STATUS_REGRESSION"),
        reply({ never: true }),
      ),
    })
    expect(result.outcome).toMatchObject({ type: "refused", code: "BOT_STATUS_REGRESSION" })
    expect(result).toMatchObject({ emissions: [], calls: [], messages: [], armed: [] })
    expect(result.group.actors).toBe(before.actors)
    expect(result.group.timers).toBe(before.timers)
    expect(result.group.occurredUs).toBe(before.occurredUs)
    expect(result.group.revision).toBe(before.revision + 1)
    expect(result.group.instantMs).toBe(NOON_MS + 9)
    expect(bodyOf(result)).toMatchObject({ to: ROOT, steps: [], refused: "BOT_STATUS_REGRESSION" })
    expect(result.group.head).toBe(chain(before.head, result.entry?.text ?? ""))
  })

  test("a refusal by an actor further down discards the steps before it", () => {
    const before = started([startPuppet("./a")])
    const result = take(before, {
      to: ROOT,
      event: doing(send(".", hear("x")), send("./a", doing(refuse("INVALID_STATE")))),
    })
    expect(result.outcome).toMatchObject({ type: "refused", code: "INVALID_STATE" })
    expect(contextAt(result.group, ROOT).heard).toEqual([])
  })

  test("a refused start leaves nothing, by the machine or by the decision", () => {
    const byMachine = taken(
      takeTurn(puppets, null, startOf(ROOT, [startPuppet("./a"), refuse("UNKNOWN_ZONE" as never)])),
    )
    expect(byMachine.outcome.type).toBe("refused")
    expect(byMachine.entry).toBeNull()
    expect(byMachine.group).toMatchObject({ revision: 0, head: GENESIS })
    expect(byMachine.group.actors.size).toBe(0)
    const byDecision = taken(takeTurn(puppets, null, startOf(ROOT, [], { decision: "never@1", facts: {} })))
    expect(byDecision.outcome).toMatchObject({ type: "refused", code: "NO_STALL_AVAILABLE" })
    expect(byDecision.entry).toBeNull()
  })

  test("a command that no state takes is refused with INVALID_STATE", () => {
    const result = take(started(), { to: ROOT, event: { type: "unheard of" } })
    expect(result.outcome).toMatchObject({ type: "refused", code: "INVALID_STATE" })
    expect(bodyOf(result).refused).toBe("INVALID_STATE")
  })

  test("a refusal says which actor stood in the way and in which state; the journal keeps the code alone", () => {
    const { outcome, entry } = take(started(), { to: ROOT, event: { type: "unheard of" } })
    const state = expect.stringMatching(/^\w+(\.\w+)*$/) as string
    expect(outcome).toMatchObject({ reason: { type: "state", actor: "show", state } })
    expect(entry?.text).not.toContain("reason")
  })

  test("a command to an actor that has ended is refused with INVALID_STATE", () => {
    const ended = take(started(), { to: ROOT, event: { type: "finish" } }).group
    expect(take(ended, { to: ROOT, event: hear("late") }).outcome).toMatchObject({
      type: "refused",
      code: "INVALID_STATE",
    })
  })

  test("messages and results that no state takes are not refused", () => {
    for (const by of ["message", "result"] as const) {
      const result = take(started(), {
        to: ROOT,
        by,
        event: { type: "unheard of" },
        cause: ["show/two", 1, 0],
      })
      expect(result.outcome.type).toBe("answered")
    }
  })

  test("a refused timer is used up: it does not stay armed for ever", () => {
    const strict = createMachine({
      id: "strict",
      initial: "a",
      states: { a: { after: { 10: { actions: emit(refuse("INVALID_STATE")) } } } },
    })
    const program = { machines: { "strict@1": strict }, decisions: {} }
    const begun = taken(
      takeTurn(program, null, inputOf({ to: ROOT, start: { machine: "strict@1", input: {} } })),
    )
    const [timer] = begun.armed
    if (timer === undefined) throw new Error("no timer was armed")
    const fired = taken(
      takeTurn(
        program,
        begun.group,
        inputOf({ to: ROOT, by: "timer", timer: timer.id, event: { type: timer.event }, cause: timer.cause }),
      ),
    )
    expect(fired.outcome.type).toBe("refused")
    expect([...fired.group.timers.keys()]).toEqual([])
  })
})

describe("decisions", () => {
  test("a decision runs over the facts and the request, and the machine sees what it chose", () => {
    const result = take(started(), {
      to: ROOT,
      event: hear("x"),
      decision: "first@1",
      facts: { of: ["stall_2", "stall_1"] },
    })
    const body = bodyOf(result)
    expect(body.decided).toEqual({ chosen: "stall_2", asked: hear("x"), atMs: NOON_MS })
    expect(body.facts).toEqual({ of: ["stall_2", "stall_1"] })
    expect(body.steps[0]?.on).toEqual({ ...hear("x"), atMs: NOON_MS, decided: body.decided })
  })

  test("a decision over a start sees the start's input", () => {
    const result = taken(
      takeTurn(puppets, null, startOf(ROOT, [], { decision: "first@1", facts: { of: [7] } })),
    )
    expect(bodyOf(result).decided).toEqual({ chosen: 7, asked: { verbs: [] }, atMs: NOON_MS })
    const [step] = bodyOf(result).steps
    expect(step?.on).toMatchObject({ input: { decided: { chosen: 7 } } })
  })

  test("a decision that forbids an event is the machine's to answer", () => {
    const result = take(started(), { to: ROOT, event: hear("x"), decision: "never@1", facts: {} })
    expect(result.outcome.type).toBe("answered")
    expect(bodyOf(result).decided).toEqual({ refusal: "NO_STALL_AVAILABLE" })
  })

  test("an unknown decision is a fault", () => {
    const group = started()
    const fault = faultFrom(() => take(group, { to: ROOT, event: hear("x"), decision: "guess@1" }))
    expect(fault).toMatchObject({ reason: "a decision is unknown", at: ROOT })
    expect(fault.found).toBe("guess@1")
  })
})

describe("emissions", () => {
  test("three events of one change show three states", () => {
    const result = take(started(), { to: ROOT, event: { type: "climb" } })
    expect(result.emissions.map((emission) => emission.actors.get(ROOT)?.snapshot.value as unknown)).toEqual([
      { open: "first rung" },
      { open: "second rung" },
      { open: "top" },
    ])
    expect(
      result.emissions.map((emission) => contextAt({ actors: emission.actors } as Group, ROOT).heard.length),
    ).toEqual([1, 2, 3])
    expect(result.emissions.map((emission) => emission.ordinal)).toEqual([0, 1, 2])
  })

  test("an emission shows the whole group, as it stood then", () => {
    const result = take(started([startPuppet("./a")]), {
      to: ROOT,
      event: doing(send("./a", hear("x")), publish("before"), send(".", doing(publish("after")))),
    })
    const heard = result.emissions.map(
      (emission) => contextAt({ actors: emission.actors } as Group, `${ROOT}/a`).heard,
    )
    expect(heard).toEqual([[], ["x"]])
  })

  test("occurred_at is the instant in microseconds plus a counter", () => {
    const result = take(started(), { to: ROOT, event: doing(publish("a"), publish("b"), publish("c")) })
    expect(result.emissions.map((emission) => emission.occurredUs - NOON_MS * 1_000)).toEqual([0, 1, 2])
  })

  test("occurred_at increases strictly over the turns of one instant, refusals between them included", () => {
    let group = started([publish("a")])
    const seen: number[] = [group.occurredUs]
    for (const event of [
      doing(publish("b")),
      doing(publish("no"), refuse("INVALID_STATE")),
      doing(publish("c")),
    ]) {
      const result = take(group, { to: ROOT, event })
      seen.push(...result.emissions.map((emission) => emission.occurredUs))
      group = result.group
    }
    expect(seen.map((us) => us - NOON_MS * 1_000)).toEqual([0, 1, 2])
    const [later] = take(group, { to: ROOT, event: doing(publish("d")), instantMs: NOON_MS + 1 }).emissions
    expect(later?.occurredUs).toBe((NOON_MS + 1) * 1_000)
  })

  test("occurred_at increases strictly even past a thousand events in a millisecond", () => {
    const many = Array.from({ length: 1_500 }, () => publish("tick"))
    const group = take(started(), { to: ROOT, event: doing(...many) }).group
    const [next] = take(group, { to: ROOT, event: doing(publish("tick")), instantMs: NOON_MS + 1 }).emissions
    expect(next?.occurredUs).toBe(NOON_MS * 1_000 + 1_500)
  })
})

describe("timers", () => {
  const WAITING = "xstate.after.the first delay.puppet.open.waiting"
  const waits = (group: Group, delays: readonly number[], instantMs = NOON_MS): TurnResult =>
    take(group, { to: ROOT, event: { type: "wait", delays }, instantMs })
  const fire = (
    group: Group,
    timer: TurnResult["armed"][number] | undefined,
    instantMs: number,
  ): TurnResult | null => {
    if (timer === undefined) throw new Error("no timer")
    const { to, id, event, dueMs, cause } = timer
    return takeTurn(
      puppets,
      group,
      inputOf({ to, by: "timer", timer: id, event: { type: event }, atMs: dueMs, instantMs, cause }),
    )
  }

  test("a timer is due at the event's time plus its delay, rounded up to a millisecond", () => {
    expect(waits(started(), [1_500.2]).armed).toEqual([
      { to: ROOT, id: WAITING, event: WAITING, dueMs: NOON_MS + 1_501, cause: [ROOT, 2, 0] },
    ])
  })

  test("leaving the state disarms its timer, and its event is dropped", () => {
    const armed = waits(started(), [10])
    const stopped = take(armed.group, { to: ROOT, event: { type: "stop" } })
    expect(stopped.group.timers.size).toBe(0)
    expect(stopped.armed).toEqual([])
    expect(fire(stopped.group, armed.armed[0], NOON_MS + 10)).toBeNull()
  })

  test("a timer that was replaced is dropped, the one that replaced it is taken", () => {
    const first = waits(started(), [10])
    const second = waits(first.group, [10])
    expect(fire(second.group, first.armed[0], NOON_MS + 10)).toBeNull()
    expect(fire(second.group, second.armed[0], NOON_MS + 10)?.outcome.type).toBe("answered")
  })

  test("a timer fires once", () => {
    const armed = waits(started(), [10])
    const fired = taken(fire(armed.group, armed.armed[0], NOON_MS + 10))
    expect(fire(fired.group, armed.armed[0], NOON_MS + 10)).toBeNull()
  })

  test("a timer on time sees its due time and no lateness", () => {
    const armed = waits(started(), [10])
    const fired = taken(fire(armed.group, armed.armed[0], NOON_MS + 10))
    expect(contextAt(fired.group, ROOT).heard).toEqual([{ atMs: NOON_MS + 10 }])
  })

  test("a late timer is seen at its due time, while the entry and its events have the real one", () => {
    const armed = waits(started(), [10, 20])
    const fired = taken(fire(armed.group, armed.armed[0], NOON_MS + 5_010))
    expect(contextAt(fired.group, ROOT).heard).toEqual([{ atMs: NOON_MS + 10, lateMs: 5_000 }])
    expect(bodyOf(fired)).toMatchObject({ atMs: NOON_MS + 10, instantMs: NOON_MS + 5_010, timer: WAITING })
    expect(fired.group.instantMs).toBe(NOON_MS + 5_010)
    expect(fired.armed[0]?.dueMs, "the next deadline counts from the due time").toBe(NOON_MS + 30)
  })

  test("the kernel's timers outlive a group's way through JSON", () => {
    const armed = waits(started(), [10])
    const revived = reviveGroup(puppets, JSON.parse(JSON.stringify(persistGroup(armed.group))))
    expect(revived).toEqual({ ...armed.group, actors: revived.actors })
    const one = taken(fire(armed.group, armed.armed[0], NOON_MS + 10))
    const other = taken(fire(revived, armed.armed[0], NOON_MS + 10))
    expect(other.entry).toEqual(one.entry)
  })

  test("a delay that is no number is a fault", () => {
    const group = started()
    for (const delay of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(faultFrom(() => waits(group, [delay]))).toMatchObject({
        reason: "a value is not plain JSON",
        at: ROOT,
      })
    }
  })
})

describe("the journal", () => {
  const life: readonly PuppetInput[] = [
    { to: ROOT, event: doing(startPuppet("./b"), send("./b", hear("x"))), nonce: "1".repeat(32) },
    { to: ROOT, event: { type: "wait", delays: [5] } },
    { to: ROOT, event: { type: "unheard of" } },
    { to: ROOT, event: { type: "finish" }, instantMs: NOON_MS + 3 },
  ]
  const lived = (): readonly TurnResult[] => {
    const results = [taken(takeTurn(puppets, null, startOf(ROOT, [startPuppet("./a"), publish("born")])))]
    for (const part of life) results.push(take(results.at(-1)?.group ?? null, part))
    return results
  }

  test("the same group and input give the same entry, to the byte", () => {
    expect(lived().map((result) => result.entry)).toEqual(lived().map((result) => result.entry))
  })

  test("entries are numbered by revision and chained onto the last head", () => {
    let head = GENESIS
    for (const [at, { entry, group }] of lived().entries()) {
      head = chain(head, entry?.text ?? "")
      expect(entry).toMatchObject({ group: ROOT, revision: at + 1, hash: head })
      expect(group).toMatchObject({ revision: at + 1, head })
    }
  })

  test("an entry read back and run again is the same entry", () => {
    let group: Group | null = null
    for (const { entry } of lived()) {
      const again: TurnResult = taken(takeTurn(puppets, group, JSON.parse(entry?.text ?? "") as EntryBody))
      expect(again.entry).toEqual(entry)
      group = again.group
    }
  })

  test("an entry's text holds the input, each step with value, context and status, and what was asked", () => {
    const text = lived()[1]?.entry?.text
    expect(JSON.parse(text ?? "")).toEqual({
      to: ROOT,
      by: "command",
      machine: "puppet@1",
      event: life[0]?.event,
      facts: null,
      decision: null,
      decided: null,
      atMs: NOON_MS,
      instantMs: NOON_MS,
      nonce: "1".repeat(32),
      cause: null,
      steps: [
        {
          a: ROOT,
          on: { ...life[0]?.event, atMs: NOON_MS },
          did: "handled",
          value: { open: "idle" },
          context: { heard: [], delays: [], learned: null },
          status: "active",
          asked: [startPuppet("./b"), send("./b", hear("x"))],
        },
        {
          a: `${ROOT}/b`,
          on: { type: "@start", machine: "puppet@1", input: { verbs: [], atMs: NOON_MS } },
          did: "moved",
          value: { open: "idle" },
          context: { heard: [], delays: [], learned: null },
          status: "active",
          asked: [],
        },
        {
          a: `${ROOT}/b`,
          on: { ...hear("x"), atMs: NOON_MS },
          did: "moved",
          value: { open: "idle" },
          context: { heard: ["x"], delays: [], learned: null },
          status: "active",
          asked: [],
        },
      ],
      refused: null,
    })
  })

  test("the nonce is part of the text, so that two groups never share a head", () => {
    const [one, other] = ["1", "2"].map((digit) =>
      taken(takeTurn(puppets, null, startOf(ROOT, [], { nonce: digit.repeat(32) }))),
    )
    expect(one?.group.head).not.toBe(other?.group.head)
  })
})

describe("limits and faults", () => {
  test("a pair of machines that answer each other for ever is a fault", () => {
    const ball = { type: "ball" }
    const endless = createMachine({
      types: { input: {} as { readonly other: string } },
      context: ({ input }) => ({ other: input.other }),
      on: { ball: { actions: emit(({ context }) => send((context as { other: string }).other, ball)) } },
    })
    const program = { machines: { "endless@1": endless, ...puppets.machines }, decisions: {} }
    const root = taken(
      takeTurn(
        program,
        null,
        startOf(ROOT, [
          { type: "kernel.start", to: "./a", machine: "endless@1", input: { other: "./b" } },
          { type: "kernel.start", to: "./b", machine: "endless@1", input: { other: "./a" } },
        ]),
      ),
    )
    const fault = faultFrom(() => takeTurn(program, root.group, inputOf({ to: `${ROOT}/a`, event: ball })))
    expect(fault.reason).toBe("a turn is too long")
    expect(fault.message).toContain(`${TURN_STEPS_MAX} steps`)
    expect(fault.message).toContain("ball")
  })

  test("a turn of exactly as many steps as allowed is taken", () => {
    const others = TURN_STEPS_MAX - 1
    const fits = take(started(), {
      to: ROOT,
      event: doing(...Array.from({ length: others }, () => send(".", hear("x")))),
    })
    expect(contextAt(fits.group, ROOT).heard).toHaveLength(others)
    const group = started()
    expect(
      faultFrom(() =>
        take(group, {
          to: ROOT,
          event: doing(...Array.from({ length: others + 1 }, () => send(".", hear("x")))),
        }),
      ),
    ).toMatchObject({ reason: "a turn is too long", at: ROOT })
  })

  test("a group holds so many actors and no more", () => {
    const parts = Array.from({ length: GROUP_ACTORS_MAX - 1 }, (_, at) => startPuppet(`./p${at}`))
    const full = started(parts)
    expect(full.actors.size).toBe(GROUP_ACTORS_MAX)
    expect(faultFrom(() => take(full, { to: ROOT, event: doing(startPuppet("./one-more")) }))).toMatchObject({
      reason: "a group has too many actors",
      at: `${ROOT}/one-more`,
    })
  })

  test("a mailbox holds so many timers and no more", () => {
    const armAll = (count: number): AnyStateMachine =>
      createMachine({
        entry: Array.from({ length: count }, (_, at) =>
          raise({ type: "late" }, { delay: 1_000, id: `t${at}` }),
        ),
      })
    const run = (count: number): TurnResult | null =>
      takeTurn(
        { machines: { "arms@1": armAll(count) }, decisions: {} },
        null,
        inputOf({ to: ROOT, start: { machine: "arms@1", input: {} } }),
      )
    expect(run(MAILBOX_ENTRIES_MAX)?.armed).toHaveLength(MAILBOX_ENTRIES_MAX)
    expect(faultFrom(() => run(MAILBOX_ENTRIES_MAX + 1))).toMatchObject({
      reason: "a mailbox is full",
      at: ROOT,
    })
  })

  test.each([
    { what: "undefined", value: { deep: [{ a: undefined }] } },
    { what: "NaN", value: Number.NaN },
    { what: "Infinity", value: [Number.POSITIVE_INFINITY] },
    { what: "-0", value: { zero: -0 } },
    { what: "a Date", value: new Date(0) },
    { what: "a Map", value: new Map() },
    { what: "a Set", value: { in: new Set() } },
    { what: "a function", value: () => 0 },
    { what: "a bigint", value: 1n },
    { what: "a symbol", value: Symbol("x") },
    { what: "an instance of a class", value: /a regular expression/ },
    { what: "a hole in a list", value: Array.from({ length: 1 }) },
  ])("a context that holds $what is a fault", ({ value }) => {
    const group = started()
    expect(
      faultFrom(() => take(group, { to: ROOT, event: { type: "learn", value } as never })),
    ).toMatchObject({ reason: "a value is not plain JSON", at: ROOT })
  })

  test.each([null, 0, -1.5, "", true, [], {}, { a: [{ b: null }] }])("a context may hold %j", (value) => {
    const result = take(started(), { to: ROOT, event: { type: "learn", value } })
    expect(contextAt(result.group, ROOT).learned).toEqual(value)
  })

  test("a second start of one address is a fault, from outside and from inside", () => {
    const group = started([startPuppet("./a")])
    expect(faultFrom(() => takeTurn(puppets, group, startOf(ROOT)))).toMatchObject({
      reason: "an actor was started twice",
      at: ROOT,
    })
    expect(faultFrom(() => take(group, { to: ROOT, event: doing(startPuppet("./a")) }))).toMatchObject({
      reason: "an actor was started twice",
      at: `${ROOT}/a`,
    })
  })

  test("an unknown address is a fault, from outside and from inside", () => {
    const group = started()
    expect(faultFrom(() => take(null, { to: ROOT, event: hear("x") }))).toMatchObject({
      reason: "an address is unknown",
      at: ROOT,
    })
    expect(faultFrom(() => take(group, { to: `${ROOT}/a`, event: hear("x") }))).toMatchObject({
      reason: "an address is unknown",
      at: `${ROOT}/a`,
    })
    const fault = faultFrom(() => take(group, { to: ROOT, event: doing(send("./a", hear("x"))) }))
    expect(fault).toMatchObject({ reason: "an address is unknown", at: `${ROOT}/a` })
    expect(fault.found).toContain("hear")
  })

  test("an unknown machine is a fault, at a start and for a group that was kept", () => {
    const start = { machine: "ghost@1", input: {} }
    expect(faultFrom(() => take(null, { to: ROOT, start }))).toMatchObject({
      reason: "a machine is unknown",
      at: ROOT,
    })
    const group = started()
    expect(
      faultFrom(() =>
        takeTurn({ machines: {}, decisions: {} }, group, inputOf({ to: ROOT, event: hear("x") })),
      ),
    ).toMatchObject({ reason: "a machine is unknown", at: ROOT })
    expect(faultFrom(() => reviveGroup({ machines: {}, decisions: {} }, persistGroup(group)))).toMatchObject({
      reason: "a machine is unknown",
      at: ROOT,
    })
  })

  test("a machine that throws is named with its actor and event, and the cause is kept", () => {
    const group = started([startPuppet("./a")])
    const fault = faultFrom(() =>
      take(group, { to: ROOT, event: doing(send("./a", { type: "throw", message: "out of milk" })) }),
    )
    expect(fault).toMatchObject({ reason: "a machine threw", at: `${ROOT}/a` })
    expect(fault.message).toBe(`a machine threw at ${ROOT}/a: on throw: out of milk`)
    expect(fault.cause).toBeInstanceOf(Error)
  })

  test("a decision that throws is a fault that names it", () => {
    const broken = {
      ...puppets,
      decisions: {
        "broken@1": () => {
          throw new Error("no facts")
        },
      },
    }
    const group = started()
    const fault = faultFrom(() =>
      takeTurn(broken, group, inputOf({ to: ROOT, event: hear("x"), decision: "broken@1", facts: {} })),
    )
    expect(fault.at).toBe(ROOT)
    expect(fault.message).toContain("broken@1")
  })

  test("a value that is no verb is a fault, not a silent drop", () => {
    const group = started()
    const fault = faultFrom(() => take(group, { to: ROOT, event: doing({ type: "kernel.dance" } as never) }))
    expect(fault.at).toBe(ROOT)
    expect(fault.message).toContain("kernel.dance")
  })

  test("a message that JSON would change is a fault, for the store would hand over another one", () => {
    const group = started()
    for (const what of [Number.NaN, undefined, new Date(0)]) {
      const far = send("show/two", { type: "hear", what } as never)
      expect(faultFrom(() => take(group, { to: ROOT, event: doing(far) }))).toMatchObject({
        reason: "a value is not plain JSON",
        at: ROOT,
      })
    }
  })

  test("a fault leaves the group as it was", () => {
    const group = started([startPuppet("./a")])
    const kept = JSON.stringify(persistGroup(group))
    faultFrom(() =>
      take(group, { to: ROOT, event: doing(send("./a", hear("x")), send("./ghost", hear("x"))) }),
    )
    expect(JSON.stringify(persistGroup(group))).toBe(kept)
  })
})
