/**
 * The runners of one site, and which task an idle runner takes. The machine of a runner's shift says who is on duty, idle or on a
 * break; the crew knows when shifts and breaks are.
 */

import type { Place } from "../../../model/place.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { FleetSite } from "../language/model.ts"
import { timeOfDayText } from "../language/spread.ts"
import type { CourseRecorder } from "./course-recorder.ts"
import { stateWords } from "./course-recorder.ts"
import type { FleetWorld } from "./fleet-world.ts"
import { runnerShift } from "./machines/runner-shift.ts"
import { WorldActor } from "./machines/world-actor.ts"
import type { Counted } from "./tally.ts"

export interface Runner {
  readonly id: string
  readonly shift: WorldActor<typeof runnerShift>
  /** Its number in the course; -1 without one. */
  readonly actor: number
  /** How long the next break lasts. */
  breakMs: number
  /** It was taken from the site: its shift does not begin, until it is brought back. */
  hasLeft: boolean
  /** When it works; null for one that a change brought, who stays. */
  readonly hours: Pick<Shift, "from" | "to"> | null
}

type Shift = FleetSite["runners"][number]

/** A task that a runner may be given. */
export interface CrewTask extends Counted {
  readonly number: number
  readonly stagingAtMs: number
  readonly walkMs: number
  /** Tasks with a higher number go first, whatever the policy. */
  readonly priority: number
  readonly begin: (runner: Runner) => void
}

interface WaitingTask {
  readonly task: CrewTask
  readonly sinceMs: number
}

/** A break that is due in these states replaces the one that is owed. */
const BREAK_OWED: ReadonlySet<string> = new Set(["working.break_owed", "on_break.another_owed"])

export class Crew {
  readonly #world: FleetWorld
  readonly #site: FleetSite
  readonly #siteNumber: number
  readonly #runners: Runner[] = []
  /** By the start of a shift: how many begin then. */
  readonly #starts = new Map<number, number>()
  readonly #idle: Runner[] = []
  /** Unbounded, because a planner must see how long the queue becomes. */
  readonly #waiting: WaitingTask[] = []

  constructor(world: FleetWorld, site: FleetSite, siteNumber: number) {
    this.#world = world
    this.#site = site
    this.#siteNumber = siteNumber
    for (const shift of site.runners)
      for (const [at, runner] of this.#runnersFrom(shift.from, shift.count, shift).entries()) {
        this.#keepShift(runner, shift)
        this.#keepBreaks(runner, shift, at)
        if (world.course !== null) tellShift(world.course, runner, site.at)
      }
  }

  /** How many are on duty and have no task. */
  get idle(): number {
    return this.#idle.length
  }

  /** So many more runners from now on, or fewer: the last ones go, those on duty first, each after its task. */
  change(by: number): void {
    const { course, msOfDay } = this.#world
    if (by > 0)
      for (const runner of this.#runnersFrom(msOfDay, by, null)) {
        if (course !== null) tellShift(course, runner, this.#site.at)
        this.#begin(runner)
      }
    for (const runner of this.#lastOnes(-by)) this.#leave(runner)
  }

  /** So many runners are away, each after its task, until the functions are called: the last ones, those on duty first. */
  takeOut(count: number): readonly (() => void)[] {
    return this.#lastOnes(count).map((runner) => {
      this.#leave(runner)
      return () => {
        runner.hasLeft = false
        if (this.#isOn(runner.hours)) this.#begin(runner)
      }
    })
  }

  #lastOnes(count: number): readonly Runner[] {
    const there = this.#runners.filter(({ hasLeft }) => !hasLeft).toReversed()
    const isOff = ({ shift }: Runner): boolean => shift.state === "off_duty"
    return [...there.filter((one) => !isOff(one)), ...there.filter(isOff)].slice(0, Math.max(0, count))
  }

