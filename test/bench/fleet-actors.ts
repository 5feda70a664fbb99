/**
 * The opponent of a fleet: live XState actors of the same machines on a heap clock, given what a fleet's service was
 * given from outside, at the same instants. Timers and messages between actors work as usual. There is no journal, no
 * rows, no service and no simulated people: this measures the machines only.
 */

import { createActor } from "xstate"
import type { AnyActor, AnyStateMachine } from "xstate"
import { machines } from "../../machines/index.ts"
import { groupOf, kindOf } from "../../src/model/address.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import type { Verb } from "../../src/model/verbs.ts"
import type { EntryBody } from "../../src/engine/kernel/journal.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../src/simulation/fleet/world/fleet-world.ts"
import { startFleet } from "../../src/simulation/fleet/world/replication.ts"
import { HeapClock } from "./heap-clock.ts"
import type { Alarm } from "./heap-clock.ts"

/** What reached the service's machines from outside. */
interface GivenInput {
  readonly atMs: number
  readonly to: string
  readonly start: { readonly machine: string; readonly input: JsonObject } | null
  readonly event: { readonly type: string } | null
}

export interface FleetLoad {
  readonly startMs: number
  readonly inputs: readonly GivenInput[]
  /** How many actors are in each state at the end. */
  readonly stands: ReadonlyMap<string, number>
}

/** Runs a fleet once and notes its inputs; refused ones change nothing and are left out. */
export function loadOf(model: FleetModel): FleetLoad {
  const world = new FleetWorld(model, { seed: 1, recording: "full" })
  const inputs: GivenInput[] = []
  const last = new Map<string, string>()
  world.service.host.onTurn(({ entry, outcome, group }, { to, by, start, event, instantMs }) => {
    if (outcome.type === "refused" || entry === null) return
    for (const [address, { snapshot }] of group.actors) last.set(address, standOf(address, snapshot.value))
    if (by !== "command" && by !== "result") return
    const { decided } = JSON.parse(entry.text) as EntryBody
    const input = start === undefined ? null : ({ ...start.input, decided } as JsonObject)
    inputs.push({
      atMs: instantMs,
      to,
      start: start === undefined || input === null ? null : { machine: start.machine, input },
      event: event ?? null,
    })
  })
  startFleet(world)
  world.service.host.time.run()
  return { startMs: world.startMs, inputs, stands: counted(last.values()) }
}

export interface LivePlay {
  /** Inputs from outside, timers and messages: what the engine would take a turn for. */
  readonly turns: number
  readonly stands: FleetLoad["stands"]
}

export function playLive({ startMs, inputs }: FleetLoad): LivePlay {
  const heap = new HeapClock(startMs)
  const actors = new Map<string, AnyActor>()
  const queue: { readonly to: string; readonly event: JsonObject & { readonly type: string } }[] = []
  let turns = 0
  const clock = {
    setTimeout: (run: () => void, delayMs: number) =>
      heap.setTimeout(() => {
        turns += 1
        run()
        drain()
      }, delayMs),
    clearTimeout: (alarm: unknown) => heap.clearTimeout(alarm as Alarm),
  }
  const carryOut = (from: string, verb: Verb): void => {
    if (verb.type === "kernel.send") queue.push({ to: addressFrom(from, verb.to), event: verb.event })
    if (verb.type === "kernel.start") start(addressFrom(from, verb.to), verb.machine, verb.input)
  }
  const start = (to: string, machine: string, input: JsonObject): void => {
    const logic = machines[machine as keyof typeof machines] as AnyStateMachine
    const actor = createActor(logic, { clock, input: { ...input, atMs: heap.nowMs } })
    actors.set(to, actor)
    actor.on("*", (emitted) => carryOut(to, emitted as unknown as Verb))
    actor.start()
  }
  const give = (to: string, event: { readonly type: string }): void => {
    turns += 1
    const stamped = { ...event, atMs: heap.nowMs }
    actors.get(to)?.send(stamped)
  }
  const drain = (): void => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) give(next.to, next.event)
  }
  for (const { atMs, to, start: started, event } of inputs) {
    heap.setTimeout(() => {
      if (started !== null) {
        turns += 1
        start(to, started.machine, started.input)
      } else if (event !== null) give(to, event)
      drain()
    }, atMs - startMs)
  }
  heap.run()
  const stands = [...actors].map(([address, actor]) =>
    standOf(address, (actor.getSnapshot() as { readonly value: unknown }).value),
  )
  return { turns, stands: counted(stands) }
}

function standOf(address: string, value: unknown): string {
  return `${kindOf(groupOf(address))} ${JSON.stringify(value)}`
}

function counted(stands: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const stand of stands) counts.set(stand, (counts.get(stand) ?? 0) + 1)
  return counts
}

/** `.` is the group's root, `./part` a sibling; anything else is an address already. */
function addressFrom(from: string, to: string): string {
  return to.startsWith(".") ? `${groupOf(from)}${to.slice(1)}` : to
}
