/**
 * Courier orders: each is an agent's whole errand through calls of the connector's tools. The agent checks, reserves,
 * pays the fee, places the order at the store and reports it; then a vehicle of the fleet carries it like a direct
 * delivery.
 *
 * Agents of a demand `by: agents` do what each answer's `next_step` says: they reserve and check again when a clock has
 * run out, wait while no vehicle is free, and poll the status of a booked errand. The others make their calls once, at the
 * model's times, and never poll.
 *
 * Differs from the street: a store accepts every order at once.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import type {
  CheckDeliveryArguments,
  ReserveDeliveryArguments,
} from "../../../model/requests/courier-requests.ts"
import { CONSENT_VERSION, TERMS_VERSION } from "../../../model/courier.ts"
import type { CourierEnvelope, CourierTool } from "../../../model/courier.ts"
import type { Place } from "../../../model/place.ts"
import { ERRAND_CALLS_MAX } from "../../../model/values/limits.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { Courier } from "../../../areas/courier/courier.ts"
import { CourierOperations } from "../../../areas/courier/courier-operations.ts"
import { errandGroup, seenIn } from "../../../areas/courier/errand.ts"
import type { CourierPhase } from "../../../areas/courier/rows.ts"
import type { Store } from "../../../areas/courier/directory/store-directory.ts"
import type { DeliveryRow } from "../../../areas/direct-delivery/rows.ts"
import { putStore } from "../../../areas/courier/memory/courier-rows.ts"
import type { FleetErrand, FleetSite } from "../language/model.ts"
import { USUAL } from "../language/model.ts"
import { adviceOf } from "./advice.ts"
import { callsOf } from "./calls.ts"
import type { MoveOf } from "./calls.ts"
import type { Deliveries, PresentTrip, TripEnd } from "./deliveries.ts"
import { storeIdOf } from "./fleet-world.ts"
import type { Curb } from "./curbs.ts"
import type { FleetWorld, Outcome } from "./fleet-world.ts"
import type { Kitchens } from "./kitchens.ts"
import { errandAgent } from "./machines/errand-agent.ts"
import { WorldActor } from "./machines/world-actor.ts"
import type { StatePath } from "./machines/world-actor.ts"
import { cancelLater } from "./orders.ts"
import type { Order } from "./orders.ts"
import { placeIn } from "./places.ts"
import { Users } from "./users.ts"

/** The random values of an errand, drawn at its request. */
interface Plan {
  readonly customer: Place
  readonly readyInMs: number
  readonly preparationMs: number
  readonly loadMs: number
  readonly dropOffMs: number
  readonly reservesAfterMs: number
  readonly paysAfterMs: number
  readonly confirmsAfterMs: number
  readonly givesUp: boolean
  readonly isRestricted: boolean
  readonly isCustomerAbsent: boolean
  readonly cards: readonly Card[]
}

/** What a check asks for, each time under another key. */
type Wanted = Omit<CheckDeliveryArguments, "idempotency_key">

type Card = "spt_declined" | "spt_ok" | "spt_uncaptured"

interface Errand {
  readonly order: Order
  readonly agent: WorldActor<typeof errandAgent>
  readonly plan: Plan
  readonly userId: string
  /** Another one after a new quote. */
  deliveryId: string
  readonly wanted: Wanted
  /** Calls so far. */
  calls: number
  /** The number of this request, counted over the whole fleet. */
  readonly orderNumber: string
  /** How many of its cards were tried. */
  cards: number
  readyAtMs: number
  phase: CourierPhase
  phaseSinceMs: number
  /** True until the answer to a call from before the run: no callback waits for it. */
  isAnswerDue: boolean
}

/** An errand that was under way before the run began. */
export interface PresentErrand {
  readonly deliveryId: string
  readonly userId: string
  readonly phase: Extract<CourierPhase, "authorizing" | "booked" | "capturing" | "held" | "quoted">
  /** True when its fee is authorized. */
  readonly isPaid: boolean
  readonly readyAtMs: number
  /** Its delivery; null before it is booked. */
  readonly trip: PresentTrip | null
}

