/**
 * What the kernel's step relies on in XState 5.33, one test a behaviour. When one of these breaks after an upgrade,
 * src/engine/kernel/step.ts and src/engine/kernel/planned-step.ts are the only files that may have to change.
 */

import { describe, expect, test } from "vitest"
import {
  assign,
  cancel,
  createActor,
  createMachine,
  emit,
  enqueueActions,
  initialTransition,
  raise,
  SimulatedClock,
  transition,
} from "xstate"
import { MICROSTEPS_MAX } from "../../../src/model/values/limits.ts"
import { initial, isSettled, mayRest, persist, revive, step } from "../../../src/engine/kernel/step.ts"
import type { Asked, Snapshot, Stepped } from "../../../src/engine/kernel/step.ts"

/** All microsteps, the last one included: the snapshot at the end of each, and what it asked for. */
function microstepsOf({ earlier, snapshot, asked }: Stepped): readonly Microstep[] {
  const ends = [...earlier, { snapshot, asked: asked.length }]
  return ends.map((end, at) => ({
    snapshot: end.snapshot,
    asked: asked.slice(ends[at - 1]?.asked ?? 0, end.asked),
  }))
}

interface Microstep {
  readonly snapshot: Snapshot
  readonly asked: readonly Asked[]
}

const asOf = (stepped: Stepped): readonly (readonly Asked[])[] =>
  microstepsOf(stepped).map((micro) => micro.asked)
const valuesOf = (stepped: Stepped): readonly unknown[] =>
  microstepsOf(stepped).map((micro) => micro.snapshot.value as unknown)

const lamp = createMachine({
  id: "lamp",
  initial: "off",
  states: {
    off: { on: { press: "on", knock: { actions: emit({ type: "knocked" }) }, breathe: {} } },
    on: { on: { press: "off" } },
  },
})

const kettle = createMachine({
  id: "kettle",
  initial: "cold",
  states: {
    cold: { on: { heat: "warming" } },
    warming: { after: { 3_000: "hot" }, on: { stop: "cold", heat: { target: "warming", reenter: true } } },
    hot: { type: "final" },
  },
})

describe("what came of an event", () => {
  test("an event that no state takes returns the same snapshot and no action", () => {
    const [before] = initialTransition(lamp)
    const [after, actions] = transition(lamp, before, { type: "shake" })
    expect(after).toBe(before)
    expect(actions).toEqual([])
    expect(step(lamp, before, { type: "shake" })).toEqual({
      snapshot: before,
      asked: [],
      earlier: [],
      assigned: [],
      did: "ignored",
    })
  })

  test("a transition without target and action counts as ignored", () => {
    const { snapshot } = initial(lamp, {})
    expect(step(lamp, snapshot, { type: "breathe" }).did).toBe("ignored")
  })

  test("a guard that says no leaves the event ignored", () => {
    const door = createMachine({ on: { knock: { guard: () => false, actions: emit({ type: "opened" }) } } })
    const { snapshot } = initial(door, {})
    expect(step(door, snapshot, { type: "knock" }).did).toBe("ignored")
  })

  test("a transition with only actions returns the same snapshot, and was handled", () => {
    const { snapshot } = initial(lamp, {})
    const [after] = transition(lamp, snapshot, { type: "knock" })
    expect(after).toBe(snapshot)
    const stepped = step(lamp, snapshot, { type: "knock" })
    expect(stepped.snapshot).toBe(snapshot)
    expect(stepped.did).toBe("handled")
    expect(asOf(stepped)).toEqual([[{ type: "knocked" }]])
  })

  test("a transition to another state gives another snapshot and leaves the old one alone", () => {
    const { snapshot } = initial(lamp, {})
    const stepped = step(lamp, snapshot, { type: "press" })
    expect(stepped.did).toBe("moved")
    expect(stepped.snapshot.value).toBe("on")
    expect(snapshot.value).toBe("off")
  })
})

