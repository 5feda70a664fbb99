/**
 * Visits: reservations from the request to their end, with the partner's bot and the runner of each. They react to the
 * turns of the service and call its methods.
 *
 * Differs from the street: a bot that finds its stall taken waits for it and takes no other; a runner carries one
 * order.
 */

import type { Canceler } from "../../../model/reservation.ts"
import { idOf, kindOf } from "../../../model/address.ts"
import type { BotStatus } from "../../../model/bot.ts"
import type { ExceptionCode } from "../../../model/handoff.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { extrasOf, rootOf } from "../../../engine/services/actors.ts"
import { Reservations } from "../../../areas/reservations/reservations.ts"
import type { Chance } from "../chance.ts"
import { straightRoute } from "../travel/route.ts"
import { handoffStatus, reservationStatus, runnerTaskOf } from "../../../areas/reservations/record.ts"
import { RunnerTasks } from "../../../areas/reservations/runner-tasks.ts"
import type { MoveOf } from "./calls.ts"
import { callsOf } from "./calls.ts"
import { stateWords } from "./course-recorder.ts"
import { Crew } from "./crew.ts"
import type { Curb } from "./curbs.ts"
import type { Runner } from "./crew.ts"
import { PARTNER, RUNNER, retailerIdOf, zoneIdOf } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"
import type { Kitchens, Meal } from "./kitchens.ts"
import { partnerBot } from "./machines/partner-bot.ts"
import { runnerRound } from "./machines/runner-round.ts"
import { WorldActor } from "./machines/world-actor.ts"
import type { StatePath } from "./machines/world-actor.ts"
import { NOWHERE } from "./places.ts"
import { cancelLater } from "./orders.ts"
import type { Order } from "./orders.ts"

/** The open link of a visit; it opens. */
export const LINK = "https://partner.example/open"
/** The open link of a visit whose compartment never opens. */
export const BROKEN_LINK = "https://partner.example/broken"
const PAYLOAD_LIMIT_KG = 20

/** One reservation in flight. Times are instants. */
interface Visit {
  readonly order: Order
  readonly id: string
  readonly number: number
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** When the bot intends to be at the curb; null for one that never comes. */
  readonly arrivesAtMs: number | null
  readonly meal: Meal
  readonly stallId: string
  /** Durations of this visit, drawn at its request. */
  readonly walkMs: number
  readonly pickUpMs: number
  readonly loadMs: number
  readonly settleMs: number
  readonly leaveMs: number
  readonly aborts: boolean
  readonly isTooHeavy: boolean
  stagingAtMs: number
  dueToken: number
  withdraw: () => void
  runner: Runner | null
  /** What its runner does, and what its bot does. */
  round: WorldActor<typeof runnerRound>
  readonly bot: WorldActor<typeof partnerBot>
  /** Number of the bot in the course; -1 without one. */
  robot: number
  /** The task waits for a runner, or has one. */
  isOffered: boolean
  /** How long its bot waits; null until it has come. */
  patienceMs: number | null
  patienceToken: number
  leaveStallQueue: () => void
  unbookStall: () => void
  atStallSinceMs: number | null
  isTroubled: boolean
  /** True when the runner left because the bot did not come in time. */
  isMissed: boolean
  readonly states: Map<string, { state: string; sinceMs: number }>
}

/** Where a bot is: not there yet, at its stall, or ready for the order. */
export type BotPresence = "arrived" | "coming" | "ready"

/** Where a runner is in a task. */
export type RunnerStage = "assigned" | "at_store" | "at_unit" | "held" | "queued" | "retrieved"

