/** Planned steps are XState's steps: the same walks through every machine, taken both ways. */

import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { and, assign, createMachine, emit, enqueueActions, not, setup, stateIn } from "xstate"
import type { AnyStateMachine } from "xstate"
import { machines } from "../../../machines/index.ts"
import { EXCEPTION_CODES } from "../../../src/model/handoff.ts"
import { plannedStart, plannedStep } from "../../../src/engine/kernel/planned-step.ts"
import type { Snapshot } from "../../../src/engine/kernel/step.ts"
import { shown, sink } from "./step-sink.ts"

const POLICY = {
  windowGraceMs: 900_000,
  botWaitMs: 600_000,
  stagingLeadMs: 0,
  openLinkAttemptsMax: 2,
  openLinkBackoffMs: [5],
  openLinkLeaseMs: 8,
  quoteMs: 30,
  holdMs: 15,
  retryMs: 10,
  quoteAfterHoldMs: 30,
  reportMs: 90,
  horizonMs: 90,
  payment: { triesMax: 2, backoffMs: [5], returnBackoffMs: [5], leaseMs: 8 },
  triesMax: 2,
  backoffMs: [5],
  returnBackoffMs: [5],
  leaseMs: 8,
}
const INPUT = {
  zoneId: "z",
  retailerId: "r",
  startsAtMs: 10,
  endsAtMs: 20,
  hasRunner: true,
  policy: POLICY,
  atMs: 1,
  decided: { stallId: "s", declineReason: null },
  windowStartsAtMs: 10,
  windowEndsAtMs: 20,
  payloadLimit: null,
  attemptsMax: 2,
  backoffMs: [5],
  leaseMs: 8,
  deliveryId: "d",
  storeId: "st",
  endpointId: "e",
  eventId: "v",
}

/** What a step came to, from the snapshot before it. */
function outcome(after: Snapshot, { told }: ReturnType<typeof sink>, before: Snapshot): object {
  return { shown: shown(after), told, isSame: after === before }
}

describe.each(Object.entries(machines) as [string, AnyStateMachine][])("%s", (_, machine) => {
  const types = machine.events.filter((type) => type !== "")
  const event = fc.record({
    type: fc.constantFrom(...types),
    atMs: fc.nat(30),
    occurredAtMs: fc.nat(30),
    etaMs: fc.option(fc.nat(3)),
    isWalked: fc.boolean(),
    code: fc.constantFrom(...EXCEPTION_CODES),
    photoId: fc.option(fc.constant("p")),
    runnerId: fc.constant("u"),
    readyEstimateAtMs: fc.constant(null),
    measure: fc.constant({ weightKg: 1, dimensionsCm: null }),
    startsAtMs: fc.nat(30),
    endsAtMs: fc.nat(30),
    decided: fc.record({ startsAtMs: fc.constantFrom(10, 11), endsAtMs: fc.constantFrom(20, 21) }),
    attempt: fc.constantFrom(1, 2),
    by: fc.constant("partner"),
  })

  test("a planned walk is XState's walk", () => {
    let planned = 0
    const walk = (events: readonly { readonly type: string }[]): void => {
      const [ownStart, wholeStart] = [sink(), sink()]
      let snapshot: Snapshot = machine.getInitialSnapshot(wholeStart.scope, INPUT)
      const started = plannedStart(machine, INPUT, ownStart)
      if (started !== null)
        expect([shown(started), ownStart.told.asked]).toEqual([shown(snapshot), wholeStart.told.asked])
      for (const one of events) {
        if (snapshot.status !== "active") return
        const [mine, whole] = [sink(), sink()]
        const after = plannedStep(machine, snapshot, one, mine)
        const expected: Snapshot = machine.transition(snapshot, one, whole.scope)
        if (after !== null) {
          planned += 1
          const [ours, theirs] = [outcome(after, mine, snapshot), outcome(expected, whole, snapshot)]
          // An expectation takes longer than both steps.
          if (!isDeepStrictEqual(ours, theirs)) expect(ours).toEqual(theirs)
        }
        snapshot = after ?? expected
      }
    }
    fc.assert(fc.property(fc.array(event, { minLength: 5, maxLength: 40, size: "max" }), walk), {
      numRuns: 400,
    })
    expect(planned).toBeGreaterThan(400)
  })
})

describe("a machine that ends", () => {
  const noting = (word: string): readonly unknown[] => [
    assign({
      words: ({ context }: { readonly context: { readonly words: string } }) => `${context.words} ${word}`,
    }),
    emit({ type: word }),
  ]
  const states = {
    open: { entry: noting("opens"), exit: noting("leaves open"), on: { end: "ended" } },
    ended: { type: "final", entry: noting("ends"), exit: noting("leaves the end") },
  }
  const config = {
    id: "m",
    context: () => ({ words: "" }),
    initial: "open",
    exit: noting("leaves all"),
    states,
  }

  test("leaves its states after the end, innermost first, as XState does", () => {
    const machine = createMachine(config as never) as AnyStateMachine
    const [ours, theirs] = [sink(), sink()]
    const before: Snapshot = machine.getInitialSnapshot(sink().scope, {})
    const after = plannedStep(machine, before, { type: "end" }, ours)
    const expected: Snapshot = machine.transition(before, { type: "end" }, theirs.scope)
    expect(after === null ? null : shown(after)).toBe(shown(expected))
    expect(after?.status).toBe("done")
    expect(ours.told).toEqual(theirs.told)
  })

  test("is left to XState when it has an output, or ends inside another state", () => {
    const withOutput = createMachine({ ...config, output: { said: true } } as never) as AnyStateMachine
    const inside = {
      ...config,
      states: {
        open: {
          ...states.open,
          initial: "on",
          states: { on: {}, off: { type: "final" } },
          on: { end: ".off" },
        },
      },
    }
    for (const machine of [withOutput, createMachine(inside as never) as AnyStateMachine]) {
      const before: Snapshot = machine.getInitialSnapshot(sink().scope, {})
      expect(plannedStep(machine, before, { type: "end" }, sink())).toBeNull()
    }
  })
})