describe("raised events and timers", () => {
  test("a raise without delay is already taken when it shows among the actions", () => {
    const relay = createMachine({
      initial: "a",
      states: {
        a: { on: { go: { target: "b", actions: raise({ type: "on" }) } } },
        b: { on: { on: "c" } },
        c: {},
      },
    })
    const [before] = initialTransition(relay)
    const [after, actions] = transition(relay, before, { type: "go" })
    expect(after.value).toBe("c")
    expect(actions.map((action) => action.type)).toEqual(["xstate.raise"])
    const stepped = step(relay, before, { type: "go" })
    expect(stepped.snapshot.value).toBe("c")
    expect(asOf(stepped).flat()).toEqual([])
  })

  test("a state with a timer arms it with an id and a delay", () => {
    const { snapshot } = initial(kettle, {})
    expect(asOf(step(kettle, snapshot, { type: "heat" }))).toEqual([
      [
        {
          type: "arm",
          id: "xstate.after.3000.kettle.warming",
          event: "xstate.after.3000.kettle.warming",
          delayMs: 3_000,
        },
      ],
    ])
  })

  test("a named delay is computed from context and event, and its name makes the timer's id", () => {
    const oven = createMachine(
      {
        id: "oven",
        context: { factor: 2 },
        initial: "off",
        states: { off: { on: { heat: "on" } }, on: { after: { "baking time": "off" } } },
      },
      {
        delays: {
          "baking time": ({ context, event }) => context.factor * (event as unknown as { ms: number }).ms,
        },
      },
    )
    const { snapshot } = initial(oven, {})
    const event = { type: "heat", ms: 250 }
    expect(asOf(step(oven, snapshot, event)).flat()).toEqual([
      {
        type: "arm",
        id: "xstate.after.baking time.oven.on",
        event: "xstate.after.baking time.oven.on",
        delayMs: 500,
      },
    ])
  })

  test("a delayed raise without an id is refused", () => {
    const machine = createMachine({ on: { go: { actions: raise({ type: "late" }, { delay: 10 }) } } })
    const { snapshot } = initial(machine, {})
    expect(() => step(machine, snapshot, { type: "go" })).toThrow("the delayed event late has no id")
  })

  test("a delayed raise without an id is refused at the start too", () => {
    const machine = createMachine({ entry: raise({ type: "late" }, { delay: 10 }) })
    expect(() => initial(machine, {})).toThrow("the delayed event late has no id")
  })

  test("leaving the state cancels its timer by the id it was armed under", () => {
    const warming = step(kettle, initial(kettle, {}).snapshot, { type: "heat" }).snapshot
    expect(asOf(step(kettle, warming, { type: "stop" })).flat()).toEqual([
      { type: "disarm", id: "xstate.after.3000.kettle.warming" },
    ])
  })

  test("entering the state anew cancels the timer, then arms it", () => {
    const warming = step(kettle, initial(kettle, {}).snapshot, { type: "heat" }).snapshot
    const types = asOf(step(kettle, warming, { type: "heat" })).flat()
    expect(types.map((one) => one.type)).toEqual(["disarm", "arm"])
  })

  test("a cancel action shows the id it cancels", () => {
    const machine = createMachine({
      on: {
        arm: { actions: raise({ type: "late" }, { delay: 10, id: "the late one" }) },
        drop: { actions: cancel("the late one") },
      },
    })
    const { snapshot } = initial(machine, {})
    expect(asOf(step(machine, snapshot, { type: "arm" }))).toEqual([
      [{ type: "arm", id: "the late one", event: "late", delayMs: 10 }],
    ])
    expect(asOf(step(machine, snapshot, { type: "drop" }))).toEqual([
      [{ type: "disarm", id: "the late one" }],
    ])
  })

  test("a machine that ends cancels the timers of the states it was in", () => {
    const machine = createMachine({
      id: "m",
      initial: "a",
      states: { a: { after: { 50: "b" }, on: { end: "b" } }, b: { type: "final" } },
    })
    const { snapshot } = initial(machine, {})
    const ended = step(machine, snapshot, { type: "end" })
    expect(asOf(ended).flat()).toEqual([{ type: "disarm", id: "xstate.after.50.m.a" }])
    expect(ended.snapshot.status).toBe("done")
  })
})