const UNPAID: Readonly<Record<Card, string>> = {
  spt_declined: "card declined",
  spt_ok: "card accepted",
  spt_uncaptured: "not paid out",
}

export const CITY = { city: "Austin", state: "TX", zip: "78701" } as const

export class Errands {
  readonly #world: FleetWorld
  readonly #kitchens: Kitchens
  readonly #deliveries: Deliveries
  readonly #courier: MoveOf<Courier["Type"]>
  readonly #operations: MoveOf<CourierOperations["Type"]>
  readonly #users: Users
  /** Errands in flight, by delivery id. */
  readonly #errands = new Map<string, Errand>()
  #asked = 0
  #calls = 0

  constructor(world: FleetWorld, kitchens: Kitchens, deliveries: Deliveries) {
    this.#world = world
    this.#kitchens = kitchens
    this.#deliveries = deliveries
    this.#courier = callsOf(world, Courier)
    this.#operations = callsOf(world, CourierOperations)
    this.#users = new Users(world)
    for (const [siteNumber, site] of world.model.sites.entries()) {
      for (const store of storesOf(site, siteNumber)) putStore(world.service.host.store, store)
    }
    world.service.host.onTurn((result) => this.#notice(result))
  }

  /** An agent makes a request. All random values of the errand are drawn here, whatever happens to it later. */
  ask(order: Order): void {
    const plan = this.#planOf(order)
    const userId = this.#users.take()
    this.#asked += 1
    const orderNumber = String(this.#asked)
    const wanted = this.#wantedBy(order, plan)
    const agent = new WorldActor(errandAgent)
    this.#courier.check([userId, { ...wanted, idempotency_key: this.#key() }], (outcome) => {
      const envelope = envelopeOf(outcome)
      const { delivery_id: deliveryId, serviceable, decline_reason: reason, error } = envelope
      if (deliveryId === undefined || serviceable !== true) {
        this.#users.release(userId)
        agent.send("errand.ended")
        return order.decline(reason ?? error?.code ?? "unavailable")
      }
      agent.send("quote.received")
      const errand: Errand = {
        order,
        agent,
        plan,
        userId,
        deliveryId,
        wanted,
        calls: 0,
        orderNumber,
        cards: 0,
        readyAtMs: 0,
        phase: "quoted",
        phaseSinceMs: this.#world.nowMs,
        isAnswerDue: false,
      }
      order.open()
      this.#errands.set(deliveryId, errand)
      cancelLater(this.#world, order, (refused) => this.#cancel(errand, refused))
      if (this.#follows(errand, envelope, "check_delivery")) return
      this.#later(errand, plan.reservesAfterMs, () => this.#reserve(errand))
    })
  }

  /** Goes on with an errand that was under way before the run. */
  adopt(order: Order, present: PresentErrand): void {
    const { deliveryId, userId, phase, isPaid, trip, readyAtMs } = present
    this.#asked += 1
    const plan = this.#planOf(order)
    const errand: Errand = {
      order,
      agent: new WorldActor(errandAgent, agentAt(present, plan)),
      plan,
      userId,
      deliveryId,
      wanted: this.#wantedBy(order, plan),
      calls: 0,
      orderNumber: String(this.#asked),
      cards: isPaid || phase === "authorizing" ? 1 : 0,
      readyAtMs,
      phase,
      phaseSinceMs: this.#world.nowMs,
      isAnswerDue: phase === "authorizing" || phase === "capturing",
    }
    order.open()
    this.#errands.set(deliveryId, errand)
    if (trip !== null)
      this.#deliveries.adopt(order, trip, {
        number: errand.orderNumber,
        ended: (end) => this.#delivered(errand, end),
        fails: errand.plan.isCustomerAbsent ? () => this.#fail(errand) : null,
      })
    // Of the time until the agent's next call, an even share has passed.
    const rest = (ms: number): number => ms * order.chance.fraction("rest")
    if (phase === "quoted") this.#later(errand, rest(plan.reservesAfterMs), () => this.#reserve(errand))
    if (phase !== "held") return
    const { state } = errand.agent
    if (state === "ordering") this.#later(errand, rest(plan.confirmsAfterMs), () => this.#confirm(errand))
    if (state === "paying") this.#later(errand, rest(plan.paysAfterMs), () => this.#pay(errand))
  }

  #wantedBy({ siteNumber, storeNumber }: Order, plan: Plan): Wanted {
    const site = this.#world.model.sites[siteNumber] as FleetSite
    return {
      retailer_name: site.stores[storeNumber]?.as ?? "",
      store_address: {
        street: streetOf(storeNumber),
        ...CITY,
        location: locationOf(placeOf(site, storeNumber)),
      },
      dropoff_address: { street: "1 Door Way", ...CITY, location: locationOf(plan.customer) },
      requested_timing: { type: "asap" as const },
      pickup_methods_offered: ["curbside" as const],
    }
  }

