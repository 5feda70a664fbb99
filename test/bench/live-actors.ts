/**
 * The opponent: live XState actors of the same machines, and an adapter that carries out what they ask of the kernel
 * between the actors of a group. It keeps no journal, no hash and no revision; it forgets a visit when it is over.
 */

import { createActor, SimulatedClock } from "xstate"
import type { AnyActor, AnyStateMachine } from "xstate"
import { machines } from "../../machines/index.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import type { Verb } from "../../src/model/verbs.ts"
import { HeapClock } from "./heap-clock.ts"
import type { Alarm } from "./heap-clock.ts"
import { noteOutcome } from "./outcomes.ts"
import type { Outcomes } from "./outcomes.ts"
import { START_MS } from "./visits.ts"
import type { Stage, VisitEvent } from "./visits.ts"

/** Virtual time as actors and stage share it. */
interface StageTime {
  readonly nowMs: () => number
  readonly setTimeout: (run: () => void, delayMs: number) => unknown
  readonly clearTimeout: (id: unknown) => void
  readonly run: () => void
}

export interface LiveActors {
  readonly stage: Stage
  readonly run: () => void
  readonly outcomes: Outcomes
  readonly counts: { timers: number; verbs: number; peakGroups: number }
}

type LiveGroup = Map<string, AnyActor>

interface Waiting {
  readonly group: LiveGroup
  readonly part: string
  readonly event: VisitEvent
}

/** Actors over a binary heap. */
export function actorsOnHeap(): LiveActors {
  const clock = new HeapClock(START_MS)
  return liveActors({
    nowMs: () => clock.nowMs,
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
    clearTimeout: (alarm) => clock.clearTimeout(alarm as Alarm),
    run: () => clock.run(),
  })
}

/**
 * Actors over XState's own SimulatedClock. It fires late whatever comes due inside one increment, so a heap beside it
 * says how far to increment; the heap's cost is nothing beside that of the clock.
 */
export function actorsOnSimulatedClock(): LiveActors {
  const heap = new HeapClock(START_MS)
  const clock = new SimulatedClock()
  clock.set(START_MS)
  const alarmById = new Map<number, Alarm>()
  return liveActors({
    nowMs: () => clock.now(),
    setTimeout: (run, delayMs) => {
      const alarm = heap.setTimeout(() => clock.set(heap.nowMs), delayMs)
      const id = clock.setTimeout(() => {
        alarmById.delete(id)
        run()
      }, delayMs)
      alarmById.set(id, alarm)
      return id
    },
    clearTimeout: (id) => {
      clock.clearTimeout(id as number)
      const alarm = alarmById.get(id as number)
      if (alarm !== undefined) heap.clearTimeout(alarm)
      alarmById.delete(id as number)
    },
    run: () => heap.run(),
  })
}

function liveActors(time: StageTime): LiveActors {
  const groups = new Map<string, LiveGroup>()
  const outcomes = new Map<string, number>()
  const counts = { timers: 0, verbs: 0, peakGroups: 0 }
  // Messages inside a group are first in, first out, as in the kernel.
  let queue: Waiting[] = []

  const stamped = (event: VisitEvent): VisitEvent => ({ ...event, atMs: time.nowMs() })
  const drain = (): void => {
    for (const { group, part, event } of queue) group.get(part)?.send(stamped(event))
    queue = []
  }
  const clock = {
    setTimeout: (run: () => void, delayMs: number) =>
      time.setTimeout(() => {
        counts.timers += 1
        run()
        drain()
      }, delayMs),
    clearTimeout: time.clearTimeout,
  }
  const startActor = (
    group: LiveGroup,
    part: string,
    { machine, input }: { machine: string; input: JsonObject },
  ): void => {
    const logic = machines[machine as keyof typeof machines] as AnyStateMachine
    const actor = createActor(logic, { clock, input: { ...input, atMs: time.nowMs() } })
    group.set(part, actor)
    actor.on("*", (emitted) => carryOut(group, emitted as unknown as Verb))
    actor.start()
  }
  const carryOut = (group: LiveGroup, verb: Verb): void => {
    counts.verbs += 1
    if (verb.type === "kernel.send") queue.push({ group, part: partOf(verb.to), event: verb.event })
    if (verb.type === "kernel.start") startActor(group, partOf(verb.to), verb)
  }
  const stage: Stage = {
    nowMs: time.nowMs,
    at: (dueMs, run) => void time.setTimeout(run, dueMs - time.nowMs()),
    book: (visit, input, stallId) => {
      const group: LiveGroup = new Map()
      groups.set(visit.address, group)
      counts.peakGroups = Math.max(counts.peakGroups, groups.size)
      startActor(group, "", { machine: "reservation@1", input: { ...input, decided: { stallId } } })
      drain()
    },
    give: (visit, part, event) => {
      groups.get(visit.address)?.get(part)?.send(stamped(event))
      drain()
    },
    end: (visit) => {
      noteOutcome(outcomes, visit.course, statesOf(groups.get(visit.address)))
      groups.delete(visit.address)
    },
  }
  return { stage, run: time.run, outcomes, counts }
}

function statesOf(group: LiveGroup | undefined): [string, JsonObject | string][] {
  return [...(group ?? [])].map(([part, actor]) => {
    const { value } = actor.getSnapshot() as { readonly value: JsonObject | string }
    return [part === "" ? "reservation" : part, value]
  })
}

/** `.` is the group's root, `./part` a sibling: what the machines of one group write. */
function partOf(to: string): string {
  return to === "." ? "" : to.slice(2)
}