describe("microsteps", () => {
  const ladder = createMachine({
    context: { rung: 0 },
    initial: "ground",
    states: {
      ground: { on: { climb: { target: "low", actions: emit({ type: "left the ground" }) } } },
      low: { entry: [assign({ rung: 1 }), emit({ type: "low" })], always: "high" },
      high: {
        entry: [assign({ rung: 2 }), emit({ type: "high" }), raise({ type: "look" })],
        on: { look: "top" },
      },
      top: { entry: [assign({ rung: 3 }), emit({ type: "top" })] },
    },
  })

  test("each microstep of one event tells its own snapshot and its own actions", () => {
    const stepped = step(ladder, initial(ladder, {}).snapshot, { type: "climb" })
    expect(valuesOf(stepped)).toEqual(["low", "high", "top"])
    expect(microstepsOf(stepped).map((micro) => micro.snapshot.context as unknown)).toEqual([
      { rung: 1 },
      { rung: 2 },
      { rung: 3 },
    ])
    expect(asOf(stepped)).toEqual([
      [{ type: "left the ground" }, { type: "low" }],
      [{ type: "high" }],
      [{ type: "top" }],
    ])
  })

  test("the microsteps of the start tell theirs as well, the first one included", () => {
    const rising = createMachine({
      context: { rung: 0 },
      entry: emit({ type: "born" }),
      initial: "low",
      states: {
        low: { entry: [assign({ rung: 1 }), emit({ type: "low" })], always: "high" },
        high: { entry: [assign({ rung: 2 }), emit({ type: "high" })] },
      },
    })
    const started = initial(rising, {})
    expect(started.did).toBe("moved")
    expect(valuesOf(started)).toEqual(["low", "high"])
    expect(asOf(started)).toEqual([[{ type: "born" }, { type: "low" }], [{ type: "high" }]])
    expect(persist(started.snapshot)).toEqual({ value: "high", context: { rung: 2 }, status: "active" })
  })

  test("a start without further microsteps is one microstep", () => {
    const started = initial(lamp, {})
    expect(valuesOf(started)).toEqual(["off"])
    expect(started.earlier).toEqual([])
  })

  test("a machine that never comes to rest is refused, at an event and at the start", () => {
    const restless = createMachine({
      initial: "a",
      states: {
        a: { on: { go: "b" } },
        b: { always: "c" },
        c: { always: "b" },
      },
    })
    const { snapshot } = initial(restless, {})
    const limit = `more than ${MICROSTEPS_MAX} microsteps for one event`
    expect(() => step(restless, snapshot, { type: "go" })).toThrow(limit)
    const born = createMachine({ initial: "b", states: { b: { always: "c" }, c: { always: "b" } } })
    expect(() => initial(born, {})).toThrow(limit)
  })

  test("a step that failed leaves nothing behind for the next one", () => {
    const machine = createMachine({
      on: {
        fail: {
          actions: [
            emit({ type: "half done" }),
            assign(() => {
              throw new Error("no")
            }),
          ],
        },
        ring: { actions: emit({ type: "rang" }) },
      },
    })
    const { snapshot } = initial(machine, {})
    expect(() => step(machine, snapshot, { type: "fail" })).toThrow("no")
    expect(asOf(step(machine, snapshot, { type: "ring" }))).toEqual([[{ type: "rang" }]])
  })
})

describe("contexts", () => {
  test("a context factory gets the start input", () => {
    const machine = createMachine({
      types: { input: {} as { readonly of: number } },
      context: ({ input }) => ({ doubled: input.of * 2 }),
    })
    expect(persist(initial(machine, { of: 21 }).snapshot).context).toEqual({ doubled: 42 })
  })

  test("a step never runs the context factory again", () => {
    let runs = 0
    const machine = createMachine({
      context: () => {
        runs += 1
        return { n: 0 }
      },
      initial: "a",
      states: { a: { on: { go: "b" } }, b: {} },
    })
    const { snapshot } = initial(machine, {})
    const before = runs
    step(machine, snapshot, { type: "go" })
    expect(runs).toBe(before)
  })

  test("an assignment copies the context and keeps the order of its keys", () => {
    const machine = createMachine({
      context: { b: 1, a: 1 },
      on: { go: { actions: assign({ b: 2 }) } },
    })
    const { snapshot } = initial(machine, {})
    const after = step(machine, snapshot, { type: "go" }).snapshot
    expect(JSON.stringify(after.context)).toBe('{"b":2,"a":1}')
    expect(snapshot.context).toEqual({ b: 1, a: 1 })
  })
})