  #planOf({ chance, facts, siteNumber, storeNumber, demand }: Order): Plan {
    const { model } = this.#world
    const errand: FleetErrand = demand.errand ?? USUAL.errand
    const isDeclined = chance.happens(errand.declined_cards, "declined-cards")
    const isUncaptured = chance.happens(errand.uncaptured, "uncaptured")
    const hasSecond = chance.happens(errand.second_cards, "second-cards")
    const first: Card = isDeclined ? "spt_declined" : isUncaptured ? "spt_uncaptured" : "spt_ok"
    return {
      customer: facts.door ?? placeIn(this.#world, siteNumber, chance),
      readyInMs: facts.readyInMs ?? chance.duration(demand.ready_in, "ready-in"),
      preparationMs: facts.preparationMs ?? this.#kitchens.preparation({ siteNumber, storeNumber, chance }),
      loadMs: chance.duration(model.vehicle.load, "load"),
      dropOffMs: chance.duration(model.vehicle.drop_off, "drop-off"),
      reservesAfterMs: chance.duration(errand.reserves_after, "reserves-after"),
      paysAfterMs: chance.duration(errand.pays_after, "pays-after"),
      confirmsAfterMs: chance.duration(errand.confirms_after, "confirms-after"),
      givesUp: chance.happens(errand.gives_up, "gives-up"),
      isRestricted: chance.happens(errand.restricted, "restricted"),
      isCustomerAbsent: chance.happens(errand.nobody_home, "nobody-home"),
      cards: first === "spt_ok" || !hasSecond ? [first] : [first, "spt_ok"],
    }
  }