  #leave(runner: Runner): void {
    runner.hasLeft = true
    this.#end(runner)
  }

  #isOn(hours: Runner["hours"]): boolean {
    const { msOfDay } = this.#world
    return hours === null || (msOfDay >= hours.from && msOfDay < hours.to)
  }

  /** Runners of a shift that begins at this time of day. */
  #runnersFrom(from: number, count: number, hours: Runner["hours"]): readonly Runner[] {
    const { course } = this.#world
    const alike = this.#starts.get(from) ?? 0
    this.#starts.set(from, alike + 1)
    const shift = shiftName(from, alike)
    const runners = Array.from({ length: count }, (_, at): Runner => {
      const id = `${this.#site.as}/runner-${shift}${at + 1}`
      const known = { kind: "runner", name: id, site: this.#siteNumber, address: null, order: null } as const
      const actor = course?.add(known) ?? -1
      return { id, shift: new WorldActor(runnerShift), actor, breakMs: 0, hasLeft: false, hours }
    })
    this.#runners.push(...runners)
    return runners
  }

  /** Offers a task to the runners. Returns a function that withdraws it. */
  offer(task: CrewTask): () => void {
    const waiting = { task, sinceMs: this.#world.nowMs }
    this.#waiting.push(waiting)
    this.#change("queue", 1)
    this.#assign()
    return () => this.#drop(waiting)
  }

  /** The runner has no task any more. */
  free(runner: Runner): void {
    this.#change("busy", -1)
    runner.shift.send("task.ended")
    this.#goOn(runner)
  }

  #keepShift(runner: Runner, shift: Shift): void {
    if (this.#isOn(shift)) this.#begin(runner)
    if (shift.from === 0 && shift.to === DAY_MS) return
    this.#everyDay(shift.from, () => this.#begin(runner))
    this.#everyDay(shift.to % DAY_MS, () => this.#end(runner))
  }

  /** The runners of a shift go one after another, at equal distances over the time for the break. */
  #keepBreaks(runner: Runner, { count, breaks }: Shift, index: number): void {
    const startMsOfDay = this.#world.msOfDay
    for (const { from, to, lasts } of breaks) {
      const spareMs = to - from - lasts
      const beginsAt = from + (count === 1 ? 0 : Math.floor((spareMs * index) / (count - 1)))
      const leftMs = beginsAt + lasts - startMsOfDay
      if (startMsOfDay >= beginsAt && leftMs > 0) this.#goOnBreak(runner, leftMs)
      this.#everyDay(beginsAt, () => this.#goOnBreak(runner, lasts))
    }
  }

  /** At this local time of every day; shifts continue while orders arrive or are in flight. */
  #everyDay(msOfDay: number, run: () => void): void {
    const { clock, nowMs } = this.#world
    this.#world.after(clock.next(msOfDay, nowMs) - nowMs, () => {
      if (this.#world.isOver) return
      run()
      this.#everyDay(msOfDay, run)
    })
  }

  #begin(runner: Runner): void {
    if (runner.hasLeft) return
    const wasCounted = runner.shift.is("counted")
    if (!runner.shift.send("shift.began") || !runner.shift.is("free")) return
    if (!wasCounted) this.#countDuty(1)
    this.#wait(runner)
  }

  #end(runner: Runner): void {
    const { shift } = runner
    const wasFree = shift.is("free")
    shift.send("shift.ended")
    if (wasFree) this.#stopWaiting(runner)
    if (wasFree) this.#goOn(runner)
  }

  #goOnBreak(runner: Runner, ms: number): void {
    const { shift } = runner
    const wasFree = shift.is("free")
    if (shift.send("break.due") || BREAK_OWED.has(shift.state)) runner.breakMs = ms
    if (!wasFree) return
    this.#stopWaiting(runner)
    this.#goOn(runner)
  }

  /** What a runner does who was on duty until now, by the state of the shift. */
  #goOn(runner: Runner): void {
    if (runner.shift.is("free")) return this.#wait(runner)
    this.#countDuty(-1)
    if (runner.shift.state === "off_duty") return
    this.#world.after(runner.breakMs, () => {
      runner.shift.send("break.ended")
      if (runner.shift.state === "off_duty") return
      this.#countDuty(1)
      this.#wait(runner)
    })
  }

  #countDuty(change: 1 | -1): void {
    this.#change("duty", change)
  }

  #change(what: "busy" | "duty" | "queue", by: 1 | -1): void {
    const { tally, nowMs } = this.#world
    tally.level("runners", what, this.#siteNumber).change(by, nowMs)
  }

  #wait(runner: Runner): void {
    this.#idle.push(runner)
    this.#assign()
  }

  #stopWaiting(runner: Runner): void {
    this.#idle.splice(this.#idle.indexOf(runner), 1)
  }

  #assign(): void {
    const { tally, nowMs } = this.#world
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const chosen = this.#next()
      const runner = this.#idle.shift()
      if (runner === undefined || chosen === undefined) return
      runner.shift.send("task.taken")
      this.#waiting.splice(this.#waiting.indexOf(chosen), 1)
      this.#change("queue", -1)
      this.#change("busy", 1)
      const { isMeasured, demandNumber } = chosen.task
      if (isMeasured) tally.observe("runners.wait", nowMs - chosen.sinceMs, demandNumber)
      chosen.task.begin(runner)
    }
  }

  /** The next task by its priority and then by the policy; of two equal ones, the one that was booked first. */
  #next(): WaitingTask | undefined {
    const { dispatch } = this.#world.rules
    const rank = ({ task }: WaitingTask): number =>
      dispatch === "earliest_staging"
        ? task.stagingAtMs
        : dispatch === "shortest_walk"
          ? task.walkMs
          : task.number
    let best: WaitingTask | undefined
    for (const one of this.#waiting) {
      if (best === undefined || isBefore(one, best, rank)) best = one
    }
    return best
  }

  #drop(waiting: WaitingTask): void {
    const at = this.#waiting.indexOf(waiting)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#change("queue", -1)
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"

/**
 * What the names of a shift's runners have before their number: `11:00.` of those who begin at 11:00, and nothing for those who begin
 * at midnight, as who is there all day does. The second shift from 11:00 is `11:00b.`; after the 26th a number follows. A start belongs to
 * its shift, so another shift, more runners or a later end rename no one. `alike`: how many begin at the same time before it.
 */
function shiftName(from: number, alike: number): string {
  if (from === 0 && alike === 0) return ""
  const letter = LETTERS.charAt(alike % LETTERS.length)
  const round = alike < LETTERS.length ? "" : String(Math.floor(alike / LETTERS.length) + 1)
  return `${timeOfDayText(from)}${alike === 0 ? "" : letter}${round}.`
}

/** Between tasks a runner does what the shift says; at a task, what the round says. */
function tellShift(course: CourseRecorder, { actor, shift }: Runner, place: Place): void {
  course.stand(actor, "off duty", { place, order: null })
  shift.watch((state) => {
    const [outer = ""] = state.split(".")
    if (outer !== "working") course.enter(actor, stateWords(outer))
  })
}

function isBefore(one: WaitingTask, other: WaitingTask, rank: (waiting: WaitingTask) => number): boolean {
  const [before, after] = [one.task, other.task]
  const order = after.priority - before.priority || rank(one) - rank(other) || before.number - after.number
  return order < 0
}