describe("a machine that throws", () => {
  const oops = (): never => {
    throw new Error("out of milk")
  }

  test("throws out of the step from a guard", () => {
    const machine = createMachine({ on: { go: { guard: oops, actions: emit({ type: "x" }) } } })
    const { snapshot } = initial(machine, {})
    expect(() => step(machine, snapshot, { type: "go" })).toThrow("out of milk")
  })

  test("throws out of the step from an assignment", () => {
    const machine = createMachine({ context: { n: 0 }, on: { go: { actions: assign({ n: oops }) } } })
    const { snapshot } = initial(machine, {})
    expect(() => step(machine, snapshot, { type: "go" })).toThrow("out of milk")
  })

  test("throws out of the start from the context factory, not as a snapshot with an error", () => {
    const machine = createMachine({ context: oops })
    expect(() => initial(machine, {})).toThrow("out of milk")
  })

  test("throws out of the start from a first entry action", () => {
    const machine = createMachine({ context: { n: 0 }, entry: assign({ n: oops }) })
    expect(() => initial(machine, {})).toThrow("out of milk")
  })
})

describe("what XState does and the kernel does not", () => {
  test("an `on` at the root leaves a final state in XState, never in the kernel", () => {
    const machine = createMachine({
      initial: "open",
      on: { reopen: ".open" },
      states: { open: { on: { end: "ended" } }, ended: { type: "final" } },
    })
    const ended = step(machine, initial(machine, {}).snapshot, { type: "end" }).snapshot
    expect(ended.status).toBe("done")
    const [left] = transition(machine, ended as never, { type: "reopen" })
    expect(left.value).toBe("open")
    expect(step(machine, ended, { type: "reopen" })).toEqual({
      snapshot: ended,
      asked: [],
      earlier: [],
      assigned: [],
      did: "ignored",
    })
  })

  test("a restored actor never fires the timer it was saved with, so timers are kept beside snapshots", () => {
    const clock = new SimulatedClock()
    const first = createActor(kettle, { clock }).start()
    first.send({ type: "heat" })
    const kept = first.getPersistedSnapshot()
    first.stop()
    expect(JSON.stringify(kept)).not.toContain("3000")
    const second = createActor(kettle, { clock, snapshot: kept }).start()
    clock.increment(60_000)
    expect(second.getSnapshot().value).toBe("warming")
    second.stop()
  })

  test("a restored snapshot takes the timer's event, wherever the timer was kept", () => {
    const warming = step(kettle, initial(kettle, {}).snapshot, { type: "heat" }).snapshot
    const revived = revive(kettle, persist(warming))
    expect(step(kettle, revived, { type: "xstate.after.3000.kettle.warming" }).snapshot.value).toBe("hot")
  })

  test("a plain function among the actions is refused and never run", () => {
    let runs = 0
    const machine = createMachine({
      on: {
        go: {
          actions: () => {
            runs += 1
          },
        },
      },
    })
    const { snapshot } = initial(machine, {})
    expect(() => step(machine, snapshot, { type: "go" })).toThrow("is a side effect")
    expect(runs).toBe(0)
  })

  test("a plain function among the first entry actions is refused and never run", () => {
    let runs = 0
    const machine = createMachine({
      entry: () => {
        runs += 1
      },
    })
    expect(() => initial(machine, {})).toThrow("is a side effect")
    expect(runs).toBe(0)
  })

  test("spawning, sending to another actor and logging are refused", () => {
    const child = createMachine({})
    const machine = createMachine({
      on: {
        spawn: { actions: enqueueActions(({ enqueue }) => enqueue.spawnChild(child as never)) },
        send: {
          actions: enqueueActions(({ enqueue }) => enqueue.sendTo("somebody", { type: "x" })),
        },
        stop: { actions: enqueueActions(({ enqueue }) => enqueue.stopChild("somebody")) },
      },
    })
    const { snapshot } = initial(machine, {})
    for (const type of ["spawn", "send", "stop"])
      expect(() => step(machine, snapshot, { type })).toThrow(Error)
  })

  test("emitted values arrive as they were made, and enqueued ones in order", () => {
    const value = { type: "kernel.publish", extras: { deep: [1, { two: 2 }] } }
    const machine = createMachine({
      context: { n: 0 },
      on: {
        go: {
          actions: enqueueActions(({ enqueue, context }) => {
            enqueue.emit(value)
            enqueue.assign({ n: context.n + 1 })
            enqueue.emit(({ context: after }: { context: { n: number } }) => ({ type: "then", n: after.n }))
          }),
        },
      },
    })
    const { snapshot } = initial(machine, {})
    const [asked = []] = asOf(step(machine, snapshot, { type: "go" }))
    expect(asked[0]).toBe(value)
    expect(asked[1]).toEqual({ type: "then", n: 1 })
  })
})

