/**
 * Makes the course of a site's day from its journals. It takes what happened in order of time, and records it with the recorder of fleet
 * runs, so a page reads both alike. Journals do not have kitchens, runners' shifts or customers' addresses, so the course has none either.
 */

import { idOf } from "../../../model/address.ts"
import type { ExceptionCode } from "../../../model/handoff.ts"
import type { Place, Polygon } from "../../../model/place.ts"
import type { BreakKind, CourseChunk, CourseHead, CoursePlace } from "../../../model/replay/course.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { CourseRecorder } from "../world/course-recorder.ts"
import type { Counter } from "../world/tally.ts"
import type { Condition, Fact, GroupFacts, RunCondition, VisitCondition } from "./group-facts.ts"
import { VehicleDays } from "./vehicle-days.ts"
import type { Fix } from "./vehicle-days.ts"

/** A site on one local day. */
export interface SiteOfDay {
  readonly name: string
  readonly timeZone: string
  /** The local day. */
  readonly startMs: EpochMs
  readonly endMs: EpochMs
  readonly place: Place | null
  readonly area: Polygon | null
  /** In the order of the curb. */
  readonly stalls: readonly { readonly stallId: string; readonly label: string }[]
  readonly stores: readonly { readonly retailerId: string; readonly name: string }[]
}

export interface DayFacts {
  readonly groups: readonly GroupFacts[]
  /** Of each vehicle, earliest first. */
  readonly fixes: ReadonlyMap<string, readonly Fix[]>
  /** The quoted time at the door, by delivery. */
  readonly promisedMsById: ReadonlyMap<string, EpochMs>
}

/** What is not part of the course, and why. */
export interface LeftOut {
  readonly what: string
  readonly count: number
}

export interface SiteCourse {
  readonly head: CourseHead
  readonly chunk: CourseChunk
  readonly leftOut: readonly LeftOut[]
}

export const ON_MOVED_CLOCK = "orders on a sandbox clock that was moved ahead"

/** After so many facts the generator yields. They take a few milliseconds. */
const FACTS_AT_ONCE = 1000

/** The course until an instant. Yields between parts of the work, so that a host can do something else. */
export function* siteCourse(
  site: SiteOfDay,
  { groups, ...facts }: DayFacts,
  untilMs: EpochMs,
): Generator<undefined, SiteCourse> {
  const day = new DayRecording(site, { ...facts, untilMs })
  const isAhead = ({ facts: own }: GroupFacts): boolean => (own.at(-1)?.atMs ?? 0) > untilMs
  const told: Told[] = []
  let ahead = 0
  for (const group of groups) {
    if (isAhead(group)) ahead += 1
    else told.push(...day.factsOf(group))
  }
  told.push(...day.fixesAsFacts())
  yield
  told.sort((one, other) => one.atMs - other.atMs)
  for (let at = 0; at < told.length; at += FACTS_AT_ONCE) {
    for (const one of told.slice(at, at + FACTS_AT_ONCE)) day.tell(one)
    yield
  }
  return {
    head: headOf(site),
    chunk: day.take(),
    leftOut: ahead === 0 ? [] : [{ what: ON_MOVED_CLOCK, count: ahead }],
  }
}

function headOf({ name, timeZone, startMs, endMs, place, area, stalls, stores }: SiteOfDay): CourseHead {
  const [ring = []] = area ?? []
  const at: CoursePlace = place === null ? [0, 0] : [place.latitude, place.longitude]
  return {
    title: name,
    seed: 0,
    startMs,
    horizonMs: endMs - startMs,
    timeZone,
    sites: [
      {
        name,
        at,
        area: ring.map(([longitude, latitude]) => [latitude, longitude]),
        stalls: stalls.map(({ label }) => label),
        stores: stores.map((store) => ({ name: store.name, at: null, cooks: null })),
      },
    ],
    isOnStreets: false,
    isRecord: true,
  }
}

/** Something that happened, with what it does to the recording. */
interface Told {
  readonly atMs: EpochMs
  readonly run: () => void
}

/** An order of the service as the recorder knows it. */
interface Order {
  readonly product: "courier" | "delivery" | "reservation"
  readonly siteNumber: 0
}