  #reserve(errand: Errand): void {
    const args: ReserveDeliveryArguments = {
      ...this.#common(errand),
      customer: { first_name: "Ada", last_name: "Example" },
      contact: {},
      contact_consent: { granted: true, consent_version: CONSENT_VERSION },
      terms_acknowledged: { accepted: true, terms_version: TERMS_VERSION },
      pickup_requirements_seen: [],
    }
    this.#courier.reserve([errand.userId, args], (outcome) => {
      const envelope = envelopeOf(outcome)
      const { error } = envelope
      const { agent, plan } = errand
      if (error === undefined) agent.send("vehicle.held")
      // The vehicle stays held, unused, until the hold ends.
      if (error === undefined && plan.givesUp) return void agent.send("agent.left")
      if (this.#follows(errand, envelope, "reserve_delivery")) return
      if (error !== undefined) this.#end(errand, "declined", error.code)
      else this.#later(errand, plan.paysAfterMs, () => this.#pay(errand))
    })
  }

  #pay(errand: Errand): void {
    const card = errand.plan.cards[errand.cards] ?? "spt_ok"
    errand.cards += 1
    const args = {
      ...this.#common(errand),
      update_type: "payment" as const,
      payment: { shared_payment_token: card },
    }
    this.#courier.update([errand.userId, args], (outcome) => {
      const envelope = envelopeOf(outcome)
      const { error } = envelope
      if (error?.code === "payment_failed") return this.#unpaid(errand, card)
      if (error === undefined) errand.agent.send("fee.paid")
      if (this.#follows(errand, envelope, "update_delivery")) return
      if (error !== undefined) return this.#end(errand, "declined", error.code)
      const ms = errand.agent.is("ordered") ? 0 : errand.plan.confirmsAfterMs
      this.#later(errand, ms, () => this.#confirm(errand))
    })
  }

  #confirm(errand: Errand): void {
    if (errand.agent.send("order.placed")) errand.readyAtMs = this.#world.nowMs + errand.plan.readyInMs
    const args = {
      ...this.#common(errand),
      order_number: errand.orderNumber,
      items: [{ name: errand.plan.isRestricted ? "Beer" : "Lunch", quantity: 1 }],
      confirmation_text: "Thank you for your order",
      ready_at: errand.readyAtMs,
    }
    this.#courier.confirm([errand.userId, args], (outcome) => {
      const envelope = envelopeOf(outcome)
      const { error, decline_reason: reason } = envelope
      if (error?.code === "payment_failed") {
        return this.#unpaid(errand, errand.plan.cards[errand.cards - 1] ?? "spt_ok")
      }
      if (reason === undefined && this.#follows(errand, envelope, "confirm_delivery")) return
      const why = error?.code ?? reason
      if (why !== undefined) this.#end(errand, "declined", why)
    })
  }

  /** Does what the answer says, if the agent reads answers. */
  #follows(errand: Errand, envelope: Partial<CourierEnvelope>, last: CourierTool): boolean {
    const { agent, order, plan } = errand
    if (order.demand.by !== "agents") return false
    if (agent.state === "over") return true
    errand.calls += 1
    if (order.isMeasured) this.#world.tally.count(`errands.calls.${last}`)
    const advice = errand.calls < ERRAND_CALLS_MAX ? adviceOf(envelope, last) : null
    if (advice === null) {
      this.#end(errand, "canceled", "agent at a dead end")
      return true
    }
    const takesMs = {
      check_delivery: 0,
      // The customer decides once.
      reserve_delivery: errand.calls === 1 ? plan.reservesAfterMs : 0,
      update_delivery: plan.paysAfterMs,
      confirm_delivery: agent.is("ordered") ? 0 : plan.confirmsAfterMs,
      get_delivery_status: 0,
      cancel_delivery: 0,
    }
    const { tool, waitMs } = advice
    if (tool !== null) this.#later(errand, Math.max(waitMs, takesMs[tool]), () => this.#call(errand, tool))
    return true
  }

  #call(errand: Errand, tool: CourierTool): void {
    switch (tool) {
      case "check_delivery":
        return this.#checkAgain(errand)
      case "reserve_delivery":
        return this.#reserve(errand)
      case "update_delivery":
        return this.#pay(errand)
      case "confirm_delivery":
        return this.#confirm(errand)
      case "get_delivery_status":
        return this.#courier.status([errand.userId, { delivery_id: errand.deliveryId }], (outcome) => {
          this.#follows(errand, envelopeOf(outcome), tool)
        })
      case "cancel_delivery":
        this.#courier.cancel([errand.userId, this.#common(errand)])
        return this.#end(errand, "canceled", "by agent, no pickup in time")
    }
  }

  /** A new quote, after one that has run out. */
  #checkAgain(errand: Errand): void {
    const args = { ...errand.wanted, idempotency_key: this.#key() }
    this.#courier.check([errand.userId, args], (outcome) => {
      const envelope = envelopeOf(outcome)
      const { delivery_id: deliveryId, serviceable, decline_reason: reason, error } = envelope
      if (deliveryId === undefined || serviceable !== true)
        return this.#end(errand, "declined", reason ?? error?.code ?? "unavailable")
      this.#errands.delete(errand.deliveryId)
      errand.deliveryId = deliveryId
      this.#errands.set(deliveryId, errand)
      this.#follows(errand, envelope, "check_delivery")
    })
  }

  /** Tries another card, or gives up. */
  #unpaid(errand: Errand, card: Card): void {
    const { tally } = this.#world
    errand.agent.send("fee.declined")
    if (errand.order.isMeasured) {
      if (errand.cards <= 1) tally.countErrand("unpaid", errand.order)
      tally.count(`errands.unpaid.${UNPAID[card]}`)
    }
    if (errand.cards < errand.plan.cards.length) {
      this.#later(errand, errand.plan.paysAfterMs, () => this.#pay(errand))
      return
    }
    this.#courier.cancel([errand.userId, this.#common(errand)])
    this.#end(errand, "canceled", "by agent, unpaid")
  }

  /** Too late once the vehicle has the order. */
  #cancel(errand: Errand, refused: () => void): void {
    this.#courier.cancel([errand.userId, this.#common(errand)], (outcome) => {
      if (envelopeOf(outcome).error === undefined) this.#end(errand, "canceled", "by customer")
      else refused()
    })
  }

  #notice({ group, outcome }: TurnResult): void {
    if (outcome.type === "refused" || kindOf(group.address) !== "courier-order") return
    const seen = seenIn(group)
    if (seen === null) return
    const { phase } = seen
    // An errand whose quote has expired is not requested again.
    if (phase === "expired") this.#world.service.host.retire(group.address)
    const errand = this.#errands.get(idOf(group.address))
    if (errand === undefined || errand.phase === phase) return
    const { nowMs, tally } = this.#world
    if (errand.order.isMeasured) tally.observeState(`errand.${errand.phase}`, nowMs - errand.phaseSinceMs)
    errand.phase = phase
    errand.phaseSinceMs = nowMs
    if (errand.isAnswerDue) this.#takeAnswer(errand, seen.order.isAuthorized)
    if (phase === "booked") this.#carry(errand)
    if (phase === "lapsed" && errand.agent.state === "gone") this.#end(errand, "canceled", "agent gave up")
  }

  /** The processor's answer to a call from before the run. */
  #takeAnswer(errand: Errand, isPaid: boolean): void {
    errand.isAnswerDue = false
    if (errand.phase !== "held") return
    const { confirmsAfterMs } = errand.plan
    if (isPaid) {
      errand.agent.send("fee.paid")
      this.#later(errand, confirmsAfterMs, () => this.#confirm(errand))
    } else this.#later(errand, 0, () => this.#unpaid(errand, "spt_declined"))
  }

  /** Booked: the kitchen works towards the store's ready time, and a vehicle has the run. */
  #carry(errand: Errand): void {
    errand.agent.send("errand.booked")
    const { order, plan, deliveryId, readyAtMs } = errand
    const { nowMs, model, service, tally } = this.#world
    const { siteNumber, storeNumber, chance, isMeasured, demandNumber, askedAtMs } = order
    const row = service.host.store.table<DeliveryRow>("deliveries").get(deliveryId)
    if (isMeasured) tally.observe("errands.booking", nowMs - askedAtMs, demandNumber)
    const { preparationMs, loadMs, dropOffMs, customer } = plan
    const meal = this.#kitchens.order({
      siteNumber,
      storeNumber,
      dueMs: readyAtMs,
      chance,
      isMeasured,
      demandNumber,
      preparationMs,
    })
    this.#deliveries.carry({
      id: deliveryId,
      number: errand.orderNumber,
      order,
      run: {
        store: placeOf(model.sites[siteNumber] as FleetSite, storeNumber),
        curb: curbAt(this.#world, order),
        customer,
        meal,
        loadMs,
        dropOffMs,
        fails: plan.isCustomerAbsent ? () => this.#fail(errand) : null,
      },
      sinceMs: nowMs,
      readyByMs: readyAtMs,
      promisedAtMs: row?.deliveryEtaMs ?? Number.POSITIVE_INFINITY,
      ended: (end) => this.#delivered(errand, end),
    })
  }

  /** The vehicle reports to operations that no customer comes to the door. */
  #fail(errand: Errand): void {
    const failure = { reason: "customer_unavailable", refunds: false } as const
    this.#operations.fail([errand.deliveryId, failure])
  }

  #delivered(errand: Errand, end: TripEnd): void {
    if (end === "COMPLETED") this.#end(errand, "completed", null)
    else if (errand.phase === "failed") this.#end(errand, "failed", "customer_unavailable")
    else this.#end(errand, "canceled", "by customer")
  }

  #end(errand: Errand, end: "canceled" | "completed" | "declined" | "failed", why: string | null): void {
    if (!errand.agent.send("errand.ended")) return
    this.#errands.delete(errand.deliveryId)
    this.#users.release(errand.userId)
    // A booked errand rests forever after the end of its delivery, and its fee stays.
    if (end === "completed" || end === "failed")
      this.#world.service.host.retire(errandGroup(errand.deliveryId))
    errand.order.close(end, why)
  }

  /** Runs later, unless the errand is over by then. */
  #later(errand: Errand, ms: number, then: () => void): void {
    this.#world.after(ms, () => {
      if (errand.agent.state !== "over") then()
    })
  }

  #common({ deliveryId }: Errand) {
    return { delivery_id: deliveryId, idempotency_key: this.#key() }
  }

  #key(): string {
    this.#calls += 1
    return `call-${String(this.#calls).padStart(8, "0")}`
  }
}