/** A reservation that was under way before a run begins. */
export interface PresentVisit {
  readonly id: string
  readonly bookedMs: number
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** One of the world's stalls. */
  readonly stallId: string
  readonly stagingAtMs: number
  readonly bot: BotPresence
  /** The bot's own estimate. */
  readonly etaMs: number | null
  /** `missed`: the runner has left, because the bot did not come. `loaded`: the order is in the bot. */
  readonly stage: RunnerStage | "loaded" | "missed"
  readonly isMissed: boolean
  /** `failed`: at least once. Null before the first call is answered. */
  readonly openLink: "failed" | "opened" | null
}

/** Draws of a value that must fit what is known already. What none of so many fits lasts longer than it ever did: it begins anew. */
const ADOPTING_TRIES_MAX = 100

export class Visits {
  readonly #world: FleetWorld
  readonly #kitchens: Kitchens
  readonly #crews: readonly Crew[]
  readonly #open = new Map<string, Visit>()
  readonly #reserve: MoveOf<Reservations["Type"]>
  readonly #tasks: MoveOf<RunnerTasks["Type"]>
  #asked = 0

  constructor(world: FleetWorld, kitchens: Kitchens) {
    this.#world = world
    this.#kitchens = kitchens
    this.#crews = world.model.sites.map((site, number) => new Crew(world, site, number))
    this.#reserve = callsOf(world, Reservations)
    this.#tasks = callsOf(world, RunnerTasks)
    world.service.world.script(BROKEN_LINK, [{ type: "status", status: 500, afterMs: 50 }])
    world.service.host.onTurn((result) => {
      if (kindOf(result.group.address) === "reservation") this.#notice(result)
    })
  }

  /** So many more runners of a site from now on, or fewer. */
  changeRunners(siteNumber: number, by: number): void {
    this.#crews[siteNumber]?.change(by)
  }

  /** How many runners of a site are on duty and have no task. */
  idleRunners(siteNumber: number): number {
    return this.#crews[siteNumber]?.idle ?? 0
  }

  /** So many runners of a site are away until the functions are called. */
  takeOutRunners(siteNumber: number, count: number): readonly (() => void)[] {
    return this.#crews[siteNumber]?.takeOut(count) ?? []
  }

