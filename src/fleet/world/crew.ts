/** The runners of one site: who is on duty, who is idle, and which task an idle runner takes. */

import { DAY_MS } from "../../model/time.ts"
import type { FleetSite } from "../language/model.ts"
import type { FleetWorld } from "./fleet-world.ts"

export interface Runner {
  readonly id: string
  isOnDuty: boolean
}

/** A task that a runner may be given. */
export interface CrewTask {
  readonly number: number
  readonly stagingAtMs: number
  readonly walkMs: number
  readonly isMeasured: boolean
  readonly begin: (runner: Runner) => void
}

interface WaitingTask {
  readonly task: CrewTask
  readonly sinceMs: number
}

export class Crew {
  readonly #world: FleetWorld
  readonly #idle: Runner[] = []
  /** Unbounded, because a planner must see how long the queue becomes. */
  readonly #waiting: WaitingTask[] = []

  constructor(world: FleetWorld, site: FleetSite) {
    this.#world = world
    for (const [at, shift] of site.runners.entries()) {
      for (let number = 1; number <= shift.count; number += 1) {
        this.#keepShift({ id: `${site.as}/runner-${at + 1}.${number}`, isOnDuty: false }, shift)
      }
    }
  }

  /** Offers a task to the runners. Returns a function that withdraws it. */
  offer(task: CrewTask): () => void {
    const waiting = { task, sinceMs: this.#world.nowMs }
    this.#waiting.push(waiting)
    this.#world.tally.level("runners", "queue").change(1, waiting.sinceMs)
    this.#assign()
    return () => this.#drop(waiting)
  }

  /** The runner has no task any more. */
  free(runner: Runner): void {
    this.#world.tally.level("runners", "busy").change(-1, this.#world.nowMs)
    this.trace(runner, runner.isOnDuty ? "idle" : "off duty")
    if (!runner.isOnDuty) {
      this.#world.tally.level("runners", "duty").change(-1, this.#world.nowMs)
      return
    }
    this.#idle.push(runner)
    this.#assign()
  }

  trace({ id }: Runner, state: string): void {
    const { tally, nowMs } = this.#world
    tally.trace({ who: id, atMs: nowMs, state, place: null, to: null, untilMs: null })
  }

  #keepShift(runner: Runner, shift: FleetSite["runners"][number]): void {
    const world = this.#world
    const isOn = world.startMsOfDay >= shift.from && world.startMsOfDay < shift.to
    if (isOn) this.#begin(runner)
    if (shift.from === 0 && shift.to === DAY_MS) return
    const until = (msOfDay: number): number => (msOfDay - world.startMsOfDay + DAY_MS) % DAY_MS || DAY_MS
    this.#everyDay(until(shift.from), () => this.#begin(runner))
    this.#everyDay(until(shift.to % DAY_MS), () => this.#end(runner))
  }

  /** Shifts continue while orders arrive or are in flight. */
  #everyDay(ms: number, run: () => void): void {
    this.#world.after(ms, () => {
      if (this.#world.isOver) return
      run()
      this.#everyDay(DAY_MS, run)
    })
  }

  #begin(runner: Runner): void {
    if (runner.isOnDuty) return
    runner.isOnDuty = true
    this.#world.tally.level("runners", "duty").change(1, this.#world.nowMs)
    this.#idle.push(runner)
    this.trace(runner, "idle")
    this.#assign()
  }

  /** A runner with a task finishes it first. */
  #end(runner: Runner): void {
    runner.isOnDuty = false
    const at = this.#idle.indexOf(runner)
    if (at === -1) return
    this.#idle.splice(at, 1)
    this.#world.tally.level("runners", "duty").change(-1, this.#world.nowMs)
    this.trace(runner, "off duty")
  }

  #assign(): void {
    const { tally, nowMs } = this.#world
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const chosen = this.#next()
      const runner = this.#idle.shift()
      if (runner === undefined || chosen === undefined) return
      this.#waiting.splice(this.#waiting.indexOf(chosen), 1)
      tally.level("runners", "queue").change(-1, nowMs)
      tally.level("runners", "busy").change(1, nowMs)
      if (chosen.task.isMeasured) tally.observe("runners.wait", nowMs - chosen.sinceMs)
      chosen.task.begin(runner)
    }
  }

  /** The next task by the policy; of two equal ones, the one that was booked first. */
  #next(): WaitingTask | undefined {
    const { dispatch } = this.#world.model.policy
    const rank = ({ task }: WaitingTask): number =>
      dispatch === "earliest_staging"
        ? task.stagingAtMs
        : dispatch === "shortest_walk"
          ? task.walkMs
          : task.number
    let best: WaitingTask | undefined
    for (const one of this.#waiting) {
      const before = best === undefined ? -1 : rank(one) - rank(best) || one.task.number - best.task.number
      if (before < 0) best = one
    }
    return best
  }

  #drop(waiting: WaitingTask): void {
    const at = this.#waiting.indexOf(waiting)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#world.tally.level("runners", "queue").change(-1, this.#world.nowMs)
  }
}
