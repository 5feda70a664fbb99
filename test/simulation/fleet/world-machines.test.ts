/** Machines of the world: each event in each state moves or is listed as ignored, and the look-up says what XState says. */

import { describe, expect, test } from "vitest"
import { createMachine, transition } from "xstate"
import type { AnyStateMachine, AnyStateNode } from "xstate"
import { initial, statePath, step } from "../../../src/engine/kernel/step.ts"
import { worldMachines } from "../../../src/simulation/fleet/world/machines/index.ts"
import { WorldActor } from "../../../src/simulation/fleet/world/machines/world-actor.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"

const nodesOf = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap((below) => nodesOf(below)),
]

const statesOf = ({ root }: AnyStateMachine): readonly string[] =>
  nodesOf(root)
    .filter(({ type }) => type === "atomic" || type === "final")
    .map(({ path }) => path.join("."))

describe.each(Object.entries(worldMachines))("%s", (_, { machine, ignores }) => {
  const events = machine.events.filter((type) => !type.startsWith("xstate."))

  test("each event in each state moves or is ignored for a reason", () => {
    const odd: string[] = []
    for (const state of statesOf(machine))
      for (const event of events) {
        const actor = new WorldActor<AnyStateMachine>(machine, state)
        const isListed = ignores[state]?.[event] !== undefined
        if (actor.send(event) === isListed) odd.push(`${state} ${event}`)
      }
    expect(odd).toEqual([])
    const known = new Set(statesOf(machine))
    expect(Object.keys(ignores).filter((state) => !known.has(state))).toEqual([])
    expect(
      Object.values(ignores)
        .flatMap(Object.keys)
        .filter((event) => !events.includes(event)),
    ).toEqual([])
  })

  test("every state is reached from the first, and has a description", () => {
    const reached = new Set<string>()
    const queue = [new WorldActor<AnyStateMachine>(machine).state as string]
    for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
      if (reached.has(state)) continue
      reached.add(state)
      for (const event of events) {
        const actor = new WorldActor<AnyStateMachine>(machine, state)
        if (actor.send(event)) queue.push(actor.state)
      }
    }
    expect([...reached].toSorted()).toEqual(statesOf(machine).toSorted())
    const bare = nodesOf(machine.root).filter(({ description }) => (description ?? "") === "")
    expect(bare.map(({ id }) => id)).toEqual([])
  })

  test("a walk through the table ends where the walk through XState ends", () => {
    const streams = new Streams(7)
    for (let walk = 0; walk < 50; walk += 1) {
      const actor = new WorldActor<AnyStateMachine>(machine)
      let { snapshot } = initial(machine, {})
      for (let at = 0; at < 40; at += 1) {
        const type = events[Math.floor(streams.fraction("walk") * events.length)] ?? ""
        const [after] = transition(machine, snapshot as never, { type })
        const moved = actor.send(type)
        expect([actor.state, moved]).toEqual([
          statePath(after as never),
          step(machine, snapshot, { type }).did !== "ignored",
        ])
        snapshot = after as never
      }
    }
  })
})

test("a machine with a context is no machine of the world", () => {
  const withContext = createMachine({
    id: "counter",
    context: { count: 0 },
    initial: "on",
    states: { on: {} },
  })
  expect(() => new WorldActor(withContext)).toThrow(
    "counter has a context; a machine of the world has states alone",
  )
})