  /** A partner requests a reservation. All its random values are drawn here, whatever happens to it later. */
  ask(order: Order): void {
    const world = this.#world
    const { model } = world
    const { chance, demand, facts, siteNumber, storeNumber } = order
    this.#asked += 1
    const drawnAheadMs = chance.duration(demand.ahead, "ahead")
    const startsAtMs = world.nowMs + Math.max(1, facts.aheadMs ?? drawnAheadMs)
    const endsAtMs = startsAtMs + (facts.widthMs ?? demand.width)
    const offMs = chance.duration(model.bot.punctuality, "punctuality", { isSigned: true })
    const isNoShow = chance.happens(model.bot.no_show, "no-show")
    const isBroken = chance.happens(world.rules.open_link_fails, "open-link")
    const drawn = {
      walkMs: chance.duration(model.runner.walk, "walk"),
      pickUpMs: chance.duration(model.runner.pick_up, "pick-up"),
      loadMs: chance.duration(model.runner.load, "load"),
      settleMs: chance.duration(model.bot.settle, "settle"),
      leaveMs: chance.duration(model.bot.leave, "leave"),
      aborts: chance.happens(model.bot.abort, "abort"),
      isTooHeavy: chance.happens(world.rules.payload_too_heavy, "payload"),
    }
    const meal = this.#kitchens.order({
      siteNumber,
      storeNumber,
      dueMs: startsAtMs,
      chance,
      preparationMs: facts.preparationMs,
      isMeasured: order.isMeasured,
      demandNumber: order.demandNumber,
    })
    const number = this.#asked
    const request = {
      zone_id: zoneIdOf(siteNumber),
      retailer_id: retailerIdOf(siteNumber, storeNumber),
      order_number: String(number),
      end_user_name: "Fleet",
      end_user_phone: "+15125550100",
      arrival_window_start: startsAtMs,
      arrival_window_end: endsAtMs,
      open_link_url: isBroken ? BROKEN_LINK : LINK,
      ...(drawn.isTooHeavy ? { payload_limit: { max_weight_kg: PAYLOAD_LIMIT_KG } } : {}),
    }
    this.#reserve.create([PARTNER, request], (outcome) => {
      if ("refusal" in outcome) return order.decline(outcome.refusal)
      const { reservation_id: id, stall_id: stallId } = outcome.answer.reservation
      const arrivesAtMs = isNoShow ? null : Math.max(world.nowMs, startsAtMs + offMs)
      const stagingAtMs = startsAtMs - model.policy.staging_lead
      this.#begin({
        ...fresh,
        ...drawn,
        round: new WorldActor(runnerRound),
        bot: new WorldActor(partnerBot),
        order,
        id,
        number,
        startsAtMs,
        endsAtMs,
        arrivesAtMs,
        meal,
        stallId,
        stagingAtMs,
        states: new Map(),
      })
    })
  }

  /** Goes on with a visit that was under way before the run. */
  adopt(order: Order, present: PresentVisit): void {
    const { model } = this.#world
    const { chance } = order
    const { stage, startsAtMs, bot } = present
    this.#asked += 1
    const visit: Visit = {
      ...fresh,
      order,
      id: present.id,
      number: this.#asked,
      startsAtMs,
      endsAtMs: present.endsAtMs,
      arrivesAtMs: bot === "coming" ? this.#comingAt(present, chance) : this.#world.nowMs,
      meal: this.#mealOf(order, present),
      stallId: present.stallId,
      walkMs: chance.duration(model.runner.walk, "walk"),
      pickUpMs: chance.duration(model.runner.pick_up, "pick-up"),
      loadMs: chance.duration(model.runner.load, "load"),
      settleMs: chance.duration(model.bot.settle, "settle"),
      leaveMs: chance.duration(model.bot.leave, "leave"),
      aborts: bot !== "ready" && chance.happens(model.bot.abort, "abort"),
      isTooHeavy: false,
      stagingAtMs: present.stagingAtMs,
      round: new WorldActor(runnerRound),
      bot: new WorldActor(partnerBot, stage === "loaded" ? "leaving" : "expected"),
      isMissed: present.isMissed,
      states: new Map(),
    }
    if (stage === "loaded") return this.#adoptLoaded(visit)
    this.#open.set(visit.id, visit)
    this.#tell(visit)
    const { curb, place } = this.#stallOf(visit)
    visit.unbookStall = curb.book(place, startsAtMs)
    order.open()
    if (stage === "queued") this.#offerWhenDue(visit)
    else if (stage !== "missed")
      this.#offer(visit, (runner) => {
        visit.round = new WorldActor(runnerRound, ROUND_BY_STAGE[stage])
        this.#tellRound(visit)
        this.#sendToStore(visit, runner, stage)
      })
    if (bot === "coming") this.#comeAt(visit)
    else this.#arrive(visit, bot)
  }

  /** The runner has left; only the bot is still there. */
  #adoptLoaded(visit: Visit): void {
    this.#open.set(visit.id, visit)
    this.#tell(visit)
    this.#world.course?.load(visit.order)
    visit.order.open()
    const { curb, place } = this.#stallOf(visit)
    visit.leaveStallQueue = curb.take(
      place,
      () => {
        visit.atStallSinceMs = this.#world.nowMs
      },
      { isMeasured: false, demandNumber: visit.order.demandNumber },
    )
    this.#depart(visit)
  }

  /** Drawn until it fits what is known: it has not come by now. Null for a bot that never comes. */
  #comingAt({ startsAtMs, etaMs }: PresentVisit, chance: Chance): number | null {
    const { model, nowMs } = this.#world
    for (let tries = 0; tries < ADOPTING_TRIES_MAX; tries += 1) {
      if (chance.happens(model.bot.no_show, "no-show")) return null
      if (etaMs !== null && etaMs > nowMs) return etaMs
      const offMs = chance.duration(model.bot.punctuality, "punctuality", { isSigned: true })
      if (startsAtMs + offMs > nowMs) return startsAtMs + offMs
    }
    return nowMs + chance.duration(model.bot.punctuality, "punctuality")
  }

  /** An order in a runner's hands is ready. Any other is still prepared; if a runner waits for it, its preparation ends later than now. */
  #mealOf(order: Order, { stage, bookedMs, startsAtMs }: PresentVisit): Meal {
    const { siteNumber, storeNumber, chance, demandNumber } = order
    const { model, nowMs } = this.#world
    const request = { siteNumber, storeNumber, chance, demandNumber, isMeasured: false }
    const startsBeforeMs = model.sites[siteNumber]?.stores[storeNumber]?.starts_before ?? 0
    const elapsedMs = nowMs - Math.max(bookedMs, startsAtMs - startsBeforeMs)
    const isReady = HAS_ORDER.has(stage)
    let preparationMs = this.#kitchens.preparation(request)
    const triesMax = stage === "held" ? ADOPTING_TRIES_MAX : 0
    for (let tries = 0; tries < triesMax && preparationMs <= elapsedMs; tries += 1)
      preparationMs = this.#kitchens.preparation(request)
    if (stage === "held" && preparationMs <= elapsedMs) preparationMs += elapsedMs
    const restMs = isReady ? 0 : Math.max(0, preparationMs - Math.max(0, elapsedMs))
    return this.#kitchens.order({ ...request, dueMs: startsAtMs, preparationMs: restMs })
  }

  #begin(visit: Visit): void {
    const { order } = visit
    this.#open.set(visit.id, visit)
    this.#tell(visit)
    const { curb, place } = this.#stallOf(visit)
    visit.unbookStall = curb.book(place, visit.startsAtMs)
    order.open()
    this.#offerWhenDue(visit)
    this.#comeAt(visit)
    cancelLater(this.#world, order, (refused) =>
      this.#reserve.cancel([PARTNER, visit.id, "the customer canceled"], (outcome) => {
        if ("refusal" in outcome) refused()
      }),
    )
  }

  /** Tells the course of the order, of its robot and of what its runners do. */
  #tell(visit: Visit): void {
    const { course } = this.#world
    if (course === null) return
    const { order, id, meal, startsAtMs: fromMs, endsAtMs: promisedMs } = visit
    const { siteNumber: site, storeNumber: store } = order
    const [number, address] = [String(visit.number), `reservation/${id}`]
    const stall = this.#stallOf(visit).place
    const known = { product: "reservation", number, store, stall, door: null, fromMs, promisedMs } as const
    const told = course.begin(order, { ...known, address }, meal)
    visit.robot = course.add({ kind: "robot", name: number, site, address, order: told })
    visit.bot.watch((state) => course.enter(visit.robot, stateWords(state), order))
    this.#tellRound(visit)
  }

  #tellRound(visit: Visit): void {
    visit.round.watch((state) => {
      if (visit.runner === null || state === "unstaffed") return
      const isOnFoot = ON_FOOT.has(state)
      if (isOnFoot) this.#tellWalk(visit, visit.runner, { state, ms: visit.walkMs })
      else this.#world.course?.enter(visit.runner.actor, stateWords(state), visit.order)
    })
  }

  /** A walk at the curb begins and ends at the place of the site: only how far it is matters. */
  #tellWalk(
    { order }: Visit,
    { actor }: Runner,
    { state, ms }: { readonly state: string; readonly ms: number },
  ): void {
    const at = this.#world.model.sites[order.siteNumber]?.at ?? NOWHERE
    const route = straightRoute({ from: at, to: at }, { ms, metres: 0 })
    this.#world.course?.travel(actor, stateWords(state), { route, order })
  }

  #comeAt(visit: Visit): void {
    const world = this.#world
    const { arrivesAtMs } = visit
    if (arrivesAtMs === null) return
    const { tells_eta: tellsMs } = world.model.bot
    if (tellsMs !== null && arrivesAtMs - tellsMs > world.nowMs) {
      world.at(arrivesAtMs - tellsMs, () => this.#tellEstimate(visit, arrivesAtMs))
    }
    world.at(arrivesAtMs, () => this.#arrive(visit, "coming"))
  }

  // The runner.

  #offerWhenDue(visit: Visit): void {
    const world = this.#world
    visit.dueToken += 1
    const token = visit.dueToken
    world.at(visit.stagingAtMs - world.model.policy.send_ahead, () => {
      if (!isOpen(visit) || visit.dueToken !== token) return
      this.#offer(visit, (runner) => {
        visit.round.send("runner.sent")
        this.#sendToStore(visit, runner)
      })
    })
  }

  #offer(visit: Visit, begin: (runner: Runner) => void): void {
    visit.dueToken += 1
    const { number, stagingAtMs, walkMs, order } = visit
    const { isMeasured, demandNumber } = order
    visit.isOffered = true
    visit.withdraw = this.#crewOf(visit).offer({
      number,
      stagingAtMs,
      walkMs,
      priority: order.facts.priority ?? order.demand.priority,
      isMeasured,
      demandNumber,
      begin: (runner) => {
        visit.runner = runner
        begin(runner)
      },
    })
    if (this.#waitsForRunner(visit)) this.#startPatience(visit)
  }

  #crewOf({ order }: Visit): Crew {
    return this.#crews[order.siteNumber] as Crew
  }

  /** Runs a step of the runner that has the task; dropped if the task has another runner or none by then. */
  #step(visit: Visit, runner: Runner, ms: number, run: () => void): void {
    this.#world.after(ms, () => {
      if (visit.runner === runner) run()
    })
  }

  /** `from`: where the runner is in the task, for one that was under way before the run. */
  #sendToStore(visit: Visit, runner: Runner, from: RunnerStage = "queued"): void {
    const orLeave = (outcome: object, then: () => void): void =>
      "refusal" in outcome ? this.#release(visit, 0) : then()
    const carry = (): void => {
      visit.round.send("order.in_hand")
      this.#step(visit, runner, visit.walkMs, () => this.#reachUnit(visit))
    }
    const pickUp = (): void =>
      this.#step(visit, runner, visit.pickUpMs, () => {
        if (visit.isTooHeavy) {
          this.#tasks.measurePayload([RUNNER, visit.id, { weight_kg: PAYLOAD_LIMIT_KG + 5 }])
          return
        }
        this.#tasks.orderInHand([RUNNER, visit.id], (outcome) => orLeave(outcome, carry))
      })
    const wait = (): void =>
      visit.meal.whenReady(() => {
        if (visit.runner !== runner) return
        this.#tasks.ready([RUNNER, visit.id], (answer) =>
          orLeave(answer, () => {
            visit.round.send("order.ready")
            pickUp()
          }),
        )
      })
    const atStore = (): void => {
      if (visit.meal.isReady) {
        visit.round.send("counter.reached")
        return pickUp()
      }
      visit.round.send("order.awaited")
      this.#tasks.hold([RUNNER, visit.id, null], (outcome) => orLeave(outcome, wait))
    }
    const walk = (): void =>
      this.#step(visit, runner, visit.walkMs, () =>
        this.#tasks.atStore([RUNNER, visit.id], (answer) => orLeave(answer, atStore)),
      )
    if (from === "at_unit") return this.#stayAtUnit(visit)
    if (from === "retrieved") return carry()
    if (from === "held") return wait()
    if (from === "at_store") return atStore()
    if (from === "assigned") return walk()
    this.#tasks.assign([RUNNER, visit.id, runner.id], (outcome) => orLeave(outcome, walk))
  }

  /** The runner was at the stall before the run began. */
  #stayAtUnit(visit: Visit): void {
    const group = this.#world.service.host.groups.get(`reservation/${visit.id}`)
    if (group !== null && runnerTaskOf(group.actors, group.address)?.openLink === "opened") this.#load(visit)
  }

  #reachUnit(visit: Visit): void {
    this.#tasks.atUnit([RUNNER, visit.id], (outcome) => {
      if ("refusal" in outcome) this.#release(visit, visit.walkMs)
      else visit.round.send("stall.reached")
    })
  }

  /** The compartment is open and the runner there. */
  #load(visit: Visit): void {
    const { runner } = visit
    if (runner === null || !visit.round.send("load.began")) return
    this.#step(visit, runner, visit.loadMs, () => this.#tasks.load([RUNNER, visit.id, null]))
  }

  /** The runner walks back, and is free after that. */
  #release(visit: Visit, walkMs: number): void {
    const { runner } = visit
    if (runner === null) return
    visit.runner = null
    visit.round.send("runner.released")
    visit.isOffered = false
    if (this.#waitsForRunner(visit)) {
      visit.patienceToken += 1
      // A bot that was missed is offered again when it is ready.
      if (!visit.isMissed || visit.bot.state === "ready") this.#startPatience(visit)
    }
    if (walkMs > 0) this.#tellWalk(visit, runner, { state: "walking back", ms: walkMs })
    this.#world.after(walkMs, () => this.#crewOf(visit).free(runner))
  }

  // The bot.

  #tellEstimate(visit: Visit, arrivesAtMs: number): void {
    if (!isOpen(visit)) return
    const isWaiting = visit.runner === null
    this.#reserve.reportBot([PARTNER, visit.id, { status: "INBOUND", eta: arrivesAtMs }])
    if (!isWaiting) return
    visit.withdraw()
    visit.isOffered = false
    visit.stagingAtMs = arrivesAtMs - this.#world.model.policy.staging_lead
    this.#offerWhenDue(visit)
  }

  #arrive(visit: Visit, was: BotPresence): void {
    const world = this.#world
    if (!isOpen(visit)) {
      if (visit.order.isMeasured) world.tally.count("bots.too_late")
      return
    }
    visit.bot.send("curb.reached")
    const { curb, place } = this.#stallOf(visit)
    const drawnPatienceMs = visit.order.chance.duration(world.model.bot.patience, "patience")
    visit.patienceMs = visit.order.facts.patienceMs ?? drawnPatienceMs
    visit.leaveStallQueue = curb.take(place, () => this.#takeStall(visit, was), visit.order)
    if (world.model.bot.patience_until === "load" || visit.isOffered) this.#startPatience(visit)
  }

  /** The bot is there, and its patience is that until a runner has the task. */
  #waitsForRunner({ bot }: Visit): boolean {
    return this.#world.model.bot.patience_until === "runner" && WAITING.has(bot.state)
  }

  /** Patience until a runner begins when the task is offered to runners, if that is after the bot's arrival, and anew when the runner has left. */
  #startPatience(visit: Visit): void {
    const world = this.#world
    visit.patienceToken += 1
    const token = visit.patienceToken
    world.after(visit.patienceMs ?? 0, () => {
      if (visit.patienceToken !== token) return
      if (world.model.bot.patience_until === "runner" && visit.runner !== null) return
      if (!visit.bot.send("patience.ended")) return
      world.course?.giveUp(visit.order)
      this.#abort(visit, "it waited too long")
    })
  }

  /** The service identifies a stall by its id, the curb by its place. */
  #stallOf({ order, stallId }: Visit): { readonly curb: Curb; readonly place: number } {
    const curb = this.#world.curbs[order.siteNumber] as Curb
    return { curb, place: Number(stallId.slice(stallId.lastIndexOf("_") + 1)) - 1 }
  }

  #takeStall(visit: Visit, was: BotPresence): void {
    visit.atStallSinceMs = this.#world.nowMs
    visit.bot.send("stall.taken")
    if (was === "ready") {
      visit.bot.send("settled")
      this.#callAgain(visit)
      return
    }
    if (was === "coming") this.#report(visit, "ARRIVED")
    this.#world.after(visit.settleMs, () => {
      if (visit.aborts) {
        if (!visit.bot.send("settling.failed")) return
        this.#fault(visit)
        this.#abort(visit, "it gave up")
        return
      }
      if (!visit.bot.send("settled")) return
      this.#report(visit, "READY_FOR_HANDOFF")
      this.#callAgain(visit)
    })
  }

  /** The bot is ready, and its runner left after waiting for it: another runner takes the order there. */
  #callAgain(visit: Visit): void {
    if (visit.runner !== null || !visit.isMissed) return
    visit.withdraw()
    this.#offer(visit, (runner) => {
      visit.round.send("runner.called")
      this.#step(visit, runner, visit.walkMs, () => {
        visit.round.send("stall.reached")
        this.#load(visit)
      })
    })
  }

  #report(visit: Visit, status: BotStatus): void {
    this.#reserve.reportBot([PARTNER, visit.id, { status }])
  }

  #abort(visit: Visit, reason: string): void {
    if (visit.order.isMeasured) this.#world.tally.count(`bots.aborted: ${reason}`)
    this.#reserve.reportBot([PARTNER, visit.id, { status: "ABORTED", reason }])
    this.#reserve.cancel([PARTNER, visit.id, reason])
  }

  #depart(visit: Visit): void {
    const world = this.#world
    world.after(visit.leaveMs / 2, () => {
      if (isOpen(visit)) this.#report(visit, "SECURED")
    })
    world.after(visit.leaveMs, () => {
      if (isOpen(visit)) this.#report(visit, "DEPARTED")
    })
  }

  // Reactions to the service's turns.

  #notice(result: TurnResult): void {
    const { actors, address } = result.group
    const visit = this.#open.get(idOf(address))
    if (visit === undefined || result.outcome.type === "refused") return
    const status = reservationStatus(actors, address)
    const handoff = handoffStatus(actors, address)
    this.#dwell(visit, "reservation", status)
    if (handoff !== null) this.#dwell(visit, "handoff", handoff)
    for (const emission of result.emissions) {
      const exception = extrasOf("reservation.exception", emission)
      if (exception !== null) this.#noticeException(visit, exception.reason_code)
    }
    if (handoff === "LOADED") this.#noticeLoad(visit)
    else if (handoff === "CANCELED" || handoff === "FAILED")
      this.#soon(() => this.#release(visit, visit.walkMs))
    if (runnerTaskOf(actors, address)?.openLink === "opened" && visit.round.is("at_stall")) {
      this.#soon(() => this.#load(visit))
    }
    if (status === "completed" || status === "canceled") {
      this.#end(visit, status, rootOf("reservation", result.group).context.canceledBy)
    }
  }

  /** Runs after the turn that is being announced: the service takes no command during a commit. */
  #soon(run: () => void): void {
    this.#world.after(0, run)
  }

  #noticeException(visit: Visit, code: ExceptionCode): void {
    if (visit.order.isMeasured) {
      this.#world.tally.count(`exceptions.${code}`)
      if (!visit.isTroubled) this.#world.tally.countOrder("reservation", "troubled", visit.order)
    }
    visit.isTroubled = true
    switch (code) {
      case "bot_no_show":
        this.#world.course?.breakAt("no-show", visit.robot, visit.order.siteNumber)
        visit.isMissed = true
        this.#soon(() => this.#release(visit, visit.walkMs))
        break
      case "access_failed":
        this.#fault(visit)
        this.#soon(() => {
          visit.bot.send("compartment.failed")
          this.#abort(visit, "its compartment did not open")
        })
        break
      case "order_not_ready_fail":
      case "payload_rejected":
        this.#fault(visit)
        // The partner learns that the order does not come, so it cancels.
        this.#soon(() => this.#reserve.cancel([PARTNER, visit.id, "the order does not come"]))
        break
      default:
    }
  }

  #fault({ robot, order }: Visit): void {
    this.#world.course?.breakAt("fault", robot, order.siteNumber)
  }

  #noticeLoad(visit: Visit): void {
    if (!visit.bot.send("order.loaded")) return
    const { order, arrivesAtMs, startsAtMs, endsAtMs } = visit
    const { nowMs, tally, course } = this.#world
    course?.load(order)
    if (order.isMeasured) {
      const ms = Math.max(0, nowMs - Math.max(arrivesAtMs ?? startsAtMs, startsAtMs))
      tally.observe("wait", ms, order.demandNumber)
      tally.observe("reservations.wait", ms, order.demandNumber)
      if (nowMs > endsAtMs) tally.countLate("reservation", endsAtMs, order)
    }
    this.#soon(() => {
      this.#release(visit, visit.walkMs)
      this.#depart(visit)
    })
  }

  #end(visit: Visit, status: "canceled" | "completed", by: Canceler | null): void {
    if (!visit.bot.send("visit.ended")) return
    this.#open.delete(visit.id)
    visit.order.close(status, status === "canceled" ? `by ${String(by)}` : null)
    const { tally, nowMs } = this.#world
    if (visit.atStallSinceMs !== null && visit.order.isMeasured) {
      tally.observe("reservations.stay", nowMs - visit.atStallSinceMs, visit.order.demandNumber)
    }
    this.#soon(() => {
      visit.withdraw()
      visit.leaveStallQueue()
      visit.unbookStall()
      const { curb, place } = this.#stallOf(visit)
      if (visit.atStallSinceMs !== null) curb.release(place)
      this.#release(visit, visit.walkMs)
    })
  }

  #dwell(visit: Visit, actor: string, state: string): void {
    const known = visit.states.get(actor)
    const { nowMs, tally } = this.#world
    if (known?.state === state) return
    if (known !== undefined && visit.order.isMeasured) {
      tally.observeState(`${actor}.${known.state.toLowerCase()}`, nowMs - known.sinceMs)
    }
    visit.states.set(actor, { state, sinceMs: nowMs })
  }
}