interface SeenVisit {
  readonly order: Order
  readonly robot: number
  last: VisitCondition | null
  waits: boolean
  isLoaded: boolean
  isOver: boolean
  /** Gets what the store's part of the order is in. */
  readonly cook: (state: string) => void
}

/** The one site of the course. */
const SITE = 0

/** What an exception is on the time line. Those that are not here are flags that the next step clears. */
const BREAKS: Readonly<Partial<Record<ExceptionCode, BreakKind>>> = {
  bot_no_show: "no-show",
  access_failed: "fault",
  order_not_ready_fail: "fault",
  payload_rejected: "fault",
}

/** Words of the course for states of a robot that are not the machine's own. */
const ROBOT_WORDS: Readonly<Record<string, string>> = {
  "underway.unreported": "expected",
  "underway.inbound": "on its way",
  "underway.arrived": "at its stall",
  "underway.ready": "ready",
  "underway.secured": "secured",
  "underway.departed": "over",
  "underway.aborted": "gave up",
  closed: "over",
}

const AT_A_STALL: ReadonlySet<string> = new Set(["at its stall", "ready", "secured", "leaving"])

function robotState({ bot, isLoaded }: VisitCondition): string {
  const state = ROBOT_WORDS[bot ?? ""] ?? "expected"
  return state === "secured" && isLoaded ? "leaving" : state
}

const RUNNER_WORDS: Readonly<Record<string, string>> = {
  "open.assigned": "to store",
  "open.at_store": "at counter",
  "open.held": "waiting for order",
  "open.retrieved": "carrying",
  "open.at_unit": "at stall",
  "open.handoff_ready": "at stall",
}

/** What a task makes of its runner; null while it has none, and after its end. */
function runnerState({ task, runnerId }: VisitCondition): string | null {
  return runnerId === null ? null : (RUNNER_WORDS[task ?? ""] ?? null)
}

const IN_HAND: ReadonlySet<string> = new Set(["open.retrieved", "open.at_unit", "open.handoff_ready"])

/** On board is what the recorder says of a load. */
const ON_THE_WAY: ReadonlySet<string> = new Set([
  "open.loaded",
  "open.en_route_to_customer",
  "open.arrived_at_customer",
])

type RecordingOf = Omit<DayFacts, "groups"> & { readonly untilMs: EpochMs }

class DayRecording {
  readonly #site: SiteOfDay
  readonly #of: RecordingOf
  readonly #recorder: CourseRecorder
  readonly #levels: Readonly<Record<"queue" | "runners" | "stalls", Counter>>
  readonly #vehicles: VehicleDays
  readonly #orders = new Map<string, Order>()
  readonly #visits = new Map<string, SeenVisit>()
  readonly #runs = new Map<string, { readonly order: Order; isOnBoard: boolean }>()
  /** By runner: the states of open tasks, the one that changed last is last. */
  readonly #tasks = new Map<string, Map<string, VisitCondition>>()
  readonly #runners = new Map<string, number>()
  #nowMs: EpochMs