describe("kept snapshots", () => {
  const house = createMachine({
    id: "house",
    context: { visits: 0 },
    initial: "lived in",
    states: {
      "lived in": {
        type: "parallel",
        tags: "resting",
        on: { leave: "empty" },
        states: {
          door: {
            initial: "shut",
            states: {
              shut: { on: { open: "ajar" }, tags: "quiet" },
              ajar: {
                on: { shut: "shut" },
                initial: "chained",
                states: { chained: { on: { free: "free" } }, free: {} },
              },
            },
          },
          light: {
            initial: "off",
            on: { restart: { target: ".off", reenter: true } },
            states: {
              off: { on: { flip: "on" } },
              on: { on: { flip: "off" }, entry: assign({ visits: 1 }) },
            },
          },
          stove: {
            initial: "cold",
            states: { cold: { on: { cook: "used" } }, used: { type: "final" } },
            on: { "clean it": { target: "stove", reenter: true } },
          },
        },
      },
      empty: { type: "final", tags: "settled" },
    },
  })
  const walks: readonly (readonly string[])[] = [
    [],
    ["open"],
    ["open", "free"],
    ["open", "flip", "cook"],
    ["flip", "open", "restart"],
    ["restart", "clean it", "open", "free", "shut"],
    ["cook", "leave"],
  ]
  const after = (
    events: readonly string[],
    each: (snapshot: Snapshot) => Snapshot = (one) => one,
  ): Snapshot =>
    events.reduce((at, type) => each(step(house, at, { type }).snapshot), initial(house, {}).snapshot)

  test.each(walks.map((walk) => ({ walk, name: walk.join(", ") || "nothing" })))(
    "come back the same after $name: value, context, status, tags",
    ({ walk }) => {
      const snapshot = after(walk)
      const revived = revive(house, JSON.parse(JSON.stringify(persist(snapshot))))
      expect(JSON.stringify(persist(revived))).toBe(JSON.stringify(persist(snapshot)))
      expect([...revived.tags].toSorted()).toEqual([...snapshot.tags].toSorted())
      expect(isSettled(revived)).toBe(isSettled(snapshot))
      expect(mayRest(revived)).toBe(mayRest(snapshot))
    },
  )

  test.each(walks.map((walk) => ({ walk, name: walk.join(", ") || "nothing" })))(
    "go on the same when they are revived after every event of $name",
    ({ walk }) => {
      const straight = after(walk)
      const interrupted = after(walk, (one) => revive(house, JSON.parse(JSON.stringify(persist(one)))))
      expect(JSON.stringify(persist(interrupted))).toBe(JSON.stringify(persist(straight)))
      for (const type of [
        "open",
        "free",
        "flip",
        "cook",
        "clean it",
        "restart",
        "leave",
        "nothing of ours",
      ]) {
        const one = step(house, straight, { type })
        const other = step(house, interrupted, { type })
        expect(other.did).toBe(one.did)
        expect(JSON.stringify(persist(other.snapshot))).toBe(JSON.stringify(persist(one.snapshot)))
        expect(asOf(other)).toEqual(asOf(one))
      }
    },
  )

  test("a done snapshot stays done", () => {
    const done = after(["leave"])
    expect(persist(done)).toMatchObject({ value: "empty", status: "done" })
    const revived = revive(house, persist(done))
    expect(revived.status).toBe("done")
    expect(step(house, revived, { type: "open" }).did).toBe("ignored")
  })
})