/** False once the service has ended it. */
function isOpen({ bot }: Visit): boolean {
  return bot.state !== "over"
}

/** States of a bot that waits for its order. */
const WAITING: ReadonlySet<string> = new Set<StatePath<typeof partnerBot>>(["in_line", "ready", "settling"])

/** States of the round that last as long as the walk between store and stall. */
const ON_FOOT: ReadonlySet<string> = new Set<StatePath<typeof runnerRound>>([
  "carrying",
  "to_bot",
  "to_store",
])

/** Stages of a visit whose order has left the kitchen. */
const HAS_ORDER: ReadonlySet<PresentVisit["stage"]> = new Set(["retrieved", "at_unit", "loaded", "missed"])

/** Where the round of a runner is who was at it before the run. */
const ROUND_BY_STAGE: Readonly<Record<RunnerStage, StatePath<typeof runnerRound>>> = {
  queued: "to_store",
  assigned: "to_store",
  at_store: "to_store",
  held: "waiting_for_order",
  retrieved: "at_counter",
  at_unit: "at_stall",
}

const nothing = (): void => {}

const fresh = {
  robot: -1,
  dueToken: 0,
  withdraw: nothing,
  runner: null,
  isOffered: false,
  patienceMs: null,
  patienceToken: 0,
  leaveStallQueue: nothing,
  unbookStall: nothing,
  atStallSinceMs: null,
  isTroubled: false,
  isMissed: false,
} as const
