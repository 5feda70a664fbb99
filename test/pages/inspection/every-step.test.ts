/** Every step of every scenario: seeking equals the kernel's replay, and the arrow that fired is the one that XState took. */

import fc from "fast-check"
import type { AnyActorScope, AnyStateNode, AnyTransitionDefinition } from "xstate"
import { describe, expect, test } from "vitest"
import { Activities } from "../../../src/pages/inspection/activity.ts"
import { indexOfText, textOfIndex } from "../../../src/pages/inspection/packed.ts"
import { Positions, dwellAt } from "../../../src/pages/inspection/position.ts"
import { entryIn } from "../../../src/pages/inspection/recorded-entry.ts"
import { NONE, at, rowCount } from "../../../src/pages/inspection/run-index.ts"
import { activePaths } from "../../../src/pages/inspection/state-value.ts"
import { persistGroup } from "../../../src/engine/kernel/group.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import { takeTurn } from "../../../src/engine/kernel/turn.ts"
import type { Call } from "../../../src/engine/kernel/turn.ts"
import { groupOf } from "../../../src/model/address.ts"
import { cleanRuns, liveProgram } from "../../simulation/scenarios/live-scenarios.ts"
import { recorded } from "./records.ts"
import type { Recorded } from "./records.ts"
import { machines } from "../../../machines/index.ts"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { firedIn } from "../../../src/pages/inspection/fired.ts"
import { revive } from "../../../src/engine/kernel/step.ts"
import type { Machine, PersistedSnapshot } from "../../../src/engine/kernel/step.ts"
import { tollGate } from "../chart/toll-gate.ts"

const POSITIONS = 200

const records = cleanRuns().map((run) => ({ title: run.scenario.title, ...recorded(run) }))
const positioned = records.map(({ run }) => new Positions(run.index))

interface Stood {
  readonly address: string
  readonly machine: string | null
  readonly value: unknown
  readonly context: unknown
  readonly timers: readonly { readonly id: string; readonly due: number }[]
  /** Requested calls without an answer. */
  readonly calls: readonly { readonly call: string; readonly attempt: number }[]
}

/** Every actor as the kernel has it after the rows up to this one. */
function replayed({ rows, run }: Recorded, row: number): readonly Stood[] {
  const groups = new Map<string, Group>()
  const pending = new Map<string, Call>()
  for (const line of rows.slice(0, row + 1)) {
    const { k, e } = JSON.parse(line) as { readonly k: string; readonly e: EntryBody }
    if (k !== "turn") continue
    const result = takeTurn(liveProgram, groups.get(groupOf(e.to)) ?? null, e)
    if (result === null) continue
    groups.set(result.group.address, result.group)
    // A result names the step that requested its call; an actor waits for the last call that it requested.
    if (e.by === "result" && String(pending.get(e.to)?.cause) === String(e.cause)) pending.delete(e.to)
    for (const call of result.calls) pending.set(call.actor, call)
  }
  const stood = [...groups.values()].flatMap((group) => {
    const { actors, timers } = persistGroup(group)
    return actors.map(({ address, machine, value, context }) => ({
      address,
      machine,
      value,
      context,
      timers: timers
        .filter(({ to }) => to === address)
        .map(({ id, dueMs }) => ({ id, due: dueMs - run.head.clock0Ms }))
        .toSorted(inOrder),
      calls: callsOf(pending.get(address)),
    }))
  })
  return stood.toSorted((a, b) => (a.address < b.address ? -1 : 1))
}

function callsOf(pending: Call | undefined): Stood["calls"] {
  return pending === undefined ? [] : [{ call: pending.call, attempt: pending.attempt }]
}