  constructor(site: SiteOfDay, of: RecordingOf) {
    this.#site = site
    this.#of = of
    this.#nowMs = site.startMs
    const recorder = new CourseRecorder({ startMs: site.startMs, nowMs: () => this.#nowMs })
    this.#recorder = recorder
    const level = (resource: "runners" | "stalls", what: "busy" | "queue"): Counter =>
      recorder.level({ resource, what, site: SITE })
    this.#levels = {
      queue: level("runners", "queue"),
      runners: level("runners", "busy"),
      stalls: level("stalls", "busy"),
    }
    recorder.level({ resource: "stalls", what: "duty", site: SITE }).change(site.stalls.length, site.startMs)
    this.#vehicles = new VehicleDays({ recorder, fixes: of.fixes, site: SITE, nowMs: () => this.#nowMs })
  }

  tell({ atMs, run }: Told): void {
    this.#nowMs = Math.max(atMs, this.#site.startMs)
    run()
  }

  take(): CourseChunk {
    this.#nowMs = Math.max(this.#of.untilMs, this.#site.startMs)
    return this.#recorder.take(this.#nowMs)
  }

  /** The condition in which the day found the group, and what changed on the day; nothing of one that was over before. */
  factsOf(group: GroupFacts): readonly Told[] {
    const { facts, address } = group
    const { startMs } = this.#site
    const before = facts.findLastIndex(({ atMs }) => atMs < startMs)
    if (before === facts.length - 1 && group.isOver) return []
    const { condition } = facts.at(-1) ?? {}
    return facts.slice(Math.max(0, before)).flatMap((fact, at, seen) => {
      const told = { atMs: fact.atMs, run: () => this.#take(address, fact, condition ?? fact.condition) }
      const waits = this.#waitBegins(fact, seen[at + 1])
      return waits === null
        ? [told]
        : [told, { atMs: waits, run: () => this.#noteWait(address, fact.condition) }]
    })
  }

  fixesAsFacts(): readonly Told[] {
    return this.#vehicles.fixesFrom(this.#site.startMs)
  }

  /** When a task that stays without a runner begins to wait for one; null if that is at its own change, or never. */
  #waitBegins({ atMs, condition }: Fact, next: Fact | undefined): EpochMs | null {
    if (condition.is !== "visit" || condition.task !== "open.queued" || condition.stagingMs === null)
      return null
    const { stagingMs } = condition
    const endsMs = next?.atMs ?? this.#of.untilMs + 1
    return stagingMs > atMs && stagingMs < endsMs ? stagingMs : null
  }

  /** `latest`: the condition of the group as far as it is known, for windows that were moved. */
  #take(address: string, fact: Fact, latest: Condition): void {
    const { condition } = fact
    switch (condition.is) {
      case "visit":
        this.#takeVisit(address, { ...fact, condition }, latest.is === "visit" ? latest : condition)
        break
      case "run":
        this.#takeRun(address, condition)
        break
      case "vehicle": {
        const { deliveryId } = condition
        const order = deliveryId === null ? null : (this.#orders.get(`delivery/${deliveryId}`) ?? null)
        this.#vehicles.take(idOf(address), condition, order)
        break
      }
    }
  }

  #takeVisit(
    address: string,
    { atMs, condition, exceptions }: Fact & { readonly condition: VisitCondition },
    latest: VisitCondition,
  ): void {
    const visit = this.#visits.get(address) ?? this.#beginVisit(address, latest)
    const { order, robot, last } = visit
    this.#recorder.enter(robot, robotState(condition), order)
    this.#count(
      "stalls",
      AT_A_STALL.has(robotState(condition)),
      last !== null && AT_A_STALL.has(robotState(last)),
    )
    for (const code of atMs < this.#site.startMs ? [] : exceptions) {
      const kind = BREAKS[code]
      if (kind !== undefined) this.#recorder.breakAt(kind, robot, SITE)
    }
    if (IN_HAND.has(condition.task ?? "")) visit.cook("in_hand")
    else if (condition.task === "open.held") visit.cook("held")
    // Back from the hold: the store said that it is ready.
    else if (condition.task === "open.at_store" && last?.task === "open.held") visit.cook("ready")
    visit.isLoaded ||= condition.isLoaded
    if (condition.isLoaded && last?.isLoaded !== true) this.#recorder.load(order)
    this.#takeTask(address, last, condition)
    visit.last = condition
    this.#noteWait(address, condition)
    if (visit.isOver || condition.state.startsWith("open")) return
    visit.isOver = true
    this.#recorder.end(order, endOf(condition, visit))
  }

  #beginVisit(address: string, latest: VisitCondition): SeenVisit {
    const order: Order = { product: "reservation", siteNumber: SITE }
    this.#orders.set(address, order)
    const number = idOf(address)
    let cook: (state: string) => void = () => {}
    const stall = this.#site.stalls.findIndex(({ stallId }) => stallId === latest.stallId)
    const told = this.#recorder.begin(
      order,
      {
        product: "reservation",
        number,
        store: this.#storeOf(latest.retailerId),
        stall: stall < 0 ? null : stall,
        door: null,
        fromMs: latest.startsAtMs,
        promisedMs: latest.endsAtMs,
        address,
      },
      { watch: (watcher) => (cook = watcher) },
    )
    cook("booked")
    const robot = this.#recorder.add({ kind: "robot", name: number, site: SITE, address, order: told })
    const visit = { order, robot, last: null, waits: false, isLoaded: false, isOver: false, cook }
    this.#visits.set(address, visit)
    return visit
  }

  #takeTask(address: string, last: VisitCondition | null, next: VisitCondition): void {
    const before = last === null || runnerState(last) === null ? null : last.runnerId
    const state = runnerState(next)
    const now = state === null ? null : next.runnerId
    if (before !== null && before !== now) {
      this.#tasksOf(before).delete(address)
      if (this.#tasksOf(before).size === 0) this.#levels.runners.change(-1, this.#nowMs)
      this.#showRunner(before)
    }
    if (now === null) return
    const tasks = this.#tasksOf(now)
    if (tasks.size === 0) this.#levels.runners.change(1, this.#nowMs)
    if (before === now && last?.task === next.task) return
    tasks.delete(address)
    tasks.set(address, next)
    this.#showRunner(now)
  }

  #tasksOf(runnerId: string): Map<string, VisitCondition> {
    const known = this.#tasks.get(runnerId)
    if (known !== undefined) return known
    const made = new Map<string, VisitCondition>()
    this.#tasks.set(runnerId, made)
    return made
  }

  /** With several tasks at once, a runner does the one that changed last. */
  #showRunner(runnerId: string): void {
    const [address, task] = [...this.#tasksOf(runnerId)].at(-1) ?? []
    const state = task === undefined ? null : runnerState(task)
    const actor = this.#runnerOf(runnerId)
    if (state === null || address === undefined) this.#recorder.enter(actor, "idle")
    else this.#recorder.enter(actor, state, this.#orders.get(address) ?? null)
  }

  #runnerOf(runnerId: string): number {
    const known = this.#runners.get(runnerId)
    if (known !== undefined) return known
    const made = this.#recorder.add({
      kind: "runner",
      name: runnerId,
      site: SITE,
      address: null,
      order: null,
    })
    this.#runners.set(runnerId, made)
    return made
  }

  #noteWait(address: string, condition: Condition): void {
    const visit = this.#visits.get(address)
    if (visit === undefined || condition.is !== "visit") return
    const isWaiting = condition.task === "open.queued" && (condition.stagingMs ?? Infinity) <= this.#nowMs
    this.#count("queue", isWaiting, visit.waits)
    visit.waits = isWaiting
  }

  #count(level: "queue" | "stalls", is: boolean, was: boolean): void {
    if (is !== was) this.#levels[level].change(is ? 1 : -1, this.#nowMs)
  }

  #takeRun(address: string, condition: RunCondition): void {
    const { state } = condition
    const run = this.#runs.get(address) ?? this.#beginRun(address, condition)
    if (ON_THE_WAY.has(state) && !run.isOnBoard) {
      run.isOnBoard = true
      this.#recorder.load(run.order)
    }
    if (state === "completed") this.#recorder.end(run.order, "completed")
    if (state === "cancelled") this.#recorder.end(run.order, "canceled")
  }

  #beginRun(address: string, { isErrand, createdMs }: RunCondition) {
    const product = isErrand ? "courier" : "delivery"
    const order: Order = { product, siteNumber: SITE }
    this.#orders.set(address, order)
    const number = idOf(address)
    this.#recorder.begin(
      order,
      {
        product,
        number,
        store: -1,
        stall: null,
        // Where a customer lives stays with the service.
        door: null,
        fromMs: createdMs,
        promisedMs: this.#of.promisedMsById.get(number) ?? this.#site.endMs,
        address,
      },
      { watch: (watcher) => watcher("booked") },
    )
    const run = { order, isOnBoard: false }
    this.#runs.set(address, run)
    return run
  }

  /** -1 for one that the site does not have any more. */
  #storeOf(retailerId: string): number {
    return this.#site.stores.findIndex((store) => store.retailerId === retailerId)
  }
}

function endOf(
  { state, task }: VisitCondition,
  { isLoaded }: SeenVisit,
): "canceled" | "completed" | "left behind" {
  if (state !== "completed") return "canceled"
  return task === null || isLoaded ? "completed" : "left behind"
}