/** Where the agent is in an errand that was under way before the run. */
function agentAt({ phase, isPaid }: PresentErrand, { givesUp }: Plan): StatePath<typeof errandAgent> {
  switch (phase) {
    case "quoted":
      return "deciding"
    case "held":
      if (isPaid) return "ordering"
      return givesUp ? "gone" : "paying"
    case "authorizing":
      return "paying"
    case "capturing":
      return "reporting"
    case "booked":
      return "booked"
  }
}

/** Every answer is an envelope; the connector's methods refuse in no other way. */
function envelopeOf(outcome: Outcome<CourierEnvelope>): Partial<CourierEnvelope> {
  return "answer" in outcome ? outcome.answer : {}
}

/** The listings of a site's stores. */
function storesOf(site: FleetSite, siteNumber: number): readonly Store[] {
  return site.stores.map((store, at) => ({
    storeId: storeIdOf(siteNumber, at),
    name: store.as,
    street: streetOf(at),
    zip: CITY.zip,
    place: placeOf(site, at),
    categories: [store.category],
    phone: "+15125550110",
    hours: store.hours,
    leadTimeMs: store.lead_time,
    kitchenStarts: "scheduled",
    stallHint: null,
  }))
}

/** Null for a store elsewhere in the area, which is not at the site's curb. */
export function curbAt(
  { curbs, model }: FleetWorld,
  { siteNumber, storeNumber }: Pick<Order, "siteNumber" | "storeNumber">,
): Curb | null {
  const isElsewhere = (model.sites[siteNumber]?.stores[storeNumber]?.at ?? null) !== null
  return isElsewhere ? null : (curbs[siteNumber] ?? null)
}

export function placeOf(site: FleetSite, storeNumber: number): Place {
  return site.stores[storeNumber]?.at ?? site.at
}

export function streetOf(storeNumber: number): string {
  return `${storeNumber + 1} Store Street`
}

function locationOf({ latitude, longitude }: Place) {
  return { lat: latitude, lng: longitude }
}