/** The same, as the page finds it: by the index, and by one entry's text for the context. */
function sought({ rows, run }: Recorded, positions: Positions, row: number): readonly Stood[] {
  const stood = run.index.actors.flatMap(({ address, machine }, actor) => {
    const step = positions.stepAt(actor, row)
    if (step === NONE) return []
    const itsRow = at(run.index.stepRow, step)
    const entry = entryIn(rows[itsRow] ?? "")
    return {
      address,
      machine,
      value: JSON.parse(run.index.values[at(run.index.stepValue, step)] ?? "null") as unknown,
      context: entry?.steps[step - at(run.index.firstStep, itsRow)]?.context,
      timers: positions
        .timersAt(actor, row)
        .map(({ id, due }) => ({ id, due }))
        .toSorted(inOrder),
      calls: positions.callsAt(actor, row).map(({ call, attempt }) => ({ call, attempt })),
    }
  })
  return stood.toSorted((a, b) => (a.address < b.address ? -1 : 1))
}

function inOrder(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

describe("seeking", () => {
  test(`equals replay from zero for every actor at ${POSITIONS} random positions`, () => {
    const position = fc
      .nat(records.length - 1)
      .chain((record) =>
        fc.tuple(fc.constant(record), fc.nat(rowCount(records[record]?.run.index as never) - 1)),
      )
    fc.assert(
      fc.property(position, ([number, row]) => {
        const [record, positions] = [records[number], positioned[number]]
        if (record === undefined || positions === undefined) throw new Error(`there is no record ${number}`)
        expect(sought(record, positions, row), `${record.title} at ${row}`).toEqual(replayed(record, row))
      }),
      { numRuns: POSITIONS },
    )
  })

  test("goes forward and back to an actor's neighbouring entries", () => {
    for (const [number, { run }] of records.entries()) {
      const positions = positioned[number] as Positions
      for (const actor of run.index.actors.keys()) {
        const rows = [...new Set([...positions.stepsOf(actor)].map((step) => at(run.index.stepRow, step)))]
        for (const [place, row] of rows.entries()) {
          expect(positions.rowOfActor(actor, row, 1)).toBe(rows[place + 1] ?? NONE)
          expect(positions.rowOfActor(actor, row, -1)).toBe(rows[place - 1] ?? NONE)
        }
      }
    }
  })

  test("finds the last row of a time and the row of a line", () => {
    for (const [number, { run }] of records.entries()) {
      const positions = positioned[number] as Positions
      for (const [row, t] of run.index.t.entries()) {
        expect(positions.rowAtTime(t)).toBe(run.index.t.lastIndexOf(t))
        expect(positions.rowOfLine(at(run.index.s, row))).toBe(row)
      }
      expect(positions.rowAtTime(-1)).toBe(0)
      expect(positions.rowOfLine(0)).toBeNull()
    }
  })
})

describe("the index", () => {
  test("comes back from the text that a page carries", () => {
    for (const { run } of records) expect(indexOfText(textOfIndex(run.index))).toEqual(run.index)
  })
})

describe("counts of actors", () => {
  test("are at every row what looking at every actor gives", () => {
    for (const [number, { run }] of records.slice(0, 20).entries()) {
      const positions = positioned[number] as Positions
      const { index } = run
      const kindOf = (actor: number): string => index.actors[actor]?.machine ?? ""
      const isAtRest = (_: number, value: number): boolean =>
        index.values[value]?.includes("canceled") === true
      const activities = new Activities(index, kindOf, isAtRest)
      const kinds = new Set([...index.actors.keys()].map(kindOf))
      for (const row of index.s.keys()) {
        for (const kind of kinds) {
          const started = [...index.actors.keys()].filter(
            (actor) => kindOf(actor) === kind && positions.stepAt(actor, row) !== NONE,
          )
          const active = started.filter((actor) => {
            const step = positions.stepAt(actor, row)
            return at(index.stepDone, step) === 0 && !isAtRest(actor, at(index.stepValue, step))
          })
          expect(activities.at(kind, row)).toEqual({ started: started.length, active: active.length })
        }
      }
    }
  })
})

describe("time in a state", () => {
  test("adds up to the actor's life, and counts from the entry that began the visit", () => {
    for (const [number, { run }] of records.entries()) {
      const positions = positioned[number] as Positions
      const last = rowCount(run.index) - 1
      for (const actor of run.index.actors.keys()) {
        const [first] = positions.stepsOf(actor)
        const born = at(run.index.t, at(run.index.stepRow, first ?? NONE))
        const dwells = dwellAt(positions, { actor, row: last })
        const outer = [...dwells].filter(([path]) => !path.includes("."))
        const total = outer.reduce((sum, [, { totalMs }]) => sum + totalMs, 0)
        const regions = Math.max(1, activeRegions(run, actor))
        expect(total).toBe((at(run.index.t, last) - born) * regions)
        const active = activePaths(valueOf(run, positions, actor, last))
        expect(
          [...dwells]
            .filter(([, { since }]) => since !== null)
            .map(([path]) => path)
            .toSorted(),
        ).toEqual(active.toSorted())
      }
    }
  })
})

/** How many states lie side by side at the top of an actor's machine. */
function activeRegions(run: Recorded["run"], actor: number): number {
  const step = run.index.stepActor.indexOf(actor)
  const value: unknown = JSON.parse(run.index.values[at(run.index.stepValue, step)] ?? "null")
  return typeof value === "object" && value !== null ? Object.keys(value).length : 1
}

function valueOf(run: Recorded["run"], positions: Positions, actor: number, row: number): string {
  return run.index.values[at(run.index.stepValue, positions.stepAt(actor, row))] ?? "null"
}

const charts = new Map(Object.entries(machines).map(([id, machine]) => [id, chartOf(id, machine)]))

type Transition = AnyTransitionDefinition & { readonly source: AnyStateNode }

/** Ids of the transitions that XState takes, microstep by microstep, as the chart names them. */
function taken(
  machine: Machine,
  before: PersistedSnapshot | null,
  event: { readonly type: string; readonly input?: unknown },
): readonly string[] {
  const found: Transition[] = []
  const noted = (notice: { readonly _transitions?: readonly Transition[] }): void => {
    found.push(...(notice._transitions ?? []))
  }
  const nothing = (): void => undefined
  const scope = {
    self: { id: "", sessionId: "", send: nothing },
    id: "",
    sessionId: "",
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: nothing,
    system: { _sendInspectionEvent: noted },
  } as unknown as AnyActorScope
  if (before === null) machine.getInitialSnapshot(scope, event.input)
  else machine.transition(revive(machine, before), event, scope)
  const starts = before === null ? startsOf(machine.root) : []
  return [...starts, ...found.flatMap((one) => [idOf(one), ...(one.target ?? []).flatMap(startsOf)])]
}

function idOf(transition: Transition): string {
  const { source, eventType } = transition
  const always = (source.always ?? []).indexOf(transition as never)
  if (always !== -1) return `${source.id}#always#${always}`
  return `${source.id}#${eventType}#${(source.transitions.get(eventType) ?? []).indexOf(transition as never)}`
}

/** Into a compound state leads its own start as well, and so on inside. */
function startsOf(state: AnyStateNode): readonly string[] {
  if (state.type === "parallel") return Object.values(state.states).flatMap(startsOf)
  const [first] = state.type === "compound" ? (state.initial.target ?? []) : []
  return first === undefined ? [] : [`${state.id}#initial#0`, ...startsOf(first)]
}

function pathsOf({ value }: PersistedSnapshot): readonly string[] {
  return activePaths(JSON.stringify(value))
}

describe("the arrow that fired", () => {
  const seen = { certain: 0, uncertain: 0, starts: 0 }

  test.each(cleanRuns().map((run) => [run.scenario.title, run] as const))("in: %s", (_, run) => {
    const last = new Map<string, { readonly machine: string; readonly snapshot: PersistedSnapshot }>()
    for (const { entry } of run.entries) {
      for (const { a, on, did, ...snapshot } of (JSON.parse(entry.text) as EntryBody).steps) {
        const event = on as { readonly type: string; readonly machine?: string }
        const before = last.get(a)
        const id = before?.machine ?? event.machine ?? ""
        const chart = charts.get(id)
        const machine = (machines as Readonly<Record<string, Machine>>)[id]
        if (chart === undefined || machine === undefined) throw new Error(`no machine ${id}`)
        const after = pathsOf(snapshot)
        last.set(a, { machine: id, snapshot })
        const fired = firedIn(chart, {
          event: event.type,
          before: before === undefined ? [] : pathsOf(before.snapshot),
          after,
          did,
        })
        if (before === undefined) seen.starts += 1
        const truth = did === "ignored" ? [] : taken(machine, before?.snapshot ?? null, event)
        const what = `${a} on ${event.type}`
        if (fired.isCertain) {
          seen.certain += 1
          expect(fired.edges.toSorted(), what).toEqual(truth.toSorted())
        } else {
          seen.uncertain += 1
          expect(fired.edges, what).toEqual(expect.arrayContaining([...truth]))
        }
      }
    }
  })

  test("is certain nearly always, and there was something to see", () => {
    expect(seen.starts).toBeGreaterThan(100)
    expect(seen.certain).toBeGreaterThan(500)
    expect(seen.uncertain).toBeLessThan(seen.certain / 10)
  })
})

describe("the arrow that fired in the toll gate", () => {
  const chart = chartOf("toll-gate@1", tollGate)
  const opening = ["opening", "opening.raising"]
  const wide = ["open", "open.lamp", "open.lamp.off", "open.bar", "open.bar.wide"]

  test.each([
    ["starts", "@start", [], ["closed"], ["toll-gate#initial#0"], true],
    [
      "a coin, and the state inside",
      "coin.inserted",
      ["closed"],
      opening,
      ["closed#coin.inserted#0", "opening#initial#0"],
      true,
    ],
    [
      "a bad coin leaves nothing, as any other event would",
      "coin.inserted",
      ["closed"],
      ["closed"],
      ["closed#*#0", "closed#coin.inserted#1"],
      false,
    ],
    [
      "a wildcard of a family",
      "door.slammed",
      ["closed"],
      ["closed"],
      ["closed#*#0", "closed#door.*#0"],
      false,
    ],
    ["any other event", "horn.blown", ["closed"], ["closed"], ["closed#*#0"], true],
    [
      "a timer, then what follows its end",
      "xstate.after.bar time.toll-gate.opening.raising",
      opening,
      wide,
      [
        "open.bar#initial#0",
        "open.lamp#initial#0",
        "opening#xstate.done.state.toll-gate.opening#0",
        "opening.raising#xstate.after.bar time.toll-gate.opening.raising#0",
      ],
      true,
    ],
    [
      "one region",
      "lamp.lit",
      wide,
      [...wide.filter((path) => path !== "open.lamp.off"), "open.lamp.on"],
      ["open.lamp.off#lamp.lit#0"],
      true,
    ],
    [
      "a coin, then what is always so",
      "coin.inserted",
      ["closed"],
      ["out of order"],
      ["closed#coin.inserted#0", "opening#always#0", "opening#initial#0"],
      true,
    ],
    ["from the machine itself", "power.cut", opening, ["out of order"], ["toll-gate#power.cut#0"], true],
  ] as const)("%s", (_, event, before, after, wanted, isCertain) => {
    const fired = firedIn(chart, { event, before, after, did: "moved" })
    const full = wanted.map((id) => (id.startsWith("toll-gate#") ? id : `toll-gate.${id}`))
    expect({ ...fired, edges: fired.edges.toSorted() }).toEqual({ edges: full.toSorted(), isCertain })
  })

  test("is not sure where two that need no event lead on from one state", () => {
    const twice = chart.edges.flatMap((edge) =>
      edge.kind === "always" ? [edge, { ...edge, id: `${edge.id} again` }] : [edge],
    )
    const step = {
      event: "coin.inserted",
      before: ["closed"],
      after: ["out of order"],
      did: "moved",
    } as const
    expect(firedIn({ ...chart, edges: twice }, step).isCertain).toBe(false)
  })

  test("is none when the event was ignored", () => {
    const step = { event: "coin.inserted", before: ["open"], after: ["open"], did: "ignored" } as const
    expect(firedIn(chart, step)).toEqual({ edges: [], isCertain: true })
  })
})