test("a machine that is asked about another's snapshot leaves that one's plans alone", () => {
  const own = setup({
    types: { context: {} as { readonly by: string } },
    actions: { note: assign({ by: "own" }) },
  }).createMachine({
    context: { by: "" },
    initial: "open",
    states: { open: { on: { take: { actions: "note" } } } },
  })
  const other = own.provide({ actions: { note: assign({ by: "other" }) } })
  const before: Snapshot = own.getInitialSnapshot(sink().scope)
  const byOf = (machine: AnyStateMachine): unknown =>
    plannedStep(machine, before, { type: "take" }, sink())?.context.by
  expect([byOf(other), byOf(own), byOf(other), byOf(own)]).toEqual(["other", "own", "other", "own"])
})

describe("guards", () => {
  const isOver = ({ context }: { readonly context: { readonly count: number } }, least: number): boolean =>
    context.count > least
  const machine = setup({
    types: { context: {} as { readonly count: number } },
    guards: {
      "is over": isOver,
      "is over five": ({ context }) => context.count > 5,
      "is at most five": not("is over five"),
    },
  }).createMachine({
    context: ({ input }) => input as { readonly count: number },
    initial: "open",
    states: {
      open: {
        on: {
          inline: { guard: ({ context }) => context.count === 3, target: "taken" },
          named: { guard: "is over five", target: "taken" },
          counted: { guard: { type: "is over", params: 4 as never }, target: "taken" },
          computed: {
            guard: {
              type: "is over",
              params: (({ event }: { readonly event: { readonly least: number } }) => event.least) as never,
            },
            target: "taken",
          },
          combined: { guard: and(["is at most five", not(stateIn("taken"))]), target: "taken" },
          failing: {
            guard: () => {
              throw new Error("no answer")
            },
            target: "taken",
          },
        },
      },
      taken: {},
    },
  }) as AnyStateMachine
  const events = [
    { type: "inline" },
    { type: "named" },
    { type: "counted" },
    { type: "computed", least: 2 },
    { type: "computed", least: 3 },
    { type: "combined" },
  ]

  test.each(events.flatMap((event) => [2, 3, 5, 6].map((count) => ({ event, count }))))(
    "$event over a count of $count decide as in XState",
    ({ event, count }) => {
      const before: Snapshot = machine.getInitialSnapshot(sink().scope, { count })
      const after = plannedStep(machine, before, event, sink())
      expect(after === null ? null : shown(after)).toBe(
        shown(machine.transition(before, event, sink().scope)),
      )
    },
  )

  test("that throw end the step with XState's own error, which names the state", () => {
    const before: Snapshot = machine.getInitialSnapshot(sink().scope, { count: 1 })
    expect(() => plannedStep(machine, before, { type: "failing" }, sink())).toThrow(
      /failing.*open.*no answer/s,
    )
  })
})

describe("a function that enqueues actions", () => {
  interface Counting {
    readonly context: { readonly count: number; readonly seen: readonly number[] }
  }
  const of = (given: object): Counting["context"] => (given as Counting).context
  const parts: object = {
    types: { context: {} as { readonly count: number; readonly seen: readonly number[] } },
    guards: { "is one": (given: object) => of(given).count === 1 },
    actions: {
      "say how much": emit((given: object, params: { readonly word: string }) => ({
        type: `${params.word} ${of(given).count}`,
      })),
      "count and say": enqueueActions(({ enqueue, context: own, check }) => {
        const context = own as Counting["context"]
        enqueue.assign({ count: context.count + 1 })
        enqueue.emit((given: object) => ({ type: `now ${of(given).count}` }))
        enqueue.assign({ seen: (given: object) => [...of(given).seen, of(given).count, context.count] })
        if (check("is one")) enqueue.emit({ type: "was one" })
        enqueue({ type: "say how much", params: { word: "named" } })
        enqueue("count twice")
        enqueue.emit({ type: `still ${context.count}` })
      }),
      "count twice": enqueueActions(({ enqueue, context }) => {
        enqueue.assign({ count: (context as Counting["context"]).count * 2 })
        enqueue.emit({ type: "inside" })
      }),
      "ask for later": enqueueActions(({ enqueue }) => {
        enqueue.emit({ type: "first" })
        enqueue.raise({ type: "again" })
      }),
    },
  }
  const counting = setup(parts as never).createMachine({
    context: { count: 1, seen: [] },
    on: { count: { actions: "count and say" }, later: { actions: "ask for later" } },
  } as never) as unknown as AnyStateMachine

  test("does them in XState's order, on the context of each", () => {
    let before: Snapshot = counting.getInitialSnapshot(sink().scope, {})
    for (let round = 0; round < 3; round += 1) {
      const [ours, theirs] = [sink(), sink()]
      const after = plannedStep(counting, before, { type: "count" }, ours)
      const expected: Snapshot = counting.transition(before, { type: "count" }, theirs.scope)
      expect(after === null ? null : shown(after)).toBe(shown(expected))
      expect(ours.told).toEqual(theirs.told)
      before = expected
    }
    expect(before.context).toMatchObject({ count: 22 })
  })

  test("is left to XState as a whole when it enqueues something that is not planned", () => {
    const before: Snapshot = counting.getInitialSnapshot(sink().scope, {})
    expect(plannedStep(counting, before, { type: "later" }, sink())).toBeNull()
  })
})
